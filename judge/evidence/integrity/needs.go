package integrity

import (
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/integrity/off"
)

// renamed reports a test that is called now by a name which stands for a runner's function or for its silent form.
func (s *survey) renamed(p change.TestPair) {
	f := s.c.File(p.Old.OldPath)
	if f == nil || f.After == nil {
		return
	}
	for _, sw := range s.off(f.After) {
		if sw.Title == "" || sw.Title != p.Before.Name || sw.Kind != off.Skip || sw.Guard == off.Platform {
			continue
		}
		had := len(s.found)
		now := p
		now.New, now.After = f, p.Before
		s.report(now, sw, 1)
		if len(s.found) > had {
			s.found[had].After = clip(f.After.Span(sw.From, sw.To))
		}
		return
	}
}
