// Package config holds the settings of a session: what SET, RESET and -D change, with
// typed access to those that change answers. Texts of refusals are Flink's own.
package config

import (
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/labgrade/labgrade/reference/flinkerr"
)

// The keys that the engine looks at.
const (
	KeyRuntimeMode      = "execution.runtime-mode"
	KeyParallelism      = "parallelism.default"
	KeyDmlSync          = "table.dml-sync"
	KeyTimeZone         = "table.local-time-zone"
	KeyMaxColumnWidth   = "table.display.max-column-width"
	KeyResultMode       = "sql-client.execution.result-mode"
	KeyPrintTimeCost    = "sql-client.display.print-time-cost"
	KeyVerbose          = "sql-client.verbose"
	KeyStateTTL         = "table.exec.state.ttl"
	KeyMiniBatch        = "table.exec.mini-batch.enabled"
	KeyMiniBatchLatency = "table.exec.mini-batch.allow-latency"
	KeyMiniBatchSize    = "table.exec.mini-batch.size"
)

const classIllegalArgument = "java.lang.IllegalArgumentException"

// Settings are the values that have been set; every other key has its default.
type Settings struct {
	initial map[string]string
	values  map[string]string
}

// New returns settings with initial values (-D), which RESET restores.
func New(initial map[string]string) *Settings {
	s := &Settings{initial: map[string]string{}, values: map[string]string{}}
	for k, v := range initial {
		s.initial[k] = v
		s.values[k] = v
	}
	return s
}

// Clone returns an independent copy.
func (s *Settings) Clone() *Settings {
	c := New(s.initial)
	for k, v := range s.values {
		c.values[k] = v
	}
	return c
}

// Get returns a value that was set. The old key sql-client.display.max-column-width is
// accepted by SET but has no effect in Flink 2.3, so no older names are looked up.
func (s *Settings) Get(key string) (string, bool) {
	v, ok := s.values[key]
	return v, ok
}

// Set changes a value after the checks that Flink makes at SET: it builds an environment
// with the new value, which reads only a few keys.
func (s *Settings) Set(key, value string) error {
	if err := check(key, value); err != nil {
		return err
	}
	s.values[key] = value
	return nil
}

// Reset restores the initial value of a key. A key that is not set is no error.
func (s *Settings) Reset(key string) error {
	if v, ok := s.initial[key]; ok {
		return s.Set(key, v)
	}
	delete(s.values, key)
	return nil
}

// ResetAll restores the initial values of all keys.
func (s *Settings) ResetAll() {
	s.values = map[string]string{}
	for k, v := range s.initial {
		s.values[k] = v
	}
}

// Keys lists the keys that are set, in order.
func (s *Settings) Keys() []string {
	var ks []string
	for k := range s.values {
		ks = append(ks, k)
	}
	sort.Strings(ks)
	return ks
}

// check refuses the values that Flink refuses at SET already.
func check(key, value string) error {
	switch key {
	case KeyRuntimeMode:
		_, err := runtimeMode(value)
		return err
	case KeyParallelism:
		n, err := javaInt(value)
		if err != nil {
			return err
		}
		if n < 1 && n != defaultParallelism {
			return flinkerr.New(classIllegalArgument, "Parallelism must be at least one, or ExecutionConfig.PARALLELISM_DEFAULT (use system default).")
		}
	case "table.sql-dialect":
		switch strings.ToUpper(value) {
		case "DEFAULT":
		case "HIVE":
			return flinkerr.Validation("Could not find any factories that implement 'org.apache.flink.table.delegation.ParserFactory' in the classpath.")
		default:
			return flinkerr.New(classIllegalArgument, "No enum constant org.apache.flink.table.api.SqlDialect.%s", strings.ToUpper(value))
		}
	}
	return nil
}

// defaultParallelism stands for the parallelism of the cluster, which is 1.
const defaultParallelism = -1

func runtimeMode(v string) (string, error) {
	switch up := strings.ToUpper(strings.TrimSpace(v)); up {
	case "STREAMING", "BATCH", "AUTOMATIC":
		return up, nil
	}
	return "", flinkerr.New(classIllegalArgument, "Could not parse value for enum class org.apache.flink.api.common.RuntimeExecutionMode. Expected one of: [[STREAMING, BATCH, AUTOMATIC]]")
}

func javaInt(v string) (int, error) {
	n, err := strconv.ParseInt(v, 10, 32)
	if err != nil {
		return 0, flinkerr.New("java.lang.NumberFormatException", "For input string: \"%s\"", v)
	}
	return int(n), nil
}

// Batch tells whether execution.runtime-mode is batch.
func (s *Settings) Batch() bool {
	v, _ := s.Get(KeyRuntimeMode)
	m, err := runtimeMode(v)
	return err == nil && m == "BATCH"
}

// Bool reads a BOOLEAN setting with its default.
func (s *Settings) Bool(key string, def bool) (bool, error) {
	v, ok := s.Get(key)
	if !ok {
		return def, nil
	}
	switch strings.ToUpper(v) {
	case "TRUE":
		return true, nil
	case "FALSE":
		return false, nil
	}
	return false, flinkerr.New(classIllegalArgument, "Unrecognized option for boolean: %s. Expected either true or false(case insensitive)", v)
}

// Int reads an INT setting with its default.
func (s *Settings) Int(key string, def int) (int, error) {
	v, ok := s.Get(key)
	if !ok {
		return def, nil
	}
	return javaInt(v)
}

// Long reads a BIGINT setting with its default.
func (s *Settings) Long(key string, def int64) (int64, error) {
	v, ok := s.Get(key)
	if !ok {
		return def, nil
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil {
		return 0, flinkerr.New("java.lang.NumberFormatException", "For input string: \"%s\"", v)
	}
	return n, nil
}

// Millis reads a duration setting, such as "5 s" or "1000", in milliseconds.
func (s *Settings) Millis(key string, def int64) (int64, error) {
	v, ok := s.Get(key)
	if !ok {
		return def, nil
	}
	d, err := ParseDuration(v)
	return d.Milliseconds(), err
}

// TimeZone is table.local-time-zone; UTC when it is "default", as on a machine that runs in UTC.
func (s *Settings) TimeZone() (*time.Location, error) {
	v, ok := s.Get(KeyTimeZone)
	if !ok || v == "default" {
		return time.UTC, nil
	}
	return ParseZone(v)
}
