package git

// ParseStatus is for tests.
func ParseStatus(out []byte) (State, error) { return parseStatus(out) }
