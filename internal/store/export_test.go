package store

// WithStep makes the spool call fn after each of its steps and stop there, as a dying process would, when fn returns an error.
func (s Spool) WithStep(fn func(name string) error) Spool {
	s.step = fn
	return s
}
