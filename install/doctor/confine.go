package doctor

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/devflow-suite/devflow/internal/sandbox"
)

// confineLimit bounds the self-test of the confinement.
const confineLimit = 20 * time.Second

// confineHint is what helps where workers could not be confined.
const confineHint = "apt-get install bubblewrap, and allow user namespaces, or use a kernel with Landlock"

// confined is what one backend of the confinement came to.
type confined struct {
	kind   sandbox.Kind
	err    error    // it does not work here
	tried  int      // ways out, and ways that must stay open
	faults []string // rows that are not as the backend promises
	lacks  []string // protections that it does not promise
}

// checkConfinement tries the confinement of devflock's workers: the self-test of every backend, side by side. One that works is enough.
func (e *exam) checkConfinement(ctx context.Context) {
	const id = "confinement"
	launcher := e.binary("devflock")
	if _, err := os.Stat(launcher); err != nil {
		e.add(id, OK, "", "not tried: devflock is not installed here")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, confineLimit)
	defer cancel()
	found := [...]confined{{kind: sandbox.Bwrap}, {kind: sandbox.Landlock}}
	var wg sync.WaitGroup
	for i := range found {
		wg.Go(func() { found[i].try(ctx, launcher) })
	}
	wg.Wait()
	status, works := OK, false
	var lines []string
	for _, c := range found {
		lines = append(lines, c.line())
		works = works || c.err == nil && len(c.faults) == 0
		if len(c.faults) > 0 {
			status = Warn
		}
	}
	if !works {
		status = Warn
	}
	e.add(id, status, confineHint, "%s", strings.Join(lines, "\n"))
}

func (c *confined) try(ctx context.Context, launcher string) {
	box, err := sandbox.Find(ctx, c.kind, []string{launcher, "sandbox"})
	if err != nil {
		c.err = err
		return
	}
	probes, err := sandbox.SelfTest(ctx, box)
	if err != nil {
		c.err = err
		return
	}
	c.tried, c.lacks = len(probes), box.Lacks()
	for _, p := range probes {
		if p.Allowed != p.Want {
			c.faults = append(c.faults, p.Name)
		}
	}
}

// line says it in one.
func (c *confined) line() string {
	if c.err != nil {
		return fmt.Sprintf("%s does not work: %v", c.kind, c.err)
	}
	text := fmt.Sprintf("%s holds: %d of %d tries end as promised", c.kind, c.tried-len(c.faults), c.tried)
	if len(c.faults) > 0 {
		text = fmt.Sprintf("%s leaks: %d of %d tries do not end as promised: %s", c.kind, len(c.faults), c.tried, strings.Join(c.faults, ", "))
	}
	if len(c.lacks) > 0 {
		text += "; it does not cover: " + strings.Join(c.lacks, "; ")
	}
	return text
}
