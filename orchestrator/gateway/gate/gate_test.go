package gate_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/devflow-suite/devflow/orchestrator/gateway/gate"
)

func fixed(d time.Duration) func(int) time.Duration { return func(int) time.Duration { return d } }

func enter(t testing.TB, g *gate.Gate, most int) *gate.Pass {
	t.Helper()
	p, err := g.Enter(t.Context(), gate.Ask{Most: most})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestFirstComeFirstServed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var g gate.Gate
		first := enter(t, &g, 1)
		var order []int
		var mu sync.Mutex
		var wg sync.WaitGroup
		for i := range 5 {
			wg.Go(func() {
				queued := false
				p, err := g.Enter(t.Context(), gate.Ask{Most: 1, Queued: func() { queued = true }})
				if err != nil || !queued {
					t.Errorf("%d: %v, queued %v", i, err, queued)
					return
				}
				mu.Lock()
				order = append(order, i)
				mu.Unlock()
				time.Sleep(time.Second)
				p.Leave()
				p.Leave()
			})
			synctest.Wait()
		}
		if s := g.State(); s.Active != 1 || s.Waiting != 5 {
			t.Errorf("%+v", s)
		}
		first.Leave()
		wg.Wait()
		for i, n := range order {
			if i != n {
				t.Errorf("order %v", order)
				break
			}
		}
		if s := g.State(); s != (gate.State{}) {
			t.Errorf("at the end %+v", s)
		}
	})
}

func TestARefusalShutsTheGateForAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var set gate.Set
		g := set.Gate("x")
		if set.Gate("x") != g || set.Gate("y") == g {
			t.Error("a key has one gate of its own")
		}
		start := time.Now()
		if _, died := enter(t, g, 0).Refused(fixed(time.Minute)); died {
			t.Error("dead after one failure")
		}
		enter(t, g, 0).Leave()
		if d := time.Since(start); d != time.Minute {
			t.Errorf("let in after %v, want a minute", d)
		}
	})
}

func TestALaterPauseIsNeverShortened(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var g gate.Gate
		a, b := enter(t, &g, 0), enter(t, &g, 0)
		start := time.Now()
		a.Refused(fixed(time.Hour))
		b.Refused(fixed(time.Second))
		b.Refused(fixed(2 * time.Hour)) // told already
		enter(t, &g, 0).Leave()
		if d := time.Since(start); d != time.Hour {
			t.Errorf("let in after %v, want an hour", d)
		}
	})
}

func TestWhoHasNoTimeIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var g gate.Gate
		enter(t, &g, 0).Refused(fixed(time.Hour))
		start := time.Now()
		if _, err := g.Enter(t.Context(), gate.Ask{Deadline: start.Add(time.Minute)}); !errors.Is(err, gate.ErrLate) || time.Since(start) != time.Minute {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		why := errors.New("why")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(why) })
		if _, err := g.Enter(ctx, gate.Ask{}); !errors.Is(err, why) {
			t.Errorf("%v", err)
		}
		if s := g.State(); s.Waiting != 0 || s.Active != 0 {
			t.Errorf("%+v", s)
		}
	})
}

func TestDeathAndReturnAreToldOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var g gate.Gate
		deaths := 0
		for range 6 {
			if _, died := enter(t, &g, 0).Refused(fixed(time.Second)); died {
				deaths++
			}
		}
		p := enter(t, &g, 0)
		if deaths != 1 || g.State().Fails != 6 || !p.Served() || p.Served() {
			t.Errorf("%d deaths, %+v", deaths, g.State())
		}
		p.Leave()
	})
}

// TestTheBoundIsLearned: an endpoint serves three at once for a second each and refuses more. Twelve want ten answers each.
func TestTheBoundIsLearned(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const most, workers, rounds = 3, 12, 10
		var g gate.Gate
		var mu sync.Mutex
		active, refused, served := 0, 0, 0
		var wg sync.WaitGroup
		start := time.Now()
		for range workers {
			wg.Go(func() {
				for got := 0; got < rounds; {
					p := enter(t, &g, 0)
					mu.Lock()
					ok := active < most
					if ok {
						active++
						served++
					} else {
						refused++
					}
					mu.Unlock()
					if !ok {
						p.Refused(fixed(time.Second))
						continue
					}
					p.Served()
					time.Sleep(time.Second)
					mu.Lock()
					active--
					mu.Unlock()
					p.Leave()
					got++
				}
			})
		}
		wg.Wait()
		ideal := workers * rounds / most * int(time.Second)
		if served != workers*rounds || refused > 30 || time.Since(start) > time.Duration(2*ideal) {
			t.Errorf("served %d, refused %d, took %v of %v at best", served, refused, time.Since(start), time.Duration(ideal))
		}
	})
}

// TestAnybodyGetsIn is the property: whatever happens, all who keep asking are let in some time, never more than allowed.
func TestAnybodyGetsIn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		workers := rapid.IntRange(1, 12).Draw(r, "workers")
		most := rapid.IntRange(0, 4).Draw(r, "most")
		fates := make([][]int, workers)
		for i := range fates {
			fates[i] = rapid.SliceOfN(rapid.IntRange(0, 4), 1, 6).Draw(r, "fates")
		}
		synctest.Test(t, func(t *testing.T) {
			var g gate.Gate
			var mu sync.Mutex
			active := 0
			var wg sync.WaitGroup
			for _, fate := range fates {
				wg.Go(func() {
					for _, f := range fate {
						ask := gate.Ask{Most: most}
						if f == 4 {
							ask.Deadline = time.Now().Add(time.Second)
						}
						p, err := g.Enter(t.Context(), ask)
						if err != nil {
							continue
						}
						mu.Lock()
						if active++; most > 0 && active > most {
							t.Errorf("%d at once, %d are allowed", active, most)
						}
						mu.Unlock()
						time.Sleep(time.Duration(f) * 100 * time.Millisecond)
						mu.Lock()
						active--
						mu.Unlock()
						switch f {
						case 0:
							p.Refused(fixed(5 * time.Second))
						case 1:
							p.Leave()
						default:
							p.Served()
							p.Leave()
						}
					}
				})
			}
			wg.Wait()
			if s := g.State(); s.Active != 0 || s.Waiting != 0 {
				t.Errorf("at the end %+v", s)
			}
		})
	})
}
