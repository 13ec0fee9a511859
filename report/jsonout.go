package report

import "encoding/json"

// indented is JSON for a file that people may look into. The encoder escapes <, > and &,
// so the text is harmless inside a page, too.
func indented(v any) ([]byte, error) {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(b, '\n'), nil
}
