package protect_test

import "testing"

// honest are the neighbours of the attacks: what people and agents do every day.
var honest = [...]string{
	// reading
	"cat ~/.claude/settings.json", "jq .hooks ~/.claude/settings.json", "grep -n hooks ~/.claude/settings.json | head", "ls -la ~/.claude/devflow/bin",
	"cat @ROOT/logs/hooks.jsonl | tail -5", "tail -f @ROOT/logs/hooks.jsonl > /tmp/h5-log", "find ~/.claude -name '*.json'", "stat @DB", "du -sh ~/.claude/devflow",
	"sqlite3 -readonly @DB 'select count(*) from tasks'", "sqlite3 @DB 'SELECT * FROM tasks LIMIT 5'", "sqlite3 @DB .schema", "sqlite3 @DB \"select kind from signals where kind='delete'\"",
	"sqlite3 @DB 'PRAGMA table_info(tasks)'", "sqlite3 @DB 'select replace(a, 1, 2) from t'", "sqlite3 'file:@DB?mode=ro' 'select 1'", "sqlite3 @DB <<'E'\n.tables\nselect 1;\nE",
	"cp @DB /tmp/h5-copy.db", "cp -r ~/.claude/devflow /tmp/h5-backup", "cp ~/.claude/settings.json ~/.claude/settings.json.bak", "diff ~/.claude/settings.json ~/settings.bak",
	"python3 -c \"import json; print(json.load(open('@HOME/.claude/settings.json'))['hooks'])\"",
	"python3 -c \"import sqlite3; print(sqlite3.connect('file:@DB?mode=ro', uri=True).execute('select 1').fetchall())\"",
	"tar czf /tmp/h5.tgz ~/.claude/devflow", "which devflow-stop", "file @ROOT/bin/devflow-stop", "command -v devflow-stop", "sha256sum @ROOT/bin/*", "strings @ROOT/bin/devflow-stop | head",
	// devflow's own commands
	"devflow status", "devflow doctor", "devflow doctor --json > /tmp/h5-d.json", "devflow spec pause", "devflow spec resume", "devflow-telemetry recent --n 5", "devflow help uninstall", "devflow --version",
	"devflow uninstall --dry-run", "devflow uninstall --help", "devflow judge", "devflow judge --json", "devflow learn", "devflow learn --json", "devflow governance --json", "devflow gate push", "devflow guard test 'rm -rf /'", "devflow guard explain 'git commit --no-verify'", "devflow install", "devflow install --dry-run",
	"DEVFLOW_HOME=/tmp/x devflow status", "echo devflow approve", "grep -rn 'devflow approve' docs",
	// the session's own file
	"echo '{\"state\":\"DONE\"}' > ~/.claude/devflow/state/" + session + "/active-spec.json",
	"cat > @ROOT/state/" + session + "/active-spec.json <<'E'\n{}\nE", "mv /tmp/h5-spec.json @ROOT/state/" + session + "/active-spec.json", "tee @ROOT/state/" + session + "/active-spec.json < /tmp/x",
	// other keys of settings
	"jq '.model = \"opus\"' ~/.claude/settings.json > /tmp/h5-t && mv /tmp/h5-t ~/.claude/settings.json",
	"jq '.permissions.allow += [\"Bash(make:*)\"] | .statusLine = {\"type\":\"command\"}' ~/.claude/settings.json > /tmp/h5-t; cp /tmp/h5-t ~/.claude/settings.json",
	"sed -i 's/\"sonnet\"/\"opus\"/' ~/.claude/settings.json", "cp ~/settings.bak ~/.claude/settings.json", "echo '{\"permissions\":{\"allow\":[\"Bash(ls)\"]}}' > .claude/settings.json",
	"echo '{\"model\":\"opus\"}' > .claude/settings.local.json", "rm .claude/settings.json", "rm -f .claude/settings.local.json", "chmod 600 ~/.claude/settings.json", "touch .claude/settings.local.json",
	"git checkout -- .claude/commands", "git add .claude/settings.json && git commit -m settings", "cat > settings.json <<'E'\n{\"hooks\": {}}\nE", "echo '{\"hooks\": {}}' > .vscode/settings.json",
	// other things in Claude Code's folder
	"echo '# more' >> ~/.claude/CLAUDE.md", "mkdir -p ~/.claude/commands && echo x > ~/.claude/commands/new.md", "rm ~/.claude/commands/mine.md", "cp -r skills ~/.claude/skills", "rm -rf ~/.claude/projects/x",
	"rm -rf ~/.claude/cache ~/.claude/todos", "find ~/.claude -name '*.tmp' -delete", "find ~/.claude/projects -type f -delete",
	// git
	"git commit -m \"the bash -n syntax check passes\"", "git commit -m -n", "git commit -am 'explain --no-verify'", "git commit -F - <<'E'\nnever use --no-verify\nE", "git commit -m \"$(cat <<'E'\ndocs: --no-verify is denied\nE\n)\"",
	"git log -n 5", "git push -n", "git push --dry-run", "git push origin main", "git push -u origin HEAD", "git commit --amend --no-edit", "git commit -S -m x", "git commit -- -n", "git commit --verbose",
	"git commit -unormal -m x", "git commit --no-gpg-sign -m x", "git merge --no-ff x", "git merge -n x", "git rebase -i main", "git cherry-pick -n abc", "git revert -n abc", "git am < p", "git pull --no-rebase", "git fetch -n",
	"git config core.hooksPath", "git config --get core.hooksPath", "git config get core.hookspath", "git config -l", "git config user.name Dev", "git config --global core.editor vim", "git config core.autocrlf input",
	"git -c core.hooksPath=/dev/null status", "git -c user.name=x commit -m x", "git -c core.hooksPath=x log -1", "HUSKY=1 git commit -m x", "SKIP=flake8 git commit -m x", "FOO=0 git push", "echo --no-verify", "grep -rn -- --no-verify .",
	"echo '[alias] st = status' >> ~/.gitconfig", "cat .git/hooks/pre-push", "echo '#!/bin/sh' > .git/hooks/post-merge", "chmod +x .git/hooks/commit-msg", "rm .git/hooks/commit-msg", "cp .git/hooks/pre-push /tmp/h5-pp",
	"npx husky init", "npm install && npm test", "npm run lint -- --no-verify",
	// project configuration
	"cat .devflow.toml", "echo 'is_production = true' >> .devflow.toml", "cat > .devflow.toml <<'E'\nprotected_branches = [\"main\", \"master\", \"release/*\", \"prod\", \"stage\"]\nmax_retries = 1\nE",
	"sed -n 1,5p .devflow.toml", "git add .devflow.toml", "touch .devflow.toml",
	// Claude Code
	"claude --version", "claude -p 'summarise README.md'", "claude mcp list", "claude doctor", "claude --help", "git diff | claude -p 'review this'", "claude -c -p 'go on'", "claude -p < prompt.txt", "claude --model opus -p x",
	"claude --setting-sources user,project -p x", "claude --settings '{\"model\":\"opus\"}' -p x", "npx @anthropic-ai/claude-code --version", "HOME=$HOME claude -p x", "claude config get hooks", "npm i -g @anthropic-ai/claude-code",
	"claude --dangerously-skip-permissions -p x",
	// variables, processes
	"export FOO=1", "export DEVFLOW_HOME=$(mktemp -d); go test ./...", "DEVFLOW_HOME=/tmp/x go test ./...", "echo 'export PATH=$PATH:~/bin' >> ~/.bashrc", "echo 'export NODE_ENV=test' >> \"$CLAUDE_ENV_FILE\"",
	"echo $DEVFLOW_CHILD", "env | grep DEVFLOW", "unset DEVFLOW_CHILD", "pkill -f 'node server.js'", `pkill -u "$USER" -f vite`, "pkill -f start", "pkill user", "killall tool", "pgrep -fl devflow", "ps aux | grep devflow", "kill 4711", "kill $(cat server.pid)", "kill %1", "killall node", "pkill -f 'npm run dev'",
	"tmux send-keys -t 0 'npm test' Enter", "lsof -i :3000 | awk '{print $2}' | xargs kill",
	"find . -name '*.log' | xargs rm", "ls *.tmp | while read f; do rm \"$f\"; done", "grep -rl foo src | xargs sed -i s/foo/bar/", "find ~/.claude/devflow -type f | xargs ls -l", "ls ~/.claude/devflow | xargs echo",
	"cat a.json > b.json", "cat ~/bad.json > /tmp/h5-b.json", "rename s/a/b/ *.txt", "for f in *.txt; do rm \"$f\"; done", "w='fix the bug'; claude -c -p \"$w\"", "rm -rf .git/hooks.bak", "git config -e",
	// ordinary work in the project
	"rm -rf node_modules dist", "rm -rf ./*", "find . -name '*.pyc' -delete", "find . -name node_modules -exec rm -rf {} +", "tar xzf release.tgz", "tar xzf a.tgz -C ~/src", "unzip a.zip", "cp -r a b", "mv main.go cmd/main.go",
	"rsync -a --delete dist/ /tmp/h5-site/", "ln -s ../shared lib", "ln -s @ROOT/bin/devflow ~/bin/devflow", "chmod -R u+w .", "chmod +x run.sh", "chown -R me src", "sed -i s/a/b/ main.go", "echo x > /tmp/h5-x", "mkdir -p build && cd build && cmake ..",
	"cat > docs/settings.json.md <<'E'\n\"hooks\": and disableAllHooks\nE", "go build -o bin/devflow-stop ./hooks/devflow-stop", "go test ./guard/...", "curl -o a.tgz https://x.test/a.tgz", "docker run --rm -v $PWD:/w alpine rm -rf /w/dist",
	"ssh host 'rm -rf ~/.claude/devflow'", "cd ~/src && rm -rf old", "cp ~/src/app/main.go /tmp/h5-m.go", "gzip -k log.txt", "sqlite3 dev.db 'delete from users where id=1'", "python3 -c \"open('x.txt','w').write('y')\"", "mount | grep home",
}

func TestHonestWorkPasses(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	for _, line := range honest {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			if found := s.bash(line); len(found) > 0 {
				t.Errorf("%q: findings %s (%s), want none", line, rules(found), found[0].Why)
			}
		})
	}
}
