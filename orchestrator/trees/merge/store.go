package merge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/devflow-suite/devflow/internal/atomicfile"
	"github.com/devflow-suite/devflow/internal/gitx"
	"github.com/devflow-suite/devflow/internal/regular"
	"github.com/devflow-suite/devflow/orchestrator/trees/git"
)

const (
	// maxShallow bounds the list of commits without parents of a shallow clone, in bytes.
	maxShallow = 64 << 20
	// maxTrees bounds the memory of which tree a commit has, in commits.
	maxTrees = 4096
)

// Options say where objects are.
type Options struct {
	Dir        string                                                                            // private git folder of ours, made when missing; may be removed at any time when nothing runs
	CommonDir  string                                                                            // of the repository whose object store is used
	Format     string                                                                            // sha1 or sha256
	Shared     string                                                                            // the repository's core.sharedRepository; "" when it has none
	Mark       string                                                                            // see git.Runner
	Identity   git.Identity                                                                      // of merge commits
	Attributes func(ctx context.Context, tree string, paths []string) (map[string]string, error) // values of the attribute merge; nil = nobody has any
}

// Store reads and writes objects of a repository from a git folder of its own, so that no configuration, attribute, hook, ref or
// replacement of the repository plays a part. Its methods may be called from many goroutines.
type Store struct {
	o     Options
	git   git.Runner
	mu    sync.Mutex
	trees map[string]string    // commit → tree
	made  map[string][2]string // result of a merge → the tip and the commit that went in
}

// Open makes the private git folder.
func Open(o Options) (*Store, error) {
	if err := prepare(o); err != nil {
		return nil, fmt.Errorf("make git folder %s: %w", o.Dir, err)
	}
	g := git.Runner{Dir: o.Dir, GitDir: o.Dir, Objects: filepath.Join(o.CommonDir, "objects"), Plain: true, Mark: o.Mark}
	return &Store{o: o, git: g, trees: map[string]string{}, made: map[string][2]string{}}, nil
}

func prepare(o Options) error {
	for _, dir := range [...]string{"objects", "refs"} {
		if err := os.MkdirAll(filepath.Join(o.Dir, dir), 0o700); err != nil {
			return err
		}
	}
	config := "[core]\n\tbare = true\n\trepositoryformatversion = 1\n"
	if o.Shared != "" {
		config += "\tsharedRepository = " + strconv.Quote(o.Shared) + "\n"
	}
	if o.Format == "sha256" {
		config += "[extensions]\n\tobjectformat = sha256\n"
	}
	files := map[string][]byte{"HEAD": []byte("ref: refs/heads/none\n"), "config": []byte(config)}
	shallow, err := regular.Read(filepath.Join(o.CommonDir, "shallow"), maxShallow)
	if err == nil {
		files["shallow"] = shallow
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for name, text := range files {
		path := filepath.Join(o.Dir, name)
		if old, err := regular.Read(path, maxShallow); err == nil && bytes.Equal(old, text) {
			continue
		}
		if err := atomicfile.WriteFile(path, text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// Commit makes a commit object. The message is taken as it is. One process.
func (s *Store) Commit(ctx context.Context, tree string, parents []string, message string, env ...string) (string, error) {
	args := []string{"commit-tree", tree, "-F", "-"}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	g := s.git
	g.Env = append(s.o.Identity.Env(), env...)
	res, err := g.Run(ctx, git.Call{Args: args, Stdin: []byte(message)})
	if err != nil {
		return "", fmt.Errorf("make commit: %w", err)
	}
	oid := strings.TrimSpace(string(res.Stdout))
	s.remember(oid, tree)
	return oid, nil
}

// Tree gives the tree of a commit. One process the first time.
func (s *Store) Tree(ctx context.Context, commit string) (string, error) {
	s.mu.Lock()
	tree, ok := s.trees[commit]
	s.mu.Unlock()
	if ok {
		return tree, nil
	}
	res, err := s.git.Run(ctx, git.Call{Args: []string{"rev-parse", "--verify", "-q", "--end-of-options", commit + "^{tree}"}, OK: []int{1}})
	if err == nil && res.Exit == 1 {
		err = gitx.ErrNoRev
	}
	if err != nil {
		return "", fmt.Errorf("find the tree of %s: %w", commit, err)
	}
	tree = strings.TrimSpace(string(res.Stdout))
	s.remember(commit, tree)
	return tree, nil
}

// merged looks at the merges that this store has made.
func (s *Store) merged(tip, commit string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for at, ok := tip, true; ok; {
		if at == commit {
			return true
		}
		var step [2]string
		if step, ok = s.made[at]; ok && step[1] == commit {
			return true
		}
		at = step[0]
	}
	return false
}

// note remembers a merge. A result is a new commit, or one on top of tip, so that the steps never go round.
func (s *Store) note(m Merged, tip, commit string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.made) >= maxTrees {
		clear(s.made)
	}
	s.made[m.Commit] = [2]string{tip, commit}
}

func (s *Store) remember(commit, tree string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.trees) >= maxTrees {
		clear(s.trees)
	}
	s.trees[commit] = tree
}

// Contains tells whether commit is reachable from tip. One process, none for what this store has merged.
func (s *Store) Contains(ctx context.Context, tip, commit string) (bool, error) {
	if s.merged(tip, commit) {
		return true, nil
	}
	res, err := s.git.Run(ctx, git.Call{Args: []string{"merge-base", "--is-ancestor", commit, tip}, OK: []int{1}})
	if err != nil {
		return false, fmt.Errorf("look for %s in %s: %w", short(commit), short(tip), err)
	}
	return res.Exit == 0, nil
}

// Diff is the patch between two commits or trees, with renames found and three lines of context. Attributes play no part. With
// gitx.ErrTooLarge (wrapped) it gives the first 32 MB. One process.
func (s *Store) Diff(ctx context.Context, from, to string) ([]byte, error) {
	res, err := s.git.Run(ctx, git.Call{
		Args: []string{"diff-tree", "-r", "-p", "-M", "--full-index", "--no-color", "--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/", "--end-of-options", from, to},
		Max:  gitx.MaxPatch,
	})
	if err != nil {
		return res.Stdout, fmt.Errorf("compare %s with %s: %w", short(from), short(to), err)
	}
	return res.Stdout, nil
}

// Missing gives the objects of a commit's tree that a partial clone does not have. One process.
func (s *Store) Missing(ctx context.Context, commit string) (map[string]bool, error) {
	res, err := s.git.Run(ctx, git.Call{Args: []string{"rev-list", "--objects", "--no-object-names", "--missing=print", "--end-of-options", commit + "^{tree}"}})
	if err != nil {
		return nil, fmt.Errorf("look for missing objects of %s: %w", short(commit), err)
	}
	missing := map[string]bool{}
	for line := range strings.Lines(string(res.Stdout)) {
		if oid, ok := strings.CutPrefix(strings.TrimSpace(line), "?"); ok {
			missing[oid] = true
		}
	}
	return missing, nil
}

// blobs reads objects by name. One process.
func (s *Store) blobs(ctx context.Context, oids []string) (map[string][]byte, error) {
	var want []string
	for _, oid := range oids {
		if !zero(oid) {
			want = append(want, oid)
		}
	}
	objects, err := s.batch(ctx, want)
	if err != nil {
		return nil, err
	}
	found := map[string][]byte{}
	for i, oid := range want {
		found[oid] = objects[i]
	}
	return found, nil
}

// batch reads objects by name, in the order asked for; one that is missing is an error. One process.
func (s *Store) batch(ctx context.Context, names []string) ([][]byte, error) {
	if len(names) == 0 {
		return nil, nil
	}
	res, err := s.git.Run(ctx, git.Call{Args: []string{"cat-file", "--batch", "--buffer", "-z"}, Stdin: git.Join(names), Max: 4 * gitx.MaxBlobs})
	if err != nil {
		return nil, fmt.Errorf("read objects: %w", err)
	}
	out := res.Stdout
	objects := make([][]byte, len(names))
	for i, name := range names {
		line, rest, _ := bytes.Cut(out, []byte{'\n'})
		head := strings.Fields(string(line))
		if len(head) != 3 {
			return nil, fmt.Errorf("read object %q: unexpected answer %q", name, line)
		}
		size, err := strconv.Atoi(head[2])
		if err != nil || size < 0 || size >= len(rest) {
			return nil, fmt.Errorf("read object %q: unexpected answer %q", name, line)
		}
		objects[i], out = rest[:size:size], rest[size+1:]
	}
	return objects, nil
}

func zero(oid string) bool { return strings.Trim(oid, "0") == "" }
