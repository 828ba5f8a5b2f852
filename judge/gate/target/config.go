package target

import (
	"context"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/internal/gitx"
)

// config holds settings in order; keys are "section.sub.name" with section and name in lower case.
type config []setting

type setting struct{ key, value string }

// readConfig reads all of git's configuration, and puts that of the command line over it.
func readConfig(ctx context.Context, repo gitx.Repo, own []string) (config, error) {
	out, _, err := run(ctx, repo, nil, 0, "config", "--list", "-z", "--includes")
	if err != nil {
		return nil, err
	}
	var c config
	for entry := range strings.SplitSeq(out, "\x00") {
		key, value, ok := strings.Cut(entry, "\n")
		if !ok {
			value = "true"
		}
		if key != "" {
			c = append(c, setting{key, value})
		}
	}
	for _, kv := range own {
		key, value, ok := strings.Cut(kv, "=")
		if !ok {
			value = "true"
		}
		c = append(c, setting{canonical(key), value})
	}
	return c, nil
}

// canonical lowers section and name of a key, not what is between them.
func canonical(key string) string {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	if first < 0 {
		return strings.ToLower(key)
	}
	return strings.ToLower(key[:first]) + key[first:last] + strings.ToLower(key[last:])
}

func (c config) last(key string) string {
	for i := len(c) - 1; i >= 0; i-- {
		if c[i].key == key {
			return c[i].value
		}
	}
	return ""
}

func (c config) all(key string) []string {
	var list []string
	for _, s := range c {
		if s.key == key {
			if s.value == "" { // an empty value clears a list
				list = nil
				continue
			}
			list = append(list, s.value)
		}
	}
	return list
}

func (c config) isTrue(key string) bool {
	switch strings.ToLower(c.last(key)) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}

// remotes are the names that have settings, in order of appearance.
func (c config) remotes() []string {
	var names []string
	for _, s := range c {
		rest, ok := strings.CutPrefix(s.key, "remote.")
		if !ok {
			continue
		}
		if i := strings.LastIndexByte(rest, '.'); i > 0 && !slices.Contains(names, rest[:i]) {
			names = append(names, rest[:i])
		}
	}
	return names
}

// urls are the addresses that a push to the remote goes to, after insteadOf. A name without settings is an address itself.
func (c config) urls(remote string) []string {
	if list := c.all("remote." + remote + ".pushurl"); len(list) > 0 {
		return c.rewrite(list, ".insteadof")
	}
	list := c.all("remote." + remote + ".url")
	if len(list) == 0 {
		list = []string{remote}
	}
	if pushed := c.rewrite(list, ".pushinsteadof"); !slices.Equal(pushed, list) {
		return pushed
	}
	return c.rewrite(list, ".insteadof")
}

// rewrite puts the base of the longest url.<base>.insteadOf that fits before each address.
func (c config) rewrite(list []string, name string) []string {
	var out []string
	for _, url := range list {
		best, base := "", ""
		for _, s := range c {
			sub, ok := strings.CutPrefix(s.key, "url.")
			if !ok || !strings.HasSuffix(sub, name) || !strings.HasPrefix(url, s.value) || len(s.value) < len(best) {
				continue
			}
			best, base = s.value, strings.TrimSuffix(sub, name)
		}
		if best != "" {
			url = base + url[len(best):]
		}
		out = append(out, url)
	}
	return out
}

// upstream is the remote and the refs that a branch follows.
func (c config) upstream(branch string) (remote string, merge []string) {
	return c.last("branch." + branch + ".remote"), c.all("branch." + branch + ".merge")
}

// fetchRemote is the remote that a branch is fetched from; branch is empty when HEAD is detached.
func (c config) fetchRemote(branch string) string {
	if branch != "" {
		if r := c.last("branch." + branch + ".remote"); r != "" {
			return r
		}
	}
	if names := c.remotes(); len(names) == 1 {
		return names[0]
	}
	return "origin"
}

// pushRemote is the remote that a branch is pushed to when none is named.
func (c config) pushRemote(branch string) string {
	if branch != "" {
		if r := c.last("branch." + branch + ".pushremote"); r != "" {
			return r
		}
	}
	if r := c.last("remote.pushdefault"); r != "" {
		return r
	}
	return c.fetchRemote(branch)
}
