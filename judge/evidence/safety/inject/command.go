package inject

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/evidence/safety/flow"
)

// command finds command lines of shells that a value is written into.
func command(r *flow.Region) []hit {
	f := r.F
	var out []hit
	for i := r.From; i < r.To; i++ {
		if f.Kind(i) == source.String {
			if t := f.Text(i); f.Lang == source.Ruby && (strings.HasPrefix(t, "`") || strings.HasPrefix(t, "%x")) || f.Lang == source.PHP && strings.HasPrefix(t, "`") {
				if v, ok := r.Interpolated(i); ok {
					out = append(out, shellHit(r, i, v))
				}
			}
			continue
		}
		if f.Kind(i) != source.Name {
			continue
		}
		open := i + 1
		if f.Is(open, "!") {
			open++
		}
		if !f.Is(open, "(") {
			if f.Lang == source.Ruby && (f.Is(i, "system") || f.Is(i, "exec")) && f.Kind(open) == source.String { // system "…#{x}"
				if v, ok := r.Interpolated(open); ok {
					out = append(out, shellHit(r, i, v))
				}
			}
			continue
		}
		for _, a := range shellArgs(r, i, open) {
			if v, ok := r.Carries(a[0], a[1]); ok {
				out = append(out, shellHit(r, i, v))
				break
			}
		}
	}
	return out
}

func shellHit(r *flow.Region, i int, v flow.Value) hit {
	return hit{tok: v.Tok, line: v.Line, from: i, what: v.Name + " becomes part of a shell's command line", soft: r.Checked(v.Name)}
}

// shellArgs lists the arguments of the call at token i, whose bracket is open, that a shell reads.
func shellArgs(r *flow.Region, i, open int) [][2]int {
	f := r.F
	args := f.Args(open)
	if len(args) == 0 {
		return nil
	}
	name, on := f.Text(i), receiver(r, i)
	first := args[:1]
	switch f.Lang {
	case source.Python:
		return pythonShell(r, name, on, args)
	case source.Go:
		switch name {
		case "Command":
			return behindShell(r, args)
		case "CommandContext":
			return behindShell(r, args[1:])
		}
	case source.JS, source.TS:
		switch name {
		case "exec", "execSync", "execAsync", "execPromise", "execCommand":
			if strings.Contains(on, "child_process") || on == "cp" || on == "shell" || on == "childProcess" || on == "" && childProcess(r) {
				return first
			}
		case "spawn", "spawnSync", "execFile", "execFileSync", "execa", "execaSync":
			if option(r, args, "shell") {
				return args[:min(2, len(args))]
			}
			return behindShell(r, args)
		case "command", "commandSync":
			if on == "execa" {
				return first
			}
		}
	case source.Java, source.Kotlin, source.Scala:
		switch name {
		case "exec":
			if strings.Contains(strings.ToLower(on), "runtime") || on == "rt" || on == "process" {
				if t := r.Type(f.Text(args[0][0])); args[0][1] == args[0][0]+1 && (strings.Contains(t, "[") || strings.Contains(t, "list")) {
					return nil
				}
				if shells(r, args[0]) || !f.Is(args[0][0], "new") && !f.Is(args[0][0], "arrayOf") {
					return first
				}
			}
		case "ProcessBuilder", "command":
			if name == "command" && !strings.Contains(strings.ToLower(on), "builder") && on != "pb" {
				return nil
			}
			if shells(r, [2]int{open + 1, f.Close(open)}) {
				return behindShell(r, args)
			}
		}
	case source.Rust:
		if (name == "arg" || name == "args") && f.Is(i-1, ".") {
			start := chainStart(r, i)
			if shells(r, [2]int{start, i}) || name == "args" && newShell(r, start, i) || shellVar(r, start) && (flagged(r, [2]int{start, i}) || flagged(r, args[0])) {
				return args
			}
		}
	case source.Dart:
		if on == "Process" || strings.HasSuffix(on, "Process") {
			if option(r, args, "runInShell") {
				return args[:min(2, len(args))]
			}
			return behindShell(r, args)
		}
	default:
		return otherShell(r, name, on, args)
	}
	return nil
}

func pythonShell(r *flow.Region, name, on string, args [][2]int) [][2]int {
	first := args[:1]
	switch name {
	case "system", "popen", "popen2", "popen3", "popen4":
		if on == "os" || on == "" || on == "platform" || on == "posix" {
			return first
		}
	case "getoutput", "getstatusoutput":
		return first
	case "execl", "execlp", "execv", "execvp", "spawnl", "spawnlp", "spawnv":
		if shells(r, [2]int{args[0][0], args[len(args)-1][1]}) {
			return args
		}
	case "create_subprocess_shell", "subprocess_shell":
		return args
	case "run", "call", "Popen", "check_call", "check_output":
		if option(r, args, "shell") {
			return first
		}
		if on == "subprocess" || on == "" || on == "sp" {
			return behindShell(r, args)
		}
	}
	return nil
}

// otherShell knows the calls of PHP, Ruby, C#, Swift and C.
func otherShell(r *flow.Region, name, on string, args [][2]int) [][2]int {
	f := r.F
	switch f.Lang {
	case source.PHP:
		switch name {
		case "system", "exec", "shell_exec", "passthru", "popen", "proc_open", "pcntl_exec":
			if on == "" {
				return args[:1]
			}
		}
	case source.Ruby:
		switch name {
		case "system", "exec", "spawn", "popen", "capture2", "capture3", "capture2e", "`":
			if len(args) == 1 && (on == "" || on == "Kernel" || on == "IO" || on == "Open3") {
				return args
			}
			return behindShell(r, args)
		}
	case source.CSharp:
		if (name == "Start" || name == "ProcessStartInfo") && shells(r, args[0]) {
			return args
		}
	case source.C, source.CPP:
		if name == "system" || name == "popen" {
			return args[:1]
		}
	case source.Swift:
		if name == "shell" || name == "system" {
			return args[:1]
		}
	}
	return nil
}

// behindShell lists the arguments of a call that start a shell, without the shell itself.
func behindShell(r *flow.Region, args [][2]int) [][2]int {
	if len(args) == 0 {
		return nil
	}
	f := r.F
	// subprocess.run(["sh", "-c", x]) and new ProcessBuilder("sh", "-c", x) alike
	if all := [2]int{args[0][0], args[len(args)-1][1]}; shells(r, args[0]) || shells(r, all) && isShell(f.Unquote(args[0][0])) {
		if flagged(r, all) {
			return args
		}
	}
	return nil
}

// shells reports whether tokens name a shell and its flag for a command line.
func shells(r *flow.Region, span [2]int) bool {
	f := r.F
	shell, flag := false, false
	for i := span[0]; i < span[1]; i++ {
		if f.Kind(i) != source.String {
			continue
		}
		t := f.Unquote(i)
		shell = shell || isShell(t)
		flag = flag || isFlag(t)
		if k := strings.IndexByte(t, ' '); k > 0 && isShell(t[:k]) && strings.Contains(t, " -c") {
			return true
		}
	}
	return shell && (flag || span[1] == span[0]+1)
}

// shellVar reports whether the name at token i was given a shell: let mut c = Command::new("sh").
func shellVar(r *flow.Region, i int) bool {
	f := r.F
	if f.Kind(i) != source.Name || !f.Is(i+1, ".") {
		return false
	}
	const far = 5000 // tokens
	for k := max(r.From, i-far); k < i; k++ {
		if f.Is(k, f.Text(i)) && f.Is(k+1, "=") && newShell(r, k, min(k+10, i)) {
			return true
		}
	}
	return false
}

func newShell(r *flow.Region, from, to int) bool {
	for i := from; i < to; i++ {
		if r.F.Kind(i) == source.String && isShell(r.F.Unquote(i)) {
			return true
		}
	}
	return false
}

func flagged(r *flow.Region, span [2]int) bool {
	for i := span[0]; i < span[1]; i++ {
		if r.F.Kind(i) == source.String && (isFlag(r.F.Unquote(i)) || strings.HasPrefix(r.F.Unquote(i), "/c ")) {
			return true
		}
	}
	return false
}

func isFlag(s string) bool {
	switch s {
	case "-c", "/c", "/C", "-lc", "-ec", "-euc", "-Command", "-command", "-exc", "-xc", "-cx", "-ce":
		return true
	}
	return false
}

func isShell(s string) bool {
	s = strings.ToLower(strings.TrimSuffix(s[strings.LastIndexAny(s, "/\\")+1:], ".exe"))
	switch s {
	case "sh", "bash", "zsh", "dash", "ksh", "cmd", "powershell", "pwsh", "ash", "fish":
		return true
	}
	return false
}

// option reports whether an argument switches an option on: shell=True, { shell: true }.
func option(r *flow.Region, args [][2]int, name string) bool {
	f := r.F
	for _, a := range args {
		for i := a[0]; i+2 < a[1]+1; i++ {
			if f.Is(i, name) && (f.Is(i+1, "=") || f.Is(i+1, ":")) && !f.Is(i+2, "false") && !f.Is(i+2, "False") && !f.Is(i+2, "None") {
				return true
			}
		}
	}
	return false
}

// receiver is what stands in front of the method at token i, in short.
func receiver(r *flow.Region, i int) string {
	f := r.F
	if !f.Is(i-1, ".") && !f.Is(i-1, "::") && !f.Is(i-1, "?.") && !f.Is(i-1, "->") {
		return ""
	}
	k := i - 2
	if f.Is(k, ")") { // require('child_process').exec, Runtime.getRuntime().exec
		return f.Norm(chainStart(r, i), i-1)
	}
	return f.Text(k)
}

// chainStart is the first token of the chain that ends with the method at token i.
func chainStart(r *flow.Region, i int) int {
	start := r.StmtStart(i)
	for j := i - 1; j > start; j-- {
		if r.Around(j) == r.Around(i) {
			switch r.F.Text(j) {
			case "=", "return", ",", ":=", "await", "=>", "+":
				return j + 1
			}
		}
	}
	return start
}

// childProcess reports whether the file imports the module of Node that starts processes.
func childProcess(r *flow.Region) bool { return r.Says("child_process") }
