package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/devflow-suite/devflow/install/binaries"
	"github.com/devflow-suite/devflow/install/settings"
	"github.com/devflow-suite/devflow/install/splice"
	"github.com/devflow-suite/devflow/install/target"
	"github.com/devflow-suite/devflow/internal/atomicfile"
)

// backupOf is what the copy of a settings file from before is called.
func backupOf(path string) string { return path + ".devflow-backup" }

// plan is everything that Install has decided before it writes.
type plan struct {
	place
	opt      Options
	old      *Manifest // as read, may be nil
	next     *Manifest
	source   target.File
	change   settings.Change
	entry    Registered
	fresh    bool // the file held nothing of devflow's
	off      bool // the file switches all hooks off
	binaries []binaries.Step
	commands []commandStep
	cmdDir   string
}

// Install copies the executables, writes the command files and registers the
// hooks, in this order. The report is filled as far as it went. A refused
// settings file gives *span.SyntaxError or *settings.ShapeError, wrapped; the
// other errors to test for are target.ErrChanged, target.ErrLocked, ErrManifest and
// config.ErrNoHome.
func Install(ctx context.Context, o Options) (Report, error) {
	r := Report{Action: "install", DryRun: o.DryRun}
	if o.Scope == "" {
		o.Scope = User
	}
	where, err := o.place()
	if err != nil {
		return r, err
	}
	r.Bin = where.bin
	path, err := SettingsPath(o.Getenv, o.Scope, o.Project)
	if err != nil {
		return r, err
	}
	var made []string
	if !o.DryRun {
		if _, err := target.Load(path); err != nil { // refuse before the first folder is made
			return r, err
		}
		if made, err = target.MakeDirs(where.Root, 0o700); err != nil {
			return r, err
		}
		unlock, err := target.LockBoth(ctx, where.Root, filepath.Dir(path))
		if err != nil {
			return r, errors.Join(err, target.RemoveDirs(made))
		}
		defer unlock()
	}
	p, err := newPlan(where, o, path, &r)
	if err != nil {
		return r, errors.Join(err, target.RemoveDirs(made))
	}
	if o.DryRun {
		return r, p.describe(&r)
	}
	if err := p.try(ctx, o.From); err != nil {
		return r, errors.Join(err, target.RemoveDirs(made))
	}
	p.next.Dirs = append(p.next.Dirs, made...)
	return r, p.apply(ctx, &r)
}

func newPlan(where place, o Options, path string, r *Report) (*plan, error) {
	p := &plan{place: where, opt: o}
	var err error
	if p.old, err = LoadManifest(where.Root); err != nil {
		return nil, fmt.Errorf("%w; move it away to go on: entries are then recognised by %s alone", err, where.bin)
	}
	p.next = &Manifest{}
	if p.old != nil {
		*p.next = *p.old
		p.next.BinDirs, p.next.Files = slices.Clone(p.old.BinDirs), slices.Clone(p.old.Files)
		p.next.Settings, p.next.Dirs = slices.Clone(p.old.Settings), slices.Clone(p.old.Dirs)
	}
	p.next.Format, p.next.Version = manifestFormat, o.Version
	if p.next.InstalledMS == 0 {
		p.next.InstalledMS = where.now.UnixMilli()
	}
	p.next.useBin(where.bin)
	if p.source, err = target.Load(path); err != nil {
		return nil, err
	}
	if err := p.settings(r); err != nil {
		return nil, fmt.Errorf("edit %s: %w", path, err)
	}
	if p.binaries, err = binaries.Plan(o.From, where.bin); err != nil {
		return nil, err
	}
	p.cmdDir = filepath.Join(filepath.Dir(path), "commands")
	p.commands, err = planCommands(p.cmdDir, p.next)
	return p, err
}

// settings plans the text of the settings file and what the manifest says.
func (p *plan) settings(r *Report) error {
	base, err := p.original()
	if err != nil {
		return err
	}
	owner := Owner(p.next, p.bin, p.Home)
	f, err := settings.Read(base)
	if err != nil {
		return err
	}
	if err := f.Usable(); err != nil && !p.opt.Force {
		return fmt.Errorf("%w; to install all the same, add --force", err)
	}
	if p.opt.MigratePython {
		moved, err := settings.MigratePython(f, p.Home)
		if err != nil {
			return err
		}
		for _, note := range moved.Notes {
			r.say("%s", note)
		}
		if base = moved.Data; moved.Removed > 0 {
			if f, err = settings.Read(base); err != nil {
				return err
			}
		}
	}
	p.fresh = !slices.ContainsFunc(f.Handlers, owner.Ours)
	if p.change, err = settings.Install(f, owner, p.bin); err != nil {
		return err
	}
	for _, problem := range f.Problems {
		r.say("%s:%d:%d: %s %s", p.source.Path, problem.Line, problem.Column, problem.Path, problem.Text)
	}
	if p.off, _ = f.Flag("disableAllHooks"); p.off {
		r.say("%s switches all hooks off (disableAllHooks); devflow does nothing until that is false", p.source.Path)
	}
	p.entry = p.record(base)
	if string(p.change.Data) != string(p.source.Data) {
		return p.source.Writable()
	}
	return nil
}

// original returns the text to start from: if nobody touched the file since the
// last install, the one from before that install, so that what is recorded
// leads from the user's own bytes to ours; else the text as it is.
func (p *plan) original() ([]byte, error) {
	had := p.next.registered(p.source.Path, p.source.Real)
	if had == nil || had.Edits == nil || Sum(p.source.Data) != had.After {
		return p.source.Data, nil
	}
	before, err := splice.Apply(p.source.Data, splice.Inverse(had.Edits))
	if err != nil || Sum(before) != had.Before {
		return p.source.Data, nil
	}
	return before, nil
}

// record builds the manifest entry.
func (p *plan) record(base []byte) Registered {
	entry := Registered{
		Path: p.source.Path, Real: p.source.Real, Scope: p.opt.Scope, Project: p.opt.Project,
		After: Sum(p.change.Data), Containers: p.change.Containers, Created: p.source.Info == nil,
	}
	if p.opt.Scope == User {
		entry.Project = ""
	}
	had := p.next.registered(p.source.Path, p.source.Real)
	if had != nil {
		entry.Backup = had.Backup
		entry.Created = entry.Created || had.Created
	}
	if p.change.Edits != nil && p.fresh {
		entry.Before, entry.Edits = Sum(base), p.change.Edits
		return entry
	}
	// The user edited since: what earlier installs filled first still counts.
	if had != nil {
		entry.Containers = append(slices.Clone(had.Containers), entry.Containers...)
		if entry.After == had.After {
			entry.Before, entry.Edits, entry.Containers = had.Before, had.Edits, had.Containers
		}
	}
	return entry
}

func (p *plan) describe(r *Report) error {
	s := p.settingsReport()
	s.Diff = p.source.Diff(p.change.Data, false)
	r.Settings = append(r.Settings, s)
	if err := applyBinaries(p.binaries, p.next, r); err != nil {
		return err
	}
	if err := applyCommands(p.commands, p.next, r); err != nil {
		return err
	}
	p.summary(r, s)
	return nil
}

func (p *plan) settingsReport() SettingsReport {
	s := SettingsReport{Path: p.source.Path, Scope: p.opt.Scope, Changed: string(p.change.Data) != string(p.source.Data)}
	if p.source.Real != p.source.Path {
		s.Real = p.source.Real
	}
	if s.Changed {
		s.Added, s.Renewed, s.Removed = p.change.Added, p.change.Renewed, p.change.Removed
	}
	return s
}

// apply writes. After a failure the manifest knows what was written so far.
func (p *plan) apply(ctx context.Context, r *Report) error {
	target.Sweep(p.touched())
	if err := p.files(ctx, r); err != nil {
		return errors.Join(err, p.next.save(p.manifest))
	}
	s := p.settingsReport()
	if err := p.backup(&s); err != nil {
		return errors.Join(err, p.next.save(p.manifest))
	}
	p.next.setRegistered(p.entry)
	// The manifest is written first: after a crash between the two writes it
	// describes entries that are not there, which uninstall copes with.
	if err := p.next.save(p.manifest); err != nil {
		return err
	}
	if s.Changed {
		mode := fs.FileMode(0o644)
		if p.opt.Scope == User {
			mode = 0o600
		}
		if err := p.source.Replace(p.change.Data, mode); err != nil {
			return errors.Join(err, p.restoreManifest())
		}
	}
	r.Settings = append(r.Settings, s)
	p.summary(r, s)
	return nil
}

// touched lists the files that Install writes.
func (p *plan) touched() []string {
	paths := []string{p.manifest, p.source.Stage(), backupOf(p.source.Path)}
	for _, b := range p.binaries {
		paths = append(paths, b.To)
	}
	for _, c := range p.commands {
		paths = append(paths, c.path)
	}
	return paths
}

// files writes executables and commands, and tries the executables in between.
func (p *plan) files(ctx context.Context, r *Report) error {
	for _, dir := range []string{p.bin, filepath.Dir(p.source.Real), p.cmdDir} {
		mode := fs.FileMode(0o755)
		if inside(p.Root, dir) {
			mode = 0o700
		}
		made, err := target.MakeDirs(dir, mode)
		p.next.Dirs = append(p.next.Dirs, made...)
		if err != nil {
			return err
		}
	}
	if err := p.announce(); err != nil {
		return err
	}
	if err := applyBinaries(p.binaries, p.next, r); err != nil {
		return err
	}
	if err := p.try(ctx, p.bin); err != nil { // the folder may forbid to execute
		return err
	}
	return applyCommands(p.commands, p.next, r)
}

func (p *plan) try(ctx context.Context, dir string) error {
	if p.opt.Probe == nil {
		return nil
	}
	if err := p.opt.Probe(ctx, dir); err != nil {
		return fmt.Errorf("try the executables in %s: %w; no hook was registered", dir, err)
	}
	return nil
}

// restoreManifest puts the entry of the settings file back that could not be
// written; the copied files stay recorded.
func (p *plan) restoreManifest() error {
	p.next.dropRegistered(p.source.Path)
	if p.old != nil {
		if had := p.old.registered(p.source.Path, p.source.Real); had != nil {
			p.next.setRegistered(*had)
		}
	}
	return p.next.save(p.manifest)
}

// backup copies the settings file once. A file that already holds entries of
// devflow's is not worth a backup, and an existing backup is never replaced:
// it may be the last good state.
func (p *plan) backup(s *SettingsReport) error {
	path := backupOf(p.source.Path)
	if !s.Changed || p.source.Info == nil || !p.pristine() {
		return nil
	}
	if _, err := os.Lstat(path); err == nil {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := atomicfile.WriteFile(path, p.source.Data, p.source.Info.Mode().Perm()); err != nil {
		return err
	}
	p.entry.Backup, s.Backup = path, path
	return nil
}

// pristine reports whether the file as read holds no entry of devflow's.
func (p *plan) pristine() bool {
	f, err := settings.Read(p.source.Data)
	return err == nil && !slices.ContainsFunc(f.Handlers, Owner(p.next, p.bin, p.Home).Ours)
}

func (p *plan) summary(r *Report, s SettingsReport) {
	copied := 0
	for _, b := range p.binaries {
		if !b.Same {
			copied++
		}
	}
	if target.SameDir(p.opt.From, p.bin) {
		r.say("%s in %s: used where they are, nothing to copy", plural(len(p.binaries), "executable"), p.bin)
	} else {
		r.say("%s %d of %s to %s", r.tense("copied", "would copy"), copied, plural(len(p.binaries), "executable"), p.bin)
	}
	name := s.Path
	if s.Real != "" {
		name += " -> " + s.Real
	}
	switch {
	case !s.Changed:
		r.say("%s is up to date", name)
	default:
		r.say("%s %s: %s added, %d renewed, %d removed", r.tense("changed", "would change"), name, plural(s.Added, "entry"), s.Renewed, s.Removed)
	}
	if s.Backup != "" {
		r.say("the file from before is kept as %s", s.Backup)
	}
	if p.opt.Scope == Local && p.source.Info == nil {
		r.say("%s is new; keep it out of the repository: add .claude/settings.local.json to .gitignore", s.Path)
	}
	if p.opt.Scope == Project {
		r.say("%s is usually committed: the entries name %s on this machine; use --scope local to keep them private", s.Path, p.bin)
	}
	if r.DryRun {
		return
	}
	check := "check with: " + settings.ShellWord(filepath.Join(p.bin, Binary)) + " doctor"
	switch {
	case p.off:
		r.say("no session is watched while hooks are switched off; %s", check)
	case p.opt.Scope == User:
		r.say("new sessions are watched from now on; %s", check)
	default:
		r.say("new sessions are watched from now on if they start in %s; %s", p.opt.Project, check)
	}
}
