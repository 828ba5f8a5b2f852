package reach

import (
	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/units"
)

// Exit reports whether a call that begins at token i ends the process as if all was well: os._exit(0), process.exit(),
// raise SystemExit(0) and their kin. The token is the last name of what is called.
func Exit(f *units.File, i int) bool {
	if f.Kind(i) != source.Name {
		return false
	}
	w := f.Text(i)
	owner := ""
	if f.Is(i-1, ".") || f.Is(i-1, "::") {
		owner = f.Text(i - 2)
	}
	if w == "SystemExit" && f.Lang == source.Python && f.Is(i-1, "raise") {
		return !f.Is(i+1, "(") || zero(f, i+1)
	}
	if !f.Is(i+1, "(") {
		return f.Lang == source.Ruby && (w == "exit" || w == "exit!") && owner == "" && f.Tokens[i].First && (i+1 >= len(f.Tokens) || f.Tokens[i+1].First || f.Is(i+1, "0") || f.Is(i+1, "true"))
	}
	ok := false
	switch f.Lang {
	case source.Python:
		ok = (w == "_exit" && owner == "os") || w == "exit" && (owner == "sys" || owner == "pytest" || owner == "") || w == "quit" && owner == ""
		if owner == "pytest" && w == "exit" {
			return true
		}
		if (w == "exit" || w == "quit") && owner == "" && f.Is(i-1, "def") {
			return false
		}
	case source.Go:
		ok = (w == "Exit" || w == "exit") && (owner == "os" || owner == "syscall" || owner == "unix")
	case source.JS, source.TS:
		ok = (w == "exit" || w == "reallyExit") && (owner == "process" || owner == "Deno" || owner == "Bun")
	case source.Java, source.Kotlin, source.Scala:
		ok = w == "exit" && (owner == "System" || owner == ")") || w == "halt" || w == "exitProcess"
	case source.Rust:
		ok = w == "exit" && (owner == "process" || owner == "libc") || w == "_exit" && owner == "libc"
	case source.Dart, source.PHP, source.Swift, source.C, source.CPP:
		ok = (w == "exit" || w == "_exit" || w == "_Exit" || w == "quick_exit") && (owner == "" || owner == "io" || owner == "Foundation" || owner == "Darwin" || owner == "std")
	case source.CSharp:
		ok = w == "Exit" && owner == "Environment"
	case source.Ruby:
		ok = (w == "exit" || w == "exit!") && (owner == "" || owner == "Process" || owner == "Kernel")
	}
	return ok && zero(f, i+1)
}

// zero reports whether the arguments that open at token i are an exit status of success: none or 0.
func zero(f *units.File, i int) bool {
	end := f.Close(i)
	switch end - i {
	case 1:
		return true
	case 2:
		switch f.Text(i + 1) {
		case "0", "None", "true", "EXIT_SUCCESS", "False":
			return true
		}
	case 4: // os.EX_OK
		return f.Is(i+3, "EX_OK") || f.Is(i+3, "ExitCode")
	}
	return false
}
