package source

import (
	"path"
	"strings"

	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/flinkerr"
)

// Path is a path option as Flink's own Path class takes it apart: [scheme:][//authority]path.
type Path struct{ scheme, authority, path string }

// ParsePath reads a path option. Only an empty text is refused.
func ParsePath(text string) (Path, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return Path{}, flinkerr.New("java.lang.IllegalArgumentException", "Can not create a Path from an empty string")
	}
	if hasDrive(text) {
		text = "/" + text
	}
	var p Path
	rest := text
	if colon := strings.IndexByte(rest, ':'); colon >= 0 {
		if slash := strings.IndexByte(rest, '/'); slash < 0 || colon < slash {
			p.scheme, rest = rest[:colon], rest[colon+1:]
		}
	}
	if strings.HasPrefix(rest, "//") && len(rest) > 2 {
		rest = rest[2:]
		end := strings.IndexByte(rest, '/')
		if end < 0 {
			end = len(rest)
		}
		p.authority, rest = rest[:end], rest[end:]
	}
	if rest = strings.ReplaceAll(rest, `\`, "/"); rest != "" {
		rest = path.Clean(rest)
	}
	p.path = rest
	return p, nil
}

// hasDrive tells whether a text begins as a path of Windows does: C:\data, C:/data.
func hasDrive(text string) bool {
	return len(text) >= 2 && text[1] == ':' && (text[0] >= 'a' && text[0] <= 'z' || text[0] >= 'A' && text[0] <= 'Z')
}

// String is the path as Flink's errors write it.
func (p Path) String() string {
	var b strings.Builder
	if p.scheme != "" {
		b.WriteString(p.scheme + ":")
	}
	if p.authority != "" {
		b.WriteString("//" + p.authority)
	}
	if rest, ok := strings.CutPrefix(p.path, "/"); ok && hasDrive(rest) {
		b.WriteString(rest)
	} else {
		b.WriteString(p.path)
	}
	return b.String()
}

// Local is the path in the local file system, which is the only one that a plain Flink has.
func (p Path) Local() (string, error) {
	const class = "org.apache.flink.core.fs.UnsupportedFileSystemSchemeException"
	if p.scheme != "" && p.scheme != "file" {
		if plugins := fileSystemPlugins(p.scheme); plugins != "" {
			return "", flinkerr.Runtime(class, "Could not find a file system implementation for scheme '%s'. The scheme is directly supported by Flink through the following plugin(s): %s. "+
				"Please ensure that each plugin resides within its own subfolder within the plugins directory. See https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/filesystems/plugins/ for more information. "+
				"If you want to use a Hadoop file system for that scheme, please add the scheme to the configuration fs.allowed-fallback-filesystems. "+
				"For a full list of supported file systems, please see https://nightlies.apache.org/flink/flink-docs-stable/ops/filesystems/.", p.scheme, plugins)
		}
		return "", flinkerr.Runtime(class, "Hadoop is not in the classpath/dependencies.")
	}
	if p.authority != "" {
		return "", flinkerr.Runtime("java.io.IOException", "Found local file path with authority '%s' in path '%s'. Hint: Did you forget a slash? (correct path would be 'file:///%s')",
			p.authority, p, p.authority+p.path)
	}
	return p.path, nil
}

// fileSystemPlugins names the plugins of Flink for a scheme, "" where it has none.
func fileSystemPlugins(scheme string) string {
	switch scheme {
	case "wasb", "wasbs", "abfs", "abfss":
		return "flink-fs-azure-hadoop"
	case "oss":
		return "flink-oss-fs-hadoop"
	case "s3":
		return "flink-s3-fs-hadoop, flink-s3-fs-presto"
	case "s3a":
		return "flink-s3-fs-hadoop"
	case "s3p":
		return "flink-s3-fs-presto"
	case "gs":
		return "flink-gs-fs-hadoop"
	}
	return ""
}

// TablePath is the path option of a table in the local file system.
func TablePath(table *catalog.Table) (string, error) {
	text, _ := table.Option("path")
	p, err := ParsePath(text)
	if err != nil {
		return "", err
	}
	return p.Local()
}
