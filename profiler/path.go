package profiler

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

// Impact of a path class, per mille.
const (
	impactCritical = 900 // identity, money, data migrations, delivery
	impactPublic   = 700 // interfaces that others build on
	impactConfig   = 500
	impactCode     = 400
	impactSafe     = 100 // tests, documentation, examples
)

// critical are the words that make a path critical, in singular; they count as whole words of a path only, so that
// author.go is not auth and tokenizer.go is not token.
var critical = [...]string{
	"auth", "authn", "authz", "authentication", "authorization", "oauth", "oauth2", "jwt", "session", "token", "crypto", "secret", "password", "credential", "payment", "billing",
	"invoice", "price", "pricing", "tax", "migration", "deploy", "deployment", "terraform", "k8s", "kubernetes", "helm",
}

// public are the words of a public interface. "api" must be a directory or the whole name of a file: api_client.ts uses one.
var public = [...]string{"proto", "openapi", "swagger", "graphql"}

// PathImpact is the impact class of one edited file, in per mille. kind is the file's kind as in File.
func PathImpact(p, kind string) int64 {
	base, ext := strings.ToLower(path.Base(p)), strings.ToLower(path.Ext(p))
	words := pathWords(p)
	switch {
	case kind == KindTest || kind == KindDoc || listed("example examples docs", topDir(p)):
		return impactSafe
	case ext == ".sql" || ext == ".tf" || ext == ".tfvars" || strings.HasPrefix(base, "dockerfile") || isCI(p):
		return impactCritical
	case containsWord(words, critical[:]):
		return impactCritical
	case ext == ".proto" || ext == ".graphql" || containsWord(words, public[:]) || isAPI(p):
		return impactPublic
	case kind == KindConfig:
		return impactConfig
	}
	return impactCode
}

// isAPI reports whether a path component is named api, the file's ending aside.
func isAPI(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		name, _, _ := strings.Cut(strings.ToLower(part), ".")
		if name == "api" || name == "apis" {
			return true
		}
	}
	return false
}

// isCI reports whether the file configures a CI service.
func isCI(p string) bool {
	for _, place := range [...]string{".github/workflows/", ".circleci/", ".buildkite/", ".ci/"} {
		if strings.HasPrefix(p, place) || strings.Contains(p, "/"+place) {
			return true
		}
	}
	switch path.Base(p) {
	case ".gitlab-ci.yml", "Jenkinsfile", ".travis.yml", "azure-pipelines.yml", "bitbucket-pipelines.yml", ".drone.yml":
		return true
	}
	return false
}

// containsWord compares words in singular.
func containsWord(words, list []string) bool {
	for _, w := range words {
		if slices.Contains(list, w) || slices.Contains(list, strings.TrimSuffix(w, "s")) || slices.Contains(list, strings.TrimSuffix(w, "es")) {
			return true
		}
	}
	return false
}

// pathWords splits a path into lower-case words at separators, signs and changes of case.
func pathWords(p string) []string {
	var words []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	runes := []rune(p)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
			continue
		case unicode.IsUpper(r) && i > 0 && (unicode.IsLower(runes[i-1]) || unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			flush()
		}
		word = append(word, r)
	}
	flush()
	return words
}

// topDir is the first component of a path; files in the root share one.
func topDir(p string) string {
	dir, _, nested := strings.Cut(p, "/")
	if !nested {
		return ""
	}
	return dir
}

// Language classes for probability, per mille.
const (
	langDoc, langTyped, langDynamic, langOther = 100, 200, 400, 600
)

// language is the class of a file's language by its ending.
func language(p string) int64 {
	switch ext(p) {
	case "md", "mdx", "rst", "txt", "adoc", "org":
		return langDoc
	case "go", "rs", "ts", "tsx", "mts", "cts", "dart", "java", "kt", "kts", "swift", "cs", "scala", "c", "h", "cc", "cpp", "cxx", "hpp", "hh":
		return langTyped
	case "py", "pyi", "js", "jsx", "mjs", "cjs", "rb", "php":
		return langDynamic
	}
	switch strings.ToUpper(path.Base(p)) {
	case "README", "LICENSE", "CHANGELOG", "AUTHORS", "NOTICE":
		return langDoc
	}
	return langOther
}

func ext(p string) string { return strings.ToLower(strings.TrimPrefix(path.Ext(p), ".")) }

// types is how much a type checker sees of a file, per mille: checked 100, gradual 250, none 400.
func (f Facts) types(p string) int64 {
	const checked, gradual, none = 100, 250, 400
	switch ext(p) {
	case "py", "pyi":
		if f.PythonChecker {
			return gradual
		}
		return none
	case "js", "jsx", "mjs", "cjs":
		if f.JSChecker {
			return gradual
		}
		return none
	}
	if language(p) == langTyped {
		return checked
	}
	return none
}
