package machine

import (
	"github.com/devflow-suite/devflow/guard/destructive/rule"
	"strings"

	"github.com/devflow-suite/devflow/guard/verdict"
	"github.com/devflow-suite/devflow/internal/shell"
)

// windowsRules are the spellings of cmd.exe and PowerShell, also as they are reached from WSL and Git Bash.
var windowsRules = [...]rule.Rule{
	{
		ID: "windows.delete", Decision: verdict.Deny, Match: windowsDelete,
		What: "deletes a folder with everything in it", Why: "nothing goes to the recycle bin", Instead: "delete by name what you made yourself: `Remove-Item -Recurse .\\build`",
	},
	{
		ID: "windows.disk", Decision: verdict.Deny, Lines: windowsDisk,
		What: "formats or wipes a disk, or deletes its snapshots", Why: "nothing is left to go back to", Instead: rule.AskOwner,
	},
	{
		ID: "windows.registry", Decision: verdict.Deny, Lines: windowsRegistry,
		What: "deletes settings of the system", Why: "programs and people may need them, and there is no undo", Instead: "read them: `reg query HKCU\\Software`",
	},
}

const windowsDisk = `format.com
format-volume
clear-disk
initialize-disk
remove-partition
vssadmin delete
wmic shadowcopy delete
wbadmin delete
cipher /w*
bcdedit /delete|/deletevalue
bcdedit /set
manage-bde -off
fsutil file|usn setzerodata|deletejournal`

const windowsRegistry = `reg delete
remove-itemproperty
sc delete
wevtutil cl|clear-log
clear-eventlog
net user|share|localgroup /delete`

func windowsDelete(k *rule.Call) string {
	all := func() string { return k.Name + " " + rule.Join(k.Words) }
	switch k.Name {
	case "del", "erase", "rd", "rmdir":
		if !k.Option("/s") && !k.Option("/S") {
			return ""
		}
	case "remove-item", "ri", "rmdir-item", "clear-content", "clear-item":
		recursive := false
		for _, x := range k.Words {
			t := strings.ToLower(x.Text)
			recursive = recursive || len(t) > 1 && (strings.HasPrefix("-recurse", t) || strings.HasPrefix(t, "-recurse:"))
		}
		if !recursive {
			return ""
		}
	case "robocopy":
		if k.Option("/mir") || k.Option("/purge") {
			return all()
		}
		return ""
	case "takeown":
		if k.Option("/r") {
			return all()
		}
		return ""
	default:
		return ""
	}
	for _, x := range k.Words {
		t := x.Text
		if t == "" || t[0] == '-' || t[0] == '/' && len(t) <= 3 {
			continue
		}
		if !buildFolder(k, x) {
			return all()
		}
	}
	return ""
}

// buildFolder recognises a relative path to a build folder, in either kind of slash.
func buildFolder(k *rule.Call, x shell.Word) bool {
	x.Text = strings.TrimPrefix(strings.ReplaceAll(x.Text, `\`, "/"), "./")
	if strings.Contains(x.Text, ":") || strings.HasPrefix(x.Text, "%") {
		return false
	}
	return k.Harmless([]shell.Word{x})
}
