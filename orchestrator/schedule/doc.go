// Package schedule drives a run: it starts each task the moment its dependencies are integrated, one at a time in a region, has the
// work checked, repaired and judged, and hands what is accepted to the merge queue (package land).
//
// It holds no state that could be lost: every step is a row of the ledger or a commit before the next one begins, and a run that was
// killed anywhere goes on by calling Run again. An attempt whose commit is on its region's branch is adopted instead of redone, one
// that was interrupted goes on in its session, with its tree as it stands. The orders of the steps that make this so are in task.go
// and recover.go.
//
// A region counts as occupied until the commit of its last task is integrated or returned: its worker remembers that work, so its
// next task must find it in the tree.
//
// It owns no table and no file. Trees, workers, checks and judges are its caller's; nothing here knows what they are.
package schedule
