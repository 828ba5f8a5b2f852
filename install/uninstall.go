package install

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/devflow-suite/devflow/install/binaries"
	"github.com/devflow-suite/devflow/install/settings"
	"github.com/devflow-suite/devflow/install/splice"
	"github.com/devflow-suite/devflow/install/target"
)

// removal is one settings file to clean.
type removal struct {
	source target.File
	entry  Registered // zero if the manifest does not know the file
	data   []byte
	report SettingsReport
}

// Uninstall takes out what the manifest lists: entries in settings files first,
// then unmodified command files and executables, then the manifest. With a
// scope it cleans that settings file and its command files only, and the rest
// when it was the last one. Database, other data and the backups of settings
// files stay unless Options.Purge is set; a backup that is not what the settings
// file is now stays all the same.
//
// A settings file that cannot be parsed ends the command before anything is
// changed, because its entries would then point at nothing.
func Uninstall(ctx context.Context, o Options) (Report, error) {
	r := Report{Action: "uninstall", DryRun: o.DryRun}
	where, err := o.place()
	if err != nil {
		return r, err
	}
	r.Bin = where.bin
	m, err := LoadManifest(where.Root)
	if err != nil {
		return r, fmt.Errorf("%w; move it away to go on: entries are then recognised by %s alone", err, where.bin)
	}
	_, noDB := os.Lstat(where.DB)
	known := m != nil || noDB == nil
	if m == nil {
		m = &Manifest{Format: manifestFormat}
	}
	if _, err := os.Stat(where.Root); err == nil && !o.DryRun {
		unlock, err := target.Lock(ctx, where.Root)
		if err != nil {
			return r, err
		}
		defer unlock()
	}
	jobs, err := planRemovals(where, o, m, &r)
	if err != nil {
		return r, err
	}
	if !o.DryRun {
		target.Sweep(leftovers(where, m, jobs))
	}
	for _, job := range jobs {
		if err := job.run(ctx, o, m, where.manifest); err != nil {
			return r, err
		}
		r.Settings = append(r.Settings, job.report)
		job.tell(&r)
	}
	if len(m.Settings) > 0 && o.Scope != "" {
		return r, m.leave(where, jobs, &r, o)
	}
	if scopes := left(jobs); o.Scope == "" && len(scopes) > 0 {
		r.say("%s every scope that it was installed in: %s", r.tense("took devflow out of", "would take devflow out of"), strings.Join(scopes, ", "))
	}
	guests := m.guests()
	if err := m.removeFiles(&r, m.Files); err != nil {
		return r, err
	}
	for _, dir := range guests {
		r.say("the executables in %s are not devflow's copies and stay", dir)
	}
	if o.Purge && !known {
		return r, fmt.Errorf("purge %s: neither a manifest nor a database of devflow is in it; remove it by hand if it is yours", where.Root)
	}
	if o.Purge {
		if err := purge(where, m, &r); err != nil {
			return r, err
		}
	}
	if err := backups(jobs, o, &r); err != nil {
		return r, err
	}
	if o.DryRun {
		return r, nil
	}
	return r, m.finish(where, &r)
}

// leftovers lists the files beside which a killed install may have left some.
func leftovers(where place, m *Manifest, jobs []*removal) []string {
	paths := []string{where.manifest}
	for _, f := range m.Files {
		paths = append(paths, f.Path)
	}
	for _, name := range binaries.All() {
		paths = append(paths, filepath.Join(where.bin, name))
	}
	for _, name := range commandNames() {
		paths = append(paths, filepath.Join(where.claude, "commands", name+".md"))
	}
	for _, job := range jobs {
		paths = append(paths, job.source.Stage(), backupOf(job.source.Path))
	}
	return paths
}

// planRemovals computes the new text of every settings file that is concerned.
func planRemovals(where place, o Options, m *Manifest, r *Report) ([]*removal, error) {
	paths, err := removalPaths(o, m)
	if err != nil {
		return nil, err
	}
	owner := Owner(m, where.bin, where.Home)
	var jobs []*removal
	for _, path := range paths {
		job, err := planRemoval(path, owner, m)
		if err != nil && o.Scope == "" && m.registered(path, path) == nil {
			r.say("%s is not looked into: %v", path, err)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("edit %s: %w", path, err)
		}
		if slices.ContainsFunc(jobs, func(j *removal) bool { return sameSource(j.source, job.source) }) {
			m.dropRegistered(path) // one file under two names
			continue
		}
		jobs = append(jobs, job)
	}
	return jobs, nil
}

// removalPaths lists the settings files: all of the manifest, and those of the
// options in case the manifest was lost.
func removalPaths(o Options, m *Manifest) ([]string, error) {
	var paths []string
	if o.Scope == "" {
		for _, entry := range m.Settings {
			paths = append(paths, entry.Path)
		}
	}
	for _, scope := range []Scope{User, Project, Local} {
		if o.Scope != "" && o.Scope != scope || scope != User && o.Project == "" && o.Scope == "" {
			continue
		}
		path, err := SettingsPath(o.Getenv, scope, o.Project)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

func sameSource(a, b target.File) bool {
	return a.Real == b.Real || a.Info != nil && b.Info != nil && os.SameFile(a.Info, b.Info)
}

func planRemoval(path string, owner settings.Owner, m *Manifest) (*removal, error) {
	src, err := target.Load(path)
	if err != nil {
		return nil, err
	}
	job := &removal{source: src, data: src.Data, report: SettingsReport{Path: path, Scope: User}}
	if src.Real != path {
		job.report.Real = src.Real
	}
	if entry := m.registered(path, src.Real); entry != nil {
		job.entry = *entry
		job.report.Scope = entry.Scope
	}
	if src.Info == nil {
		return job, nil
	}
	f, err := settings.Read(src.Data)
	if err != nil {
		return nil, err
	}
	change, err := settings.Uninstall(f, owner, job.entry.Containers)
	if err != nil {
		return nil, err
	}
	job.data, job.report.Removed = change.Data, change.Removed
	if e := job.entry; e.Edits != nil && Sum(src.Data) == e.After {
		before, err := splice.Apply(src.Data, splice.Inverse(e.Edits))
		if err == nil && Sum(before) == e.Before {
			job.data, job.report.Exact = before, true
		}
	}
	job.report.Changed = string(job.data) != string(src.Data)
	if job.report.Changed {
		return job, src.Writable()
	}
	return job, nil
}

// run writes the new text and takes the file out of the manifest.
func (j *removal) run(ctx context.Context, o Options, m *Manifest, manifest string) error {
	gone := j.gone()
	if o.DryRun {
		j.report.Diff = j.source.Diff(j.data, gone)
		m.dropRegistered(j.entry.Path)
		return nil
	}
	_ = os.Remove(j.source.Stage()) // of an install that was killed; usually not there
	if j.report.Changed {
		unlock, err := target.Lock(ctx, filepath.Dir(j.source.Path))
		if err != nil {
			return err
		}
		defer unlock()
		if gone {
			err = j.source.Remove()
		} else {
			err = j.source.Replace(j.data, 0)
		}
		if err != nil {
			return err
		}
	}
	if j.entry.Path == "" {
		return nil
	}
	m.dropRegistered(j.entry.Path)
	return m.save(manifest)
}

// gone reports whether the file goes, because it was not there before.
func (j *removal) gone() bool { return j.entry.Created && len(j.data) == 0 }

func (j *removal) tell(r *Report) {
	switch s := j.report; {
	case j.source.Info == nil && j.entry.Path != "":
		r.say("%s is gone; devflow %s it", s.Path, r.tense("forgot", "would forget"))
	case !s.Changed && j.entry.Path != "":
		r.say("%s holds no entry of devflow any more", s.Path)
	case !s.Changed:
	case j.gone():
		r.say("%s %s, which was not there before the installation", r.tense("removed", "would remove"), s.Path)
	case s.Exact:
		r.say("%s %s: the same bytes as before the installation", r.tense("restored", "would restore"), s.Path)
	default:
		r.say("%s %s from %s, which was edited since; everything else in it stays", r.tense("removed", "would remove"), plural(s.Removed, "entry"), s.Path)
	}
}

// removeFiles removes those of the given files of the manifest that are as
// devflow wrote them, and takes all of them out of the manifest.
func (m *Manifest) removeFiles(r *Report, files []ManifestFile) error {
	removed := 0
	for _, f := range slices.Clone(files) {
		remove := removeUnmodified
		if r.DryRun {
			remove = modified
		}
		if f.Kind == "binary" && linked(f.Path) {
			r.file(f.Path, "kept")
			r.say("%s lies behind a symbolic link and stays", f.Path)
			if !r.DryRun {
				m.dropFile(f.Path)
			}
			continue
		}
		state, err := remove(f.Path, f.SHA256)
		if err != nil {
			return err
		}
		r.file(f.Path, state)
		switch state {
		case "kept":
			r.say("%s was changed after the installation and stays", f.Path)
		case "removed":
			removed++
		}
		if !r.DryRun {
			m.dropFile(f.Path)
		}
	}
	r.say("%s %s", r.tense("removed", "would remove"), plural(removed, "file"))
	return nil
}

// left lists the scopes of the settings files that devflow was in.
func left(jobs []*removal) []string {
	var scopes []string
	for _, job := range jobs {
		if name := string(job.report.Scope); (job.entry.Path != "" || job.report.Changed) && !slices.Contains(scopes, name) {
			scopes = append(scopes, name)
		}
	}
	return scopes
}

// leave ends an uninstall of one scope while another one stays: only the command
// files beside the cleaned settings file go, unless the other one shares them.
func (m *Manifest) leave(where place, jobs []*removal, r *Report, o Options) error {
	for _, job := range jobs {
		dir := filepath.Dir(job.source.Path)
		if slices.ContainsFunc(m.Settings, func(s Registered) bool { return target.SameDir(filepath.Dir(s.Path), dir) }) {
			continue
		}
		var files []ManifestFile
		for _, f := range m.Files {
			if f.Kind == "command" && inside(filepath.Join(dir, "commands"), f.Path) {
				files = append(files, f)
			}
		}
		if len(files) > 0 {
			if err := m.removeFiles(r, files); err != nil {
				return err
			}
		}
		if r.DryRun {
			continue
		}
		var dirs []string
		for _, d := range m.Dirs {
			if inside(dir, d) && !inside(where.Root, d) && !inside(d, where.Root) {
				dirs = append(dirs, d)
			}
		}
		slices.Sort(dirs) // a folder before what is in it
		if err := target.RemoveDirs(dirs); err != nil {
			return err
		}
		m.Dirs = slices.DeleteFunc(m.Dirs, func(d string) bool {
			_, err := os.Lstat(d)
			return slices.Contains(dirs, d) && errors.Is(err, fs.ErrNotExist)
		})
	}
	stay := "executables stay"
	if o.Purge {
		stay = "executables and data stay"
	}
	r.say("%s: %s is still registered", stay, m.Settings[0].Path)
	o.Purge = false // the backup is data, too
	if err := backups(jobs, o, r); err != nil || r.DryRun {
		return err
	}
	return m.save(where.manifest)
}

// backups removes, with Options.Purge, each backup that holds the very bytes
// that its settings file has again, and tells of those that stay.
func backups(jobs []*removal, o Options, r *Report) error {
	for _, job := range jobs {
		path := backupOf(job.source.Path)
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			continue
		}
		if err != nil {
			return err
		}
		if !o.Purge || !bytes.Equal(data, job.data) {
			r.say("the backup stays: %s", path)
			continue
		}
		r.file(path, "removed")
		r.say("%s the backup %s, which is what the settings file is now", r.tense("removed", "would remove"), path)
		if r.DryRun {
			continue
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}

// finish removes the manifest and folders that are empty now.
func (m *Manifest) finish(where place, r *Report) error {
	if err := os.Remove(where.manifest); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	dirs := append(slices.Clone(m.Dirs), where.Root)
	if inside(where.Root, where.bin) {
		dirs = append(dirs, where.bin)
	}
	slices.Sort(dirs) // a folder before what is in it
	if err := target.RemoveDirs(slices.Compact(dirs)); err != nil {
		return err
	}
	if _, err := os.Stat(where.DB); err == nil {
		r.say("the database stays: %s (remove it with: devflow uninstall --purge)", where.DB)
	}
	return nil
}

// purge removes devflow's data: only names that devflow gives, never the root
// as a whole, which a person may have pointed somewhere else.
func purge(where place, m *Manifest, r *Report) error {
	var errs []error
	for _, path := range []string{where.DB, where.DB + "-wal", where.DB + "-shm", where.DB + ".lock", where.File} {
		if _, err := os.Lstat(path); err != nil {
			continue
		}
		r.file(path, "removed")
		if !r.DryRun {
			errs = append(errs, os.Remove(path))
		}
	}
	for _, dir := range []string{where.Spool, where.Logs, where.State, where.Objects, where.Fallback} {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() {
			continue
		}
		if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != os.Geteuid() {
			continue // the one in the temporary folder may be somebody else's
		}
		r.file(dir, "removed")
		if !r.DryRun {
			errs = append(errs, os.RemoveAll(dir))
		}
	}
	r.say("%s database, configuration, logs and state in %s", r.tense("purged", "would purge"), where.Root)
	m.Dirs = append(m.Dirs, where.Root, filepath.Dir(where.DB))
	return errors.Join(errs...)
}
