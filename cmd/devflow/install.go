package main

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/cmd/internal/frame"
	"github.com/devflow-suite/devflow/install"
	"github.com/devflow-suite/devflow/install/doctor"
	"github.com/devflow-suite/devflow/internal/commandline"
	"github.com/devflow-suite/devflow/internal/config"
)

// install registers the hooks.
func (a *app) install() *cli.Command {
	o := install.Options{}
	var scope string
	var asJSON, noProbe bool
	return &cli.Command{
		Name:  "install",
		Usage: "copy the executables, write the command files, and register the hooks in Claude Code's settings",
		Description: `Only bytes of devflow are added to the settings file; order, spacing,
escapes, numbers, mode and a symbolic link stay. A file that cannot be
parsed is refused with line and column. A second run changes nothing.

Examples:
  devflow install
  devflow install --scope local --dry-run
  devflow install --migrate-python

Exit codes: 0 installed or nothing to do, 1 error or refused, 2 wrong use`,
		Flags: []cli.Flag{
			a.scopeFlag(&scope, "`SCOPE` is user, project or local settings; default: user"),
			&cli.BoolFlag{Name: "dry-run", Usage: "show the change as a diff and write nothing", Destination: &o.DryRun},
			&cli.StringFlag{Name: "bin-dir", Usage: "install the executables into `DIR` instead of <root>/bin", Destination: &o.BinDir},
			&cli.StringFlag{Name: "from", Usage: "take the executables from `DIR` instead of this program's folder", Destination: &o.From},
			&cli.BoolFlag{Name: "migrate-python", Usage: "take out the hooks of the published Python version", Destination: &o.MigratePython},
			&cli.BoolFlag{Name: "force", Usage: "install although Claude Code ignores the settings file for a fault elsewhere in it", Destination: &o.Force},
			&cli.BoolFlag{Name: "no-probe", Usage: "do not try the executables before they are registered", Destination: &noProbe},
			frame.JSONFlag(&asJSON),
		},
		Action: func(ctx context.Context, _ *cli.Command) error {
			if !noProbe {
				o.Probe = doctor.Probe
			}
			if o.From == "" {
				o.From = filepath.Dir(a.Exe)
			}
			if err := a.place(&o, scope); err != nil {
				return err
			}
			r, err := install.Install(ctx, o)
			return errors.Join(a.report(r, asJSON), advise(err, "install", o))
		},
	}
}

// uninstall takes our bytes out again.
func (a *app) uninstall() *cli.Command {
	o := install.Options{}
	var scope string
	var asJSON bool
	return &cli.Command{
		Name:  "uninstall",
		Usage: "take devflow out of Claude Code's settings and remove its executables and command files",
		Description: `Without --scope devflow is taken out of every scope that it was installed
in. With --scope project or local it is taken out of the folder that the
command is started in; the executables stay as long as another scope uses
them.

If nothing else changed since the installation, the settings file gets its
original bytes back; otherwise only devflow's bytes go. Database, logs,
configuration and the backup of the settings file stay unless --purge is
given.

Examples:
  devflow uninstall
  devflow uninstall --scope project --dry-run
  devflow uninstall --purge

Exit codes: 0 taken out or nothing to do, 1 error, 2 wrong use`,
		Flags: []cli.Flag{
			a.scopeFlag(&scope, "`SCOPE` is user, project or local settings only; default: everywhere"),
			&cli.BoolFlag{Name: "dry-run", Usage: "show the change as a diff and write nothing", Destination: &o.DryRun},
			&cli.BoolFlag{Name: "purge", Usage: "remove database, spool, logs, state, configuration and backup too", Destination: &o.Purge},
			frame.JSONFlag(&asJSON),
		},
		Action: func(ctx context.Context, _ *cli.Command) error {
			if err := a.place(&o, scope); err != nil {
				return err
			}
			r, err := install.Uninstall(ctx, o)
			return errors.Join(a.report(r, asJSON), advise(err, "uninstall", o))
		},
	}
}

func (a *app) scopeFlag(to *string, usage string) cli.Flag {
	return &cli.StringFlag{Name: "scope", Usage: usage, Destination: to, Validator: func(s string) error {
		return a.Check(commandline.OneOf("scope", s, string(install.User), string(install.Project), string(install.Local)))
	}}
}

// place completes the options from the command line.
func (a *app) place(o *install.Options, scope string) error {
	dir, err := a.WorkDir()
	if err != nil {
		return err
	}
	o.Scope = install.Scope(scope)
	for _, folder := range []*string{&o.BinDir, &o.From} {
		if *folder != "" && !filepath.IsAbs(*folder) {
			*folder = filepath.Join(dir, *folder)
		}
	}
	o.Project, o.Getenv, o.Now, o.Version = dir, a.Getenv, a.Now, frame.Version(version)
	if o.Scope == "" || o.Scope == install.User {
		o.Project = ""
	}
	return nil
}

func (a *app) report(r install.Report, asJSON bool) error {
	return a.Print(asJSON, r, func(w io.Writer) error {
		lines := r.Lines
		for _, s := range r.Settings {
			if s.Diff != "" {
				lines = append(lines, strings.TrimRight(s.Diff, "\n"))
			}
		}
		return frame.Lines(w, lines)
	})
}

// advise adds the command that helps to a refused installation.
func advise(err error, action string, o install.Options) error {
	if err == nil || errors.Is(err, config.ErrNoHome) {
		return err
	}
	return frame.Hint(err, install.Hint(err, action, o))
}
