package cases

import "github.com/devflow-suite/devflow/internal/source"

// calls finds the test cases that are calls: it('…', () => {…}), test "…" do … end, "…" should "…" in {…}.
func (s *scanner) calls() []Test {
	var out []Test
	for i := range s.f.Tokens {
		var t Test
		ok := false
		switch s.f.Lang {
		case source.JS, source.TS:
			t, ok = s.javascript(i)
		case source.Dart:
			t, ok = s.dart(i)
		case source.PHP:
			if s.f.Is(i, "it") || s.f.Is(i, "test") {
				t, ok = s.call(i, i+1)
				ok = ok && s.f.Kind(i+2) == source.String && !s.f.Is(i-1, "->") && !s.f.Is(i-1, "::") && !s.f.Is(i-1, "function")
			}
		case source.Ruby:
			t, ok = s.ruby(i)
		case source.Kotlin, source.Swift:
			t, ok = s.trailing(i)
		case source.Scala:
			t, ok = s.scala(i)
		}
		if ok {
			t.At = i
			out = append(out, t)
		}
	}
	return out
}

// call makes a test of the call whose parentheses open at token j. Its name is its first argument.
func (s *scanner) call(i, j int) (Test, bool) {
	f := s.f
	if !f.Is(j, "(") {
		return Test{}, false
	}
	t := Test{Line: int(f.Tokens[i].Line), From: j + 1, To: s.closing(j)}
	if f.Kind(j+1) == source.String {
		t.Name = f.Unquote(j + 1)
	} else {
		t.Name = f.Text(j + 1)
	}
	return t, true
}

func (s *scanner) javascript(i int) (Test, bool) {
	f := s.f
	switch f.Text(i) {
	case "it", "test", "specify", "fit", "xit", "xtest", "xspecify", "scenario":
	default:
		return Test{}, false
	}
	if f.Is(i-1, ".") && !f.Is(i-2, "Deno") && !f.Is(i-2, "QUnit") && !f.Is(i-2, "t") && !f.Is(i-2, "tap") || f.Is(i-1, "function") {
		return Test{}, false
	}
	j := i + 1
	for f.Is(j, ".") {
		switch f.Text(j + 1) {
		case "describe", "suite", "step", "use", "extend", "beforeEach", "afterEach", "beforeAll", "afterAll", "before", "after", "setTimeout", "todo", "info":
			return Test{}, false
		case "each", "for", "skipIf", "runIf", "if":
			if f.Kind(j+2) == source.String { // each`table`
				j += 3
				continue
			}
			if f.Is(j+2, "<") {
				for j < len(f.Tokens) && !f.Is(j, "(") {
					j++
				}
				j -= 2
			}
			j = s.closing(j+2) + 1
			continue
		}
		j += 2
	}
	t, ok := s.call(i, j)
	if !ok || f.Kind(j+1) != source.String && !s.mentions(j+1, min(t.To, j+60), "=>", "function") {
		return t, false
	}
	return t, s.mentions(j+1, min(t.To, j+400), ",", "=>", "function")
}

func (s *scanner) dart(i int) (Test, bool) {
	f := s.f
	switch f.Text(i) {
	case "test", "testWidgets", "blocTest", "testGoldens", "patrolTest", "patrolWidgetTest", "integrationTest", "goldenTest":
	default:
		return Test{}, false
	}
	if f.Is(i-1, ".") && !f.Is(i-2, "test") && !f.Is(i-2, "flutter_test") || f.Is(i-1, "void") { // with a prefix: import … as test
		return Test{}, false
	}
	j := i + 1
	for n := 0; f.Is(i+1, "<") && n < 20 && !f.Is(j, "("); n++ {
		j++
	}
	return s.call(i, j)
}

// ruby recognises blocks of RSpec, Minitest::Spec, ActiveSupport and shoulda.
func (s *scanner) ruby(i int) (Test, bool) {
	f := s.f
	if !f.Tokens[i].First {
		return Test{}, false
	}
	switch f.Text(i) {
	case "it", "specify", "example", "scenario", "test", "its", "fit", "xit", "property":
	case "should":
		if f.Kind(i+1) != source.String {
			return Test{}, false
		}
	default:
		return Test{}, false
	}
	t := Test{Line: int(f.Tokens[i].Line), From: i + 1}
	j := i + 1
	if f.Is(j, "(") {
		j++
	}
	if f.Kind(j) == source.String {
		t.Name = f.Unquote(j)
	}
	for ; j < len(f.Tokens) && f.Tokens[j].Line <= f.Tokens[i].Line+3; j++ {
		switch {
		case f.Is(j, "{"):
			t.To = s.closing(j)
			return t, true
		case f.Is(j, "do"):
			t.To = f.BlockEnd(j)
			return t, true
		case j > i && f.Tokens[j].First && f.Tokens[j].Col <= f.Tokens[i].Col:
			return t, false
		}
		j = max(j, s.closing(j))
	}
	return t, false
}

// trailing recognises calls whose last argument is a block behind the parentheses: Kotest, Quick.
func (s *scanner) trailing(i int) (Test, bool) {
	f := s.f
	if f.Lang == source.Kotlin && f.Kind(i) == source.String { // StringSpec: "name" { … }
		j := i + 1
		if f.Is(j, ".") && f.Is(j+1, "config") {
			j = s.closing(j+2) + 1
		}
		if f.Is(j, "{") && (f.Tokens[i].First || f.Is(i-1, "{")) {
			return Test{Name: f.Unquote(i), Line: int(f.Tokens[i].Line), From: j + 1, To: s.closing(j)}, true
		}
		return Test{}, false
	}
	switch f.Text(i) {
	case "it", "test", "should", "scenario", "then", "Then", "expect", "fit", "xit", "xtest", "xshould":
	default:
		return Test{}, false
	}
	if f.Is(i-1, ".") || !f.Is(i+1, "(") || f.Kind(i+2) != source.String {
		return Test{}, false
	}
	j := s.closing(i+1) + 1
	if f.Is(j, ".") && f.Is(j+1, "config") {
		j = s.closing(j+2) + 1
	}
	if !f.Is(j, "{") {
		return Test{}, false
	}
	return Test{Name: f.Unquote(i + 2), Line: int(f.Tokens[i].Line), From: j + 1, To: s.closing(j)}, true
}

// scala recognises ScalaTest in its styles, munit, utest, ZIO and specs2.
func (s *scanner) scala(i int) (Test, bool) {
	f := s.f
	name, open := i, -1
	switch f.Text(i) {
	case "in", "ignore", ">>", "!":
		if f.Kind(i-1) != source.String && !f.Is(i-1, ")") {
			return Test{}, false
		}
		name, open = i-1, i+1
	case "test", "it", "property", "scenario", "Scenario", "check", "testM":
		if f.Is(i-1, ".") || f.Is(i-1, "def") {
			return Test{}, false
		}
		open = i + 1
		if f.Is(open, "(") {
			name = i + 2
			open = s.closing(open) + 1
		}
		if f.Is(open, "-") {
			open++
		}
	default:
		return Test{}, false
	}
	if !f.Is(open, "{") {
		return Test{}, false
	}
	t := Test{Name: f.Text(i), Line: int(f.Tokens[i].Line), From: open + 1, To: s.closing(open)}
	if f.Kind(name) == source.String {
		t.Name = f.Unquote(name)
	}
	return t, true
}
