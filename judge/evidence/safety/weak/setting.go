package weak

import "strings"

// settingTLS looks at one line of a file that is no code: settings, shell, images.
func settingTLS(text string) (what string, soft bool) {
	t := strings.TrimSpace(text)
	if strings.HasPrefix(t, "#") || strings.HasPrefix(t, "//") || strings.HasPrefix(t, ";") || strings.HasPrefix(t, "<!--") {
		return "", false
	}
	if what, soft = shellTLS(t); what != "" {
		return what, soft
	}
	key, value, ok := strings.Cut(t, "=")
	if !ok {
		key, value, ok = strings.Cut(t, ":")
	}
	if !ok {
		return "", false
	}
	key = strings.ToLower(strings.Trim(strings.TrimPrefix(strings.TrimSpace(key), "- "), "\"' "))
	value = strings.ToLower(strings.Trim(strings.TrimSpace(value), "\"', ;"))
	key = strings.ReplaceAll(strings.ReplaceAll(key[strings.LastIndexAny(key, ". ")+1:], "-", "_"), "_", "")
	isOff := value == "false" || value == "0" || value == "no" || value == "off"
	switch key {
	case "strictssl", "sslverify", "verifyssl", "verifycerts", "validatecerts", "rejectunauthorized", "sslverifypeer", "tlsverify":
		if isOff {
			return "certificates are not verified (" + t + ")", false
		}
	case "nodetlsrejectunauthorized", "pythonhttpsverify":
		if value == "0" {
			return "certificates are not verified (" + t + ")", false
		}
	case "insecureskipverify", "insecureskiptlsverify", "gitsslnoverify":
		if value == "true" || value == "1" {
			return "certificates are not verified (" + t + ")", false
		}
	}
	return "", false
}

// shellTLS finds programs that are told not to verify.
func shellTLS(t string) (what string, soft bool) {
	if strings.Contains(t, "localhost") || strings.Contains(t, "127.0.0.1") {
		return "", false
	}
	words := strings.Fields(t)
	program := ""
	for _, w := range words {
		w = strings.Trim(w, "\"'`;()")
		switch {
		case w == "curl" || w == "wget" || strings.HasSuffix(w, "/curl") || w == "git" || w == "pip" || w == "kubectl" || w == "helm":
			program = w
		case w == "|" || w == "&&" || w == "||":
			program = ""
		case strings.HasPrefix(w, "#"):
			return "", false
		case program == "curl" && (w == "--insecure" || len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.Contains(w, "k") && strings.Trim(w, "-ksSLfvoOIigGX#") == ""):
			return "curl is told not to verify certificates", false
		case w == "--no-check-certificate" && program == "wget", w == "--insecure-skip-tls-verify" && program != "", strings.EqualFold(w, "http.sslVerify=false"):
			return program + " is told not to verify certificates", false
		case w == "NODE_TLS_REJECT_UNAUTHORIZED=0" || w == "GIT_SSL_NO_VERIFY=1" || w == "GIT_SSL_NO_VERIFY=true" || w == "PYTHONHTTPSVERIFY=0":
			return w + " switches the check of certificates off", false
		}
	}
	return "", false
}
