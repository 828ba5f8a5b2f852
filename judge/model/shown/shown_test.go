package shown_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/judge/model/shown"
)

const patch = `diff --git a/sum.go b/sum.go
index 111..222 100644
--- a/sum.go
+++ b/sum.go
@@ -10,6 +10,7 @@ func total() int {
 	a := first()
 	b := second()
-	return a + b
+	c := third(a, b)
+	return c * 2
 }
 
 // the end of it
@@ -40,3 +41,2 @@ func other() {
 	keep(this)
--- a/looks like a heading
-	gone(forever)
+	++ b/odd
diff --git "a/na\303\257ve.py" "b/na\303\257ve.py"
new file mode 100644
--- /dev/null
+++ "b/na\303\257ve.py"
@@ -0,0 +1,2 @@
+def total(items):
+    return sum(items)
\ No newline at end of file
diff --git a/old name.js b/new name.js
similarity index 90%
rename from old name.js
rename to new name.js
--- a/old name.js	
+++ b/new name.js	
@@ -1 +1 @@
-const oldest = 1;
+const newest = 1;
diff --git a/dropped.rb b/dropped.rb
deleted file mode 100644
--- a/dropped.rb
+++ /dev/null
@@ -1,2 +0,0 @@
-def dropped_method
-end
diff --git a/logo.png b/logo.png
index 1..2 100644
Binary files a/logo.png and b/logo.png differ
diff --git a/go.sum b/go.sum
--- a/go.sum
+++ b/go.sum
@@ -1 +1 @@
-example.com/x v1 h1:a
+example.com/x v2 h1:b
`

func TestQuotationsHaveAPlace(t *testing.T) {
	t.Parallel()
	d := shown.Of([]byte(patch))
	if diff := cmp.Diff([]string{"sum.go", "naïve.py", "new name.js", "dropped.rb", "logo.png", "go.sum"}, d.Paths()); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
	for quote, want := range map[string]string{
		"c := third(a, b)":               "sum.go:12",
		"+\tc := third(a, b)":            "sum.go:12",
		"c := third(a, b)\n\treturn c":   "sum.go:12",
		"third(a, b)\r\n\treturn c * 2":  "sum.go:12",
		"return a + b":                   "sum.go:12",
		"a := first()":                   "sum.go:10",
		"b := second()\n\treturn a + b":  "sum.go:11", // as it stood before
		"keep(this)":                     "sum.go:41",
		"looks like a heading":           "sum.go:42",
		"return sum(items)":              "naïve.py:2",
		"const newest = 1;":              "new name.js:1",
		"const oldest = 1;":              "new name.js:1",
		"def dropped_method":             "dropped.rb:1",
		"example.com/x v2 h1:b":          "", // not shown
		"return a - b":                   "",
		"}":                              "",
		"":                               "",
		"@@ -10,6 +10,7 @@":              "",
		"diff --git a/sum.go b/sum.go":   "",
		"c := third(a, b) // and more":   "",
		"  return c * 2  ":               "sum.go:13",
		"-\treturn a + b\n-\tkeep(this)": "",
	} {
		path, line, ok := d.Find(quote)
		got := ""
		if ok {
			got = fmt.Sprintf("%s:%d", path, line)
		}
		if got != want {
			t.Errorf("Find(%q) = %q, want %q", quote, got, want)
		}
	}
	if strings.Contains(d.Text, "h1:b") || !strings.Contains(d.Text, "contents not shown: logo.png, go.sum") {
		t.Errorf("text = %s", d.Text)
	}
}

func TestPlainPatches(t *testing.T) {
	t.Parallel()
	d := shown.Of([]byte("--- a/x.py\t2024-01-01\n+++ b/x.py\t2024-01-02\n@@ -1 +1,2 @@\n first = 1\n+second = 2\n--- a/y.py\n+++ b/y.py\n@@ -5 +5 @@\n-third = 3\n+fourth = 4\n"))
	if path, line, ok := d.Find("fourth = 4"); !ok || path != "y.py" || line != 5 {
		t.Errorf("%s:%d %t", path, line, ok)
	}
	if diff := cmp.Diff([]string{"x.py", "y.py"}, d.Paths()); diff != "" {
		t.Error(diff)
	}
}

func file(name string, lines int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "diff --git a/%s b/%s\n--- a/%s\n+++ b/%s\n@@ -0,0 +1,%d @@\n", name, name, name, name, lines)
	for i := range lines {
		fmt.Fprintf(&b, "+call(%q, %d)\n", name, i)
	}
	return b.String()
}

func TestLongPatchesAreCutInTheMiddleOfTheLongestFiles(t *testing.T) {
	t.Parallel()
	d := shown.Within([]byte(file("small.go", 10)+file("large.go", 2000)+file("larger.go", 4000)), 20_000, 15_000)
	if len(d.Text) > 21_000 || !strings.Contains(d.Text, `call("small.go", 9)`) {
		t.Errorf("%d bytes", len(d.Text))
	}
	if diff := cmp.Diff([]string{"large.go", "larger.go"}, d.Cut); diff != "" {
		t.Errorf("cut (-want +got):\n%s", diff)
	}
	for quote, want := range map[string]bool{`call("large.go", 3)`: true, `call("large.go", 1999)`: true, `call("large.go", 1000)`: false} {
		if _, _, ok := d.Find(quote); ok != want || strings.Contains(d.Text, quote) != want {
			t.Errorf("quotation %s found: %t, shown: %t", quote, ok, strings.Contains(d.Text, quote))
		}
	}
	var many strings.Builder
	for i := range 3000 {
		many.WriteString(file(fmt.Sprintf("pkg/f%04d.go", i), 20))
	}
	d = shown.Of([]byte(many.String()))
	if len(d.Text) > shown.MaxTotal+10_000 || len(d.Listed) != 3000 || !strings.Contains(d.Text, "and 2900 more") {
		t.Errorf("many files: %d bytes, %d listed", len(d.Text), len(d.Listed))
	}
}

func TestSecretsAreNotShown(t *testing.T) {
	t.Parallel()
	secret := "ghp_" + strings.Repeat("a1B2", 9)
	d := shown.Of([]byte("--- a/c.py\n+++ b/c.py\n@@ -0,0 +1,2 @@\n+token = \"" + secret + "\"\n+other = compute()\n"))
	if strings.Contains(d.Text, secret) || strings.Contains(d.Around("c.py", 1, 1000), secret) {
		t.Errorf("text = %s", d.Text)
	}
	if _, line, ok := d.Find("other = compute()"); !ok || line != 2 {
		t.Errorf("line %d, %t", line, ok)
	}
}

func TestAround(t *testing.T) {
	t.Parallel()
	d := shown.Of([]byte(patch))
	if got := d.Around("sum.go", 13, 40); !strings.Contains(got, "+\treturn c * 2\n") || len(got) > 40 {
		t.Errorf("around 13: %q", got)
	}
	if got := d.Around("sum.go", 41, 4000); !strings.Contains(got, "keep(this)") || !strings.Contains(got, "gone(forever)") {
		t.Errorf("around 41: %q", got)
	}
	if got := d.Around("none.go", 1, 4000); got != "" {
		t.Errorf("a file that is not there: %q", got)
	}
}

func TestIn(t *testing.T) {
	t.Parallel()
	for quote, want := range map[string]bool{
		"return total": true, " return total ": true, "+return total": true, "return": true, "ret": false, "((((((((": false, "return totals": false, "-a = 1\n-return total": true, "a = 1\r\nreturn total": true,
	} {
		if got := shown.In("a = 1\nreturn total\n", quote); got != want {
			t.Errorf("In(%q) = %t", quote, got)
		}
	}
}

func FuzzPatch(f *testing.F) {
	f.Add([]byte(patch), "return a + b")
	f.Add([]byte("@@ -1,9999999 +1,9 @@\n+x\ndiff --git "), "x")
	f.Add([]byte("--- a\n+++ b\n--- a\n+++ b\n@@ -0,0 +1 @@\n"), "")
	f.Fuzz(func(t *testing.T, patch []byte, quote string) {
		d := shown.Within(patch, 4000, 1000)
		if len(d.Text) > 4000+len(d.Cut)*120+20_000+maxName(d) {
			t.Fatalf("%d bytes", len(d.Text))
		}
		if path, line, ok := d.Find(quote); ok && (path == "" || line < 1) {
			t.Fatalf("%q found at %q:%d", quote, path, line)
		}
		for _, p := range d.Paths() {
			d.Around(p, 3, 100)
		}
	})
}

func maxName(d shown.Diff) int {
	n := 0
	for _, p := range d.Listed {
		n += len(p)
	}
	return n
}
