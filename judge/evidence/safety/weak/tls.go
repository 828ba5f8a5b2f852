package weak

import (
	"strings"

	"github.com/devflow-suite/devflow/internal/source"
	"github.com/devflow-suite/devflow/judge/change"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/units"
	"github.com/devflow-suite/devflow/judge/verdict"
)

func findTLS(c *change.Change, report func(rule.Finding)) {
	each(c, func(f *change.File, line int, text string) {
		what, soft := "", false
		if f.Lang == "" {
			what, soft = settingTLS(text)
		} else if maybeTLS(text) {
			what, soft = codeTLS(f.After, line)
		}
		if what == "" {
			return
		}
		out := rule.Finding{Path: f.Path, Line: line, Text: what, Evidence: strings.TrimSpace(text), Fix: "leave the check on; trust a private authority by adding its certificate"}
		if fn := around(f.After, line); fn != nil {
			out.Unit, out.Text = fn.Name, fn.Name+": "+what
		}
		if soft || chosen(f.After, line) {
			out.Class = verdict.Soft
		}
		report(out)
	})
}

// chosen reports whether a line is reached only when somebody asked for it: the branch around it names the switch.
func chosen(f *units.File, line int) bool {
	width := func(l string) int { return len(l) - len(strings.TrimLeft(l, " \t")) }
	at := width(f.Lines(line, line))
	for l := line - 1; l > 0 && l > line-10 && at > 0; l-- {
		text := f.Lines(l, l)
		if strings.TrimSpace(text) == "" || width(text) >= at {
			continue
		}
		at = width(text)
		low := strings.ToLower(text)
		if !strings.Contains(low, "if ") && !strings.Contains(low, "if(") && !strings.Contains(low, "case ") {
			continue
		}
		for _, w := range [...]string{"verif", "insecure", "trust", "unsafe", "skip", "allow", "validat", "ssl", "cert", "tls", "self_signed", "selfsigned", "strict", "debug", "dev"} {
			if strings.Contains(low, w) {
				return true
			}
		}
	}
	return false
}

// maybeTLS is a cheap look before a line is read.
func maybeTLS(text string) bool {
	low := strings.ToLower(text)
	for _, w := range [...]string{"verif", "cert", "hostname", "unauthorized", "insecure", "ssl", "trust", "check_host", "identity", "http_client", "allow_all"} {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

// codeTLS looks at one line of code.
func codeTLS(f *units.File, line int) (what string, soft bool) {
	from, to := tokens(f, line)
	for i := from; i < to; i++ {
		if f.Kind(i) == source.String {
			if w := stringTLS(f, i); w != "" {
				return w, false
			}
			continue
		}
		if f.Kind(i) != source.Name {
			continue
		}
		if w, s := nameTLS(f, i); w != "" {
			return w, s
		}
	}
	return "", false
}

// set gives the value that a name is given at token i: name = v, name: v, name(v), "name": v.
func set(f *units.File, i int) int {
	k := i + 1
	if f.Is(k, "]") {
		k++
	}
	switch f.Text(k) {
	case "=", ":", "=>", ":=":
		if f.Kind(k) == source.Op {
			return k + 1
		}
	case "(":
		return k + 1
	}
	return -1
}

func off(f *units.File, v int) bool {
	switch f.Text(v) {
	case "false", "False", "FALSE", "0":
		return true
	}
	return false
}

func on(f *units.File, v int) bool { return f.Is(v, "true") || f.Is(v, "True") || f.Is(v, "YES") }

// alone reports whether the value at token v is the whole value: "false" and not "false || x".
func alone(f *units.File, v int) bool {
	switch f.Text(v + 1) {
	case "||", "&&", "or", "and", "?", "==", "!=", "|", "if":
		return f.Tokens[v+1].First
	}
	return true
}

func nameTLS(f *units.File, i int) (what string, soft bool) {
	name := f.Text(i)
	v := set(f, i)
	given := v > 0 && v < len(f.Tokens)
	if name == "verify" && (f.Lang == source.Java || f.Lang == source.Kotlin) && f.Is(i+1, "(") && (f.Is(i-1, "boolean") || f.Is(i-1, "fun")) && strings.Contains(f.Norm(i+1, f.Close(i+1)), "SSLSession") && returnsTrue(f, f.Close(i+1)) {
		return "every host name is accepted (verify)", false
	}
	switch name {
	case "verify", "verify_ssl", "ssl_verify", "verify_certs", "verifySsl", "verifySSL", "ssl_verify_peer", "validate_certs", "validateCerts", "verify_peer", "ssl_verifypeer", "sslVerify", "strictSSL",
		"verify_hostname", "tls_verify", "tlsVerify", "validate_cert", "cert_verify", "verifyCertificate", "verify_certificate", "check_certificate", "checkCertificate", "strict_ssl":
		if given && off(f, v) && alone(f, v) && (!f.Is(i+1, "(") || len(name) > len("verify")) && !parameter(f, i) && client(f, i, name) {
			return name + " is switched off", false
		}
	case "ssl": // aiohttp
		if given && f.Lang == source.Python && f.Is(v, "False") && f.Is(i+1, "=") && client(f, i, "verify") && !parameter(f, i) && strings.Contains(f.Src, "aiohttp") {
			return "ssl is switched off", false
		}
	case "CERT_NONE":
		if !comparison(f, i) {
			return "certificates are not verified (CERT_NONE)", false
		}
	case "VERIFY_NONE", "SSL_VERIFY_NONE", "SslVerifyMode::NONE":
		if !comparison(f, i) {
			return "certificates are not verified (" + name + ")", false
		}
	case "check_hostname", "checkHostname", "assert_hostname", "verifyHostname", "setEndpointIdentificationAlgorithm":
		if given && (off(f, v) || name == "setEndpointIdentificationAlgorithm" && (f.Is(v, "null") || f.Text(v) == `""`)) && !parameter(f, i) {
			return "host names are not checked (" + name + ")", false
		}
	case "_create_unverified_context", "_create_default_https_context":
		if name == "_create_unverified_context" {
			return "certificates are not verified (" + name + ")", false
		}
	case "InsecureSkipVerify", "insecureSkipVerify", "insecureSkipTlsVerify":
		if given && on(f, v) && alone(f, v) && !checksItself(literal(f, i)) {
			return name + " is on: certificates are not verified", false
		}
	case "VerifyPeerCertificate", "VerifyConnection":
		if given && f.Is(v, "func") && nilBody(f, v) {
			return name + " accepts every certificate", false
		}
	case "SslVerifyMode":
		if f.Is(i+2, "NONE") {
			return "certificates are not verified (SslVerifyMode::NONE)", false
		}
	case "DANGER_ACCEPT_INVALID_CERTS", "DANGER_ACCEPT_INVALID_HOSTS", "DANGER_ACCEPT_REVOKED_CERTS":
		if !inImport(f, i) {
			return name + " is on", false
		}
	case "rejectUnauthorized":
		if given && off(f, v) && alone(f, v) && !parameter(f, i) {
			return "rejectUnauthorized is off: certificates are not verified", false
		}
	case "NODE_TLS_REJECT_UNAUTHORIZED":
		if given && (strings.Trim(f.Text(v), "'\"`") == "0" || off(f, v)) && f.Is(i+1, "=") {
			return "NODE_TLS_REJECT_UNAUTHORIZED is 0: no certificate is verified", false
		}
	case "danger_accept_invalid_certs", "danger_accept_invalid_hostnames", "danger_disable_hostname_verification", "accept_invalid_certs", "tls_danger_accept_invalid_certs":
		if given && on(f, v) {
			return name + " is on", false
		}
	case "badCertificateCallback", "onBadCertificate", "validateCertificate":
		if v := returnsTrue(f, i); v {
			return name + " accepts every certificate", false
		}
	case "checkServerIdentity":
		if emptyFunc(f, i) {
			return "host names are not checked (checkServerIdentity)", false
		}
	case "setHostnameVerifier", "hostnameVerifier", "setDefaultHostnameVerifier", "setSSLHostnameVerifier", "HostnameVerifier":
		if returnsTrue(f, i) || containsAny(f, i, "NoopHostnameVerifier", "ALLOW_ALL", "AllowAll") {
			return "every host name is accepted (" + name + ")", false
		}
	case "NoopHostnameVerifier", "ALLOW_ALL_HOSTNAME_VERIFIER", "AllowAllHostnameVerifier", "TrustAllStrategy", "InsecureTrustManagerFactory", "NoopTrustManager", "DangerousAcceptAnyServerCertificateValidator", "NoServerCertificateVerification":
		if !f.Is(i-1, "import") && !inImport(f, i) {
			return name + " accepts every certificate", name == "NoServerCertificateVerification"
		}
	case "checkServerTrusted":
		if emptyBody(f, i) {
			return "checkServerTrusted does nothing: every certificate is trusted", false
		}
	case "verify_server_cert":
		if f.Lang == source.Rust && f.Is(i-1, "fn") && assertsOnly(f, i) {
			return "verify_server_cert accepts every certificate", false
		}
	case "ServerCertificateValidationCallback", "ServerCertificateCustomValidationCallback", "RemoteCertificateValidationCallback":
		if returnsTrue(f, i) {
			return name + " accepts every certificate", false
		}
	case "CURLOPT_SSL_VERIFYPEER", "CURLOPT_SSL_VERIFYHOST":
		for _, k := range [...]int{i + 2, i + 1} {
			if (off(f, k) || f.Text(k) == "0L") && (f.Is(k-1, ",") || f.Is(k-1, "=>")) {
				return name + " is off", false
			}
		}
	case "isDangerousTrustEnabled", "disableTLSVerification", "disable_ssl_verification", "trustAllCerts", "trustAllCertificates", "allowsSelfSignedCertificates", "disableSslVerification", "trust_all_certificates", "set_verify":
		if given && on(f, v) {
			return name + " is on", false
		}
	case "disable_warnings":
		if strings.Contains(f.Lines(f.TokenLine(i), f.TokenLine(i)), "InsecureRequestWarning") {
			return "the warning about unverified certificates is silenced", true
		}
	}
	return "", false
}

// stringTLS knows settings whose name is a string: os.environ["X"] = "0", {"verify": False}, git -c http.sslVerify=false.
func stringTLS(f *units.File, i int) string {
	s := f.Unquote(i)
	v := set(f, i)
	given := v > 0 && v < len(f.Tokens)
	if f.Is(i+1, ",") { // setenv("X", "0")
		v, given = i+2, i+2 < len(f.Tokens)
	}
	switch s {
	case "NODE_TLS_REJECT_UNAUTHORIZED", "PYTHONHTTPSVERIFY":
		if given && strings.Trim(f.Text(v), "'\"`") == "0" {
			return s + " is 0: no certificate is verified"
		}
	case "GIT_SSL_NO_VERIFY":
		if given && !off(f, v) {
			return s + " is on: no certificate is verified"
		}
	case "rejectUnauthorized", "verify_ssl", "verify_certs", "ssl_verify", "verify", "verify_peer", "strictSSL", "strict-ssl":
		if given && off(f, v) && !f.Is(i+1, ",") {
			return s + " is switched off"
		}
	case "CERT_NONE":
		if f.Is(i-1, "=") && strings.Contains(f.Text(i-2), "cert_reqs") || f.Is(i-1, ":") {
			return "certificates are not verified (CERT_NONE)"
		}
	}
	if w, _ := shellTLS(s); w != "" && !strings.Contains(s, "\n") {
		return w
	}
	return ""
}

// parameter reports whether the name at token i is a parameter with a default, or an annotation of a type.
func parameter(f *units.File, i int) bool {
	open := i
	depth := 0
	for k := i - 1; k >= 0 && k > i-200; k-- {
		switch f.Text(k) {
		case ")", "]", "}":
			depth++
		case "(", "[", "{":
			if depth == 0 {
				open = k
				k = -1
				continue
			}
			depth--
		case ";":
			if depth == 0 {
				return false
			}
		}
	}
	if open == i || !f.Is(open, "(") {
		return false
	}
	return f.Is(open-2, "def") || f.Is(open-2, "function") || f.Is(open-1, "function") || f.Is(open-2, "fn") || f.Is(open-2, "fun") || f.Is(f.Close(open)+1, "=>") || f.Is(f.Close(open)+1, "{") && f.Kind(open-1) == source.Name && !f.Is(open-1, "if")
}

// client reports whether a switch called verify belongs to something that talks over the network. Longer names tell it
// themselves.
func client(f *units.File, i int, name string) bool {
	if name != "verify" {
		return true
	}
	if f.Is(i-1, ".") { // session.verify = False
		low := strings.ToLower(f.Text(i - 2))
		return strings.Contains(f.Src, "requests") || strings.Contains(f.Src, "httpx") || strings.Contains(low, "session") || strings.Contains(low, "client") || strings.Contains(low, "http") || strings.Contains(low, "request") || strings.Contains(low, "conn")
	}
	depth := 0
	for k := i - 1; k >= 0 && k > i-200; k-- {
		switch f.Text(k) {
		case ")", "]", "}":
			depth++
		case "[", "{":
			if depth--; depth < 0 {
				return strings.Contains(f.Src, "requests") || strings.Contains(f.Src, "httpx")
			}
		case "(":
			if depth > 0 {
				depth--
				continue
			}
			low := strings.ToLower(f.Norm(max(k-6, 0), k))
			for _, w := range [...]string{"requests", "httpx", "session", "client", "http", "aiohttp", "connector", "request", "consul", "vault", "api"} {
				if strings.Contains(low, w) {
					return true
				}
			}
			switch f.Text(k - 1) {
			case "get", "post", "put", "patch", "delete", "head", "options", "fetch", "urlopen":
				return true
			}
			return false
		}
	}
	return false
}

func comparison(f *units.File, i int) bool {
	for k := i; k > 0 && k > i-5; k-- {
		switch f.Text(k) {
		case "==", "!=", "is", "if", "import", "not", "===", "!==":
			return true
		}
	}
	return f.Is(i+1, "==") || f.Is(i+1, "!=") || f.Is(i+1, ":") && f.Lang == source.Python
}

// literal is the text of the braces around token i.
func literal(f *units.File, i int) string {
	depth := 0
	for k := i - 1; k >= 0 && k > i-400; k-- {
		switch f.Text(k) {
		case ")", "]", "}":
			depth++
		case "(", "[", "{":
			if depth == 0 {
				return f.Span(k, f.Close(k))
			}
			depth--
		}
	}
	return ""
}

// returnsTrue reports whether a function behind token i does nothing but return true.
func returnsTrue(f *units.File, i int) bool {
	for k := i + 1; k < i+40 && k < len(f.Tokens); k++ {
		switch f.Text(k) {
		case ";":
			return false
		case "=>", "->":
			if on(f, k+1) && !f.Is(k+2, "&&") && !f.Is(k+2, "==") {
				return true
			}
			if f.Is(k+1, "{") && f.Is(k+2, "return") && on(f, k+3) {
				return true
			}
		case "{":
			if f.Is(k+1, "return") && on(f, k+2) {
				return true
			}
			if f.Lang == source.Kotlin || f.Lang == source.Swift { // { _, _ -> true }
				end := f.Close(k)
				if end < len(f.Tokens) && on(f, end-1) && end-k < 12 {
					return true
				}
			}
		}
	}
	return false
}

// checksItself reports whether a configuration brings its own check of certificates.
func checksItself(text string) bool {
	flat := strings.Join(strings.Fields(text), " ")
	return (strings.Contains(text, "VerifyPeerCertificate") || strings.Contains(text, "VerifyConnection")) && !strings.Contains(flat, "error { return nil }")
}

// nilBody reports whether the function literal at token i does nothing but return nil.
func nilBody(f *units.File, i int) bool {
	for k := i; k < i+60 && k < len(f.Tokens); k++ {
		if f.Is(k, "{") {
			return f.Is(k+1, "return") && f.Is(k+2, "nil") && f.Close(k) == k+3
		}
		if f.Is(k, "(") || f.Is(k, "[") {
			k = f.Close(k)
		}
	}
	return false
}

func containsAny(f *units.File, i int, words ...string) bool {
	for k := i + 1; k < i+8 && k < len(f.Tokens) && !f.Is(k, ";"); k++ {
		for _, w := range words {
			if strings.Contains(f.Text(k), w) {
				return true
			}
		}
	}
	return false
}

// emptyFunc reports whether token i is given a function that returns nothing.
func emptyFunc(f *units.File, i int) bool {
	for k := i + 1; k < i+12 && k < len(f.Tokens); k++ {
		if f.Is(k, "=>") && (f.Is(k+1, "undefined") || f.Is(k+1, "null") || f.Is(k+1, "{") && f.Is(k+2, "}")) || f.Is(k, "{") && f.Is(k+1, "}") {
			return true
		}
	}
	return false
}

// emptyBody reports whether the method at token i has a body without a statement.
func emptyBody(f *units.File, i int) bool {
	if !f.Is(i+1, "(") {
		return false
	}
	for k := f.Close(i+1) + 1; k < i+60 && k < len(f.Tokens); k++ {
		switch f.Text(k) {
		case "{":
			return f.Is(k+1, "}") || f.Is(k+1, "return") && f.Is(k+2, ";")
		case ";", "}":
			return false
		case "=":
			return f.Is(k+1, "Unit")
		}
	}
	return false
}

// assertsOnly reports whether the function at token i says that a certificate is valid without a look at it.
func assertsOnly(f *units.File, i int) bool {
	for k := i; k < i+80 && k < len(f.Tokens); k++ {
		if f.Is(k, "{") {
			return f.Close(k)-k < 14 && strings.Contains(f.Norm(k, f.Close(k)), "assertion")
		}
	}
	return false
}

func inImport(f *units.File, i int) bool {
	line := strings.TrimSpace(f.Lines(f.TokenLine(i), f.TokenLine(i)))
	return strings.HasPrefix(line, "import ") || strings.HasPrefix(line, "from ") || strings.HasPrefix(line, "use ") || strings.HasPrefix(line, "using ")
}
