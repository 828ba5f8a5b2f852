// Package verify runs the commands that decide whether work is accepted, where they can harm nothing: confined by internal/sandbox, in
// the tree that is judged, with a home of their own, an environment that is written down here, no network unless the task has it, and
// a time-out after which everything they started is gone.
//
// A command runs as "cd <folder> && (<command>)" would, in bash where there is one and in sh otherwise, both output streams together.
// It may write in the project's folder of its tree (build output lies there) and in its private home, and nowhere else; the rest of
// the work tree, the repository's objects and what the caller lists can be read. The repository's configuration is replaced by one
// without credentials under bwrap; under landlock git does not work inside. What it said is kept as evidence, head and tail.
//
// Toolchains work without a network: each region has caches of its own that live as long as the run ([Options.Home]), and the
// person's Go and Cargo packages are read from theirs ([Caches]). npm has only the region's own cache, because it cannot use one that
// it cannot write.
//
// Workers can change the tests by which they are judged. [Options.Protect] names files that stand as they were in a commit while a
// command runs and are put back afterwards. That covers files that were there: a new file beside them that changes what they do
// (a TestMain, a conftest.py) is for the judge to see.
//
// It owns the folders [Options.Home] and [Options.Evidence]. It owns no table, and commits nothing.
package verify
