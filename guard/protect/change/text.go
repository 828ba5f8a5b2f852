package change

import "strings"

// hooksPath returns the values of core.hooksPath in a git configuration file, in order, with every [include] of the file.
func hooksPath(data []byte) string {
	var out []string
	section := ""
	for line := range strings.SplitSeq(string(data), "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			end := strings.IndexByte(line, ']')
			if end < 0 {
				continue
			}
			section = strings.ToLower(strings.TrimSpace(line[1:end]))
			line = strings.TrimSpace(line[end+1:])
		}
		key, value, _ := strings.Cut(line, "=")
		if section == "core" && strings.EqualFold(strings.TrimSpace(key), "hookspath") {
			out = append(out, strings.TrimSpace(value))
		}
	}
	return strings.Join(out, "\n")
}

// MovesHooks reports whether a change of a git configuration file changes core.hooksPath.
func MovesHooks(before, after []byte) bool { return hooksPath(before) != hooksPath(after) }

// SwitchesOff returns the first variable in shell text that switches devflow off, "" for none.
func SwitchesOff(text string) string {
	for _, name := range offSwitches {
		for rest := text; ; {
			i := strings.Index(rest, name)
			if i < 0 {
				break
			}
			tail := rest[i+len(name):]
			bounded := i == 0 || !nameByte(rest[i-1])
			rest = tail
			if !bounded {
				continue
			}
			if v, ok := strings.CutPrefix(tail, "="); ok && On(v) {
				return name
			}
			if strings.HasPrefix(tail, " ") && strings.Contains(text, "set") { // fish: set -x NAME value; csh: setenv
				return name
			}
		}
	}
	return ""
}

// offSwitches are the marks of devflow's own child processes, under which its hooks do nothing, and where it is found.
var offSwitches = [...]string{"DEVFLOW_CHILD", "DEVFLOW_JUDGE_SUBPROCESS", "PAPERWEIGHT_RUN_ID", "DEVFLOW_HOME", "DEVFLOW_DB", "CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE", "CLAUDE_CODE_PERSONAL_HOOKS_OFF"}

// On reports whether the value of a switch does anything.
func On(v string) bool {
	v = strings.Trim(strings.TrimSpace(v), `"'`)
	return v != ""
}

func nameByte(c byte) bool {
	return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
}

// OffSwitch reports whether a variable switches devflow off or elsewhere.
func OffSwitch(name string) bool {
	for _, n := range offSwitches {
		if n == name {
			return true
		}
	}
	return false
}
