package wrap

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/shell/word"
)

// ssh reads ssh [options] host [options] command…; the words are joined and read by a shell over there.
func (c *Call) ssh(name string) bool {
	rest := c.Words[1:]
	if name == "sshpass" {
		o := c.options(rest, spec{value: "pfdP", flags: "ev"}, name)
		if len(o.rest) == 0 {
			return false
		}
		c.Words, c.Unsure = o.rest, c.Unsure || o.unsure
		c.Wrappers = append(c.Wrappers, name)
		return true
	}
	s := spec{value: "BbcDEeFIiJLlmMOoPpQRSWw", flags: "46AaCfGgKkNnqsTtVvXxYy", lax: true, long: " --ssh --port --predict --server "}
	if name != "mosh" {
		s.value = strings.ReplaceAll(s.value, "M", "")
	}
	o := c.options(rest, s, name)
	if len(o.rest) == 0 {
		return false
	}
	o = c.options(o.rest[1:], s, name)
	c.Besides = append(c.Besides, Besides("ssh", rest[:len(rest)-len(o.rest)])...)
	c.away()
	if len(o.rest) > 0 {
		c.take(name, o.rest)
		return false
	}
	if c.stdin(name); c.Script == nil { // a session; ssh itself runs here
		c.Remote, c.Moves, c.Besides = false, c.Moves[:len(c.Moves)-1], nil
	}
	return false
}

// container reads docker run and exec, with and without compose.
func (c *Call) container(name string) bool {
	rest := c.Words[1:]
	compose := strings.HasSuffix(name, "-compose")
	global := spec{value: "Hcl", flags: "D", lax: true, long: " --host --context --config --log-level --tlscacert --tlscert --tlskey --connection --url --namespace --root --cgroup-manager --storage-driver "}
	if !compose {
		rest = c.options(rest, global, name).rest
		if len(rest) > 0 && rest[0].Text == "container" {
			rest = rest[1:]
		}
		if len(rest) > 0 && rest[0].Text == "compose" {
			compose, rest = true, rest[1:]
		}
	}
	if compose {
		s := spec{value: "fp", lax: true, long: " --file --project-name --profile --env-file --project-directory --ansi --progress --parallel "}
		rest = c.options(rest, s, name).rest
	}
	if len(rest) == 0 {
		return false
	}
	sub := rest[0].Text
	if sub != "run" && sub != "exec" && sub != "create" {
		return false
	}
	o := c.options(rest[1:], container[map[bool]int{true: 1}[compose]], "docker")
	c.Mounts = append(c.Mounts, o.mounts...)
	if o.user != "" {
		c.User = o.user
	}
	rest = o.rest
	if len(rest) > 0 {
		rest = rest[1:] // image or container
	}
	if o.entry != nil && o.entry.Text != "" {
		rest = append([]word.Word{*o.entry}, rest...)
	}
	if len(rest) == 0 {
		return false
	}
	c.away()
	c.Moves = append(c.Moves, o.moves...)
	c.Words = rest
	c.Wrappers = append(c.Wrappers, name)
	return true
}

// elsewhere reads programs that run another one in a pod, container, machine or device.
func (c *Call) elsewhere(name string) bool {
	sub, at := "", 0
	valued := spec{value: "nfscltu", lax: true, long: " --namespace --context --kubeconfig --cluster --user --container --name --image --server --shell --workdir --cwd --env --pod-running-timeout "}
	o := c.options(c.Words[1:], valued, name)
	if len(o.rest) > 0 {
		sub = o.rest[0].Text
		at = len(c.Words) - len(o.rest)
	}
	joined, plain := false, 0 // plain: how many words stand before a program without --
	switch name + " " + sub {
	case "kubectl exec", "oc exec", "oc rsh":
		plain = 1
	case "kubectl run", "kubectl debug", "oc run", "oc debug", "lxc exec", "incus exec", "multipass exec", "distrobox enter", "machinectl shell":
		plain = map[bool]int{true: 1, false: -1}[sub == "exec" || sub == "shell"]
	case "toolbox run", "limactl shell":
		plain = map[bool]int{true: 1}[name == "limactl"]
	case "k3s kubectl", "microk8s kubectl":
		c.Words = o.rest
		return true
	case "adb shell":
		joined = true
	case "gcloud compute", "fly ssh", "flyctl ssh":
		for i, a := range o.rest {
			v, ok := strings.CutPrefix(a.Text, "--command=")
			if (a.Text == "--command" || a.Text == "-C") && i+1 < len(o.rest) {
				v, ok = o.rest[i+1].Text, true
				a = o.rest[i+1]
			}
			if ok {
				c.away()
				c.take(name, []word.Word{part(a, v)})
				return false
			}
		}
		return false
	case "vagrant ssh":
		for i, a := range o.rest {
			if (a.Text == "-c" || a.Text == "--command") && i+1 < len(o.rest) {
				c.away()
				c.take(name, o.rest[i+1:i+2])
				return false
			}
		}
		return false
	default:
		if name != "lxc-attach" && name != "lima" {
			return false
		}
		at = len(c.Words) - len(o.rest) - 1
	}
	rest := dashes(c.Words[at+1:])
	if rest == nil && plain >= 0 {
		if rest = c.options(c.Words[at+1:], valued, name).rest; len(rest) < plain {
			return false
		}
		rest = c.options(rest[plain:], valued, name).rest
	}
	if len(rest) == 0 {
		return false
	}
	c.away()
	if joined {
		c.take(name, rest)
		return false
	}
	c.Words = rest
	c.Wrappers = append(c.Wrappers, name)
	return true
}

// dashes is what follows the first --.
func dashes(words []word.Word) []word.Word {
	for i, a := range words {
		if a.Text == "--" {
			return words[i+1:]
		}
	}
	return nil
}

// runner reads programs that prepare an environment and have a subcommand that runs another program in it. Options before the subcommand
// are left to those who know the program (internal/shell/program).
func (c *Call) runner(name string) bool {
	if len(c.Words) < 2 {
		return false
	}
	rest := c.Words[2:]
	switch name + " " + c.Words[1].Text {
	case "nix-shell --run", "nix-shell --command":
		if len(rest) > 0 {
			c.take(name, rest[:1])
		}
		return false
	case "op run", "doppler run", "aws-vault exec", "chamber exec", "mise exec", "mise x", "rtx exec", "direnv exec", "nix develop", "nix shell", "npm exec", "npm x", "flatpak run", "perf record", "perf stat":
		if strings.HasPrefix(c.Words[1].Text, "x") || name == "npm" {
			o := c.options(rest, spec{value: "cpw", lax: true, long: " --call --package --workspace "}, "npx")
			if o.script != nil {
				c.take(name, []word.Word{*o.script})
				return false
			}
			rest = o.rest
			break
		}
		if after := dashes(rest); after != nil {
			rest = after
		} else if name == "direnv" && len(rest) > 1 {
			rest = rest[1:]
		} else if name == "nix" || name == "mise" || name == "rtx" {
			for i, a := range rest {
				if a.Text == "-c" || a.Text == "--command" {
					rest = rest[i+1:]
					break
				}
			}
		} else {
			rest = c.options(rest, spec{value: "eoF", lax: true}, name).rest
		}
	case "uv run", "poetry run", "pipenv run", "pdm run", "rye run", "bundle exec", "asdf exec", "rbenv exec", "pyenv exec", "nodenv exec", "volta run", "pnpm exec", "yarn exec":
		if len(rest) > 0 && rest[0].Text == "--" {
			rest = rest[1:]
		}
		if len(rest) > 0 && strings.HasPrefix(rest[0].Text, "-") {
			return false
		}
	case "conda run", "mamba run", "micromamba run":
		rest = c.options(rest, spec{value: "np", lax: true, long: " --name --prefix --cwd "}, name).rest
	case "capsh --":
	default:
		if name != "watchexec" {
			return false
		}
		if rest = dashes(c.Words[1:]); rest == nil {
			return false
		}
	}
	if len(rest) == 0 || strings.HasPrefix(rest[0].Text, "-") && name != "capsh" {
		return false
	}
	if name == "capsh" {
		rest = append([]word.Word{{Text: "sh"}}, rest...)
	}
	c.Words = rest
	c.Wrappers = append(c.Wrappers, name)
	c.unversion()
	return true
}
