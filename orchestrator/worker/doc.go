// Package worker runs one Claude Code process that owns one region: it starts the client confined and cut off from the person's own
// settings, keys and network, talks to it, and tells the end of a turn from the end of the world.
//
// A process may serve many turns, strictly one after the other. Whoever checks work between turns ends the process first and resumes
// the session in another one, because what a turn leaves running in the background could change the work while it is looked at.
// Four barriers keep its writes in the region: the client's permission rules (recipe.go), the guard that answers its hooks (package
// fence), the kernel (package sandbox), and the audit of the tree afterwards, which is package trees' and not here. Each holds alone.
//
// It owns no table. It writes the private home of the worker and, beside it, copies of the repository's configuration without
// credentials. It does not know tasks, attempts or checks, and never decides whether work was good.
package worker
