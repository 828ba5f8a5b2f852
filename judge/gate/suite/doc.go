// Package suite finds and runs the test commands of a project for the push gate.
//
// Plan reads the pushed tree only and names one command for each part of the project that changed. Run starts them one
// after the other within one budget: in the work tree when that equals the pushed tree, else in an exported copy below a
// private temporary folder, into which installed dependencies (node_modules, .venv, vendor and the like) are linked. A
// test process that is left at the end is killed with its group.
//
// Tests are code of the project and run with the rights of the user, as they do in a terminal; this package is no
// sandbox. They get the user's environment without variables that hold secrets, redirect git or belong to the client or
// to devflow. The package owns no table and keeps no file. It does not cache and does not decide about a push: a missing
// tool is Skip, and what that means is the caller's matter.
package suite
