package flocksim

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/devflow-suite/devflow/orchestrator/trees"
)

// ErrDead says that the simulated process was killed: nothing happens any more.
var ErrDead = errors.New("simulated kill")

// Memory is work trees, branches and merges without git. What it holds outlives a simulated kill, as a disk does. It may be used from
// many goroutines.
type Memory struct {
	// Point is called before and in the middle of every step with its name; an error ends the step there. nil = never.
	Point func(name string) error

	mu        sync.Mutex
	commits   map[string]commit
	tip       string
	regions   map[string]*memTree
	checkouts map[string]map[string]string
	kept      map[string]map[string]string // leftovers by label
	number    int
}

type commit struct {
	parents  []string
	files    map[string]string
	trailers []string
}

type memTree struct {
	files       map[string]string
	start, head string
}

// NewMemory makes trees on an empty base.
func NewMemory() *Memory {
	m := &Memory{commits: map[string]commit{}, regions: map[string]*memTree{}, checkouts: map[string]map[string]string{}, kept: map[string]map[string]string{}}
	m.tip = m.add(commit{files: map[string]string{"README": "base"}})
	return m
}

// Root gives the root of a region's tree for Files.
func (m *Memory) Root(region string) string { return "tree/" + region }

func (m *Memory) add(c commit) string {
	id := hash(fmt.Sprint(c.parents, TreeID(c.files), c.trailers))
	m.commits[id] = c
	return id
}

func hash(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s)))[:40] }

// TreeID names a set of files.
func TreeID(files map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&b, "%q %q\n", name, files[name])
	}
	return hash(b.String())
}

func (m *Memory) point(name string) error {
	if m.Point == nil {
		return nil
	}
	return m.Point(name)
}

func (m *Memory) tree(region string) *memTree {
	t := m.regions[region]
	if t == nil {
		t = &memTree{files: maps.Clone(m.commits[m.tip].files), start: m.tip, head: m.tip}
		m.regions[region] = t
	}
	return t
}

// Result gives the files of the integration branch.
func (m *Memory) Result() map[string]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.commits[m.tip].files)
}

// Kept gives how many leftovers were saved.
func (m *Memory) Kept() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.kept)
}

// Tip implements land.Trees.
func (m *Memory) Tip(context.Context) (string, error) {
	if err := m.point("tip"); err != nil {
		return "", err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.tip, nil
}

// Begin implements schedule.Trees. In its middle half of the files are those of the tip.
func (m *Memory) Begin(_ context.Context, region string) (string, error) {
	if err := m.point("begin"); err != nil {
		return "", err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.tree(region)
	m.save(region, "begin", t)
	next := m.commits[m.tip].files
	half := map[string]string{}
	for i, name := range slices.Sorted(maps.Keys(next)) {
		if i%2 == 0 {
			half[name] = next[name]
		}
	}
	t.files = half
	if err := m.point("begin: half"); err != nil {
		return "", err
	}
	t.files, t.start, t.head = maps.Clone(next), m.tip, m.tip
	return m.tip, nil
}

// save keeps what differs from the start of a tree.
func (m *Memory) save(region, label string, t *memTree) {
	if !maps.Equal(t.files, m.commits[t.start].files) {
		m.number++
		m.kept[fmt.Sprintf("%s/%s/%d", region, label, m.number)] = t.files
	}
}

// Discard implements schedule.Trees.
func (m *Memory) Discard(_ context.Context, region, label string) (string, error) {
	if err := m.point("discard"); err != nil {
		return "", err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.tree(region)
	m.save(region, label, t)
	t.files, t.head = maps.Clone(m.commits[t.start].files), t.start
	return label, nil
}

// Outside implements schedule.Trees.
func (m *Memory) Outside(_ context.Context, region string) (paths []string, err error) {
	if err := m.point("outside"); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.tree(region)
	before := m.commits[t.start].files
	for name, content := range t.files {
		if old, had := before[name]; !within(region, name) && (!had || old != content) {
			paths = append(paths, name)
		}
	}
	for name := range before {
		if _, has := t.files[name]; !within(region, name) && !has {
			paths = append(paths, name)
		}
	}
	slices.Sort(paths)
	return paths, nil
}

func within(region, name string) bool {
	return strings.HasPrefix(name, region+"/") || strings.HasPrefix(name, clashFolder)
}

// Commit implements schedule.Trees.
func (m *Memory) Commit(_ context.Context, region string, msg trees.Message) (string, bool, error) {
	if err := m.point("commit"); err != nil {
		return "", false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.tree(region)
	before := m.commits[t.start].files
	files := maps.Clone(before)
	for name := range before {
		if within(region, name) {
			delete(files, name)
		}
	}
	for name, content := range t.files {
		if within(region, name) {
			files[name] = content
		}
	}
	if maps.Equal(files, before) {
		return "", false, nil
	}
	t.head = m.add(commit{parents: []string{t.start}, files: files, trailers: msg.Trailers})
	return t.head, true, m.point("commit: made")
}

// Attempted implements schedule.Trees.
func (m *Memory) Attempted(_ context.Context, region, trailer string) (string, bool, error) {
	if err := m.point("attempted"); err != nil {
		return "", false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.tree(region)
	if slices.Contains(m.commits[t.head].trailers, trailer) {
		return t.head, true, nil
	}
	return "", false, nil
}

// Contains implements land.Trees.
func (m *Memory) Contains(_ context.Context, tip, id string) (bool, error) {
	if err := m.point("contains"); err != nil {
		return false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.contains(tip, id), nil
}

func (m *Memory) contains(tip, id string) bool {
	seen := map[string]bool{}
	for todo := []string{tip}; len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if at == id {
			return true
		}
		for _, p := range m.commits[at].parents {
			if !seen[p] {
				seen[p] = true
				todo = append(todo, p)
			}
		}
	}
	return false
}

// Merge implements land.Trees. Files are whole: two sides that change one differently are in conflict.
func (m *Memory) Merge(_ context.Context, tip string, ids []string) (trees.Merged, error) {
	if err := m.point("merge"); err != nil {
		return trees.Merged{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	at := tip
	for _, id := range ids {
		switch {
		case m.contains(at, id):
		case m.contains(id, at):
			at = id
		default:
			files, err := m.merge(at, id)
			if err != nil {
				return trees.Merged{}, err
			}
			at = m.add(commit{parents: []string{at, id}, files: files})
		}
	}
	return trees.Merged{Commit: at, Tree: TreeID(m.commits[at].files)}, nil
}

func (m *Memory) merge(ours, theirs string) (map[string]string, error) {
	base := m.commits[m.commits[theirs].parents[0]].files // commits of regions stand on a commit of the branch
	files := maps.Clone(m.commits[ours].files)
	var bad []string
	for name, content := range m.commits[theirs].files {
		old, had := base[name]
		mine, has := files[name]
		switch {
		case had && old == content, has && mine == content:
		case has == had && mine == old:
			files[name] = content
		default:
			bad = append(bad, name)
		}
	}
	if len(bad) > 0 {
		slices.Sort(bad)
		return nil, &trees.ConflictError{Commit: theirs, Paths: bad, Text: "CONFLICT (content): " + strings.Join(bad, " ")}
	}
	return files, nil
}

// Advance implements land.Trees.
func (m *Memory) Advance(_ context.Context, from, to string) error {
	if err := m.point("advance"); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tip != from {
		return trees.ErrMoved
	}
	m.tip = to
	return m.point("advance: made")
}

// Move makes the integration branch go on by a commit of somebody else.
func (m *Memory) Move(name, content string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	files := maps.Clone(m.commits[m.tip].files)
	files[name] = content
	m.tip = m.add(commit{parents: []string{m.tip}, files: files})
}

// Checkout implements land.Trees.
func (m *Memory) Checkout(_ context.Context, id string) (string, func() error, error) {
	if err := m.point("checkout"); err != nil {
		return "", nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.number++
	dir := fmt.Sprintf("merged/%d", m.number)
	m.checkouts[dir] = maps.Clone(m.commits[id].files)
	return dir, func() error {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.checkouts, dir)
		return nil
	}, nil
}

// Checkouts gives how many throw-away trees are left.
func (m *Memory) Checkouts() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.checkouts)
}

func (m *Memory) files(root string) map[string]string {
	if region, ok := strings.CutPrefix(root, "tree/"); ok {
		return m.tree(region).files
	}
	return m.checkouts[root]
}

// Read implements Files.
func (m *Memory) Read(root, name string) (string, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	content, found := m.files(root)[name]
	return content, found, nil
}

// Write implements Files.
func (m *Memory) Write(root, name, content string) error {
	if err := m.point("write"); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files(root)[name] = content
	return nil
}

// Remove implements Files.
func (m *Memory) Remove(root, name string) error {
	if err := m.point("remove"); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.files(root), name)
	return nil
}

// Diff implements schedule.Differ: the files of to that from has not like that.
func (m *Memory) Diff(_ context.Context, from, to string) ([]byte, error) {
	if err := m.point("diff"); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var b strings.Builder
	before, after := m.commits[from].files, m.commits[to].files
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if before[name] != after[name] {
			fmt.Fprintf(&b, "+++ %s\n%s\n", name, after[name])
		}
	}
	return []byte(b.String()), nil
}
