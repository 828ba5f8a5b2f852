// Package trees holds the rules about paths: deleting, overwriting, moving away, opening; and it finds out what a command does to
// which path. It owns no table of the store and no file.
package trees

import (
	"github.com/devflow-suite/devflow/guard/destructive/rule"
	"github.com/devflow-suite/devflow/guard/place"
	"github.com/devflow-suite/devflow/guard/verdict"
)

const (
	zRoot    = place.Set(1 << place.Root)
	zSystem  = place.Set(1 << place.System)
	zHome    = place.Set(1 << place.Home)
	zHomeTop = place.Set(1 << place.HomeTop)
	zKeys    = place.Set(1 << place.Keys)
	zDevice  = place.Set(1 << place.Device)
	zTop     = place.Set(1 << place.ProjectRoot)
	zGit     = place.Set(1 << place.GitDir)
	zProject = place.Set(1 << place.Project)
	zBuild   = place.Set(1 << place.Build)
	zTempTop = place.Set(1 << place.TempTop)
	zTemp    = place.Set(1 << place.Temp)
	zOutside = place.Set(1 << place.Outside)
	zUnknown = place.Set(1 << place.Unknown)
	zAny     = ^place.Set(0)
)

// Advice that several rows share.
const (
	nameFolder = "delete by name what you made yourself, in the project: `rm -rf ./build`"
	byGit      = "let git do it, which refuses to lose what is not committed and keeps the rest: `git rm -r PATH`; or set it aside: `mv PATH /tmp/`"
	inTemp     = "make a folder of your own and delete that: `mktemp -d`"
)

// treeRules are about paths: what is done (op) to which places (zones). The first row that fits an effect counts.
var treeRules = [...]rule.Rule{
	{
		ID: "rm.root", Decision: verdict.Deny, Op: rule.DropTree | rule.DropFile | rule.MoveAway, Zones: zRoot,
		What: "deletes the whole file system", Why: "% is the root folder: nothing of the machine is left", Instead: nameFolder,
	},
	{
		ID: "disk.device", Decision: verdict.Deny, Op: rule.DropTree | rule.DropFile | rule.Empty | rule.Add | rule.MoveAway, Zones: zDevice,
		What: "writes to a raw device", Why: "what is stored on % is lost", Instead: "use a file as image: `dd if=/dev/zero of=./disk.img bs=1M count=10`",
	},
	{
		ID: "key.delete", Decision: verdict.Deny, Op: rule.DropTree | rule.DropFile | rule.MoveAway, Zones: zKeys,
		What: "deletes keys or passwords", Why: "% holds what cannot be made again: whoever needs it is locked out", Instead: rule.AskOwner,
	},
	{
		ID: "key.overwrite", Decision: verdict.Deny, Op: rule.Empty | rule.Add, Zones: zKeys,
		What: "changes keys, passwords or accounts", Why: "% decides who gets in; what it held is lost, or somebody new gets in", Instead: rule.AskOwner,
	},
	{
		ID: "rm.system", Decision: verdict.Deny, Op: rule.DropTree | rule.MoveAway, Zones: zSystem,
		What: "deletes a folder of the system", Why: "without % the machine may not start", Instead: nameFolder,
	},
	{
		ID: "rm.home", Decision: verdict.Deny, Op: rule.DropTree | rule.DropFile | rule.MoveAway, Zones: zHome,
		What: "deletes a home folder", Why: "% is or holds what a person keeps: documents, settings, keys", Instead: nameFolder,
	},
	{
		ID: "rm.home-folder", Decision: verdict.Deny, Op: rule.DropTree, Zones: zHomeTop,
		What: "deletes a folder of the home folder", Why: "% is outside the project and there is no copy that we know of", Instead: nameFolder,
	},
	{
		ID: "rm.git-dir", Decision: verdict.Deny, Op: rule.DropTree | rule.MoveAway, Zones: zGit,
		What: "deletes git's own files", Why: "% holds the history, the branches and the stashes of the repository", Instead: "look first: `git status`; then tell the user",
	},
	{
		ID: "rm.project-root", Decision: verdict.Deny, Op: rule.DropTree | rule.DropFile | rule.MoveAway, Zones: zTop,
		What: "deletes the project", Why: "% is its root or lies above it; what is not committed is lost", Instead: nameFolder,
	},
	{
		ID: "rm.remote", Decision: verdict.Deny, Op: rule.DropTree | rule.Remote, Zones: zOutside | zUnknown | zProject | zBuild | zGit | zTempTop,
		What: "deletes a folder on another machine or in a container", Why: "nothing here knows what % holds, or whether there is a copy", Instead: rule.AskOwner,
	},
	{
		ID: "rm.unset", Decision: verdict.Ask, Op: rule.DropTree | rule.Unset, Zones: zAny &^ zKeys,
		What: "deletes a path that begins with a variable", Why: "if the variable in % is empty, another folder is deleted, perhaps the root", Instead: nameFolder,
	},
	{
		ID: "rm.outside", Decision: verdict.Deny, Op: rule.DropTree, Zones: zOutside,
		What: "deletes a folder outside the project", Why: "there is no copy of % that we know of", Instead: nameFolder,
	},
	{
		ID: "rm.temp", Decision: verdict.Ask, Op: rule.DropTree | rule.DropFile, Zones: zTempTop,
		What: "deletes the temporary files of everybody", Why: "other programs work in %", Instead: inTemp,
	},
	{
		ID: "rm.project", Decision: verdict.Ask, Op: rule.DropTree, Zones: zProject,
		What: "deletes a folder of the project", Why: "% is no build or cache folder; what is not committed in it is lost", Instead: byGit,
	},
	{
		ID: "key.project", Decision: verdict.Ask, Op: rule.DropFile | rule.Keyed, Zones: zProject,
		What: "deletes a key", Why: "% is named like one, and cannot be made again", Instead: "set it aside: `mv PATH /tmp/`",
	},
	{
		ID: "rm.unknown", Decision: verdict.Ask, Op: rule.DropTree, Zones: zUnknown,
		What: "deletes what is known only at run time", Why: "% may turn out to be the project or a home folder", Instead: nameFolder,
	},
	{
		ID: "rm.file", Decision: verdict.Ask, Op: rule.DropFile, Zones: zSystem | zHomeTop | zGit,
		What: "deletes a file of the system, of the home folder or of git", Why: "% is none of the project's files, and there is no copy that we know of", Instead: "keep a copy: `cp PATH /tmp/`, and tell the user",
	},
	{
		ID: "write.unpack", Decision: verdict.Deny, Op: rule.Empty, Zones: zRoot | zHome,
		What: "unpacks or copies over a whole system", Why: "files below % are replaced", Instead: "unpack beside it: `tar xzf ARCHIVE -C /tmp/unpacked`",
	},
	{
		ID: "write.system", Decision: verdict.Deny, Op: rule.Empty, Zones: zSystem,
		What: "overwrites a file that the system needs", Why: "without % the machine does not start, or nobody can log in", Instead: rule.AskOwner,
	},
	{
		ID: "write.git", Decision: verdict.Ask, Op: rule.Empty, Zones: zGit,
		What: "overwrites git's own files", Why: "a wrong byte in % loses branches or history", Instead: "use git's own command: `git update-index --refresh`",
	},
	{
		ID: "perm.tree", Decision: verdict.Deny, Op: rule.OpenTree, Zones: zRoot | zSystem | zHome | zHomeTop | zKeys | zTempTop | zGit,
		What: "changes the permissions of a whole tree", Why: "nobody can tell afterwards what the permissions in % were", Instead: "change the folder that needs it: `chmod -R u+rwX ./dir`",
	},
	{
		ID: "perm.project", Decision: verdict.Ask, Op: rule.OpenTree, Zones: zTop | zProject | zUnknown | zOutside,
		What: "opens a whole tree to everybody, or closes it", Why: "every file in % gets the same permissions", Instead: "change only what is missing: `chmod -R u+rwX ./dir`",
	},
	{
		ID: "perm.key", Decision: verdict.Deny, Op: rule.Open, Zones: zKeys,
		What: "opens keys to others", Why: "whoever reads or changes % gets in", Instead: "keep it to its owner: `chmod 600 FILE`",
	},
	{
		ID: "perm.system", Decision: verdict.Deny, Op: rule.Open, Zones: zRoot | zSystem | zHome | zDevice,
		What: "opens or closes a place of the system", Why: "% is needed by every program", Instead: rule.AskOwner,
	},
	{
		ID: "perm.owner", Decision: verdict.Deny, Op: rule.Own, Zones: zRoot | zSystem | zHome | zHomeTop | zKeys | zDevice,
		What: "changes the owner of a whole tree", Why: "nobody can tell afterwards to whom the files in % belonged", Instead: "change the project alone: `sudo chown -R \"$USER\" ./dir`",
	},
}

// Rules lists the table.
func Rules() []rule.Rule { return treeRules[:] }

// Find gives the first row about the op and the zone, nil if there is none.
func Find(e rule.Effect) *rule.Rule {
	for i := range treeRules {
		r := &treeRules[i]
		if r.Op&^rule.Marks&e.Op == 0 || !r.Zones.Has(e.Target.Zone) {
			continue
		}
		if need := r.Op & rule.Marks; need&e.Op == need {
			return r
		}
	}
	return nil
}
