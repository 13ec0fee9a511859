package labs

import "cmp"

// In are the words of a step in a language; what is not translated stays as it is.
func (l *Lab) In(lang string, s *Step) StepText {
	t := l.Texts[lang].Steps[s.ID]
	out := StepText{Title: cmp.Or(t.Title, s.Title), Next: cmp.Or(t.Next, s.Next), Hints: s.Hints}
	if len(t.Hints) > 0 {
		out.Hints = t.Hints
	}
	return out
}

// TitleIn is the lab's title in a language.
func (l *Lab) TitleIn(lang string) string { return cmp.Or(l.Texts[lang].Title, l.Title) }
