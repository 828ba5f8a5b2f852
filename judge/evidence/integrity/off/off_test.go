package off_test

import (
	"testing"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/evidence/integrity/off"
	"github.com/devflow-suite/devflow/judge/units"
)

func TestClassify(t *testing.T) {
	t.Parallel()
	for cond, want := range map[string]off.Guard{
		"":                                    off.Always,
		"True":                                off.Always,
		`runtime.GOOS == "windows"`:           off.Platform,
		"sys.version_info < (3, 9)":           off.Platform,
		"testing.Short()":                     off.Platform,
		`os.Getenv("SLOW") == ""`:             off.Env,
		"process.env.SLOW":                    off.Env,
		`not os.environ.get("SLOW")`:          off.Env,
		"ready()":                             off.Other,
		`err != nil`:                          off.Other,
		`shutil.which("node") is None`:        off.Platform,
		`System.getenv("RUN_IT") == null`:     off.Env,
		`!Platform.environment["CI"].isEmpty`: off.Env,
	} {
		if got := off.Classify(cond); got.Guard != want {
			t.Errorf("%q: got %d, want %d", cond, got.Guard, want)
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range [...]string{"it.skip('a', () => {})", "@pytest.mark.skip\ndef test_a(): pass", "#![cfg(any())]", "if (false) { it('x', () => {", "xit 'a' do", "#if 0\n#endif", "[Fact(Skip = \"x\")]"} {
		f.Add(s)
	}
	langs := [...]source.Lang{source.Go, source.Python, source.JS, source.TS, source.Java, source.Kotlin, source.Rust, source.Dart, source.Swift, source.CSharp, source.Ruby, source.PHP, source.Scala, source.C, source.CPP}
	f.Fuzz(func(t *testing.T, text string) {
		for _, l := range langs {
			u := units.Parse("a_test.go", l, []byte(text))
			for _, s := range off.Find(u) {
				if s.Line < 0 || s.Line > u.NumLines()+1 || s.To > len(u.Tokens) {
					t.Errorf("%s: switch out of the file: %+v", l, s)
				}
			}
		}
	})
}
