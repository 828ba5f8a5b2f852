// Package robust holds the tests of the built programs against hostile input and broken surroundings: bytes that are no
// hook input, roots that cannot be written, full disks, locked, foreign and damaged databases, a missing git, many processes
// at once, and kill -9 at any moment. They are black-box: the hook executables run as processes, as a client starts them.
//
// It owns no file and has no code that ships.
package robust
