package heap

// #include "heap_linux.h"
import "C"

import "unsafe"

// Active reports whether SQLite uses this allocator. It does not when the program links no SQLite.
func Active() bool { return C.heap_active() != 0 }

// The functions below are what SQLite calls, for tests.

// Alloc takes a piece of at least n bytes, nil when there is no memory or n is not positive.
func Alloc(n int) unsafe.Pointer { return C.heap_malloc(C.int(n)) }

// Free gives a piece back; nil is allowed.
func Free(p unsafe.Pointer) { C.heap_free(p) }

// Resize makes a piece at least n bytes large and keeps its content. It may move it.
func Resize(p unsafe.Pointer, n int) unsafe.Pointer { return C.heap_realloc(p, C.int(n)) }

// Size is the number of bytes that may be used in a piece.
func Size(p unsafe.Pointer) int { return int(C.heap_size(p)) }
