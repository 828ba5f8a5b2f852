// Package prepush puts devflow's push gate into a repository as git's pre-push hook, takes it out again, and tells whether
// it is still in place, because other tools that manage hooks overwrite the file without a word.
//
// It owns the file pre-push with its mark in the hooks folder that git uses, beside it pre-push.devflow-chained (the hook
// that was there before, which ours runs first, with the same arguments and the same standard input) and devflow-chained/,
// and the note devflow-pre-push in the git folder. It reads core.hooksPath and never sets it. It does not change a hook
// that the project tracks, nor one that several repositories share. It owns no table and does not decide about pushes:
// the hook runs `devflow gate pre-push`.
package prepush
