// Package sandbox confines the commands of workers: what they may read, write, reach and leave behind.
//
// Find tries the backends with real processes and gives the best that works: bwrap (namespaces of its own and a
// minimal read-only root), or landlock (rules of the kernel, a system call filter and a supervising launcher), which
// says what it lacks. None is for those who asked for it by name. Wrap turns a policy and a command into a
// proc.Cmd. Nothing is weakened silently: a policy that cannot be kept is an error.
//
// The package owns no table and no file. It is not the only barrier: permission rules, the hook of the control
// protocol and the audit of the work tree stand beside it. It does not protect against faults of the kernel.
package sandbox
