package client

import (
	"slices"
	"strings"

	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/source"
	"github.com/labgrade/labgrade/reference/unsupported"
)

// checkTables checks the connectors of the tables that a query reads. CREATE TABLE checks
// nothing: Flink looks for the connector when the table is used first.
func (s *Session) checkTables(roots ...rel.Node) error {
	for _, t := range tables(roots) {
		if err := checkConnector(t, false); err != nil {
			return err
		}
	}
	return nil
}

// checkConnector looks up a table's connector and format among those that a plain Flink
// distribution has.
func checkConnector(t *catalog.Table, sink bool) error {
	kind, ok := t.Option("connector")
	if !ok {
		if hasPrefix(t, "connector.") {
			return unsupported.New("tables with options of the old form connector.*")
		}
		return flinkerr.Validation("Table options do not contain an option key 'connector' for discovering a connector.")
	}
	switch kind {
	case "print", "blackhole":
		if sink {
			known := consoleOptions
			if kind == "blackhole" {
				known = blackholeOptions
			}
			return unknownOptions(t, kind, known, "")
		}
		return flinkerr.Validation("Connector '%s' can only be used as a sink. It cannot be used as a source.", kind)
	case "filesystem":
		return checkFilesystem(t, sink)
	case "datagen", "legacy-csv", "python-arrow-source", "python-input-format":
		return unsupported.New("connector %s", kind)
	}
	return flinkerr.Validation("Could not find any factory for identifier '%s' that implements 'org.apache.flink.table.factories.DynamicTableFactory' in the classpath.\n\nAvailable factory identifiers are:\n\nblackhole\ndatagen\nfilesystem\nlegacy-csv\nprint\npython-arrow-source\npython-input-format", kind)
}

func checkFilesystem(t *catalog.Table, sink bool) error {
	format, ok := t.Option("format")
	_, hasPath := t.Option("path")
	var missing []string
	if !ok {
		missing = append(missing, "format")
	}
	if !hasPath {
		missing = append(missing, "path")
	}
	if len(missing) > 0 {
		return flinkerr.Validation("One or more required options are missing.\n\nMissing required options are:\n\n%s", strings.Join(missing, "\n"))
	}
	if err := checkOptionValues(t, sink); err != nil {
		return err
	}
	if err := unknownOptions(t, "filesystem", filesystemOptions, format+"."); err != nil {
		return err
	}
	if !knownFormat(format) {
		return flinkerr.Validation("Could not find any format factory for identifier '%s' in the classpath.", format)
	}
	path, _ := t.Option("path")
	if _, err := source.ParsePath(path); err != nil {
		return err
	}
	if format == "csv" && !sink {
		return source.CheckCSV(t)
	}
	return nil
}

// unknownOptions refuses options that a connector does not have; those of its format begin with
// a prefix.
func unknownOptions(t *catalog.Table, connector string, known []string, format string) error {
	var unknown []string
	for _, o := range t.Options {
		if !slices.Contains(known, o.Key) && (format == "" || !strings.HasPrefix(o.Key, format)) && !slices.Contains(unknown, o.Key) {
			unknown = append(unknown, o.Key)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	slices.Sort(unknown)
	return flinkerr.Validation("Unsupported options found for '%s'.\n\nUnsupported options:\n\n%s\n\nSupported options:\n\n%s",
		connector, strings.Join(unknown, "\n"), strings.Join(known, "\n"))
}

// The options of the print and the blackhole connector, as their errors list them.
var (
	consoleOptions = []string{
		"connector", "print-identifier", "property-version", "scan.watermark.alignment.group", "scan.watermark.alignment.max-drift",
		"scan.watermark.alignment.update-interval", "scan.watermark.emit.strategy", "scan.watermark.idle-timeout", "sink.parallelism",
		"standard-error",
	}
	blackholeOptions = []string{
		"connector", "property-version", "scan.watermark.alignment.group", "scan.watermark.alignment.max-drift",
		"scan.watermark.alignment.update-interval", "scan.watermark.emit.strategy", "scan.watermark.idle-timeout",
	}
)

// filesystemOptions are the options that the filesystem connector has beside those of its
// format, as its error lists them.
var filesystemOptions = []string{
	"auto-compaction", "compaction.file-size", "connector", "format", "partition.default-name",
	"partition.time-extractor.class", "partition.time-extractor.kind", "partition.time-extractor.timestamp-formatter",
	"partition.time-extractor.timestamp-pattern", "path", "property-version", "scan.watermark.alignment.group",
	"scan.watermark.alignment.max-drift", "scan.watermark.alignment.update-interval", "scan.watermark.emit.strategy",
	"scan.watermark.idle-timeout", "sink.parallelism", "sink.partition-commit.delay", "sink.partition-commit.policy.class",
	"sink.partition-commit.policy.class.parameters", "sink.partition-commit.policy.kind", "sink.partition-commit.success-file.name",
	"sink.partition-commit.trigger", "sink.partition-commit.watermark-time-zone", "sink.rolling-policy.check-interval",
	"sink.rolling-policy.file-size", "sink.rolling-policy.inactivity-interval", "sink.rolling-policy.rollover-interval",
	"sink.shuffle-by-partition.enable", "source.monitor-interval", "source.path.regex-pattern", "source.report-statistics",
}

// knownFormat lists the formats of a plain distribution.
func knownFormat(f string) bool {
	switch f {
	case "csv", "json", "raw", "debezium-json", "canal-json", "maxwell-json", "ogg-json":
		return true
	}
	return false
}

func hasPrefix(t *catalog.Table, prefix string) bool {
	for _, o := range t.Options {
		if strings.HasPrefix(o.Key, prefix) {
			return true
		}
	}
	return false
}
