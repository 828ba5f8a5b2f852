/* The least that a durable row costs in C: read stdin, open an existing WAL database with synchronous=FULL, insert one
 * row, leave without closing. The write-ahead log is bounded like that of the hooks. Usage: sqlite DATABASE */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "sqlite3-binding.h"

enum { WAL_BOUND = 256 * 1024 };

static int fail(sqlite3 *db, const char *what) {
	fprintf(stderr, "%s: %s\n", what, sqlite3_errmsg(db));
	return 1;
}

int main(int argc, char **argv) {
	static char input[1 << 20];
	size_t used = 0;
	ssize_t got;
	if (argc != 2) return 2;
	while (used < sizeof input && (got = read(0, input + used, sizeof input - used)) > 0) used += (size_t)got;

	sqlite3 *db;
	sqlite3_stmt *insert;
	if (sqlite3_open_v2(argv[1], &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL)) return fail(db, "open");
	sqlite3_busy_timeout(db, 5000);
	if (sqlite3_exec(db, "PRAGMA synchronous=FULL", NULL, NULL, NULL)) return fail(db, "synchronous");
	sqlite3_wal_autocheckpoint(db, 0);
	if (sqlite3_prepare_v2(db, "INSERT INTO row(ms, session, event, payload) VALUES(?, ?, ?, ?)", -1, &insert, NULL)) return fail(db, "prepare");
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	sqlite3_bind_int64(insert, 1, now.tv_sec * 1000LL + now.tv_nsec / 1000000);
	sqlite3_bind_text(insert, 2, "3f8a4d2e-6d0e-4c57-9d6b-0a4a5a3f9c11", -1, SQLITE_STATIC);
	sqlite3_bind_text(insert, 3, "PreToolUse", -1, SQLITE_STATIC);
	sqlite3_bind_text(insert, 4, input, used < 200 ? (int)used : 200, SQLITE_STATIC);
	if (sqlite3_step(insert) != SQLITE_DONE) return fail(db, "insert");
	sqlite3_finalize(insert);

	char wal[4096];
	struct stat info;
	snprintf(wal, sizeof wal, "%s-wal", argv[1]);
	if (!stat(wal, &info) && info.st_size > WAL_BOUND) {
		sqlite3_busy_timeout(db, 0);
		sqlite3_wal_checkpoint_v2(db, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	}
	return 0;
}
