package push

import (
	"strings"

	"github.com/devflow-suite/devflow/guard/gitcmd"
	"github.com/devflow-suite/devflow/internal/shell"
)

// gitTool reads subcommands of git that other packages add, and those of git that publish to what is no git.
func (p *Push) gitTool(g *gitcmd.Git) bool {
	words, f := split(g.Args, "", " ")
	first, second := text(words, 0), text(words, 1)
	p.Kind = Tool
	p.DryRun = f.any("--dry-run", "-n")
	switch g.Sub {
	case "svn":
		p.Kind = Bridge
		return first == "dcommit" || first == "commit-diff" || first == "set-tree"
	case "p4":
		p.Kind = Bridge
		return first == "submit"
	case "cvsexportcommit":
		p.Kind = Bridge
		return f.any("-c")
	case "review": // Gerrit
		return !f.any("-d", "--download", "-l", "--list", "-s", "--setup", "--version", "--help")
	case "cl":
		return first == "upload" || first == "land"
	case "flow":
		return second == "publish" || second == "finish" && f.any("-p", "--push", "--pushproduction", "--pushdevelop")
	case "town":
		return first == "sync" || first == "ship" || first == "propose"
	case "annex":
		return first == "sync" || first == "push" || first == "assist"
	case "subrepo":
		return first == "push"
	case "branchless":
		return first == "submit"
	case "submit": // git-branchless
		return true
	case "pull-request": // hub
		return f.any("-p", "--push")
	case "pr": // hub
		p.Kind = Merge
		return first == "merge"
	case "api": // hub
		return p.api(g.Args)
	}
	return false
}

func text(words []shell.Word, i int) string {
	if i < len(words) {
		return words[i].Text
	}
	return ""
}

// program reads programs other than git that publish.
func (p *Push) program(c *shell.Command) bool {
	name := strings.ToLower(c.Name)
	for _, suffix := range [...]string{".exe", ".cmd", ".bat"} {
		name = strings.TrimSuffix(name, suffix)
	}
	args := c.Words[1:]
	switch name {
	case "gh":
		return p.github(args)
	case "glab":
		return p.gitlab(args)
	case "tea":
		words, f := split(args, "rlo", " --repo --login --output ")
		p.Kind, p.Tool = Merge, "tea pr merge"
		return !f.any("--help", "-h") && oneOf(text(words, 0), "pr", "prs", "pull", "pulls") && oneOf(text(words, 1), "merge", "m")
	case "az":
		return p.azure(args)
	case "jj":
		return p.jujutsu(args)
	case "sl":
		return p.sapling(args)
	case "curl", "wget", "http", "https", "xh", "xhs", "curlie":
		return p.web(name, args)
	}
	words, f := split(args, "", " ")
	p.Kind, p.Tool, p.DryRun = Tool, strings.TrimSpace(name+" "+text(words, 0)), f.any("--dry-run", "-n")
	if f.any("--help", "-h") {
		return false
	}
	switch first := text(words, 0); name {
	case "gt": // Graphite
		return oneOf(first, "submit", "s", "ss", "push", "merge") || first == "stack" && oneOf(text(words, 1), "submit", "s")
	case "ghstack":
		return first == "" && len(args) == 0 || oneOf(first, "submit", "land")
	case "spr":
		return oneOf(first, "diff", "land", "update", "merge")
	case "but", "dulwich", "isogit":
		return first == "push"
	case "got": // Game of Trees
		return first == "send"
	case "repo":
		return first == "upload"
	case "arc":
		return first == "land"
	case "git-town":
		return oneOf(first, "sync", "ship", "propose")
	case "git-review":
		return !f.any("-d", "-l", "-s", "--list", "--setup", "--version")
	}
	return false
}

func oneOf(s string, list ...string) bool {
	for _, x := range list {
		if s == x {
			return true
		}
	}
	return false
}

// github reads gh: pr merge, repo sync, repo create --push, api.
func (p *Push) github(args []shell.Word) bool {
	words, f := split(args, "RtbFA", " --repo --hostname --subject --body --body-file --author-email --match-head-commit --branch --source ")
	if f.any("--help", "-h") {
		return false
	}
	switch group, verb := text(words, 0), text(words, 1); {
	case group == "pr" && verb == "merge":
		p.Kind, p.Tool = Merge, "gh pr merge"
		return !f.any("--disable-auto")
	case group == "repo" && verb == "sync":
		p.Kind, p.Tool, p.Force = Sync, "gh repo sync", f.any("--force")
		if b, ok := f.value("-b", "--branch"); ok {
			p.Refspecs = []shell.Word{b}
		}
		if len(words) > 2 {
			p.Remote = words[2]
		}
		return true
	case group == "repo" && (verb == "create" || verb == "new"):
		p.Kind, p.Tool = Tool, "gh repo create --push"
		return f.any("--push")
	case group == "api":
		p.Tool = "gh api"
		return p.api(args)
	}
	return false
}

// gitlab reads glab: mr merge, api.
func (p *Push) gitlab(args []shell.Word) bool {
	words, f := split(args, "Rm", " --repo --message --squash-message --sha ")
	if f.any("--help", "-h") {
		return false
	}
	switch group, verb := text(words, 0), text(words, 1); {
	case group == "mr" && (verb == "merge" || verb == "accept"):
		p.Kind, p.Tool = Merge, "glab mr merge"
		return true
	case group == "api":
		p.Tool = "glab api"
		return p.api(args)
	}
	return false
}

// azure reads az repos pr update --status completed and az repos ref.
func (p *Push) azure(args []shell.Word) bool {
	words, f := split(args, "", " --status --auto-complete --id --name --object-id --repository --org --organization --project -p -r ")
	p.Kind, p.Tool = Merge, "az repos pr"
	if text(words, 0) != "repos" || f.any("--help", "-h") {
		return false
	}
	status, _ := f.value("--status")
	auto, _ := f.value("--auto-complete")
	switch text(words, 1) {
	case "pr":
		return strings.EqualFold(status.Text, "completed") || strings.EqualFold(auto.Text, "true")
	case "ref":
		p.Kind, p.Tool = API, "az repos ref"
		return oneOf(text(words, 2), "create", "update", "delete")
	}
	return false
}

// jujutsu reads jj git push and jj gerrit upload.
func (p *Push) jujutsu(args []shell.Word) bool {
	words, f := split(args, "RbcrN", " --repository --at-operation --at-op --color --config --config-toml --config-file --remote --bookmark --branch --change --revisions --named ")
	if f.any("--help", "-h") {
		return false
	}
	p.Kind, p.Tool = Tool, "jj git push"
	p.DryRun, p.All, p.Delete = f.any("--dry-run"), f.any("--all"), f.any("--deleted")
	if at, ok := f.value("-R", "--repository"); ok {
		p.Dir = p.Dir.Join(at.Text)
	}
	if remote, ok := f.value("--remote"); ok {
		p.Remote = remote
	}
	for _, x := range f {
		if oneOf(x.name, "-b", "--bookmark", "--branch") {
			p.Refspecs = append(p.Refspecs, x.value)
		}
	}
	if text(words, 0) == "gerrit" && text(words, 1) == "upload" {
		p.Tool = "jj gerrit upload"
		return true
	}
	return text(words, 0) == "git" && text(words, 1) == "push"
}

// sapling reads sl push, sl pr submit and their kin.
func (p *Push) sapling(args []shell.Word) bool {
	words, f := split(args, "rRB", " --to --rev --repository --cwd --config --delete --pushvars ")
	if f.any("--help", "-h") {
		return false
	}
	p.Kind, p.Tool, p.Force = Tool, "sl push", f.any("-f", "--force")
	if to, ok := f.value("--to", "--delete"); ok {
		p.Refspecs, p.Delete = []shell.Word{to}, f.any("--delete")
	}
	switch first := text(words, 0); first {
	case "push":
		return true
	case "pr", "ghstack":
		p.Tool = "sl " + first
		return oneOf(text(words, 1), "", "submit", "s", "land") && (first == "ghstack" || text(words, 1) != "")
	}
	return false
}

// api reads gh api, glab api and hub api: the first operand is the endpoint, fields make it a POST.
func (p *Push) api(args []shell.Word) bool {
	words, f := split(args, "XfFHqtp", " --method --field --raw-field --header --input --jq --template --hostname --preview --cache ")
	p.Kind = API
	if len(words) > 0 && words[0].Text == "api" {
		words = words[1:]
	}
	method := "GET"
	for _, x := range f {
		switch {
		case oneOf(x.name, "-f", "-F", "--field", "--raw-field", "--input") && method == "GET":
			method = "POST"
		}
	}
	if m, ok := f.value("-X", "--method"); ok {
		method = strings.ToUpper(m.Text)
	}
	endpoint := strings.TrimPrefix(text(words, 0), "/")
	if endpoint == "graphql" {
		return mutates(f)
	}
	return publishes(method, endpoint)
}

// web reads a call of a server's API by a general program.
func (p *Push) web(name string, args []shell.Word) bool {
	p.Kind, p.Tool = API, name
	url, method := "", ""
	words, f := split(args, "XdFHouATmeb", " --request --data --data-raw --data-binary --data-urlencode --json --form --header --output --user --method --body-data --post-data --post-file --body-file --url ")
	if u, ok := f.value("--url"); ok {
		words = append(words, u)
	}
	for _, w := range words {
		switch t := w.Text; {
		case oneOf(t, "GET", "PUT", "POST", "PATCH", "DELETE"):
			method = t
		case strings.Contains(t, "/") && url == "":
			url = t
		}
	}
	if m, ok := f.value("-X", "--request", "--method"); ok {
		method = strings.ToUpper(m.Text)
	}
	if method == "" && (f.any("-d", "--data", "--data-raw", "--data-binary", "--data-urlencode", "--json", "-F", "--form", "--post-data", "--post-file") || strings.HasPrefix(name, "http") && len(words) > 1) {
		method = "POST"
	}
	if strings.HasSuffix(strings.TrimRight(url, "/"), "/git-receive-pack") {
		p.Kind, p.Unreadable = SendPack, true
		return method == "POST"
	}
	for _, mark := range [...]string{"api.github.com/", "/api/v3/", "/api/v4/", "/api/v1/", "api.bitbucket.org/2.0/"} {
		if _, rest, ok := strings.Cut(url, mark); ok {
			if rest == "graphql" {
				return mutates(f)
			}
			return publishes(method, rest)
		}
	}
	return strings.HasSuffix(url, "/api/graphql") && mutates(f)
}

// publishes is true for a call that merges, moves, makes, deletes or writes a branch or tag: GitHub, GitLab, Gitea, Bitbucket.
func publishes(method, endpoint string) bool {
	if !oneOf(method, "PUT", "POST", "PATCH", "DELETE") {
		return false
	}
	endpoint, _, _ = strings.Cut(endpoint, "?")
	parts := strings.Split(strings.Trim(endpoint, "/"), "/")
	if len(parts) < 3 || !oneOf(parts[0], "repos", "projects", "repositories") && !strings.HasPrefix(parts[0], "http") {
		return false
	}
	last := parts[len(parts)-1]
	for i, part := range parts[1:] {
		next := ""
		if i+2 < len(parts) {
			next = parts[i+2]
		}
		switch {
		case oneOf(part, "pulls", "merge_requests", "pullrequests") && last == "merge":
			return true
		case part == "git" && next == "refs", part == "contents" && parts[0] != "projects" && i >= 2:
			return true
		case part == "repository" && oneOf(next, "commits", "branches", "files", "tags") && parts[0] == "projects":
			return true
		case part == "branches" && last == "rename", part == "refs" && oneOf(next, "branches", "tags") && parts[0] == "repositories":
			return true
		case i >= 2 && oneOf(last, "merges", "merge-upstream"):
			return true
		}
	}
	return false
}

// mutates is true when a GraphQL call merges, moves, makes, deletes or writes a branch.
func mutates(f flags) bool {
	for _, x := range f {
		for _, name := range [...]string{
			"mergePullRequest", "enablePullRequestAutoMerge", "enqueuePullRequest", "mergeBranch", "createCommitOnBranch",
			"updateRef", "createRef", "deleteRef", "mergeRequestAccept", "commitCreate",
		} {
			if strings.Contains(x.value.Text, name) {
				return true
			}
		}
	}
	return false
}
