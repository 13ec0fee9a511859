package value

// WithStr is v with other text: how an evaluator moves a borrowed text into storage of
// its own without knowing the type.
func (v Value) WithStr(s string) Value {
	v.s = s
	return v
}

// SetInt makes *v the integer n. It is for rows that are used again: only what an integer
// needs is written, so v must have been NULL or an integer before.
func (v *Value) SetInt(n int64) { v.set, v.n = true, n }
