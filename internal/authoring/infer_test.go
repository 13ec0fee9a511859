package authoring

import (
	"strings"
	"testing"
)

func TestInfer(t *testing.T) {
	for _, c := range []struct {
		name, data, header string
		names              []string
		columns, rest      string
		options            int
	}{
		{"types", "1,a,2026-03-01 09:00:00.5,1.25,true,3000000000,2026-01-01\n2,b,2026-03-01 09:00:01,10.5,false,1,2026-01-02\n", "auto", nil,
			"c1 INT; c2 STRING; c3 TIMESTAMP(3); c4 DECIMAL(10, 2); c5 BOOLEAN; c6 BIGINT; c7 DATE", "1,a", 0},
		{"a header is taken off", "id,user name\n1,x\n2,y\n", "auto", nil, "id INT; user_name STRING", "1,x", 0},
		{"texts alone are no header", "a,b\nc,d\n", "auto", nil, "c1 STRING; c2 STRING", "a,b", 0},
		{"unless it is said", "a,b\nc,d\n", "yes", nil, "a STRING; b STRING", "c,d", 0},
		{"names given", "1,x\n", "auto", []string{"id", "order"}, "id INT; `order` STRING", "1,x", 0},
		{"empty numbers are NULL", "1,x\n,y\n", "auto", nil, "c1 INT; c2 STRING", "1,x", 1},
		{"semicolons", "1;x\n2;y\n", "auto", nil, "c1 INT; c2 STRING", "1;x", 1},
		{"ids with leading zeros are texts", "007,1\n008,2\n", "auto", nil, "c1 STRING; c2 INT", "007", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Infer("data/My file.csv", []byte(c.data), c.names, c.header)
			if err != nil {
				t.Fatal(err)
			}
			if s := strings.Join(got.Table.Columns, "; "); s != c.columns {
				t.Errorf("columns %s, want %s", s, c.columns)
			}
			if got.Table.Name != "My_file" || !strings.HasPrefix(string(got.Data), c.rest) || len(got.Table.Options) != c.options {
				t.Errorf("name %s, data %.20q, options %v", got.Table.Name, got.Data, got.Table.Options)
			}
		})
	}
	if _, err := Infer("x.csv", []byte("1,2\n"), []string{"a"}, "auto"); err == nil {
		t.Error("too few names were accepted")
	}
}
