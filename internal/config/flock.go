package config

import (
	"path/filepath"
	"reflect"
	"slices"
	"time"
)

// Flock is what devflock does when its flags do not say otherwise. It is the user's alone: a project may not widen what workers see or
// spend. Zero values leave the choice to devflock.
type Flock struct {
	Client      string        `toml:"client"`       // path of the claude program; "" = on PATH
	Confine     string        `toml:"confine"`      // auto, bwrap or landlock; never none
	Workers     int           `toml:"workers"`      // at most; 0 = as many as pay
	Attempts    int           `toml:"attempts"`     // per task, repairs included
	TaskTimeout time.Duration `toml:"task_timeout"` // such as "20m"
	TokenCap    int64         `toml:"token_cap"`    // over all workers of a run
	MoneyCap    float64       `toml:"money_cap"`    // USD
	Test        string        `toml:"test"`         // command run on each merged tree
	Auto        bool          `toml:"auto"`         // start a run that a finished specification asks for; otherwise a person does
	Governed    bool          `toml:"governed"`     // the judge looks at every task before it is integrated
	Expose      []string      `toml:"expose"`       // absolute folders that workers may read: toolchains
	Share       []string      `toml:"share"`        // ignored folders of a project that workers may read besides node_modules and the like; relative
}

func (f Flock) faults(note func(wrong bool, format string, args ...any)) {
	note(f.Client != "" && !filepath.IsAbs(f.Client), "flock.client is %q, want an absolute path", f.Client)
	note(!slices.Contains([]string{"auto", "bwrap", "landlock"}, f.Confine), `flock.confine is %q, want "auto", "bwrap" or "landlock"`, f.Confine)
	note(f.Workers < 0 || f.Attempts < 0 || f.TaskTimeout < 0 || f.TokenCap < 0 || f.MoneyCap < 0, "flock has a negative limit, want 0 or more")
	for _, dir := range f.Expose {
		note(!filepath.IsAbs(dir), "flock.expose names %q, want an absolute folder", dir)
	}
	for _, dir := range f.Share {
		note(!filepath.IsLocal(dir) || filepath.Clean(dir) == ".", "flock.share names %q, want a folder relative to the project", dir)
	}
}

// tightenFlock keeps the user's.
func tightenFlock(user, proj Flock, refuse func(key string)) Flock {
	if !reflect.DeepEqual(user, proj) {
		refuse("flock")
	}
	return user
}
