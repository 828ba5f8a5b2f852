// Package prompt writes the texts that a worker is given: the rules of its region, its task, the failure it has to repair, and the
// request to hand over when its session is replaced. It reads the answer to the last one.
//
// It is pure: no file, no clock, no table. What people of the project or other workers have written stands between lines with a
// fresh random number and is called data; everything is bounded, so no neighbour can fill a context window.
package prompt
