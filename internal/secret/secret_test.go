package secret_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/devflow-suite/devflow/internal/secret"
)

// Alphabets of made-up values.
const (
	lowers  = "abcdefghijklmnopqrstuvwxyz"
	uppers  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits  = "0123456789"
	alnums  = lowers + uppers + digits
	hexes   = "0123456789abcdef"
	base32s = uppers + "234567"
	base64s = alnums + "+/"
	urlsafe = alnums + "-_"
)

// made is a generated value: no service issued it, and no file holds it.
func made(seed uint64, n int, alphabet string) string {
	rnd := rand.New(rand.NewPCG(seed, 7))
	var b strings.Builder
	for range n {
		b.WriteByte(alphabet[rnd.IntN(len(alphabet))])
	}
	return b.String()
}

// samples returns one value of every anchored format that stands in one word.
func samples(seed uint64) map[string][]string {
	m := func(n int, alphabet string) string { seed++; return made(seed, n, alphabet) }
	return map[string][]string{
		"aws-access-key-id":   {"AKIA" + m(16, base32s), "ASIA" + m(16, base32s), "AKIA" + m(16, uppers+digits)},
		"github-token":        {"ghp_" + m(36, alnums), "gho_" + m(36, alnums), "ghu_" + m(36, alnums), "ghs_" + m(36, alnums), "ghr_" + m(76, alnums), "github_" + "pat_" + m(22, alnums) + "_" + m(59, alnums)},
		"gitlab-token":        {"glpat-" + m(20, urlsafe[:62]), "glrt-" + m(20, alnums), "glptt-" + m(40, hexes), "gldt-" + m(20, alnums)},
		"slack-token":         {"xoxb-" + m(12, digits) + "-" + m(12, digits) + "-" + m(24, alnums), "xoxp-" + m(12, digits) + "-" + m(12, digits) + "-" + m(12, digits) + "-" + m(32, hexes), "xapp-1-A" + m(10, uppers+digits) + "-" + m(13, digits) + "-" + m(64, hexes)},
		"anthropic-key":       {"sk-" + "ant-api03-" + m(93, urlsafe) + "AA", "sk-" + "ant-oat01-" + m(86, urlsafe) + "AA"},
		"openai-key":          {"sk-" + "proj-" + m(74, alnums) + "T3Blbk" + "FJ" + m(74, alnums), "sk-" + m(20, alnums) + "T3Blbk" + "FJ" + m(20, alnums), "sk-" + "svcacct-" + m(60, alnums), "sk-" + "or-v1-" + m(64, hexes), "sk-" + m(32, hexes)},
		"google-api-key":      {"AIza" + "Sy" + m(33, alnums)},
		"google-oauth-secret": {"GOCSPX-" + m(28, alnums), "ya29." + "a0Af" + m(120, alnums), "1//0" + "4" + m(60, alnums)},
		"stripe-key":          {"sk_" + "live_" + m(24, alnums), "rk_" + "live_" + m(99, alnums), "sk_" + "test_" + m(99, alnums), "whsec_" + m(32, alnums)},
		"twilio-key":          {"SK" + m(32, hexes)},
		"sendgrid-key":        {"SG." + m(22, alnums) + "." + m(43, alnums)},
		"npm-token":           {"npm_" + m(36, alnums)},
		"pypi-token":          {"pypi-" + "AgEIcHlwaS5vcmc" + m(150, urlsafe[:62])},
		"huggingface-token":   {"hf_" + m(34, lowers+uppers)},
		"digitalocean-token":  {"dop_v1_" + m(64, hexes)},
		"age-key":             {"AGE-SECRET-" + "KEY-1" + m(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L")},
		"devflow-key":         {"dvf_" + m(8, lowers+digits) + "_" + m(32, alnums)},
		"shopify-token":       {"shpat_" + m(32, hexes)},
		"square-token":        {"sq0atp-" + m(22, alnums), "sq0csp-" + m(43, alnums)},
		"docker-token":        {"dckr_" + "pat_" + m(27, alnums)},
		"vault-token":         {"hvs." + m(95, alnums)},
		"databricks-token":    {"dapi" + m(32, hexes)},
		"atlassian-token":     {"ATATT3" + "xFfGF0" + m(180, alnums)},
		"linear-key":          {"lin_api_" + m(40, alnums)},
		"notion-token":        {"ntn_" + m(46, alnums), "secret_" + m(43, alnums)},
		"netlify-token":       {"nfp_" + m(36, alnums)},
		"grafana-token":       {"glsa_" + m(32, alnums) + "_" + m(8, hexes)},
		"newrelic-key":        {"NRAK-" + m(27, uppers+digits)},
		"planetscale-token":   {"pscale_" + "tkn_" + m(43, alnums)},
		"postman-key":         {"PMAK-" + m(24, hexes) + "-" + m(34, hexes)},
		"pulumi-token":        {"pul-" + m(40, hexes)},
		"rubygems-key":        {"rubygems_" + m(48, hexes)},
		"sentry-token":        {"sntryu_" + m(64, hexes)},
		"supabase-token":      {"sbp_" + m(40, hexes)},
		"groq-key":            {"gsk_" + m(52, alnums)},
		"perplexity-key":      {"pplx-" + m(48, alnums)},
		"replicate-token":     {"r8_" + m(37, alnums)},
		"xai-key":             {"xai-" + m(80, alnums)},
		"tailscale-key":       {"tskey-" + "auth-" + m(16, alnums) + "-" + m(32, alnums)},
		"figma-token":         {"figd_" + m(40, alnums)},
		"heroku-key":          {"HRKU-" + m(60, alnums)},
		"brevo-key":           {"xkeysib-" + m(64, hexes) + "-" + m(16, alnums)},
		"cratesio-token":      {"cio" + m(32, alnums)},
		"doppler-token":       {"dp.pt." + m(43, alnums)},
		"sourcegraph-token":   {"sgp_" + m(40, hexes)},
		"circleci-token":      {"CCIPAT_" + m(22, alnums) + "_" + m(40, hexes)},
		"buildkite-token":     {"bkua_" + m(40, hexes)},
		"json-web-token":      {"eyJ" + "hbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJ" + m(90, alnums) + "." + m(86, alnums)},
		"slack-webhook":       {"hooks.slack" + ".com/services/T" + m(8, uppers+digits) + "/B" + m(10, uppers+digits) + "/" + m(24, alnums)},
		"discord-bot-token":   {"MTE5" + "NzIwNDg1NjcyMzQ1Njc4OA." + "G" + m(5, alnums) + "." + m(38, alnums)},
		"telegram-bot-token":  {m(1, digits[1:]) + m(9, digits) + ":AA" + m(33, alnums)},
		"mailchimp-key":       {m(32, hexes) + "-us12"},
		"azure-client-secret": {m(3, alnums) + "8Q~" + m(34, alnums)},
	}
}

// frames are the places that a value is written to; % stands for it.
var frames = [...]string{
	"%", " %\n", "KEY=%", "export K='%' && run", "K=\"%\"\n", "\"%\"", "'%'", "`%`", "[%]", "(%)", "{\"k\":\"%\"}", "k: %\n", "k: \"%\"", "  - %\n", "k = \"%\"\n", "// %\n", "# %", "/* % */", "<!-- % -->", "-- %\n",
	"const k = process.env.K || '%';", "os.environ.get('K', '%')", "ENV K=%\n", "ENV K %\n", "ARG K=\"%\"", "  default = \"%\"", "curl -H 'Authorization: Bearer %' https://x.test", "curl https://x.test/?k=%&a=b", "{\\\"k\\\": \\\"%\\\"}",
	"\"a\\n%\\n\"", "<add key=\"k\" value=\"%\"/>", "<k>%</k>", "[k](%)", "| k | % |", "It is %, keep it.", "It is %.", "x,%,y", "k=%;j=1", "\r\n%\r\n", "\t\t%", "func TestX(t *testing.T) { k := \"%\" }", "$k = '%';", "k <- \"%\"", "@%@", "\"sk\",\"%\",\"pk\"",
	"a{b:'%'}c", "é%é", "https://x.test/%", "//registry.npmjs.org/:_authToken=%", "machine x login y password %",
}

func TestEveryFormatIsFoundWhereverItStands(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, r := range secret.Names() {
		known[r.ID] = true
		if r.What == "" || strings.ToLower(r.ID) != r.ID {
			t.Errorf("rule %q has no good name: %q", r.ID, r.What)
		}
	}
	for seed := uint64(1); seed <= 2000; seed += 400 {
		for id, values := range samples(seed) {
			if !known[id] {
				t.Errorf("rule %s is not among Names", id)
			}
			for _, v := range values {
				for _, frame := range frames {
					text := strings.Replace(frame, "%", v, 1)
					start := strings.Index(text, v)
					want := []secret.Match{{Rule: id, Start: start, End: start + len(v), Line: 1 + strings.Count(text[:start], "\n"), High: true}}
					got := secret.Find(text)
					if len(got) == 1 && got[0].Rule == "notion-token" && strings.HasPrefix(frame, "secret") {
						continue
					}
					if d := cmp.Diff(want, got); d != "" {
						t.Errorf("%s in %q (-want +got):\n%s", id, text, d)
					}
				}
			}
		}
	}
}
