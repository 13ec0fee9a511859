package client

import (
	"fmt"
	"slices"
	"strings"
)

// listSettings prints the table of SET: the session's settings among those of a plain distribution
// as it is unpacked. Two values are the machine's own, and are named instead.
func (s *Session) listSettings(r *Result) {
	values := plainDistribution()
	for _, k := range s.settings.Keys() {
		values[k], _ = s.settings.Get(k)
	}
	var keys []string
	for k := range values {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	rows := make([][]string, len(keys))
	for i, k := range keys {
		rows[i] = []string{k, values[k]}
	}
	s.table(r, []string{"key", "value"}, rows)
	if s.opt.Hints != nil {
		fmt.Fprintln(s.opt.Hints, "hint: the folder of the configuration and the port of the gateway are named, they depend on the machine")
	}
}

// plainDistribution are the properties that the client lists without any setting: those of the
// configuration file as it comes, and those that the client adds.
func plainDistribution() map[string]string {
	return map[string]string{
		"env.java.opts.all":                               strings.Join(strings.Fields(javaOptions), " "),
		"$internal.deployment.config-dir":                 "(the folder of the configuration)",
		"execution.attached":                              "true",
		"execution.shutdown-on-attached-exit":             "false",
		"execution.state-recovery.claim-mode":             "NO_CLAIM",
		"execution.state-recovery.ignore-unclaimed-state": "false",
		"execution.target":                                "remote",
		"jobmanager.bind-host":                            "localhost",
		"jobmanager.execution.failover-strategy":          "region",
		"jobmanager.memory.process.size":                  "1600m",
		"jobmanager.rpc.address":                          "localhost",
		"jobmanager.rpc.port":                             "6123",
		"parallelism.default":                             "1",
		"rest.address":                                    "localhost",
		"sql-gateway.endpoint.rest.address":               "localhost",
		"sql-gateway.endpoint.rest.port":                  "(a free port)",
		"taskmanager.bind-host":                           "localhost",
		"taskmanager.host":                                "localhost",
		"taskmanager.memory.process.size":                 "1728m",
		"taskmanager.numberOfTaskSlots":                   "1",
	}
}

const javaOptions = `
	--add-exports=java.rmi/sun.rmi.registry=ALL-UNNAMED --add-exports=jdk.compiler/com.sun.tools.javac.api=ALL-UNNAMED
	--add-exports=jdk.compiler/com.sun.tools.javac.file=ALL-UNNAMED --add-exports=jdk.compiler/com.sun.tools.javac.parser=ALL-UNNAMED
	--add-exports=jdk.compiler/com.sun.tools.javac.tree=ALL-UNNAMED --add-exports=jdk.compiler/com.sun.tools.javac.util=ALL-UNNAMED
	--add-exports=java.security.jgss/sun.security.krb5=ALL-UNNAMED --add-opens=java.base/java.lang=ALL-UNNAMED
	--add-opens=java.base/java.net=ALL-UNNAMED --add-opens=java.base/java.io=ALL-UNNAMED
	--add-opens=java.base/java.nio=ALL-UNNAMED --add-opens=java.base/sun.nio.ch=ALL-UNNAMED
	--add-opens=java.base/java.lang.reflect=ALL-UNNAMED --add-opens=java.base/java.text=ALL-UNNAMED
	--add-opens=java.base/java.time=ALL-UNNAMED --add-opens=java.base/java.util=ALL-UNNAMED
	--add-opens=java.base/java.util.concurrent=ALL-UNNAMED --add-opens=java.base/java.util.concurrent.atomic=ALL-UNNAMED
	--add-opens=java.base/java.util.concurrent.locks=ALL-UNNAMED`
