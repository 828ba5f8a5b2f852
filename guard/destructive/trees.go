package destructive

import (
	"github.com/devflow-suite/devflow/guard/place"
	"github.com/devflow-suite/devflow/guard/verdict"
)

const (
	zRoot    = place.Set(1 << place.Root)
	zSystem  = place.Set(1 << place.System)
	zHome    = place.Set(1<<place.Home | 1<<place.HomeTop)
	zKeys    = place.Set(1 << place.Keys)
	zDevice  = place.Set(1 << place.Device)
	zProject = place.Set(1 << place.Project)
	zTop     = place.Set(1 << place.ProjectRoot)
	zGit     = place.Set(1 << place.GitDir)
	zBuild   = place.Set(1 << place.Build)
	zTemp    = place.Set(1 << place.Temp)
	zTempTop = place.Set(1 << place.TempTop)
	zOutside = place.Set(1 << place.Outside)
	zUnknown = place.Set(1 << place.Unknown)
)

const nameFolder = "Name the folder that is in the way: `rm -rf ./build`."

// treeRules are about paths: what is done (op) to which places (zones). The first row that fits an effect counts.
var treeRules = [...]Rule{
	{
		ID: "rm.root", Decision: verdict.Deny, op: dropTree | dropFile, zones: zRoot, What: "deletes everything",
		Why: "% is the root of the file system: nothing of the machine is left", Instead: nameFolder,
	},
}
