package secret

// set names the bytes that the rest of a credential is made of.
type set uint8

const (
	alnum  set = iota // letters and digits
	word              // alnum and _
	token             // word and -
	dotted            // token and .
	hex               // digits and a-f
	upper             // A-Z and digits
	base64            // alnum, + / and =
)

// format is a credential that is known by its beginning, one of several.
type format struct {
	id, what string
	heads    string // apart by blanks
	set      set    // of the bytes that follow
	min, max int    // how many follow; max 0: no limit
}

// formats are the vendors' published formats. Lengths are lower bounds with some room, since vendors lengthen their tokens.
// Rows of one rule stand together.
var formats = [...]format{
	{"aws-access-key-id", "AWS access key id", "AKIA ASIA ABIA ACCA", upper, 16, 16},
	{"github-token", "GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", alnum, 30, 0},
	{"github-token", "", "github_pat_", word, 30, 0},
	{"gitlab-token", "GitLab token", "glpat- glrt- glrtr-", dotted, 20, 0},
	{"gitlab-token", "", "gldt- glcbt- glptt- glft- glimt- glagent- glsoat- gloas-", token, 20, 0},
	{"slack-token", "Slack token", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxc- xoxe- xoxe.xox xapp-", token, 20, 0},
	{"anthropic-key", "Anthropic key", "sk-ant-", token, 20, 0},
	{"openai-key", "OpenAI key", "sk-proj- sk-svcacct- sk-admin- sk-None-", token, 20, 0},
	{"openai-key", "", "sk-or-v1- sk-lf-", token, 32, 0},
	{"openai-key", "", "sk-", alnum, 20, 0},
	{"google-api-key", "Google API key", "AIza", token, 30, 45},
	{"google-oauth-secret", "Google OAuth secret or token", "GOCSPX-", token, 24, 0},
	{"google-oauth-secret", "", "ya29.", dotted, 20, 0},
	{"google-oauth-secret", "", "1//0", token, 40, 0},
	{"stripe-key", "Stripe key", "sk_live_ rk_live_ sk_test_ rk_test_ sk_prod_", alnum, 16, 0},
	{"stripe-key", "", "whsec_", base64, 24, 0},
	{"twilio-key", "Twilio key", "SK", hex, 32, 32},
	{"sendgrid-key", "SendGrid key", "SG.", dotted, 40, 0},
	{"npm-token", "npm token", "npm_", alnum, 30, 0},
	{"pypi-token", "PyPI token", "pypi-Ag", token, 30, 0},
	{"pypi-token", "", "pypi-", token, 50, 0},
	{"huggingface-token", "Hugging Face token", "hf_ api_org_", alnum, 30, 0},
	{"digitalocean-token", "DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", hex, 40, 0},
	{"age-key", "age identity", "AGE-SECRET-KEY-1 AGE-SECRET-KEY-PQ-1", upper, 40, 0},
	{"devflow-key", "devflow cloud key", "dvf_", token, 16, 0},
	{"azure-key", "Azure storage or bus key", "AccountKey=", base64, 80, 90},
	{"azure-key", "", "SharedAccessKey=", base64, 40, 60},
	{"shopify-token", "Shopify token", "shpat_ shpca_ shppa_ shpss_", hex, 32, 0},
	{"square-token", "Square token", "sq0atp-", token, 22, 0},
	{"square-token", "", "sq0csp-", token, 40, 0},
	{"docker-token", "Docker Hub token", "dckr_pat_ dckr_oat_", token, 20, 0},
	{"vault-token", "HashiCorp Vault token", "hvs. hvb.", token, 24, 0},
	{"databricks-token", "Databricks token", "dapi", hex, 32, 32},
	{"atlassian-token", "Atlassian token", "ATATT3 ATCTT3", base64, 60, 0},
	{"linear-key", "Linear key", "lin_api_", alnum, 32, 0},
	{"notion-token", "Notion token", "ntn_", alnum, 40, 0},
	{"notion-token", "", "secret_", alnum, 43, 43},
	{"netlify-token", "Netlify token", "nfp_", alnum, 36, 0},
	{"grafana-token", "Grafana token", "glsa_", word, 40, 0},
	{"grafana-token", "", "glc_eyJ", base64, 40, 0},
	{"newrelic-key", "New Relic key", "NRAK-", upper, 24, 0},
	{"planetscale-token", "PlanetScale token", "pscale_tkn_ pscale_pw_ pscale_oauth_", dotted, 32, 0},
	{"postman-key", "Postman key", "PMAK-", token, 50, 0},
	{"pulumi-token", "Pulumi token", "pul-", hex, 40, 40},
	{"rubygems-key", "RubyGems key", "rubygems_", hex, 48, 0},
	{"sentry-token", "Sentry token", "sntrys_", base64, 40, 0},
	{"sentry-token", "", "sntryu_", hex, 60, 0},
	{"sonar-token", "Sonar token", "squ_ sqp_ sqa_", hex, 40, 40},
	{"supabase-token", "Supabase token", "sbp_", hex, 40, 0},
	{"supabase-token", "", "sb_secret_", token, 20, 0},
	{"groq-key", "Groq key", "gsk_", alnum, 40, 0},
	{"perplexity-key", "Perplexity key", "pplx-", alnum, 40, 0},
	{"replicate-token", "Replicate token", "r8_", alnum, 36, 0},
	{"xai-key", "xAI key", "xai-", alnum, 60, 0},
	{"fly-token", "Fly token", "fm2_", base64, 100, 0},
	{"tailscale-key", "Tailscale key", "tskey-", token, 24, 0},
	{"onepassword-token", "1Password service account token", "ops_eyJ", base64, 100, 0},
	{"figma-token", "Figma token", "figd_", token, 38, 0},
	{"heroku-key", "Heroku key", "HRKU-", token, 36, 0},
	{"brevo-key", "Brevo key", "xkeysib-", token, 64, 0},
	{"cratesio-token", "crates.io token", "cio", alnum, 32, 32},
	{"doppler-token", "Doppler token", "dp.pt.", alnum, 40, 0},
	{"doppler-token", "", "dp.st.", dotted, 40, 0},
	{"mapbox-token", "Mapbox secret token", "sk.eyJ", dotted, 40, 0},
	{"terraform-token", "Terraform Cloud token", "atlasv1.", token, 60, 0},
	{"sourcegraph-token", "Sourcegraph token", "sgp_", word, 40, 0},
	{"circleci-token", "CircleCI token", "CCIPAT_", word, 40, 0},
	{"buildkite-token", "Buildkite token", "bkua_", hex, 40, 0},
	{"facebook-token", "Facebook token", "EAACEdEose0cBA", alnum, 20, 0},
}
