// Package gate is the push gate as hooks and people see it: what is asked and what is answered. Table pushes is
// kept by the package of that name. The work itself (which refs, the linters, the tests, the verdict about the pushed commits) is done in a
// process of its own, `devflow gate push`, by the packages below; a hook links none of it.
//
// Fail direction: closed. Once a push was recognised, a gate that cannot be asked, is not done in time, or answers what
// cannot be read is a refusal.
package gate
