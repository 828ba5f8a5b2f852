package fence

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxLinks is the kernel's own bound on symbolic links in one path.
const maxLinks = 40

// resolve gives the place that a write to an absolute path reaches: every symbolic link that exists is followed, also a last one
// that leads to nothing, because writing creates its target. What does not exist is appended as it is. ".." behind something that
// does not exist is an error, as it is for the kernel.
func resolve(path string) (string, error) {
	left := strings.Split(path, "/")
	done, links, missing := "/", 0, false
	for len(left) > 0 {
		part := left[0]
		left = left[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if missing {
				return "", syscall.ENOENT
			}
			done = filepath.Dir(done)
			continue
		}
		next := filepath.Join(done, part)
		if missing {
			done = next
			continue
		}
		info, err := os.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing, done = true, next
		case err != nil: // also a file in the place of a folder
			return "", cause(err)
		case info.Mode()&fs.ModeSymlink == 0:
			done = next
		default:
			if links++; links > maxLinks {
				return "", syscall.ELOOP
			}
			target, err := os.Readlink(next)
			if err != nil {
				return "", cause(err)
			}
			if filepath.IsAbs(target) {
				done = "/"
			}
			left = append(strings.Split(target, "/"), left...)
		}
	}
	return done, nil
}

// cause leaves the path out of a file error: it is in the sentence already.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
