package phys

// windowNode prints the operators over windows, times and patterns.
func (w *writer) windowNode(n Node) {
	w.a.name = "?"
}

func (w *writer) twoPhase(n Node) {
	w.a.name = "?"
}
