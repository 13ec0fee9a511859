package value

// WithStr is v with other text: how an evaluator moves a borrowed text into storage of
// its own without knowing the type.
func (v Value) WithStr(s string) Value {
	v.s = s
	return v
}
