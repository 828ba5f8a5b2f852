package secret

import "strings"

// address looks at user:password@host behind the :// at i. Passwords that stand for any password (postgres:postgres@localhost)
// are none: what is common in documentation and on a developer's machine opens nothing elsewhere.
func (f *finder) address(i int) {
	const longest = 256
	s := f.s
	from := i + 3
	colon, at := 0, 0
	stop := min(len(s), from+longest)
	j := from
scan:
	for ; j < stop; j++ {
		switch c := s[j]; {
		case c == '@':
			at = j
		case c == ':' && colon == 0 && at == 0:
			colon = j
		case c <= ' ' || c >= 0x7f || c == '/' || c == '"' || c == '\'' || c == '`' || c == '<' || c == '>' || c == '\\' || c == '|' || c == '{' || c == '}' || c == '(':
			break scan
		}
	}
	if at == 0 || colon == 0 || at < colon+2 {
		return
	}
	user, pass := s[from:colon], s[colon+1:at]
	if !tells(user, pass, host(s[at+1:j])) {
		return
	}
	id := idURL
	if database(scheme(s, i)) {
		id = idDatabase
	}
	f.add(id, colon+1, at)
}

// host is the name without port and query.
func host(s string) string {
	if end := strings.IndexAny(s, ":?#,;)]&"); end >= 0 {
		s = s[:end]
	}
	return strings.TrimSuffix(strings.ToLower(s), ".")
}

func scheme(s string, i int) string {
	from := i
	for from > 0 && i-from < 24 && (inSet(s[from-1], alnum) || s[from-1] == '+') {
		from--
	}
	name, _, _ := strings.Cut(strings.ToLower(s[from:i]), "+")
	return name
}

func database(scheme string) bool {
	switch scheme {
	case "postgres", "postgresql", "mysql", "mysql2", "mariadb", "mongodb", "redis", "rediss", "valkey", "amqp", "amqps", "mssql", "sqlserver", "oracle",
		"clickhouse", "cockroachdb", "cassandra", "neo4j", "bolt", "couchbase", "couchdb", "influxdb", "snowflake", "cockroach", "libsql", "nats", "ldap", "ldaps":
		return true
	}
	return false
}

// tells reports whether a password in an address opens something.
func tells(user, pass, host string) bool {
	const short, long = 6, 16
	pass = unescaped(pass)
	lower := strings.ToLower(pass)
	switch {
	case len(pass) < short, strings.ContainsAny(pass, "$%*[]"), strings.EqualFold(user, pass), weak(lower), distinct(pass) <= 2, containsAny(pass, fillers[:]), sequence(lower):
		return false
	case strings.Trim(pass, "0123456789") == "": // a port
		return false
	}
	digit, low, up := kinds(pass)
	mixed := digit && (low || up)
	switch {
	case local(host):
		return len(pass) >= long && mixed && entropy(pass) >= 3.5 && !spoken(pass)
	case reserved(host):
		return len(pass) > short && mixed && !weak(strings.TrimRight(lower, "0123456789!@#._-"))
	}
	return mixed || len(pass) >= short+2
}

// unescaped resolves the %40 of an address, and leaves anything else (%s) alone.
func unescaped(pass string) string {
	if strings.IndexByte(pass, '%') < 0 {
		return pass
	}
	var b strings.Builder
	for i := 0; i < len(pass); i++ {
		if pass[i] == '%' && i+2 < len(pass) && inSet(pass[i+1]|0x20, hex) && inSet(pass[i+2]|0x20, hex) {
			b.WriteByte(nibble(pass[i+1])<<4 | nibble(pass[i+2]))
			i += 2
		} else {
			b.WriteByte(pass[i])
		}
	}
	return b.String()
}

func nibble(c byte) byte {
	if digit(c) {
		return c - '0'
	}
	return c&0x0f + 9
}

// local reports whether a host is on this machine or a service of a compose file, which has no dot in its name.
func local(host string) bool {
	return !strings.Contains(host, ".") || strings.HasPrefix(host, "127.") || host == "0.0.0.0" || host == "host.docker.internal" || strings.HasSuffix(host, ".localhost")
}

// reserved reports whether a host is one of RFC 2606 or of a private network, which nobody can own.
func reserved(host string) bool {
	if i := strings.LastIndexByte(host, '.'); i >= 0 {
		switch host[i+1:] {
		case "test", "example", "invalid", "local", "svc":
			return true
		}
		name := host[strings.LastIndexByte(host[:i], '.')+1 : i]
		return name == "example"
	}
	return host == ""
}

// weak reports whether a password in lower case is one that stands for any.
func weak(pass string) bool {
	switch pass {
	case "", "password", "passwd", "pass", "pwd", "secret", "token", "admin", "administrator", "root", "user", "username", "test", "testing",
		"testpass", "testpassword", "test_password", "guest", "postgres", "postgresql", "mysql", "mariadb", "mongo", "mongodb", "redis", "rabbitmq", "example", "sample", "demo",
		"dev", "devel", "devpass", "devpassword", "development", "local", "default", "docker", "changeit", "letmein", "qwerty", "mypassword", "my_password", "my-password", "mypass", "mysecret",
		"mysecretpassword", "dbpass", "dbpassword", "db_password", "db-password", "dbpwd", "app", "apppassword", "app_password", "userpass", "userpassword", "user_password", "secretpassword", "somepassword",
		"supersecret", "supersecure", "anoncvs", "anonymous", "pserver:anoncvs", "superuser", "strongpassword", "x-oauth-basic", "api_key", "apikey", "api-key", "foo", "bar", "baz", "foobar", "pw", "auth", "auth_token", "encodedpassword", "opensesame", "rootpassword", "rootpass", "adminpass", "adminpassword", "redispassword", "redispass":
		return true
	}
	switch unleet(pass) {
	case "password", "passwd", "pass", "secret", "admin", "root", "test":
		return true
	}
	return false
}

// unleet undoes the usual replacements of letters: p4ssw0rd.
func unleet(pass string) string {
	return strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "@", "a", "5", "s", "$", "s").Replace(pass)
}
