// Package heap gives SQLite a memory allocator of its own on Linux.
//
// Importing it is enough. The C library's allocator takes a sixth of the instructions of a short SQLite program when it is musl's,
// which is built to resist attacks, and half of its memory system calls; measured with a hook of five statements over the full
// schema: 2.23 M instead of 1.98 M instructions, 90 instead of 43 calls of mmap and munmap, 0.3 of 3.0 ms. The memory of small
// pieces is used again but never given back, so a program's use stays at its peak. It owns no file and serves nothing but SQLite.
package heap
