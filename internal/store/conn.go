package store

import (
	"context"
	"database/sql/driver"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"time"

	_ "github.com/devflow-suite/devflow/internal/store/heap"
	sqlite3 "github.com/mattn/go-sqlite3"
)

// stmtCache is how many prepared statements a connection keeps, enough for the loops of one event.
const stmtCache = 24

// conn is the one driver connection of a DB. It is used directly: a database/sql pool costs more than one hook's statements.
type conn struct {
	driver  driver.Conn
	execer  driver.ExecerContext
	queryer driver.QueryerContext
}

// connect opens path with the driver. mode is rw, ro or immutable; none of them creates the file.
func connect(path, mode string, busy time.Duration) (*conn, error) {
	path = filepath.Clean(path)
	if !filepath.IsAbs(path) {
		path = "./" + path // a name like ":memory:" is a file too
	}
	name := "file:" + (&url.URL{Path: path}).EscapedPath() + "?_mutex=no&_synchronous=NORMAL&_busy_timeout=" +
		strconv.FormatInt(busy.Milliseconds(), 10) + "&_stmt_cache_size=" + strconv.Itoa(stmtCache)
	switch mode {
	case modeRW:
		name += "&mode=rw"
	case modeRO:
		name += "&mode=ro"
	case modeImmutable:
		name += "&mode=ro&immutable=1"
	}
	c, err := (&sqlite3.SQLiteDriver{}).Open(name)
	if err != nil {
		return nil, classify(err)
	}
	e, ok1 := c.(driver.ExecerContext)
	q, ok2 := c.(driver.QueryerContext)
	if !ok1 || !ok2 {
		return nil, fmt.Errorf("use driver connection %T: no direct statements", c)
	}
	return &conn{driver: c, execer: e, queryer: q}, nil
}

// Modes of connect.
const (
	modeRW        = "rw"
	modeRO        = "ro"
	modeImmutable = "immutable" // no locks, no -wal, no -shm: for files on media that cannot be written
)

// exec runs statements without arguments. The background context matters: with a cancellable one the driver starts a
// goroutine for every statement.
func (c *conn) exec(sql string) error {
	_, err := c.execer.ExecContext(context.Background(), sql, nil)
	return classify(err)
}

// value runs a query and returns the first column of its first row.
func (c *conn) value(sql string) (driver.Value, error) {
	rows, err := c.queryer.QueryContext(context.Background(), sql, nil)
	if err != nil {
		return nil, classify(err)
	}
	var dest [1]driver.Value
	err = rows.Next(dest[:])
	if cerr := rows.Close(); err == nil {
		err = cerr
	}
	return dest[0], classify(err)
}

// int is value for integers.
func (c *conn) int(sql string) (int64, error) {
	v, err := c.value(sql)
	if err != nil {
		return 0, err
	}
	n, ok := v.(int64)
	if !ok {
		return 0, fmt.Errorf("read %s: want an integer, got %T", sql, v)
	}
	return n, nil
}

// keepWAL makes the last Close leave the -wal file in place, so that its folder entry is flushed once and for all.
func (c *conn) keepWAL() error {
	const persistWAL = 10 // SQLITE_FCNTL_PERSIST_WAL
	ctl, ok := c.driver.(interface {
		SetFileControlInt(dbName string, op int, arg int) error
	})
	if !ok {
		return nil
	}
	return classify(ctl.SetFileControlInt("main", persistWAL, 1))
}
