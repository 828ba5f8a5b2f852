package prepush

// Script, ExeOf and Ours are the writer and the readers of our script.
func Script(exe string, chained []byte) []byte { return script(exe, chained) }

// ExeOf reads the executable.
func ExeOf(text []byte) string { return exeOf(text) }

// Ours recognises the script.
func Ours(text []byte) bool { return ours(text) || runsGate(text) || owner("/x", text) == "" }
