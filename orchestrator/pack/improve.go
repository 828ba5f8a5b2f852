package pack

import "slices"

// state is a packing that is being improved.
type state struct {
	*packer
	at    []int     // region of each module
	loads []float64 // of each region
	size  []int     // modules of each region
}

func (s *state) put(m, r int) {
	s.at[m] = r
	s.loads[r] += s.g.weights[m]
	s.size[r]++
}

// change is a step: module a goes to region to, and, when b is not -1, module b comes back.
type change struct{ a, b, to int }

func (s *state) apply(c change) {
	from := s.at[c.a]
	s.take(c.a)
	if c.b >= 0 {
		s.take(c.b)
		s.put(c.b, from)
	}
	s.put(c.a, c.to)
}

func (s *state) take(m int) {
	s.loads[s.at[m]] -= s.g.weights[m]
	s.size[s.at[m]]--
}

// changes calls try with every move and every swap in a fixed order until it says stop. No region becomes empty.
func (s *state) changes(try func(c change) (stop bool)) {
	for a := range s.at {
		for to := range s.loads {
			if to != s.at[a] && s.size[s.at[a]] > 1 && try(change{a, -1, to}) {
				return
			}
		}
		for b := a + 1; b < len(s.at); b++ {
			if s.at[a] != s.at[b] && try(change{a, b, s.at[b]}) {
				return
			}
		}
	}
}

// after gives the two loads that a change leads to.
func (s *state) after(c change) (from, to float64) {
	d := s.g.weights[c.a]
	if c.b >= 0 {
		d -= s.g.weights[c.b]
	}
	return s.loads[s.at[c.a]] - d, s.loads[c.to] + d
}

// balance takes the best change as long as one makes the heaviest region lighter, or the loads more equal without making it heavier.
// Each step makes the sum of the squares or the maximum smaller, and their number is bounded.
func (s *state) balance() {
	for range 4 * len(s.at) {
		heaviest := slices.Max(s.loads)
		var best change
		gain := epsilon
		s.changes(func(c change) bool {
			from, to := s.after(c)
			if max(from, to) > heaviest+epsilon {
				return false
			}
			x, y := s.loads[s.at[c.a]], s.loads[c.to]
			if g := x*x + y*y - from*from - to*to; g > gain {
				best, gain = c, g
			}
			return false
		})
		if gain == epsilon {
			return
		}
		s.apply(best)
	}
}

// cut is the strength of friendships between regions.
func (s *state) cut() float64 {
	sum := 0.0
	for m, list := range s.friends {
		for _, f := range list {
			if f.module > m && s.at[f.module] != s.at[m] {
				sum += f.strength
			}
		}
	}
	return sum
}

// cost is what shorten makes small: the simulated makespan, and up to a few per cent of the average load for friends apart.
func (s *state) cost() float64 {
	length := s.sim.run(s.at, len(s.loads))
	if s.bonds == 0 {
		return length
	}
	average := 0.0
	for _, load := range s.loads {
		average += load
	}
	return length + bonus*average/float64(len(s.loads))*s.cut()/s.bonds
}

// shorten takes every change that makes the cost smaller and leaves the regions balanced, until none does or enough were tried.
func (s *state) shorten() {
	limit := slices.Max(s.loads)*slack + epsilon
	best := s.cost()
	left := simulations
	for better := true; better && left > 0; {
		better = false
		s.changes(func(c change) bool {
			if from, to := s.after(c); max(from, to) > limit {
				return false
			}
			back := change{c.a, c.b, s.at[c.a]}
			s.apply(c)
			cost := s.cost()
			if cost < best-epsilon {
				best, better = cost, true
			} else {
				s.apply(back)
			}
			left--
			return left <= 0
		})
	}
}
