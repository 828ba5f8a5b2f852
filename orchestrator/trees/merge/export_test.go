package merge

// ParseHunks, ParseRaw, TreeNames and Lost are for tests.
func ParseHunks(patch []byte) (int, error) {
	h, err := parseHunks(patch)
	return len(h), err
}

func ParseRaw(out []byte) (int, []byte, error) {
	entries, rest, err := parseRaw(out)
	return len(entries), rest, err
}

func TreeNames(data []byte, hash int) ([]string, error) { return treeNames(data, hash) }

func Lost(base, ours, theirs, got []byte) ([]string, error) {
	o, err := parseHunks(ours)
	if err != nil {
		return nil, err
	}
	t, err := parseHunks(theirs)
	if err != nil {
		return nil, err
	}
	return lost(base, o, t, got), nil
}
