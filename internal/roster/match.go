package roster

import (
	"strings"
	"unicode"
)

// Name is what the name of a submission says about who handed it in.
type Name struct {
	// Whole is the name without the endings of archives; Person the part that names
	// somebody ("Ann Lee", "leeann").
	Whole, Person string
	// CanvasID and MoodleID are numbers that those platforms put into names.
	CanvasID, MoodleID string
	// ID and Email are what a platform's own list of submissions says.
	ID, Email string
}

// index finds people. A key that two people share leads to nobody.
type index struct {
	id, canvas, moodle, login, email, name map[string]int
}

const nobody = -1

func newIndex(people []Person) index {
	x := index{id: map[string]int{}, canvas: map[string]int{}, moodle: map[string]int{}, login: map[string]int{}, email: map[string]int{}, name: map[string]int{}}
	put := func(m map[string]int, key string, i int) {
		if key == "" {
			return
		}
		if j, ok := m[key]; ok && j != i {
			i = nobody
		}
		m[key] = i
	}
	for i, p := range people {
		put(x.id, strings.ToLower(p.ID), i)
		put(x.canvas, p.CanvasID, i)
		put(x.moodle, p.MoodleID, i)
		put(x.login, strings.ToLower(p.Login), i)
		put(x.email, strings.ToLower(p.Email), i)
		for _, n := range spellings(p) {
			put(x.name, n, i)
		}
	}
	return x
}

// spellings are the letters of a name in every rotation of its words, since platforms
// write "Ann Lee", "Lee, Ann" and "leeann".
func spellings(p Person) []string {
	var out []string
	for _, n := range []string{p.Name, p.First + " " + p.Last} {
		words := strings.FieldsFunc(n, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && !unicode.Is(unicode.Mn, r) })
		for i := range words {
			out = append(out, letters(strings.Join(words[i:], "")+strings.Join(words[:i], "")))
		}
	}
	return out
}

func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.Is(unicode.Mn, r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// Find says who a submission belongs to; nil when nobody or more than one fits. Numbers
// and addresses count before names.
func (r *Roster) Find(n Name) *Person {
	x := &r.index
	tries := []struct {
		m   map[string]int
		key string
	}{
		{x.id, n.ID}, {x.email, n.Email}, {x.canvas, n.CanvasID}, {x.moodle, n.MoodleID},
		{x.id, n.Whole}, {x.id, n.Person}, {x.login, n.Whole}, {x.login, n.Person}, {x.email, n.Whole},
		{x.id, n.CanvasID}, {x.id, n.MoodleID},
	}
	for _, t := range tries {
		if i, ok := t.m[strings.ToLower(t.key)]; ok && t.key != "" && i != nobody {
			return &r.People[i]
		}
	}
	if i, ok := x.name[letters(n.Person)]; ok && i != nobody {
		return &r.People[i]
	}
	// An id or login among the words of the name: "lab1-0042-lee".
	found := nobody
	for _, w := range strings.FieldsFunc(n.Whole, func(c rune) bool { return strings.ContainsRune(" _-.,()[]", c) }) {
		for _, m := range []map[string]int{x.id, x.login} {
			if i, ok := m[strings.ToLower(w)]; ok && i != nobody {
				if found != nobody && found != i {
					return nil
				}
				found = i
			}
		}
	}
	if found == nobody {
		return nil
	}
	return &r.People[found]
}
