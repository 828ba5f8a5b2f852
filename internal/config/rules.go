package config

import (
	"fmt"
	"slices"
	"strings"
)

// destructive names the rules that [guard] allow may lift, one group a line. This package cannot import guard/destructive, whose
// tests keep this list equal to its tables.
const destructive = `cloud.delete
code.computed code.decoded code.download code.install code.program
container.host container.prune container.volumes
db.downgrade db.drop db.keys db.reset db.sql
disk.device disk.format
git.branch-delete git.branch-main git.clean git.computed git.discard-all git.discard-path git.overwrite-tree git.prune git.push-delete git.push-force git.ref-delete git.reflog git.reset-hard git.rewrite git.rm-force git.stash-drop git.submodule git.switch-force git.worktree-remove
hosting.delete hosting.withdraw
http.delete
infra.destroy infra.unseen
key.delete key.overwrite key.project
kubernetes.change kubernetes.delete
machine.accounts machine.firewall machine.schedule machine.services machine.stop
perm.key perm.owner perm.project perm.system perm.tree
process.bomb process.kill-all
rm.file rm.git-dir rm.home rm.home-folder rm.outside rm.project rm.project-root rm.remote rm.root rm.system rm.temp rm.unknown rm.unset
scm.discard
windows.delete windows.disk windows.registry
write.git write.system write.unpack`

// Liftable lists the ids of the rules that [guard] allow may lift, group by group.
func Liftable() []string { return strings.Fields(destructive) }

// idleRules tells of entries of [guard] allow that no rule answers to, so that nobody believes something lifted that is not.
func (c Config) idleRules() []string {
	var found []string
	for _, entry := range c.Guard.Allow {
		if !slices.ContainsFunc(Liftable(), func(rule string) bool { return lifts(entry, rule) }) {
			found = append(found, fmt.Sprintf("guard.allow names %q: %s; the entry has no effect", entry, whyIdle(entry)))
		}
	}
	return found
}

// lifts reports whether an entry of [guard] allow stands for a rule.
func lifts(entry, rule string) bool {
	group, ok := strings.CutSuffix(entry, "*")
	return entry == rule || ok && strings.HasPrefix(rule, group)
}

// whyIdle says what is wrong with an entry, and what somebody may have meant.
func whyIdle(entry string) string {
	group, name, dotted := strings.Cut(entry, ".")
	switch group {
	case "self", "secret", "push", "shell", "test":
		return fmt.Sprintf("the rules of %s.* cannot be lifted, only those of %s", group, groupNames())
	}
	if entry == "write.refused" {
		return "this rule cannot be lifted, the nearest group that can is write.*"
	}
	near := nearGroup(group)
	switch {
	case near == "":
		return "no rule is called so, the groups are " + groupNames()
	case near == group && !dotted:
		return fmt.Sprintf("a group is written %s.*", group)
	case near == group:
		text := fmt.Sprintf("no rule of the group %s.* is called so", group)
		if rule := nearRule(group, name); rule != "" {
			text += ", the nearest is " + rule
		}
		return text
	}
	return fmt.Sprintf("no rule is called so, the nearest group is %s.*", near)
}

func groups() []string {
	var list []string
	for line := range strings.Lines(destructive) {
		group, _, _ := strings.Cut(line, ".")
		list = append(list, group)
	}
	return list
}

func groupNames() string { return strings.Join(groups(), ".*, ") + ".*" }

// nearGroup finds the group that somebody means by a word: by its spelling, or by the program that the group is about.
func nearGroup(word string) string {
	switch word = strings.ToLower(word); word {
	case "docker", "podman", "compose":
		return "container"
	case "kubectl", "k8s", "helm":
		return "kubernetes"
	case "terraform", "tofu", "pulumi":
		return "infra"
	case "aws", "gcloud", "az", "azure", "gcp":
		return "cloud"
	case "gh", "github", "npm":
		return "hosting"
	case "sql", "database", "postgres", "psql", "mysql", "redis":
		return "db"
	case "chmod", "chown", "permission", "permissions":
		return "perm"
	}
	return closest(word, groups())
}

// nearRule finds the rule of a group that somebody means.
func nearRule(group, name string) string {
	var names []string
	for _, rule := range Liftable() {
		if rest, ok := strings.CutPrefix(rule, group+"."); ok {
			names = append(names, rest)
		}
	}
	if near := closest(name, names); near != "" {
		return group + "." + near
	}
	return ""
}

// closest is the word that is spelled most alike, "" if none is near.
func closest(word string, words []string) string {
	best, least := "", 0
	for _, w := range words {
		if far := distance(word, w); far <= max(2, len(w)/3) && far < len(w) && (best == "" || far < least) {
			best, least = w, far
		}
	}
	return best
}
