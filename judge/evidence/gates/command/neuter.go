package command

import "strings"

// Loss is why the result of a command decides nothing.
type Loss struct {
	Why  string
	Hard bool // certain
}

// Lost tells why the check at part i of a line cannot fail any more, or that it might not. The zero Loss: it can.
func Lost(parts []Part, i int) Loss {
	if l := flags(parts[i].Text); l.Why != "" {
		return l
	}
	if strings.HasPrefix(parts[i].Text, "! ") {
		return Loss{"its result is turned round (!)", true}
	}
	if i > 0 && parts[i].Op == "||" && i-1 >= 0 && succeeds(parts[i-1].Text) {
		return Loss{"it comes behind something that always succeeds", true}
	}
	if i > 0 && parts[i].Op == "&&" && fails(parts[i-1].Text) {
		return Loss{"it comes behind something that always fails", true}
	}
	if i > 0 && parts[i].Op == ";" && exits(parts[i-1].Text) {
		return Loss{"it comes behind an exit", true}
	}
	for k := i + 1; k < len(parts); k++ {
		p := parts[k]
		switch p.Op {
		case "||":
			return otherwise(parts, k)
		case ";":
			rest := parts[k:]
			if len(rest) == 0 || p.Text == "" {
				continue
			}
			return after(rest)
		case "&":
			if k == len(parts)-1 && p.Text == "" {
				return Loss{"it runs in the background and nobody waits for it", true}
			}
		case "|":
			if c, _ := ClassOf(p.Text); c != None {
				continue
			}
			return Loss{"its exit status is lost in a pipe", false}
		}
	}
	if strings.HasPrefix(parts[i].Text, "if ") {
		return Loss{}
	}
	return Loss{}
}

// otherwise judges what stands behind || at part k.
func otherwise(parts []Part, k int) Loss {
	t := strings.Trim(parts[k].Text, "(){} ")
	if c, _ := ClassOf(t); c != None { // tried again
		return Loss{}
	}
	for _, p := range parts[k:] {
		inner := strings.Trim(p.Text, "(){} ")
		for _, q := range Split(inner) {
			w := Words(strings.Trim(q.Text, "(){} "))
			if len(w) == 0 {
				continue
			}
			switch {
			case w[0] == "exit" && len(w) > 1 && w[1] != "0", w[0] == "return" && len(w) > 1 && w[1] != "0", w[0] == "false", w[0] == "exit" && len(w) == 1, strings.HasPrefix(w[0], "die"), strings.HasPrefix(w[0], "fail"), strings.Contains(w[0], "error"), w[0] == "kill", w[0] == "throw", w[0] == "abort", w[0] == "panic":
				return Loss{}
			case strings.Contains(w[0], "=") && !strings.Contains(q.Text, "true"): // failed=1, rc=$?
				return Loss{}
			case w[0] == "[" || w[0] == "test" || w[0] == "[[":
				return Loss{"a failure is accepted under a condition (" + parts[k].Text + ")", false}
			case w[0] == "((" || strings.HasPrefix(q.Text, "let "):
				return Loss{}
			}
		}
	}
	w := Words(t)
	if len(w) == 0 {
		return Loss{}
	}
	switch w[0] {
	case "true", ":", "echo", "exit", "printf", "return", "/bin/true", "sleep", "cat", "ver":
		return Loss{"a failure is thrown away (|| " + t + ")", true}
	}
	return Loss{"a failure is followed by something else (|| " + t + ")", false}
}

// after judges what stands behind ; and decides the result of the line.
func after(rest []Part) Loss {
	last := rest[len(rest)-1]
	for _, p := range rest {
		if strings.Contains(p.Text, "$?") || strings.Contains(p.Text, "PIPESTATUS") {
			return Loss{}
		}
	}
	w := Words(last.Text)
	if len(w) == 0 {
		return Loss{}
	}
	switch w[0] {
	case "true", ":":
		return Loss{"a failure is thrown away (; " + last.Text + ")", true}
	case "exit", "return":
		if len(w) > 1 && w[1] == "0" {
			return Loss{"a failure is thrown away (; " + last.Text + ")", true}
		}
	case "echo", "printf":
		return Loss{"something that always succeeds comes behind it (; " + last.Text + ")", false}
	case "tail", "head", "cat", "less", "more", "wc", "ls", "rm", "date", "pwd", "sleep", "tee", "touch", "mkdir", "sort", "sed", "awk", "du", "env", "cp", "mv":
		return Loss{"its exit status is lost behind another command (; " + last.Text + ")", false}
	}
	return Loss{}
}

func succeeds(t string) bool {
	w := Words(t)
	return len(w) > 0 && (w[0] == "true" || w[0] == ":" || w[0] == "echo")
}

func fails(t string) bool {
	w := Words(t)
	return len(w) > 0 && (w[0] == "false" || t == "[ 1 = 2 ]" || t == "test 1 = 2")
}

func exits(t string) bool {
	w := Words(t)
	return len(w) > 0 && w[0] == "exit" && (len(w) == 1 || w[1] == "0")
}

// flags knows arguments that take the bite out of a check.
func flags(text string) Loss {
	w := Words(text)
	class, core := ClassOf(text)
	if class == None {
		return Loss{}
	}
	go_ := core == "go test"
	for i, f := range w {
		next := ""
		if i+1 < len(w) {
			next = w[i+1]
		}
		name, value, eq := strings.Cut(f, "=")
		if !eq {
			value = next
		}
		switch name {
		case "--exit-zero", "--fail-never", "-Dmaven.test.failure.ignore", "-DtestFailureIgnore", "--no-fail", "--issues-exit-code", "--exit-code":
			if name == "--issues-exit-code" && value != "0" || name == "--exit-code" && value != "0" || strings.HasPrefix(name, "-D") && value == "false" && eq {
				continue
			}
			return Loss{f + " makes every failure a success", true}
		case "-fn":
			if strings.HasPrefix(core, "mvn") {
				return Loss{"-fn makes every failure a success", true}
			}
		case "-DskipTests", "-Dmaven.test.skip", "-DskipITs", "-Dmaven.test.skip.exec", "-DskipUnitTests":
			if eq && value == "false" || (name == "-DskipITs") {
				continue
			}
			return Loss{f + " skips the tests", true}
		case "-x", "--exclude-task":
			if strings.HasPrefix(core, "gradle") && (next == "test" || next == "check" || strings.HasSuffix(strings.ToLower(next), ":test")) {
				return Loss{"-x " + next + " skips the tests", true}
			}
		case "--collect-only", "--co", "--listTests", "--list-tests", "--setup-plan", "--test-list":
			return Loss{f + " lists tests instead of running them", true}
		case "--no-run":
			return Loss{f + " builds tests without running them", true}
		case "--help", "--version", "-h":
			if core != "go test" && class != None {
				return Loss{f + " runs nothing", true}
			}
		case "--dry-run":
			return Loss{f + " runs nothing", true}
		case "--if-present":
			return Loss{f + " succeeds when there is nothing to run", false}
		case "--passWithNoTests", "--pass-with-no-tests", "--allow-no-tests", "--allowEmptySuite":
			return Loss{f + " succeeds when no test is found", false}
		case "-run", "--run", "-test.run":
			if go_ && nothing(value) && !strings.Contains(text, "-bench") && !strings.Contains(text, "-fuzz") {
				return Loss{"-run " + value + " selects no test", true}
			}
		case "-list":
			if go_ {
				return Loss{"-list lists tests instead of running them", true}
			}
		case "-skip", "--skip", "--deselect", "--ignore", "--ignore-glob", "--exclude", "--testPathIgnorePatterns", "--exclude-tags", "--skip-tests", "-k", "-m", "--test-skip-pattern", "--modulePathIgnorePatterns":
			if name == "-m" && (!strings.HasPrefix(core, "pytest") || !strings.Contains(text, "not ")) {
				continue
			}
			if class != Test || name == "-k" && core != "pytest" && core != "unittest" || name == "--exclude" && core == "cargo test" && value == "" {
				continue
			}
			return Loss{f + " leaves tests out", false}
		case "--test-name-pattern", "-t", "--testNamePattern", "--grep", "-g":
			if class == Test && nothing(value) && (name != "-t" || core == "jest" || core == "vitest") {
				return Loss{f + " selects no test", true}
			}
		case "-k=":
		}
	}
	return Loss{}
}

// nothing reports whether a pattern can match no name of a test.
func nothing(pattern string) bool {
	switch p := strings.Trim(pattern, "^$"); p {
	case "", "XXX", "XXXX", "NONE", "None", "none", "NoSuchTest", "Nothing", "a^", "DoesNotExist", "xxx", "SKIP", "Never", "_", "NoTests", "nope":
		return pattern != ""
	}
	return false
}
