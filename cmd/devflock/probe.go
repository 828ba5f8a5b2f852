package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v3"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/desk"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/engine"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/grid"
	"github.com/devflow-suite/devflow/cmd/devflock/internal/show"
	"github.com/devflow-suite/devflow/cmd/internal/frame"
)

// probedJSON is a probe as `probe --json` prints it.
type probedJSON struct {
	Endpoint engine.Endpoint `json:"endpoint"`
	OK       bool            `json:"ok"`
	Checks   []engine.Check  `json:"checks"`
}

func (a *app) probe() *cli.Command {
	var asJSON, big, long bool
	var save string
	var o desk.EndpointOptions
	return &cli.Command{
		Name: "probe", Usage: "tell whether an endpoint can serve Claude Code workers", ArgsUsage: "URL [KEY]", Description: `Tries what a worker needs: the key, streaming through tunnels, tool calls
with arguments, the speed of reading a prompt, the size of the context,
requests in parallel. Any server of the Anthropic or the OpenAI API.
KEY may be '$VAR'; a key itself is better given by --key-env.

PASS is good. WARN works with a drawback, and says what to do. With a FAIL
workers cannot use it.

Examples:
  devflock probe http://127.0.0.1:8080
  devflock probe https://api.anthropic.com --key-env ANTHROPIC_API_KEY
  devflock probe URL --big           # also prompts of 48k and 100k tokens
  devflock probe URL --long          # also an answer that takes minutes
  devflock probe URL --save manager  # for /flock in Claude Code
  devflock probe URL --json | jq '.checks[] | select(.level == "FAIL")'

Exit codes: 0 workers can use it, 1 error, 2 wrong use, 3 something failed`,
		Flags: append(a.KeyFlags(&o),
			&cli.BoolFlag{Name: "big", Usage: "try large prompts, too", Destination: &big},
			&cli.BoolFlag{Name: "long", Usage: "try a long answer, too", Destination: &long},
			&cli.StringFlag{Name: "save", Usage: "keep it under this `NAME` for runs that a Claude Code session asks for (/flock); \"manager\" plans", Destination: &save, Validator: a.Required("save", "a name such as manager")},
			frame.JSONFlag(&asJSON)),
		Action: func(ctx context.Context, c *cli.Command) error {
			args := c.Args().Slice()
			if len(args) == 0 || len(args) > 2 {
				return frame.Usage(errors.New("want URL, or URL and KEY"))
			}
			one, err := a.Endpoint(o, desk.ManagerName, args[0], append(args, "")[1])
			if err != nil {
				return err
			}
			e, err := a.Open()
			if err != nil {
				return err
			}
			defer e.Close()
			screen := a.Waiting()
			done := screen.Start("Waiting for " + one.URL)
			found, err := e.Probe(ctx, engine.ProbeRequest{Endpoint: one, Big: big, Long: long, Progress: func(doing string) {
				done()
				done = screen.Start("Probing: " + grid.Clean(doing))
			}}, func(check engine.Check) {
				done()
				if !asJSON {
					_ = show.Check(a.Stdout, check, a.Width()) // the verdict below tells a broken stream
				}
			})
			done()
			switch {
			case ctx.Err() != nil:
				return context.Cause(ctx)
			case err != nil:
				return err
			}
			if err := a.Print(asJSON, probedJSON{found.Endpoint, found.OK, found.Checks}, func(w io.Writer) error {
				if !found.OK {
					_, err := fmt.Fprintln(w, "\nWorkers cannot use this endpoint as it is.")
					return err
				}
				_, err := fmt.Fprintln(w, "\nWorkers can use this endpoint.")
				return err
			}); err != nil {
				return err
			}
			if !found.OK {
				return frame.Blocked(errors.New("something failed"))
			}
			if save == "" {
				return nil
			}
			found.Endpoint.Name = save
			if err := e.Save(found.Endpoint); err != nil || asJSON {
				return err
			}
			_, err = fmt.Fprintf(a.Stdout, "Kept as %s in %s\n", save, e.Standing)
			return err
		},
	}
}
