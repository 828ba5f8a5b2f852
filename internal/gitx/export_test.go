package gitx

// ParseAny feeds foreign bytes to every parser of the package.
func ParseAny(text []byte) {
	_, _ = parseRaw(text)
	parseBatch(text)
	sectionHead("[" + string(text))
	(&snapshot{links: map[string]bool{}}).sort(text) //nolint // only that it survives
}
