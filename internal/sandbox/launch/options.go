package launch

import (
	"errors"
	"fmt"
	"strconv"
)

// Exit statuses of the launcher itself; others are those of the command, 128+n after signal n.
const (
	ExitSetup      = 125 // the confinement could not be made; nothing ran
	ExitNotRunning = 126 // the command is there but cannot be executed
	ExitNotFound   = 127 // there is no such command
)

// place is a path with its flag: "ro", "rw" or "hide".
type place struct{ mode, path string }

// options are the arguments of all roles.
type options struct {
	landlock bool
	broker   bool
	filter   bool // system calls of bwrap and what it runs
	network  bool
	tmp      bool     // make a folder for temporary files and remove it
	remove   string   // folder to remove at the end
	parent   int      // who is expected to be the parent; 0 = anybody
	env      []string // for the command alone
	groups   []string // of package cgroup, made by the first role
	procs    int
	memory   int64
	places   []place
	argv     []string
	flags    []string // as given, for the next role
}

var errUsage = errors.New("bad arguments")

// parse reads flags up to "--". It is strict: the only caller is package sandbox.
func parse(args []string) (options, error) {
	var o options
	for i := 0; i < len(args); i++ {
		flag := args[i]
		if flag == "--" {
			o.argv, o.flags = args[i+1:], args[:i]
			if len(o.argv) == 0 {
				return o, fmt.Errorf("%w: no command", errUsage)
			}
			return o, nil
		}
		switch flag {
		case "-landlock":
			o.landlock = true
			continue
		case "-broker":
			o.broker = true
			continue
		case "-filter":
			o.filter = true
			continue
		case "-net":
			o.network = true
			continue
		case "-tmp":
			o.tmp = true
			continue
		}
		if i++; i == len(args) {
			return o, fmt.Errorf("%w: %s without a value", errUsage, flag)
		}
		if err := o.set(flag, args[i]); err != nil {
			return o, err
		}
	}
	return o, fmt.Errorf("%w: no command", errUsage)
}

func (o *options) set(flag, value string) error {
	var err error
	switch flag {
	case "-ro", "-rw", "-hide":
		if value == "" || value[0] != '/' {
			return fmt.Errorf("%w: %s %q is not absolute", errUsage, flag, value)
		}
		o.places = append(o.places, place{flag[1:], value})
	case "-env":
		o.env = append(o.env, value)
	case "-remove":
		o.remove = value
	case "-group":
		o.groups = append(o.groups, value)
	case "-parent":
		o.parent, err = strconv.Atoi(value)
	case "-procs":
		o.procs, err = strconv.Atoi(value)
	case "-memory":
		o.memory, err = strconv.ParseInt(value, 10, 64)
	default:
		return fmt.Errorf("%w: unknown flag %q", errUsage, flag)
	}
	if err != nil {
		return fmt.Errorf("%w: %s: %w", errUsage, flag, err)
	}
	return nil
}
