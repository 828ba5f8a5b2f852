package meter_test

import (
	"errors"
	"testing"

	"github.com/devflow-suite/devflow/orchestrator"
	"github.com/devflow-suite/devflow/orchestrator/schedule/meter"
)

func TestCapsCountWhatRuns(t *testing.T) {
	t.Parallel()
	var told error
	m := meter.New(100, 0, orchestrator.Usage{Input: 40}, 0, func(err error) { told = err })
	a, b := orchestrator.Attempt{Fence: "a"}, orchestrator.Attempt{Fence: "b"}
	m.Check()
	m.Running(a, orchestrator.Usage{Output: 30}, 0)
	m.Running(a, orchestrator.Usage{Output: 20}, 0) // never less
	m.Running(b, orchestrator.Usage{CacheRead: 29}, 0)
	if told != nil {
		t.Errorf("told %v at 99 of 100", told)
	}
	if u, _ := m.End(a, orchestrator.Usage{Output: 10}, 0); u.Output != 30 {
		t.Errorf("the report says less than was seen: %+v", u)
	}
	if told != nil {
		t.Errorf("an attempt that ended was counted twice: %v", told)
	}
	m.Running(b, orchestrator.Usage{CacheRead: 30}, 0)
	if reached, ok := errors.AsType[*meter.CapError](told); !ok || reached.Error() != "the cap of 100 tokens is reached: 100 are used" {
		t.Errorf("told %v", told)
	}
}

func TestMoneyCap(t *testing.T) {
	t.Parallel()
	var told error
	m := meter.New(0, 2, orchestrator.Usage{}, 1.5, func(err error) { told = err })
	if _, cost := m.End(orchestrator.Attempt{Fence: "a"}, orchestrator.Usage{}, 0.5); cost != 0.5 || told == nil || told.Error() != "the cap of $2.00 is reached: $2.00 is spent" {
		t.Errorf("cost %v, told %v", cost, told)
	}
	told = nil
	meter.New(0, 0, orchestrator.Usage{Input: 1 << 40}, 1e6, func(err error) { told = err }).Check()
	if told != nil {
		t.Errorf("without caps: %v", told)
	}
}
