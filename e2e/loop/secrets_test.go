package loop_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// noise is text that looks random and is the same in every run.
func noise(seed string, n int) string {
	var b strings.Builder
	for sum := sha256.Sum256([]byte(seed)); b.Len() < n; sum = sha256.Sum256(sum[:]) {
		b.WriteString(strings.NewReplacer("+", "a", "/", "Z", "=", "").Replace(base64.StdEncoding.EncodeToString(sum[:])))
	}
	return b.String()[:n]
}

// TestSecrets writes keys of many kinds into files of many kinds (G9, G10, M1, M3): each is refused, its value is nowhere, and what only
// looks like one passes.
func TestSecrets(t *testing.T) {
	t.Parallel()
	aws := "AKIA" + strings.ToUpper(noise("aws", 16))
	pem := "-----BEGIN OPENSSH PRIVATE " + "KEY-----\n" + noise("a", 70) + "\n" + noise("b", 70) + "\n" + noise("c", 70) + "\n" + noise("d", 70) + "\n-----END OPENSSH PRIVATE " + "KEY-----\n"
	for _, c := range []struct{ name, path, text, value string }{
		{"OpenSSH PEM", "deploy/id", pem, noise("b", 70)},
		{"OpenAI project", "src/a.py", `key = "sk-proj-` + noise("o", 74) + `"`, noise("o", 74)},
		{"GitLab", "src/a.go", "package a\n\nconst t = \"glpat-" + noise("g", 20) + "\"\n", "glpat-" + noise("g", 20)},
		{"Slack", "src/a.ts", "export const t = 'xoxb-123456789012-123456789012-" + noise("s", 24) + "';", noise("s", 24)},
		{"comment", "src/a.py", "# " + aws + "\n", aws},
		{"text", "notes.txt", "the key is " + aws, aws},
		{"test", "tests/test_a.py", "KEY = '" + aws + "'", aws},
		{"documentation", "docs/a.md", "Use `" + aws + "`.", aws},
		{"fallback", "src/a.js", "const k = process.env.K || '" + aws + "';", aws},
		{"no name", "Dockerfile", "ENV K=" + aws, aws},
		{"one of many lines", "src/a.py", strings.Repeat("x = 1\n", 500) + "k = '" + aws + "'\n", aws},
	} {
		t.Run("refused "+c.name, func(t *testing.T) {
			t.Parallel()
			s := newSeat(t)
			for _, r := range []*reply{
				s.call(t, fileCall("Write", map[string]any{"file_path": "/home/dev/proj/" + c.path, "content": c.text})),
				s.call(t, fileCall("Edit", map[string]any{"file_path": "/home/dev/proj/" + c.path, "old_string": "TODO", "new_string": c.text})),
				s.call(t, fileCall("MultiEdit", map[string]any{"file_path": "/home/dev/proj/" + c.path, "edits": []map[string]string{{"old_string": "TODO", "new_string": c.text}}})),
				s.call(t, fileCall("NotebookEdit", map[string]any{"notebook_path": "/home/dev/proj/a.ipynb", "new_source": c.text})),
				s.call(t, bashCall("cat > "+c.path+" <<'EOF'\n"+c.text+"\nEOF")),
			} {
				text, _ := r.at("hookSpecificOutput.permissionDecisionReason")
				if r.decision() != "deny" || !strings.Contains(text, "(secret.") {
					t.Errorf("decision %s, want deny by a rule of secrets: %s", r.decision(), r.stdout)
				}
				if !regexp.MustCompile("line \\d+ of |the command `").MatchString(text) {
					t.Errorf("no place: %s", text)
				}
				for n := len(c.value); n >= 12; n-- {
					if bytes.Contains(r.stdout, []byte(c.value[:n])) {
						t.Errorf("the answer holds %d characters of the value: %s", n, r.stdout)
						break
					}
				}
			}
			s.holdsNot(t, c.value[:12])
		})
	}
	for _, c := range []struct{ name, path, text string }{
		{"documented example", "src/a.py", `key = "AKIAIOSFODNN7EXAMPLE"`},
		{"prose", "docs/a.md", "Please review the password policy: update it"},
		{"variable", "src/a.js", "const k = process.env.AWS_SECRET_ACCESS_KEY;"},
		{"placeholder", ".env.example", "API_KEY=<your-api-key>\nTOKEN=xxxxxxxxxxxxxxxxxxxxxxxx\n"},
		{"hash", "package-lock.json", `{"integrity": "sha512-` + noise("h", 86) + `=="}`},
		{"commit", "CHANGES.md", "since 3b18e512dba79e4c8300dd08aeb37f8e728b8dad"},
	} {
		t.Run("passes "+c.name, func(t *testing.T) {
			t.Parallel()
			s := newSeat(t)
			if r := s.call(t, fileCall("Write", map[string]any{"file_path": "/home/dev/proj/" + c.path, "content": c.text})); r.decision() != "pass" {
				t.Errorf("decision %s, want none: %s", r.decision(), r.stdout)
			}
			if r := s.call(t, bashCall("cat > "+c.path+" <<'EOF'\n"+c.text+"\nEOF")); r.decision() != "pass" {
				t.Errorf("decision %s about the command, want none: %s", r.decision(), r.stdout)
			}
		})
	}
}

// holdsNot searches every file of the home.
func (s seat) holdsNot(t *testing.T, text string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(s.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(text)) {
			t.Errorf("%s holds the value", path)
		}
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("%d files searched: %v", files, err)
	}
}

// TestAdviceIsNotRefused feeds every alternative that a rule gives back to the guard (B11). The home is that of the call: a folder for
// temporary files that has the home in it is another one.
func TestAdviceIsNotRefused(t *testing.T) {
	t.Parallel()
	s := newSeat(t)
	cmd := exec.CommandContext(t.Context(), filepath.Join(programs, "devflow"), "guard", "rules", "--json")
	cmd.Env, cmd.Dir = s.env(), s.home
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var rules []struct{ ID, Instead string }
	if err := json.Unmarshal(out, &rules); err != nil || len(rules) < 20 {
		t.Fatalf("%d rules: %v", len(rules), err)
	}
	commands := 0
	for _, rule := range rules {
		if rule.Instead == "" {
			t.Errorf("rule %s has no alternative", rule.ID)
		}
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(rule.Instead, -1) {
			commands++
			if r := s.call(t, bashCall(m[1]), "HOME=/home/dev", "DEVFLOW_HOME="+s.home); r.decision() != "pass" {
				t.Errorf("rule %s advises `%s`, which is answered with %s: %s", rule.ID, m[1], r.decision(), r.stdout)
			}
		}
	}
	if commands < 20 {
		t.Errorf("%d commands in the advice of %d rules", commands, len(rules))
	}
}
