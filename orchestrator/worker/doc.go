// Package worker runs one Claude Code process that owns one region: it starts the client confined and cut off from the person's own
// settings, keys and network, talks to it, and tells the end of a turn from the end of the world.
//
// One process serves a region's task and its repairs, so what was slow to start is there on later turns. Turns are strictly serial.
// Four barriers keep its writes in the region: the client's permission rules (recipe.go), the guard that answers its hooks (package
// fence), the kernel (package sandbox), and the audit of the tree afterwards, which is package trees' and not here. Each holds alone.
//
// It owns no table. It writes the private home of the worker and, beside it, copies of the repository's configuration without
// credentials. It does not know tasks, attempts or checks, and never decides whether work was good.
package worker
