package handin

import (
	"io"

	"go.yaml.in/yaml/v3"

	"github.com/labgrade/labgrade/internal/roster"
)

// metadataName is Gradescope's list of who handed in which folder of its export.
const metadataName = "submission_metadata.yml"

const maxMetadata = 16 << 20

// metadata reads Gradescope's list: a folder's name to its people, several for a group. A
// list that cannot be read is passed over: the folders' names say whose they are then.
func (s *Set) metadata(d dir) map[string][]roster.Name {
	f, err := d.fs().Open(metadataName)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxMetadata+1))
	if err != nil || len(data) > maxMetadata {
		s.Notes = append(s.Notes, metadataName+" cannot be read; people are named after their folders")
		return nil
	}
	// Values stay nodes, since a student id such as 0042 would become a number.
	var list map[string]struct {
		Submitters []map[string]yaml.Node `yaml:":submitters"`
	}
	if err := yaml.Unmarshal(data, &list); err != nil {
		s.Notes = append(s.Notes, metadataName+" is no list of submissions; people are named after their folders")
		return nil
	}
	out := map[string][]roster.Name{}
	for folder, x := range list {
		for _, m := range x.Submitters {
			name, sid, email := m[":name"], m[":sid"], m[":email"]
			out[folder] = append(out[folder], roster.Name{Whole: folder, Person: text(name), ID: text(sid), Email: text(email)})
		}
	}
	return out
}

func text(n yaml.Node) string {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return ""
	}
	return n.Value
}
