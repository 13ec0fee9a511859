package source

import "testing"

func TestParsePath(t *testing.T) {
	for _, tc := range []struct{ name, in, local, text, err string }{
		{name: "plain", in: "/data/x.csv", local: "/data/x.csv", text: "/data/x.csv"},
		{name: "relative", in: "x.csv", local: "x.csv", text: "x.csv"},
		{name: "slash behind", in: "/data/", local: "/data", text: "/data"},
		{name: "doubled slashes", in: "/data//x.csv", local: "/data/x.csv", text: "/data/x.csv"},
		{name: "scheme", in: "file:///data/x.csv", local: "/data/x.csv", text: "file:/data/x.csv"},
		{name: "scheme, one slash", in: "file:/data/x.csv", local: "/data/x.csv", text: "file:/data/x.csv"},
		{name: "authority", in: "file://data/x.csv",
			err: "java.io.IOException: Found local file path with authority 'data' in path 'file://data/x.csv'. Hint: Did you forget a slash? (correct path would be 'file:///data/x.csv')"},
		{name: "drive", in: `C:\data\x.csv`, local: "/C:/data/x.csv", text: "C:/data/x.csv"},
		{name: "other scheme", in: "hdfs://h/x.csv", err: "org.apache.flink.core.fs.UnsupportedFileSystemSchemeException: Hadoop is not in the classpath/dependencies."},
		{name: "empty", in: " ", err: "java.lang.IllegalArgumentException: Can not create a Path from an empty string"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := ParsePath(tc.in)
			local := ""
			if err == nil {
				local, err = p.Local()
			}
			if err != nil {
				if err.Error() != tc.err {
					t.Fatalf("error %q, want %q", err, tc.err)
				}
				return
			}
			if local != tc.local || p.String() != tc.text || tc.err != "" {
				t.Errorf("local %q, text %q; want %q, %q, error %q", local, p, tc.local, tc.text, tc.err)
			}
		})
	}
}
