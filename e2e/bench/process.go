package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// program is one command that is timed as a whole process, stdin through a pipe, stdout to /dev/null.
type program struct {
	name   string
	argv   []string
	env    []string
	dir    string
	stdin  []byte
	before func() error // not timed: prepares the next run
	times  []time.Duration
	cpu    []time.Duration // processor time, that of children which were waited for included
}

// once runs the program and returns its wall time. Anything but exit status 0 is an error: a floor or hook that fails
// fast would look fast.
func (p *program) once() (wall, cpu time.Duration, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return 0, 0, err
	}
	defer r.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return 0, 0, err
	}
	defer null.Close()
	start := time.Now()
	proc, err := os.StartProcess(p.argv[0], p.argv, &os.ProcAttr{Dir: p.dir, Env: p.env, Files: []*os.File{r, null, os.Stderr}, Sys: &syscall.SysProcAttr{Setsid: true}})
	if err != nil {
		w.Close()
		return 0, 0, fmt.Errorf("start %s: %w", p.name, err)
	}
	_, _ = w.Write(p.stdin) // a program that does not read its input is a valid floor
	w.Close()
	state, err := proc.Wait()
	took := time.Since(start)
	if err != nil {
		return 0, 0, err
	}
	if state.ExitCode() != 0 {
		return 0, 0, fmt.Errorf("%s: exit status %d", p.name, state.ExitCode())
	}
	return took, state.UserTime() + state.SystemTime(), nil
}

// alternate runs every program once per round, in a fresh random order each round, so that a drifting machine hits all
// alike. The first warm rounds are not counted.
func alternate(rounds, warm int, programs ...*program) error {
	order := slices.Clone(programs)
	for round := range rounds + warm {
		rand.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, p := range order {
			if p.before != nil {
				if err := p.before(); err != nil {
					return err
				}
			}
			took, cpu, err := p.once()
			if err != nil {
				return err
			}
			if round >= warm {
				p.times, p.cpu = append(p.times, took), append(p.cpu, cpu)
			}
		}
	}
	return nil
}

// crowd wants n processes of p at the same moment, rounds times, and keeps for each how long after that moment it was done:
// with fewer processors than processes, waiting for one's turn is part of it, for a floor as for a hook.
func crowd(n, rounds int, p *program) error {
	for range rounds {
		var (
			wg     sync.WaitGroup
			mu     sync.Mutex
			failed error
			start  = time.Now()
		)
		for range n {
			wg.Go(func() {
				_, _, err := p.once()
				took := time.Since(start)
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					failed = err
					return
				}
				p.times = append(p.times, took)
			})
		}
		wg.Wait()
		if failed != nil {
			return failed
		}
	}
	return nil
}

// quantile of the collected times, q between 0 and 1.
func (p *program) quantile(q float64) time.Duration { return at(p.times, q) }

// spent is the quantile of the collected processor times.
func (p *program) spent(q float64) time.Duration { return at(p.cpu, q) }

func at(times []time.Duration, q float64) time.Duration {
	sorted := slices.Clone(times)
	slices.Sort(sorted)
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// ratio of two programs: the smaller of the ratios of medians and of 10th percentiles. On a shared machine noise only
// adds time, so the smaller one is nearer to the truth.
func ratio(a, b *program) float64 {
	div := func(q float64) float64 { return float64(a.quantile(q)) / float64(b.quantile(q)) }
	return min(div(0.5), div(0.1))
}

// payload puts a text, escaped, in the place of a JSON document's @PAD@.
func payload(template, text string) []byte {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic("unreachable: a string encodes")
	}
	return []byte(strings.ReplaceAll(template, "@PAD@", string(quoted[1:len(quoted)-1])))
}
