//go:build cgo

package store

import (
	"errors"

	sqlite3 "github.com/mattn/go-sqlite3"
)

// Result codes of https://www.sqlite.org/rescode.html that decide a class.
const (
	codePerm     = 3
	codeBusy     = 5
	codeLocked   = 6
	codeReadOnly = 8
	codeIOErr    = 10
	codeCorrupt  = 11
	codeFull     = 13
	codeCantOpen = 14
	codeProtocol = 15
	codeNotADB   = 26
)

// classOfSQLite maps a driver error. It returns nil for errors of the statement and for those without a class.
func classOfSQLite(err error) error {
	var e sqlite3.Error
	if !errors.As(err, &e) {
		return nil
	}
	switch int(e.Code) {
	case codeBusy, codeLocked, codeProtocol:
		return ErrBusy
	case codeFull:
		return ErrFull
	case codeReadOnly, codePerm:
		return ErrReadOnly
	case codeCorrupt, codeNotADB:
		return ErrCorrupt
	case codeIOErr, codeCantOpen:
		// EFBIG and a refused open arrive as I/O errors with the errno beside them.
		if class := classOfErrno(e.SystemErrno); class != nil {
			return class
		}
		return ErrIO
	}
	return nil
}
