// Size classes with free lists over memory that is only ever taken: see heap.go.
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "heap_linux.h"

// sqlite3_mem_methods and SQLITE_CONFIG_MALLOC of https://www.sqlite.org/c3ref/mem_methods.html, a stable interface. The symbol is
// weak because this package is also linked alone, by cgo and by its tests.
struct methods {
	void *(*xMalloc)(int);
	void (*xFree)(void *);
	void *(*xRealloc)(void *, int);
	int (*xSize)(void *);
	int (*xRoundup)(int);
	int (*xInit)(void *);
	void (*xShutdown)(void *);
	void *appData;
};
extern int sqlite3_config(int, ...) __attribute__((weak));
enum { CONFIG_MALLOC = 4 };

enum {
	FIRST = 1 << 18,   // bytes that need no system call; a hook takes less
	CHUNK = 1 << 20,   // bytes taken at a time afterwards
	LARGEST = 1 << 15, // above, the C library does it
	CLASSES = 44,      // up to 64 in steps of 8, then four to each power of two, up to LARGEST
};

// A head lies before every piece; that of a piece in use holds its size.
typedef union head {
	union head *next;
	uint64_t size;
} head;

static char first[FIRST] __attribute__((aligned(16)));
static char *at = first, *end = first + FIRST;
static head *unused[CLASSES];
static char locked;
static int active;

static void lock(void) {
	while (__atomic_test_and_set(&locked, __ATOMIC_ACQUIRE)) sched_yield();
}

static void unlock(void) { __atomic_clear(&locked, __ATOMIC_RELEASE); }

static int class_of(uint64_t n) {
	if (n <= 64) return (int)(n + 7) / 8 - 1;
	int p = 63 - __builtin_clzll(n - 1);
	return 8 + (p - 6) * 4 + (int)((n - 1) >> (p - 2) & 3);
}

static uint64_t width_of(int class) {
	if (class < 8) return (uint64_t)(class + 1) * 8;
	int p = 6 + (class - 8) / 4;
	return (UINT64_C(1) << p) + ((uint64_t)((class - 8) % 4 + 1) << (p - 2));
}

// take cuts a new piece. What is left of a chunk that is too short is given up.
static head *take(uint64_t width) {
	if ((uint64_t)(end - at) < width + sizeof(head)) {
		char *chunk = mmap(NULL, CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (chunk == MAP_FAILED) return NULL;
		at = chunk;
		end = chunk + CHUNK;
	}
	head *h = (head *)at;
	at += width + sizeof(head);
	return h;
}

void *heap_malloc(int n) {
	if (n <= 0) return NULL;
	head *h;
	if (n > LARGEST) {
		h = malloc((size_t)n + sizeof(head));
		if (h == NULL) return NULL;
		h->size = (uint64_t)n;
		return h + 1;
	}
	int class = class_of((uint64_t)n);
	lock();
	h = unused[class];
	if (h != NULL)
		unused[class] = h->next;
	else
		h = take(width_of(class));
	unlock();
	if (h == NULL) return NULL;
	h->size = width_of(class);
	return h + 1;
}

void heap_free(void *piece) {
	if (piece == NULL) return;
	head *h = (head *)piece - 1;
	if (h->size > LARGEST) {
		free(h);
		return;
	}
	int class = class_of(h->size);
	lock();
	h->next = unused[class];
	unused[class] = h;
	unlock();
}

int heap_size(void *piece) { return piece == NULL ? 0 : (int)((head *)piece - 1)->size; }

void *heap_realloc(void *piece, int n) {
	int old = heap_size(piece);
	if (old <= LARGEST && n <= old) return piece;
	if (old > LARGEST && n > LARGEST) {
		head *h = realloc((head *)piece - 1, (size_t)n + sizeof(head));
		if (h == NULL) return NULL;
		h->size = (uint64_t)n;
		return h + 1;
	}
	void *moved = heap_malloc(n);
	if (moved == NULL) return NULL;
	if (piece != NULL) memcpy(moved, piece, (size_t)(old < n ? old : n));
	heap_free(piece);
	return moved;
}

static int roundup(int n) { return n > LARGEST || n <= 0 ? n : (int)width_of(class_of((uint64_t)n)); }

static int start(void *data) { return 0; }

static void stop(void *data) {}

// SQLite takes an allocator only before its first use, which Go's package initialisation may already be.
__attribute__((constructor)) static void install(void) {
	static const struct methods m = {heap_malloc, heap_free, heap_realloc, heap_size, roundup, start, stop, NULL};
	if (sqlite3_config != NULL) active = sqlite3_config(CONFIG_MALLOC, &m) == 0;
}

int heap_active(void) { return active; }
