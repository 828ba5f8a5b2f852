package main

import (
	"fmt"
	"strings"
)

// short and long are the sizes of the measured command lines, in bytes: no line may cost more than its length.
const short, long = 200_000, 2_000_000

// lines are kinds of long command lines: many commands, one word, one text that is data, one that is code.
var lines = [...]struct {
	name string
	make func(size int) string
}{
	{"many commands", func(size int) string {
		return numbered("cp -r src/a%d.go build/b%[1]d.go && grep -n 'x%[1]d' src/*.go\n", size)
	}},
	{"many appends", func(size int) string { return numbered("echo line %d >> out/log.txt\n", size) }},
	{"one quoted word", func(size int) string {
		return "printf %s '" + strings.Repeat("lorem ipsum dolor ", size/18) + "' > out.txt"
	}},
	{"one here-document", func(size int) string { return "cat > src/x.txt <<'E'\n" + source("x", size) + "E\n" }},
	{"one nested script", func(size int) string {
		return "bash <<'E'\n" + numbered("mkdir -p out/%d; touch out/%[1]d/x\n", size) + "E\n"
	}},
}

// numbered repeats a line with the numbers from 0 on.
func numbered(line string, size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, line, i)
	}
	return b.String()
}

// guardTable compares tool calls of different lengths with each other: what the guard reads it may read once.
func guardTable(w *world, o options, r *report) error {
	const hook = "devflow-pre-tool-use"
	files := []*program{
		w.program("Write of 4 KB", hook, w.event(preWrite)),
		w.program("Write of 200 KB", hook, w.eventOf(preWrite, source("x", large))),
	}
	if err := alternate(max(o.rounds/2, 20), 5, files...); err != nil {
		return err
	}
	commands := make([]*program, 0, 2*len(lines))
	for _, l := range lines {
		commands = append(commands, w.program(l.name+", 200 KB", hook, w.eventOf(preBash, l.make(short))), w.program(l.name+", 2 MB", hook, w.eventOf(preBash, l.make(long))))
	}
	if err := alternate(max(o.rounds/20, 5), 1, commands...); err != nil {
		return err
	}
	r.title("Long tool calls, whole process of %s", hook)
	r.times(append(files, commands...)...)
	r.bound("Write of 200 KB / of 4 KB", ratio(files[1], files[0]), 1.6, 1.3)
	for i, l := range lines {
		r.bound("command of 2 MB / of 200 KB, "+l.name, ratio(commands[2*i+1], commands[2*i]), 12, 8)
	}
	return nil
}
