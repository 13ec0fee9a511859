package client

import (
	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/config"
	"github.com/labgrade/labgrade/reference/unsupported"
)

// checkOptionValues reads the options of a filesystem table that are no texts. Flink reads all
// of them when the table is used first, those for writing too where the table is only read.
func checkOptionValues(t *catalog.Table, sink bool) error {
	values := map[string]string{}
	for _, o := range t.Options {
		values[o.Key] = o.Value
	}
	s := config.New(values)
	for _, o := range t.Options {
		var err error
		switch o.Key {
		case "sink.parallelism":
			_, err = s.Int(o.Key, 1)
		case "auto-compaction", "sink.shuffle-by-partition.enable":
			_, err = s.Bool(o.Key, false)
		case "sink.partition-commit.delay", "sink.rolling-policy.check-interval", "sink.rolling-policy.inactivity-interval",
			"sink.rolling-policy.rollover-interval":
			_, err = s.Millis(o.Key, 0)
		case "source.monitor-interval":
			if _, err = s.Millis(o.Key, 0); err == nil && !sink {
				err = unsupported.New("source.monitor-interval: such a query never ends")
			}
		case "source.path.regex-pattern":
			if !sink {
				err = unsupported.New("source.path.regex-pattern")
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
