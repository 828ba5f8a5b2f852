// Package store keeps devflow's facts in one SQLite file and, when that file cannot take a row in time, in a spool beside it.
//
// It owns the files <path>, <path>-wal, <path>-shm and <path>.lock, the spool files, the schema in migrations/ and the keys
// "spool:*" of table kv. It knows transactions, settings and migrations; SQL statements live with the packages that own the
// tables, and the line above each CREATE TABLE names that owner. It is not a pool, not an ORM and not for network file systems.
//
// # Durability
//
// The database runs in WAL mode with synchronous=NORMAL. After COMMIT, Update flushes the WAL file itself and returns only
// then, so what was acknowledged survives a power cut, while the write lock is free again before the disk is waited for
// (with synchronous=FULL the lock is held during the flush, which makes the tails with many hooks six times longer).
// The order that makes this safe: whoever meets a missing or empty WAL file flushes the folder before the first commit.
//
// # Hooks
//
// A hook calls Open, Update and exits. It never calls Close: the last Close of a database checkpoints and costs two more
// flushes. For the same reason automatic checkpoints are off and Update checkpoints by itself when the WAL passes WALBound.
//
// # Creation and migration
//
// A missing database is created, and an older one migrated, by Open under an flock on <path>.lock, so any number of processes
// may start at once. A newer one is never written: Open returns ErrNewer and leaves every byte as it was.
//
// # Locks
//
// SQLite's locks belong to the process and vanish when any descriptor of the database file is closed in it. A program that has
// the database open must therefore not open the file by other means, not even to copy it.
//
// # Failure
//
// Errors can be told apart with errors.Is: ErrBusy, ErrFull, ErrReadOnly, ErrCorrupt, ErrNewer, ErrOlder, ErrForeign, ErrIO.
// No failure deletes or overwrites a database. A row that could not be written goes to a Spool, which Drain brings back
// exactly once, also when processes die at any step in between.
package store
