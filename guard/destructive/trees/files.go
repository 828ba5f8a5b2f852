package trees

import (
	"github.com/devflow-suite/devflow/guard/destructive/rule"
	"strings"

	"github.com/devflow-suite/devflow/guard/place"
	"github.com/devflow-suite/devflow/internal/shell"
)

// rsync deletes what is not in the source, or the source itself.
func rsync(k *rule.Call) []rule.Effect {
	o := rule.Parse(k.Words, "efTMB@", " --rsh --exclude --include --filter --files-from --exclude-from --include-from --rsync-path --temp-dir --backup-dir --log-file --out-format --chmod --chown --bwlimit --timeout --port --password-file --partial-dir --compare-dest --copy-dest --link-dest --max-size --min-size --info --debug --max-delete --modify-window --block-size --suffix ")
	if o.Has("n", "--dry-run", "--list-only") || len(o.Operands) < 2 {
		return nil
	}
	var list []rule.Effect
	last := o.Operands[len(o.Operands)-1]
	deletes := o.Has("--delete", "--del", "--delete-before", "--delete-during", "--delete-delay", "--delete-after", "--delete-excluded", "--delete-missing-args")
	if deletes && !o.Has("b", "--backup", "--backup-dir") {
		if host, _, ok := strings.Cut(last.Text, ":"); ok && !strings.Contains(host, "/") {
			list = append(list, rule.Effect{Op: rule.DropTree | rule.Remote, Target: place.Target{Raw: last.Text, Zone: place.Outside}})
		} else {
			list = append(list, k.Effects(rule.DropTree, last)...)
		}
	}
	if o.Has("--remove-source-files") {
		list = append(list, k.Each(rule.DropTree, o.Operands[:len(o.Operands)-1])...)
	}
	return list
}

func dd(k *rule.Call) []rule.Effect {
	for _, x := range k.Words {
		if v, ok := strings.CutPrefix(x.Text, "of="); ok {
			x.Text = v
			return k.Effects(rule.Empty, x)
		}
	}
	return nil
}

// move reads mv: the sources go away, the destination is replaced.
func move(k *rule.Call) []rule.Effect {
	o := rule.Parse(k.Words, "tS", " --target-directory --suffix ")
	sources := o.Operands
	dest, named := o.Get("t", "--target-directory")
	if !named {
		if len(sources) < 2 {
			return nil
		}
		dest, sources = sources[len(sources)-1], sources[:len(sources)-1]
	}
	if dest.Text == "/dev/null" {
		return k.Each(rule.DropTree, sources)
	}
	return append(k.Each(rule.MoveAway, sources), k.Effects(rule.Empty, dest)...)
}

// copies reads cp, install and ln -f: the destination is replaced.
func copies(k *rule.Call) []rule.Effect {
	o := rule.Parse(k.Words, "tSgmo", " --target-directory --suffix --group --mode --owner ")
	if k.Name == "ln" && !o.Has("f", "--force") || k.Name == "install" && o.Has("d", "--directory") {
		return nil
	}
	if dest, ok := o.Get("t", "--target-directory"); ok {
		return k.Effects(rule.Empty, dest)
	}
	if len(o.Operands) < 2 {
		return nil
	}
	return k.Effects(rule.Empty, o.Operands[len(o.Operands)-1])
}

// inPlace reads sed -i and perl -i.
func inPlace(k *rule.Call) []rule.Effect {
	o := rule.Parse(k.Words, "efElI", " --expression --file --line-length ")
	edit := false
	for _, x := range k.Words {
		t := x.Text
		edit = edit || strings.HasPrefix(t, "--in-place") || len(t) > 1 && t[0] == '-' && t[1] != '-' && strings.IndexByte(t, 'i') > 0
	}
	if !edit {
		return nil
	}
	return k.Each(rule.Empty, o.Operands)
}

// archive reads what unpacks over a place, or deletes what it packed.
func archive(k *rule.Call) []rule.Effect {
	if k.Name == "unzip" || k.Name == "7z" {
		for i, x := range k.Words {
			switch {
			case x.Text == "-d" && i+1 < len(k.Words):
				return k.Effects(rule.Empty, k.Words[i+1])
			case k.Name == "7z" && strings.HasPrefix(x.Text, "-o"):
				return k.Effects(rule.Empty, shell.Word{Text: x.Text[2:], Dynamic: x.Dynamic})
			}
		}
		return nil
	}
	words := k.Words
	if k.Name != "zip" && len(words) > 0 && words[0].Literal() && words[0].Text != "" && words[0].Text[0] != '-' {
		words = append([]shell.Word{{Text: "-" + words[0].Text}}, words[1:]...) // tar xzf
	}
	o := rule.Parse(words, map[bool]string{true: "", false: "fCTXbI"}[k.Name == "zip"], " --file --directory --files-from --exclude --exclude-from --use-compress-program ")
	if k.Name == "zip" {
		if o.Has("m", "--move") && len(o.Operands) > 1 {
			return k.Each(rule.DropTree, o.Operands[1:])
		}
		return nil
	}
	switch dir, ok := o.Get("C", "--directory"); {
	case o.Has("--remove-files"):
		return k.Each(rule.DropTree, o.Operands)
	case ok && o.Has("x", "--extract", "--get"):
		return k.Effects(rule.Empty, dir)
	}
	return nil
}

// outputs reads programs that write where an option says.
func outputs(k *rule.Call) []rule.Effect {
	var list []rule.Effect
	o := rule.Parse(k.Words, map[string]string{"curl": "oHdXuAbeFTw", "wget": "OPoUe", "sort": "okStT"}[k.Name], " --output --output-document --header --data --request --user ")
	for _, f := range o.Flags {
		if f.Name == "o" && k.Name != "wget" || f.Name == "O" && k.Name == "wget" || f.Name == "--output" || f.Name == "--output-document" {
			if f.Value.Text != "" && f.Value.Text != "-" {
				list = append(list, k.Effects(rule.Empty, f.Value)...)
			}
		}
	}
	return list
}

// modes reads chmod, chown and their relatives.
func modes(k *rule.Call) []rule.Effect {
	if strings.HasPrefix(k.Name, "chattr") && len(k.Words) > 0 {
		o := rule.Parse(k.Words, "pv", "")
		if !o.Has("R") {
			return nil
		}
		return k.Each(rule.OpenTree, o.Operands)
	}
	o := rule.Parse(minus(k.Words), "mxMX", " --reference --modify --set --remove ")
	operands, tree := o.Operands, o.Has("R", "r", "--recursive")
	_, byFile := o.Get("--reference")
	mode := ""
	if !byFile && k.Name != "setfacl" && k.Name != "icacls" && len(operands) > 0 {
		mode, operands = operands[0].Text, operands[1:]
	}
	if k.Cmd.Wrapped("find") && hasBraces(operands) {
		operands = without(operands)
	}
	switch k.Name {
	case "chown", "gchown", "chgrp":
		var list []rule.Effect
		for _, e := range k.Each(rule.Own, operands) {
			switch z := e.Target.Zone; {
			case !tree && z != place.Root && z != place.Keys:
			case toSelf(mode) && (z == place.HomeTop || z == place.Outside || z == place.Home && e.Target.Path == k.World.Home || z == place.Keys):
			default:
				list = append(list, e)
			}
		}
		return list
	case "icacls":
		if !k.Arg("/t", "/T", "/reset") {
			return nil
		}
		return k.Each(rule.OpenTree, operands[:min(1, len(operands))])
	case "setfacl", "chflags":
		if !tree {
			return nil
		}
		return k.Each(rule.OpenTree, operands)
	}
	return chmod(k, mode, tree, operands)
}

// chmod: trees by place and mode, single files where the mode opens or locks what all need.
func chmod(k *rule.Call, mode string, tree bool, operands []shell.Word) []rule.Effect {
	var list []rule.Effect
	for _, e := range k.Each(0, operands) {
		z := e.Target.Zone
		inside := z == place.ProjectRoot || z == place.Project || z == place.Unknown
		switch {
		case tree && inside:
			if extreme(mode) && (z != place.Project || closes(mode)) && e.Op&rule.Remote == 0 {
				e.Op |= rule.OpenTree
			}
		case tree && z == place.Outside && !extreme(mode):
		case tree:
			e.Op |= rule.OpenTree
		case z == place.Keys && (opensToOthers(mode) || extreme(mode)) && !strings.HasSuffix(e.Target.Path, ".pub"):
			e.Op |= rule.Open
		case z == place.Root || z == place.Home && e.Target.Path != k.World.Home, extreme(mode) && (z == place.Home || z == place.Device), extreme(mode) && z == place.System && (critical(e.Target.Path) || critical(e.Target.Path+"/")):
			e.Op |= rule.Open
		}
		list = append(list, e)
	}
	return list
}

// closes reports whether a mode takes something from the owner.
func closes(mode string) bool {
	if strings.Trim(mode, "01234567") == "" {
		owner := ("000" + mode)[len(mode)]
		return owner < '6'
	}
	return strings.Contains(mode, "-") || strings.HasSuffix(mode, "=")
}

// minus turns a mode that begins with a dash (chmod -R -x dir) into an operand, so that it is not taken for options.
func minus(words []shell.Word) []shell.Word {
	for i, x := range words {
		if len(x.Text) > 1 && x.Text[0] == '-' && strings.Trim(x.Text[1:], "rwxXst") == "" && x.Text != "-r" && x.Text != "-R" {
			out := append([]shell.Word{}, words...)
			out[i].Text = "a" + x.Text
			return out
		}
	}
	return words
}

// extreme modes open something to everybody or take it from its owner.
func extreme(mode string) bool {
	if n := strings.TrimLeft(mode, "0"); mode != "" && strings.Trim(mode, "01234567") == "" {
		if len(n) > 3 {
			n = n[len(n)-3:]
		}
		for len(n) < 3 {
			n = "0" + n
		}
		return n[0] < '4' || strings.IndexByte("2367", n[2]) >= 0
	}
	for _, clause := range strings.Split(mode, ",") {
		who := strings.TrimRight(clause, "rwxXst")
		perms := clause[len(who):]
		others := strings.ContainsAny(who, "oa") || who == "+"
		switch {
		case strings.HasSuffix(who, "-") && !strings.HasPrefix(who, "g") && !strings.HasPrefix(who, "o") && strings.ContainsAny(perms, "rwx"):
			return true
		case strings.HasSuffix(who, "=") && perms == "" && !strings.HasPrefix(who, "g") && !strings.HasPrefix(who, "o"):
			return true
		case !strings.HasSuffix(who, "-") && others && strings.Contains(perms, "w") && who != "+":
			return true
		}
	}
	return strings.ContainsAny(mode, "$`")
}

// opensToOthers reports whether the group or others could read or write.
func opensToOthers(mode string) bool {
	if mode != "" && strings.Trim(mode, "01234567") == "" {
		n := "000" + mode
		return strings.ContainsAny(n[len(n)-2:], "234567")
	}
	for clause := range strings.SplitSeq(mode, ",") {
		at := strings.LastIndexAny(clause, "+=-")
		if at < 0 || clause[at] == '-' {
			continue
		}
		if who := clause[:at]; (who == "" || strings.ContainsAny(who, "goa")) && strings.ContainsAny(clause[at:], "rw") {
			return true
		}
	}
	return false
}

// toSelf reports whether the new owner is whoever runs the command.
func toSelf(owner string) bool {
	return strings.HasPrefix(owner, "$USER") || strings.HasPrefix(owner, "${USER") || strings.HasPrefix(owner, "$(whoami)") || strings.HasPrefix(owner, "$(id ") || strings.HasPrefix(owner, "`whoami`") || strings.HasPrefix(owner, "$UID") || strings.HasPrefix(owner, "$LOGNAME")
}
