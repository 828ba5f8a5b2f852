package logline_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/devflow-suite/devflow/cmd/devflock/internal/logline"
)

func TestLinesForPeople(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`{"time":"2026-11-30T12:00:01.5Z","level":"INFO","msg":"task_started","run":"r","region":"api","task":"t1","attempt":2,"text":""}`: "12:00:01 task_started api/t1#2",
		`{"time":"2026-11-30T12:00:01Z","level":"WARN","msg":"endpoints file is not watched","error":"no\tspace"}`:                         "12:00:01 WARN endpoints file is not watched - no space",
		`{"at":"2026-11-30T12:00:02Z","kind":"task_rejected","region":"ui","task":"t3","attempt":1,"text":"line one\nline \u001b[2Jtwo"}`:  "12:00:02 task_rejected ui/t3#1\n    line one\n    line ·[2Jtwo",
		`{"msg":"x","b":true,"a":1.5,"c":{"d":[1]},"region":""}`:                                                                           `x - a=1.5 b=true c={"d":[1]}`,
		`{"msg":"run_ended","text":"it is over","attempt":0}`:                                                                              "run_ended - it is over",
		"no \x1b[31mJSON": "no ·[31mJSON",
		`[1]`:             `[1]`,
	} {
		if got, ok := (logline.Filter{}).Line(line); got != want || !ok {
			t.Errorf("Line(%s)\n got %q, %v\nwant %q", line, got, ok, want)
		}
	}
	if _, ok := (logline.Filter{}).Line(" \n"); ok {
		t.Error("an empty line is written")
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	line := `{"msg":"task_started","region":"api","task":"t1"}`
	for f, want := range map[logline.Filter]bool{{Region: "api"}: true, {Task: "t1"}: true, {Region: "ui"}: false, {Region: "api", Task: "t2"}: false} {
		if _, ok := f.Line(line); ok != want {
			t.Errorf("%+v: %v, want %v", f, ok, want)
		}
	}
	if got, _ := (logline.Filter{JSON: true, Region: "api"}).Line(line + "\n"); got != line {
		t.Errorf("JSON: %q", got)
	}
	if _, ok := (logline.Filter{JSON: true}).Line("broken"); ok {
		t.Error("a broken line is JSON")
	}
}

func FuzzLine(f *testing.F) {
	f.Add(`{"msg":"x","text":"a\nb"}`)
	f.Fuzz(func(t *testing.T, line string) {
		got, _ := (logline.Filter{}).Line(line)
		if strings.ContainsFunc(got, func(r rune) bool { return r != '\n' && unicode.IsControl(r) }) {
			t.Errorf("%q gives %q", line, got)
		}
	})
}
