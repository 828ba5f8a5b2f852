package gitx

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxInclude bounds nested include files of a configuration.
const maxInclude = 5

// filterSettings switches off every clean filter that the user's or the repository's configuration names. A filter is a
// command: running it could change the repository (git-lfs stores objects) or do anything else. Files behind one are
// looked at as they are in the work tree. A filter in a machine-wide file outside /etc is not seen.
func (r Repo) filterSettings() ([]string, error) {
	sorted := r.FilterNames()
	var args []string
	for _, name := range sorted {
		if strings.ContainsAny(name, "=\n") { // cannot be written as -c key=value
			return nil, fmt.Errorf("switch off filter %q: name holds = or a line end", name)
		}
		args = append(args, "-c", "filter."+name+".clean=", "-c", "filter."+name+".process=", "-c", "filter."+name+".required=false")
	}
	return args, nil
}

// FilterNames gives the names of the clean and smudge filters in the user's and the repository's configuration, sorted, lfs always
// among them. It reads files only, and follows include paths whatever their condition says.
func (r Repo) FilterNames() []string {
	names := map[string]bool{"lfs": true}
	for _, path := range r.configFiles() {
		scanFilters(path, names, maxInclude)
	}
	return slices.Sorted(maps.Keys(names))
}

func (r Repo) configFiles() []string {
	files := []string{filepath.Join(r.CommonDir, "config"), filepath.Join(r.GitDir, "config.worktree")}
	if global, ok := os.LookupEnv("GIT_CONFIG_GLOBAL"); ok {
		files = append(files, global)
	} else if home := os.Getenv("HOME"); home != "" {
		xdg := os.Getenv("XDG_CONFIG_HOME")
		if xdg == "" {
			xdg = filepath.Join(home, ".config")
		}
		files = append(files, filepath.Join(home, ".gitconfig"), filepath.Join(xdg, "git", "config"))
	}
	if system, ok := os.LookupEnv("GIT_CONFIG_SYSTEM"); ok {
		return append(files, system)
	}
	return append(files, "/etc/gitconfig")
}

// scanFilters adds the names of [filter "name"] sections, and follows include paths whatever their condition says.
func scanFilters(path string, names map[string]bool, depth int) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || depth == 0 {
		return
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return
	}
	section := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			var sub, rest string
			section, sub, rest = sectionHead(line)
			if section == "filter" {
				names[sub] = true
			}
			line = rest
		}
		key, value, ok := strings.Cut(line, "=")
		if ok && (section == "include" || section == "includeif") && strings.EqualFold(strings.TrimSpace(key), "path") {
			scanFilters(includePath(path, value), names, depth-1)
		}
	}
}

// sectionHead splits `[section "sub"] rest`; the section is in lower case, the subsection unescaped. The old form
// [filter.name] is understood too.
func sectionHead(line string) (section, sub, rest string) {
	body := line[1:]
	end := strings.IndexAny(body, "\"]")
	if end < 0 {
		return "", "", ""
	}
	section = strings.ToLower(strings.TrimSpace(body[:end]))
	if body[end] == ']' {
		section, sub, _ = strings.Cut(section, ".")
		return section, sub, strings.TrimSpace(body[end+1:])
	}
	var name strings.Builder
	i := end + 1
	for ; i < len(body) && body[i] != '"'; i++ {
		if body[i] == '\\' && i+1 < len(body) {
			i++
		}
		name.WriteByte(body[i])
	}
	_, rest, _ = strings.Cut(body[min(i, len(body)):], "]")
	return section, name.String(), strings.TrimSpace(rest)
}

func includePath(from, value string) string {
	value = strings.Trim(strings.TrimSpace(value), `"`)
	if rest, ok := strings.CutPrefix(value, "~/"); ok {
		return filepath.Join(os.Getenv("HOME"), rest)
	}
	return resolve(filepath.Dir(from), value)
}
