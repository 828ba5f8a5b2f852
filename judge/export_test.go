package judge

// Strings are the reasons as people see them.
func Strings(reasons []Reason) []string {
	texts := make([]string, 0, len(reasons))
	for _, r := range reasons {
		texts = append(texts, r.String())
	}
	return texts
}
