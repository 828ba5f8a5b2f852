package ci

import (
	"path"
	"strings"

	"github.com/devflow-suite/devflow/judge/evidence/gates/command"
	"github.com/devflow-suite/devflow/judge/evidence/gates/yamltree"
)

// around tells why a step, or a job around it, decides nothing: a switch beside it.
func around(p string, nodes []yamltree.Node, i int) (command.Loss, int) {
	var soft command.Loss
	at := 0
	for _, k := range yamltree.Beside(nodes, i) {
		key, value := strings.ToLower(nodes[k].Key), nodes[k].Value
		l := command.Loss{}
		switch key {
		case "continue-on-error", "continueonerror", "allow_failure", "ignore_errors", "ignore_error", "soft_fail", "allow_failures", "ignorefailure", "failure_ignored":
			if always(value) {
				l = command.Loss{Why: "its failure is ignored (" + nodes[k].Key + ": " + value + ")", Hard: true}
			}
		case "if", "condition":
			l = condition(value)
		case "when":
			switch value {
			case "never":
				l = command.Loss{Why: "it never runs (when: never)", Hard: true}
			case "manual":
				l = command.Loss{Why: "it runs only when somebody starts it (when: manual)", Hard: true}
			case "on_failure", "delayed":
				l = command.Loss{Why: "it runs only under a condition (when: " + value + ")"}
			}
		case "enabled":
			if never(value) {
				l = command.Loss{Why: "it is switched off (enabled: " + value + ")", Hard: true}
			}
		case "skip":
			if always(value) {
				l = command.Loss{Why: "it is switched off (skip: " + value + ")", Hard: true}
			}
		case "stages", "stage":
			if strings.Contains(p, "pre-commit") && strings.Trim(value, "[] ") == "manual" {
				l = command.Loss{Why: "it runs only when somebody starts it (stages: manual)", Hard: true}
			}
		case "exclude":
			if strings.Contains(p, "pre-commit") && (value == ".*" || value == "." || value == "^" || value == "") {
				l = command.Loss{Why: "it looks at no file (exclude: " + value + ")", Hard: true}
			}
		case "files":
			if strings.Contains(p, "pre-commit") && (value == "^$" || value == "a^" || value == "$^") {
				l = command.Loss{Why: "it looks at no file (files: " + value + ")", Hard: true}
			}
		}
		if l.Hard {
			return l, k
		}
		if l.Why != "" && soft.Why == "" {
			soft, at = l, k
		}
	}
	if l, k := listed(p, nodes, i); l.Why != "" {
		return l, k
	}
	return soft, at
}

// near bounds how many nodes before and behind a step are looked at.
const near = 5000

// listed knows what stands deeper: rules of GitLab, an empty matrix, a hidden job.
func listed(p string, nodes []yamltree.Node, i int) (command.Loss, int) {
	names := yamltree.Path(nodes, i)
	first, last := max(0, i-near), min(len(nodes), i+near)
	for k := first; k < last; k++ {
		nd := nodes[k]
		if nd.Text {
			continue
		}
		switch {
		case nd.Value == "[]":
			in := yamltree.Path(nodes, k)
			if len(in) >= 3 && len(names) >= 2 && in[0] == names[0] && in[1] == names[1] && contains(in, "matrix") {
				return command.Loss{Why: "its matrix is empty (" + nd.Key + ": [])", Hard: true}, k
			}
		case nd.Key == "when" && nd.Value == "never":
			in := yamltree.Path(nodes, k)
			if len(in) >= 2 && len(names) >= 1 && in[0] == names[0] && contains(in, "rules") && nodes[k].Parent >= 0 && nodes[nodes[k].Parent].Item && lonely(nodes, k) {
				return command.Loss{Why: "it never runs (rules: when: never)", Hard: true}, k
			}
		}
	}
	if strings.HasPrefix(path.Base(p), ".gitlab-ci") && len(names) > 0 && strings.HasPrefix(names[0], ".") {
		for k := first; k < last; k++ {
			if nodes[k].Key == "extends" && strings.Contains(nodes[k].Value, names[0]) {
				return command.Loss{}, 0
			}
			if nodes[k].Parent >= 0 && nodes[nodes[k].Parent].Key == "extends" {
				return command.Loss{}, 0
			}
		}
		for k := range nodes {
			if nodes[k].Key == names[0] && nodes[k].Parent < 0 {
				return command.Loss{Why: "its job is hidden by the dot in front of its name", Hard: true}, k
			}
		}
	}
	return command.Loss{}, 0
}

// lonely reports whether the item of a list of rules that holds node k has no condition and is the first.
func lonely(nodes []yamltree.Node, k int) bool {
	item := nodes[k].Parent
	for j := item + 1; j < len(nodes) && nodes[j].Indent > nodes[item].Indent; j++ {
		if nodes[j].Parent == item && j != k {
			return false
		}
	}
	for j := item - 1; j >= 0; j-- {
		if nodes[j].Parent == nodes[item].Parent && nodes[j].Item {
			return false
		}
		if j == nodes[item].Parent {
			return true
		}
	}
	return true
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// core takes ${{ }} and quotes off an expression.
func core(v string) string {
	v = strings.Trim(strings.TrimSpace(v), "\"'")
	if in, ok := strings.CutPrefix(v, "${{"); ok {
		if in, ok = strings.CutSuffix(strings.TrimSpace(in), "}}"); ok {
			v = in
		}
	}
	return strings.ToLower(strings.Trim(strings.TrimSpace(v), "\"'() "))
}

func always(v string) bool {
	switch core(v) {
	case "true", "yes", "on", "1 == 1", "!false", "success() || failure()", "1", "always", "true || false":
		return true
	}
	return strings.HasPrefix(core(v), "true ||")
}

func never(v string) bool {
	c := core(v)
	switch c {
	case "false", "no", "off", "0", "1 == 0", "0 == 1", "1 == 2", "!true", "! true", "never", "null", "''", "1 != 1", "failed() && succeeded", "eq(1, 2", "eq(0, 1", "not(true":
		return true
	}
	if strings.HasPrefix(c, "false &&") || strings.HasSuffix(c, "&& false") || strings.HasPrefix(c, "false and") || strings.HasSuffix(c, "and false") {
		return true
	}
	if a, b, ok := strings.Cut(c, "=="); ok && !strings.ContainsAny(c, "&|") {
		a, b = strings.TrimSpace(a), strings.TrimSpace(b)
		if literal(a) && literal(b) {
			return strings.Trim(a, "'") != strings.Trim(b, "'")
		}
		for _, w := range [...]string{"never", "none", "nonexist", "does-not-exist", "disabled", "nobody", "skip", "no-such", "nowhere"} {
			if strings.Contains(b, w) {
				return true
			}
		}
		if a == "github.event_name" {
			return !event(strings.Trim(b, "' "))
		}
	}
	return false
}

// literal reports whether an operand is a constant.
func literal(s string) bool {
	if s == "true" || s == "false" || s == "null" {
		return true
	}
	return s != "" && (s[0] == '\'' && strings.HasSuffix(s, "'") || s[0] >= '0' && s[0] <= '9')
}

// event knows what starts a workflow.
func event(name string) bool {
	switch name {
	case "push", "pull_request", "pull_request_target", "schedule", "workflow_dispatch", "workflow_call", "workflow_run", "release", "merge_group", "issues", "issue_comment", "create", "delete",
		"deployment", "deployment_status", "fork", "repository_dispatch", "check_run", "check_suite", "label", "milestone", "page_build", "project", "public", "registry_package", "status", "watch", "discussion",
		"pull_request_review", "pull_request_review_comment", "gollum", "branch_protection_rule", "discussion_comment":
		return true
	}
	return false
}

// condition judges the condition of a step or a job.
func condition(v string) command.Loss {
	c := core(v)
	switch {
	case c == "":
		return command.Loss{}
	case never(v):
		return command.Loss{Why: "it never runs (if: " + strings.TrimSpace(v) + ")", Hard: true}
	case c == "failure" || c == "failure(" || c == "cancelled" || c == "failed(":
		return command.Loss{Why: "it runs only after a failure (if: " + v + ")", Hard: true}
	}
	for _, w := range [...]string{"'schedule", "'workflow_dispatch", "inputs.", "contains(github.event.head_commit.message", "vars.", "env.", "secrets.", "'refs/heads/", "contains(github.event.pull_request.labels", "github.actor ==", "github.ref_name =="} {
		if strings.Contains(c, strings.ToLower(w)) && !strings.Contains(c, "!=") && !strings.Contains(c, "always()") && !strings.Contains(c, "||") && !strings.Contains(c, "runner.") && !strings.Contains(c, "matrix.") && !strings.HasPrefix(c, "!") {
			return command.Loss{Why: "it runs only under a condition (if: " + v + ")"}
		}
	}
	return command.Loss{}
}
