package labs

import (
	"slices"
	"strings"
)

// Fact is something that must hold of the text of a SQL file. It has exactly one of
// Uses, Avoids, Setting, Order, Watermark, PrimaryKey and Option.
type Fact struct {
	// Uses and Avoids are words that stand one behind another in a statement, outside
	// of comments and quotes, in any case: "TUMBLE", "GROUP BY", "SKIP TO NEXT ROW".
	Uses   string `yaml:"uses"`
	Avoids string `yaml:"avoids"`
	// Setting is the key of a SET statement; Value what it must be.
	Setting string `yaml:"setting"`
	Value   string `yaml:"value"`
	// Order are the beginnings of statements that must stand in this order, others
	// between them: ["CREATE TABLE", "CREATE VIEW", "INSERT INTO"].
	Order []string `yaml:"order"`
	// Table is the table that the file declares, for the facts below; Watermark is one
	// of Watermarks; Option has its value in Value.
	Table      string    `yaml:"table"`
	Watermark  Watermark `yaml:"watermark"`
	PrimaryKey []string  `yaml:"primary_key"`
	Option     string    `yaml:"option"`
	// Says is shown to who breaks it.
	Says string `yaml:"says"`
}

// Watermark is what a declaration may say about its watermark.
type Watermark string

// The facts about a watermark.
const (
	WatermarkAny     Watermark = "any"     // there is one
	WatermarkDelayed Watermark = "delayed" // it stays behind the newest row
	WatermarkExact   Watermark = "exact"   // it stands at the newest row: no delay
	WatermarkNone    Watermark = "none"    // there is none
)

// Watermarks lists the facts about a watermark.
func Watermarks() []Watermark {
	return []Watermark{WatermarkAny, WatermarkDelayed, WatermarkExact, WatermarkNone}
}

// Subject is the key of the lab file that says what the fact is about; "" for none.
func (f *Fact) Subject() string {
	if keys := f.subjects(); len(keys) > 0 {
		return keys[0]
	}
	return ""
}

func (f *Fact) subjects() []string {
	var out []string
	for _, x := range []struct {
		key string
		is  bool
	}{
		{"uses", f.Uses != ""}, {"avoids", f.Avoids != ""}, {"setting", f.Setting != ""}, {"order", len(f.Order) > 0},
		{"watermark", f.Watermark != ""}, {"primary_key", f.PrimaryKey != nil}, {"option", f.Option != ""},
	} {
		if x.is {
			out = append(out, x.key)
		}
	}
	return out
}

// Text is the fact in words.
func (f *Fact) Text() string {
	switch f.Subject() {
	case "uses":
		return "the SQL uses " + f.Uses
	case "avoids":
		return "the SQL does not use " + f.Avoids
	case "setting":
		return "the setting " + f.Setting + " is " + f.Value
	case "order":
		return "the statements stand in the order " + strings.Join(f.Order, ", ")
	case "watermark":
		return map[Watermark]string{
			WatermarkAny:     "the table " + f.Table + " has a watermark",
			WatermarkDelayed: "the table " + f.Table + " has a watermark with a delay",
			WatermarkExact:   "the table " + f.Table + " has a watermark without a delay",
			WatermarkNone:    "the table " + f.Table + " has no watermark",
		}[f.Watermark]
	case "primary_key":
		if len(f.PrimaryKey) == 0 {
			return "the table " + f.Table + " has no primary key"
		}
		return "the table " + f.Table + " has the primary key (" + strings.Join(f.PrimaryKey, ", ") + ")"
	case "option":
		return "the table " + f.Table + " has the option " + f.Option + " = " + f.Value
	}
	return ""
}

// facts validates the facts of a step.
func (r *reader) facts(at string, s *Step) {
	if len(s.Facts) > 0 && s.SQL == "" {
		r.at(at+".facts", "facts are about the text of a SQL file: step %q needs the key \"sql\"", s.ID)
	}
	for i := range s.Facts {
		f := &s.Facts[i]
		where := at + ".facts[" + itoa(i) + "]"
		subjects := f.subjects()
		if len(subjects) != 1 {
			r.at(where, "a fact has exactly one of uses, avoids, setting, order, watermark, primary_key and option")
			continue
		}
		declares := slices.Contains([]string{"watermark", "primary_key", "option"}, subjects[0])
		switch {
		case declares && f.Table == "":
			r.at(where, "the fact %s needs the key \"table\"", subjects[0])
		case !declares && f.Table != "":
			r.at(where+".table", "the fact %s is about no table", subjects[0])
		}
		valued := subjects[0] == "setting" || subjects[0] == "option"
		switch {
		case valued && f.Value == "":
			r.at(where, "the fact %s needs the key \"value\"", subjects[0])
		case !valued && f.Value != "":
			r.at(where+".value", "the fact %s has no value", subjects[0])
		}
		if f.Watermark != "" && !slices.Contains(Watermarks(), f.Watermark) {
			r.at(where+".watermark", "watermark: %q is unknown%s", f.Watermark, suggest(string(f.Watermark), names(Watermarks())))
		}
	}
}
