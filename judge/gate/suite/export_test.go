package suite

// Tail is what is shown of an output.
func Tail(output []byte, hide string) string { return tail(output, hide) }

// UnknownProgram reads the complaint of a shell.
func UnknownProgram(text string) string { return unknownProgram(text) }
