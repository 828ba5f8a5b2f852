package frame

import (
	"errors"

	"github.com/urfave/cli/v3"
)

// usageError is a mistake on the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// hintError carries what helps.
type hintError struct {
	error
	hint string
}

func (e hintError) Unwrap() error { return e.error }

// blockedError ends with ExitBlocked and without a message.
type blockedError struct{ error }

func (e blockedError) Unwrap() error { return e.error }

// Usage says that the command line is wrong: the program ends with ExitUsage.
func Usage(err error) error { return usageError{err} }

// Hint adds what a person can do, mostly the command that helps; "" adds nothing. The outermost hint is shown.
func Hint(err error, hint string) error {
	if hint == "" {
		return err
	}
	return hintError{err, hint}
}

// Hinted reports whether an error has a hint already.
func Hinted(err error) bool {
	var hint hintError
	return errors.As(err, &hint)
}

// Blocked ends the program with ExitBlocked and without a message: the command has said it.
func Blocked(err error) error { return blockedError{err} }

// Misused is wrong use of one command: the hint is its help.
func Misused(c *cli.Command, err error) error {
	return Hint(Usage(err), c.FullName()+" --help")
}
