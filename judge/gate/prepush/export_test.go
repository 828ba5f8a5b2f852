package prepush

// Script, ExeOf and Ours are the writer and the readers of our script.
func Script(exe string, chained []byte) []byte { return script(exe, chained) }

// ExeOf reads the executable.
func ExeOf(text []byte) string { return exeOf(text) }

// Known recognises the script.
func Known(text []byte) bool { return ours(text) || runsGate(text) || owner("/x", text) == "" }
