package environ

import (
	"slices"
	"strings"
)

// clientNames are the variables that the client needs to sign in and to reach its endpoint.
var clientNames = [...]string{
	"CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY", "CLAUDE_CODE_SKIP_BEDROCK_AUTH",
	"CLAUDE_CODE_SKIP_VERTEX_AUTH", "CLAUDE_CODE_CLIENT_CERT", "CLAUDE_CODE_CLIENT_KEY", "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE", "CLOUD_ML_REGION",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "DBUS_SESSION_BUS_ADDRESS",
}

// clientPrefixes are the beginnings of names that are passed when the variable of the second column is set: clouds sign in by
// variables of their own.
var clientPrefixes = [...]struct{ prefix, when string }{
	{"ANTHROPIC_", ""}, {"AWS_", "CLAUDE_CODE_USE_BEDROCK"}, {"GOOGLE_", "CLAUDE_CODE_USE_VERTEX"}, {"GCLOUD_", "CLAUDE_CODE_USE_VERTEX"},
	{"VERTEX_", "CLAUDE_CODE_USE_VERTEX"}, {"AZURE_", "CLAUDE_CODE_USE_FOUNDRY"},
}

// Client is what the claude program needs of an environment to sign in as the user and to reach its endpoint. It holds
// secrets: it is for that program alone, and for what starts it.
func Client(user []string) []string {
	set := map[string]bool{"": true}
	for _, kv := range user {
		name, value, _ := strings.Cut(kv, "=")
		set[name] = set[name] || value != ""
	}
	var env []string
	for _, kv := range user {
		name, _, _ := strings.Cut(kv, "=")
		if slices.Contains(clientNames[:], name) || slices.ContainsFunc(clientPrefixes[:], func(p struct{ prefix, when string }) bool {
			return strings.HasPrefix(name, p.prefix) && set[p.when]
		}) {
			env = append(env, kv)
		}
	}
	return env
}
