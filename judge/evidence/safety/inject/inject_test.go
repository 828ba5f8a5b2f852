package inject_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/rulecase"
	"github.com/devflow-suite/devflow/judge/evidence/rule"
	"github.com/devflow-suite/devflow/judge/evidence/safety/inject"
)

// found runs the rules over a new file and lists what they find as "rule:line class".
func found(rules []rule.Rule, path, text string) string {
	c := rulecase.Of(map[string][]byte{}, map[string][]byte{path: []byte(text)}, nil)
	var out []string
	for _, r := range rules {
		for _, f := range rulecase.Findings(r, c) {
			f = strings.TrimPrefix(f, path+":")
			out = append(out, fmt.Sprintf("%s:%s", strings.TrimSuffix(r.ID, "-injection"), f))
		}
	}
	return strings.Join(out, ", ")
}

func TestValuesOfCallersInQueries(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, path, code, want string }{
		{"python f-string", "a.py", "def f(conn, mail):\n    cur = conn.cursor()\n    cur.execute(f\"SELECT * FROM users WHERE mail = '{mail}'\")\n", "sql:3 hard"},
		{"python percent", "a.py", "def f(c, mail):\n    q = \"SELECT * FROM users WHERE mail = '%s'\" % mail\n    return c.execute(q)\n", "sql:2 hard"},
		{"python percent tuple", "a.py", "def f(c, mail, x):\n    return c.execute(\"SELECT * FROM users WHERE mail = '%s' AND x = %s\" % (mail, x))\n", "sql:2 hard"},
		{"python plus", "a.py", "def f(c, mail):\n    c.execute(\"DELETE FROM users WHERE mail = \" + str(mail))\n", "sql:2 hard"},
		{"python format", "a.py", "def f(c, mail):\n    c.execute(\"select id from users where mail = '{}'\".format(mail))\n", "sql:2 hard"},
		{"python format keyword", "a.py", "def f(c, mail):\n    c.execute(\"select id from users where mail = '{m}'\".format(m=mail))\n", "sql:2 hard"},
		{"python grown", "a.py", "def f(c, mail):\n    q = \"SELECT id FROM users\"\n    q += \" WHERE mail = '\" + mail + \"'\"\n    c.execute(q)\n", "sql:3 hard"},
		{"python local", "a.py", "def f(c, request):\n    mail = request.args.get('mail').strip()\n    c.execute(f'UPDATE users SET seen=1 WHERE mail={mail}')\n", "sql:3 hard"},
		{"python joined", "a.py", "def f(c, ids):\n    c.execute('SELECT * FROM a WHERE id IN (' + ','.join(ids) + ')')\n", "sql:2 hard"},
		{"python list", "a.py", "def f(c, mail):\n    q = ''.join(['SELECT * FROM a WHERE m = \"', mail, '\"'])\n    return q\n", "sql:2 hard"},
		{"python adjacent", "a.py", "def f(c, mail):\n    q = (\"SELECT * \"\n         \"FROM a WHERE m = '%s'\" % mail)\n    return q\n", "sql:3 hard"},
		{"python constant", "a.py", "QUERY = \"SELECT * FROM a WHERE m = '%s'\"\n\n\ndef f(c, mail):\n    return c.execute(QUERY % mail)\n", "sql:5 hard"},
		{"python checked", "a.py", "def f(c, col):\n    if col not in COLUMNS:\n        raise ValueError(col)\n    c.execute(f'SELECT {col} FROM a')\n", "sql:4 soft"},
		{"python bound", "a.py", "def f(c, mail):\n    c.execute('SELECT * FROM a WHERE m = %s', (mail,))\n    c.execute('SELECT * FROM a WHERE m = ?', [mail])\n", ""},
		{"python bound by name", "a.py", "def f(c, mail):\n    c.execute('SELECT * FROM a WHERE m = :m', {'m': mail})\n    c.execute(text('SELECT * FROM a WHERE m = :m'), m=mail)\n", ""},
		{"python placeholders", "a.py", "def f(c, ids):\n    marks = ','.join('?' for _ in ids)\n    c.execute(f'SELECT * FROM a WHERE id IN ({marks})', ids)\n", ""},
		{"python placeholders of a count", "a.py", "def f(c, ids):\n    c.execute('SELECT * FROM a WHERE id IN (' + ','.join(['?'] * len(ids)) + ')', ids)\n", ""},
		{"python number", "a.py", "def f(c, n: int):\n    c.execute(f'SELECT * FROM a LIMIT {n}')\n    c.execute('SELECT * FROM a LIMIT %d' % n)\n", ""},
		{"python cast", "a.py", "def f(c, n):\n    c.execute(f'SELECT * FROM a LIMIT {int(n)}')\n    n = int(n)\n    c.execute('SELECT * FROM a LIMIT ' + str(n))\n", ""},
		{"python message", "a.py", "def f(name):\n    raise ValueError(f'cannot select {name} from the list')\n", ""},
		{"python prose", "a.py", "def f(name):\n    return 'Select a file from ' + name\n", ""},
		{"python constants only", "a.py", "TABLE = 'a'\n\n\ndef f(c):\n    c.execute(f'SELECT * FROM {TABLE}')\n    c.execute('SELECT * FROM ' + TABLE + ' WHERE a = 1')\n", ""},
		{"python identifier", "a.py", "def f(c, name):\n    c.execute(sql.SQL('SELECT * FROM {}').format(sql.Identifier(name)))\n", ""},
		{"go plus", "a.go", "package a\n\nfunc F(db *sql.DB, mail string) {\n\tdb.Query(\"SELECT * FROM a WHERE m = '\" + mail + \"'\")\n}\n", "sql:4 hard"},
		{"go format", "a.go", "package a\n\nfunc F(mail string) string {\n\treturn fmt.Sprintf(\"SELECT * FROM a WHERE m = '%s'\", mail)\n}\n", "sql:4 hard"},
		{"go builder", "a.go", "package a\n\nfunc F(mail string) string {\n\tvar b strings.Builder\n\tb.WriteString(\"SELECT * FROM a WHERE m = '\")\n\tb.WriteString(mail)\n\tb.WriteString(\"'\")\n\treturn b.String()\n}\n", "sql:6 hard"},
		{"go request", "a.go", "package a\n\nfunc F(w http.ResponseWriter, r *http.Request) {\n\tid := r.URL.Query().Get(\"id\")\n\tdb.Exec(\"DELETE FROM a WHERE id = \" + id)\n}\n", "sql:5 hard"},
		{"go join", "a.go", "package a\n\nfunc F(m string) string {\n\treturn strings.Join([]string{\"SELECT * FROM a WHERE m = '\", m, \"'\"}, \"\")\n}\n", "sql:4 hard"},
		{"go bound", "a.go", "package a\n\nfunc F(db *sql.DB, mail string, n int) {\n\tdb.Query(\"SELECT * FROM a WHERE m = $1\", mail)\n\tdb.Query(fmt.Sprintf(\"SELECT * FROM a LIMIT %d\", n))\n\tq := \"SELECT * FROM a WHERE m = ?\"\n\tdb.Query(q, mail)\n}\n", ""},
		{"go table", "a.go", "package a\n\nfunc F(db *sql.DB, table string) {\n\tdb.Query(\"SELECT * FROM \" + table)\n}\n", "sql:4 soft"},
		{"js plus", "a.js", "function f (db, mail, cb) {\n  db.query(\"SELECT * FROM a WHERE m = '\" + mail + \"'\", cb)\n}\n", "sql:2 hard"},
		{"js template", "a.js", "const f = (db, mail) => db.query(`SELECT * FROM a WHERE m = '${mail}'`)\n", "sql:1 hard"},
		{"js handler", "a.js", "app.get('/', async (req, res) => {\n  const { id } = req.query\n  const rows = await db.query(`SELECT * FROM a WHERE id = ${id}`)\n  res.json(rows)\n})\n", "sql:3 hard"},
		{"js concat", "a.js", "function f (db, mail) {\n  const q = 'SELECT * FROM a WHERE m = '.concat(mail)\n  return db.query(q)\n}\n", "sql:2 hard"},
		{"js list", "a.js", "function f (db, mail) {\n  return db.query(['SELECT * FROM a WHERE m = ', mail].join(''))\n}\n", "sql:2 hard"},
		{"js tagged", "a.ts", "export function f(sql: any, mail: string) {\n  return sql`SELECT * FROM a WHERE m = ${mail}`\n}\n", ""},
		{"js bound", "a.ts", "export function f(db: any, mail: string, ids: string[]) {\n  db.query('SELECT * FROM a WHERE m = ?', [mail])\n  return db.query(`SELECT * FROM a WHERE id IN (${ids.map(() => '?').join(',')})`, ids)\n}\n", ""},
		{"js escaped", "a.ts", "export function f(db: any, mail: string) {\n  return db.query('SELECT * FROM a WHERE m = ' + db.escape(mail))\n}\n", ""},
		{"js arrow method", "a.ts", "class A {\n  find = async (id: string) => {\n    return this.db.raw(`DELETE FROM a WHERE id = '${id}'`)\n  }\n}\n", "sql:3 hard"},
		{"java plus", "A.java", "class A {\n  ResultSet f(Statement s, String m) throws SQLException {\n    return s.executeQuery(\"SELECT * FROM a WHERE m = '\" + m + \"'\");\n  }\n}\n", "sql:3 hard"},
		{"java format", "A.java", "class A {\n  ResultSet f(Statement s, String m) throws SQLException {\n    String q = String.format(\"SELECT * FROM a WHERE m = '%s'\", m);\n    return s.executeQuery(q);\n  }\n}\n", "sql:3 hard"},
		{"java builder", "A.java", "class A {\n  String f(String m) {\n    StringBuilder b = new StringBuilder(\"SELECT * FROM a WHERE m = '\");\n    b.append(m).append(\"'\");\n    return b.toString();\n  }\n}\n", "sql:4 hard"},
		{"java builder chain", "A.java", "class A {\n  String f(String m) {\n    return new StringBuilder().append(\"SELECT * FROM a WHERE m = '\").append(m).toString();\n  }\n}\n", "sql:3 hard"},
		{"java bound", "A.java", "class A {\n  void f(Connection c, String m) throws SQLException {\n    PreparedStatement p = c.prepareStatement(\"SELECT * FROM a \" + \"WHERE m = ?\");\n    p.setString(1, m);\n  }\n}\n", ""},
		{"rust format", "a.rs", "pub fn f(m: &str) -> String {\n    format!(\"SELECT * FROM a WHERE m = '{}'\", m)\n}\n", "sql:2 hard"},
		{"rust named", "a.rs", "pub fn f(m: &str) -> String {\n    format!(\"SELECT * FROM a WHERE m = '{m}'\")\n}\n", "sql:2 hard"},
		{"rust pushed", "a.rs", "pub fn f(m: &str) -> String {\n    let mut q = String::from(\"DELETE FROM a WHERE m = '\");\n    q.push_str(m);\n    q\n}\n", "sql:3 hard"},
		{"rust plus", "a.rs", "pub fn f(m: &str) -> String {\n    \"DELETE FROM a WHERE m = '\".to_string() + m\n}\n", "sql:2 hard"},
		{"rust written", "a.rs", "pub fn f(m: &str) -> String {\n    let mut q = String::new();\n    write!(q, \"DELETE FROM a WHERE m = '{}'\", m).unwrap();\n    q\n}\n", "sql:3 hard"},
		{"rust bound", "a.rs", "pub fn f(c: &Connection, m: &str) {\n    c.execute(\"DELETE FROM a WHERE m = ?1\", params![m]).unwrap();\n}\n", ""},
		{"rust test module", "a.rs", "#[cfg(test)]\nmod tests {\n    fn f(m: &str) -> String {\n        format!(\"SELECT * FROM a WHERE m = '{}'\", m)\n    }\n}\n", ""},
		{"dart dollar", "a.dart", "Future f(db, String m) async {\n  return db.rawQuery(\"SELECT * FROM a WHERE m = '$m'\");\n}\n", "sql:2 hard"},
		{"dart plus", "a.dart", "Future<void> f(dynamic db, {required String m}) async {\n  await db.execute('DELETE FROM a WHERE m = ' + m);\n}\n", "sql:2 hard"},
		{"dart arrow", "a.dart", "Future f(db, String m) => db.rawQuery('SELECT * FROM a WHERE m = ${m.trim()}');\n", "sql:1 hard"},
		{"dart buffer", "a.dart", "String f(String m) {\n  final b = StringBuffer();\n  b.write('SELECT * FROM a WHERE m = ');\n  b.write(m);\n  return b.toString();\n}\n", "sql:4 hard"},
		{"dart cascade", "a.dart", "String f(String m) {\n  final b = StringBuffer()..write('SELECT * FROM a WHERE m = ')..write(m);\n  return b.toString();\n}\n", "sql:2 hard"},
		{"java hql", "A.java", "class A {\n  Query f(EntityManager em, String m) {\n    return em.createQuery(\"from User u where u.mail = '\" + m + \"'\");\n  }\n}\n", "sql:3 hard"},
		{"go replaced", "a.go", "package a\n\nfunc f(m string) string {\n\treturn strings.ReplaceAll(\"SELECT * FROM a WHERE m = ':m'\", \":m\", m)\n}\n", "sql:4 hard"},
		{"rust list", "a.rs", "pub fn f(m: &str) -> String {\n    [\"SELECT * FROM a WHERE m = '\", m, \"'\"].concat()\n}\n", "sql:2 hard"},
		{"rust query", "a.rs", "pub async fn f(db: &Pool, m: String) -> Result<Row> {\n    let q = \"SELECT * FROM a WHERE m = '\".to_owned() + &m + \"'\";\n    sqlx::query(&q).fetch_one(db).await\n}\n", "sql:2 hard"},
		{"ts option", "a.ts", "export async function f({ id, db }: Options) {\n  const where = `WHERE id = '${id}'`\n  return db.raw('SELECT * FROM a ' + where)\n}\n", "sql:2 hard, sql:3 hard"},
		{"dart bound", "a.dart", "Future f(db, String m) async {\n  return db.rawQuery('SELECT * FROM a WHERE m = ?', [m]);\n}\n", ""},
		{"kotlin", "a.kt", "fun f(db: Db, m: String) = db.rawQuery(\"SELECT * FROM a WHERE m = '$m'\", null)\n", "sql:1 hard"},
		{"csharp", "a.cs", "class A {\n  void F(Db db, string m) {\n    db.Query($\"SELECT * FROM a WHERE m = '{m}'\");\n  }\n}\n", "sql:3 hard"},
		{"ruby", "a.rb", "def f(m)\n  User.where(\"SELECT * FROM a WHERE m = '#{m}'\")\nend\n", "sql:2 hard"},
		{"php", "a.php", "<?php\nfunction f($db, $m) {\n  return $db->query(\"SELECT * FROM a WHERE m = '\" . $m . \"'\");\n}\n", "sql:3 hard"},
		{"swift", "a.swift", "func f(db: Db, m: String) {\n  db.run(\"SELECT * FROM a WHERE m = '\\(m)'\")\n}\n", "sql:2 hard"},
		{"a test", "tests/test_a.py", "def f(c, mail):\n    c.execute(f\"SELECT * FROM users WHERE mail = '{mail}'\")\n", ""},
	}
	check(t, tests)
}

func check(t *testing.T, tests []struct{ name, path, code, want string }) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := found(inject.Rules(), tt.path, tt.code); got != tt.want {
				t.Errorf("found %q, want %q in\n%s", got, tt.want, tt.code)
			}
		})
	}
}

func TestValuesOfCallersInCommands(t *testing.T) {
	t.Parallel()
	check(t, []struct{ name, path, code, want string }{
		{"python shell", "a.py", "def f(path):\n    import subprocess\n\n    return subprocess.check_output(\"tar czf o.tgz \" + path, shell=True)\n", "command:4 hard"},
		{"python system", "a.py", "import os\n\n\ndef f(host):\n    return os.system(f\"ping {host}\")\n", "command:5 hard"},
		{"python popen", "a.py", "import os\n\n\ndef f(host):\n    cmd = 'ping %s' % host\n    return os.popen(cmd).read()\n", "command:6 hard"},
		{"python bash", "a.py", "def f(host):\n    subprocess.run(['bash', '-c', f'ping {host}'], check=True)\n", "command:2 hard"},
		{"python async", "a.py", "async def f(host):\n    await asyncio.create_subprocess_shell('ping ' + host)\n", "command:2 hard"},
		{"python list", "a.py", "def f(host):\n    subprocess.run(['ping', '-c', '1', host], check=True)\n    subprocess.run('ls', shell=True)\n", ""},
		{"python quoted", "a.py", "def f(host):\n    os.system('ping ' + shlex.quote(host))\n", ""},
		{"go", "a.go", "package a\n\nfunc f(p string) error {\n\treturn exec.Command(\"sh\", \"-c\", \"tar czf o.tgz \"+p).Run()\n}\n", "command:4 hard"},
		{"go format", "a.go", "package a\n\nfunc f(ctx context.Context, p string) error {\n\tc := fmt.Sprintf(\"tar %s\", p)\n\treturn exec.CommandContext(ctx, \"/bin/bash\", \"-lc\", c).Run()\n}\n", "command:5 hard"},
		{"go list", "a.go", "package a\n\nfunc f(p string) error {\n\treturn exec.Command(\"tar\", \"-c\", p).Run()\n}\n", ""},
		{"js", "a.js", "function f (p, cb) {\n  require('child_process').exec('tar czf o.tgz ' + p, cb)\n}\n", "command:2 hard"},
		{"js imported", "a.ts", "import { execSync } from 'node:child_process'\n\nexport function f(p: string) {\n  return execSync(`ping ${p}`)\n}\n", "command:4 hard"},
		{"js spawn", "a.ts", "export function f(p: string) {\n  return spawn(`ping ${p}`, { shell: true })\n}\n", "command:2 hard"},
		{"js regexp", "a.js", "const re = /a/\nfunction f (s) {\n  return re.exec('x' + s)\n}\n", ""},
		{"js file", "a.js", "const { execFile } = require('child_process')\nfunction f (p, cb) {\n  execFile('ping', [p], cb)\n}\n", ""},
		{"java exec", "A.java", "class A {\n  Process f(String p) throws IOException {\n    return Runtime.getRuntime().exec(\"sh -c tar \" + p);\n  }\n}\n", "command:3 hard"},
		{"java builder", "A.java", "class A {\n  Process f(String p) throws IOException {\n    return new ProcessBuilder(\"sh\", \"-c\", \"ping \" + p).start();\n  }\n}\n", "command:3 hard"},
		{"java array", "A.java", "class A {\n  Process f(String p) throws IOException {\n    return Runtime.getRuntime().exec(new String[] {\"/bin/sh\", \"-c\", \"ping \" + p});\n  }\n}\n", "command:3 hard"},
		{"java list", "A.java", "class A {\n  Process f(String p) throws IOException {\n    return new ProcessBuilder(\"ping\", p).start();\n  }\n}\n", ""},
		{"rust", "a.rs", "pub fn f(p: &str) -> io::Result<Output> {\n    std::process::Command::new(\"sh\").arg(\"-c\").arg(format!(\"tar {}\", p)).output()\n}\n", "command:2 hard"},
		{"rust args", "a.rs", "pub fn f(p: &str) -> io::Result<Output> {\n    Command::new(\"bash\")\n        .args([\"-c\", &format!(\"tar {p}\")])\n        .output()\n}\n", "command:3 hard"},
		{"rust variable", "a.rs", "pub fn f(p: &str) {\n    let mut c = Command::new(\"sh\");\n    c.arg(\"-c\").arg(format!(\"tar {}\", p));\n}\n", "command:3 hard"},
		{"rust list", "a.rs", "pub fn f(p: &str) -> io::Result<Output> {\n    Command::new(\"tar\").arg(\"-c\").arg(p).output()\n}\n", ""},
		{"dart", "a.dart", "Future f(String p) async {\n  return io.Process.run('sh', ['-c', 'tar $p']);\n}\n", "command:2 hard"},
		{"dart shell", "a.dart", "Future f(String p) => Process.run('ping $p', [], runInShell: true);\n", "command:1 hard"},
		{"dart list", "a.dart", "Future f(String p) => Process.run('ping', [p]);\n", ""},
		{"ruby", "a.rb", "def f(p)\n  system(\"ping #{p}\")\nend\n", "command:2 hard"},
		{"ruby ticks", "a.rb", "def f(p)\n  x = %x(ping #{p})\nend\n", "command:2 hard"},
		{"php", "a.php", "<?php\nfunction f($p) {\n  return shell_exec(\"ping \" . $p);\n}\n", "command:3 hard"},
	})
}

func TestValuesOfCallersRevived(t *testing.T) {
	t.Parallel()
	check(t, []struct{ name, path, code, want string }{
		{"pickle", "a.py", "def f(data):\n    import pickle\n\n    return pickle.loads(data)\n", "unsafe-deserialize:4 hard"},
		{"pickle of a file", "a.py", "def f(path):\n    with open(path, 'rb') as fh:\n        return pickle.load(fh)\n", "unsafe-deserialize:3 hard"},
		{"pickle of a request", "a.py", "def f():\n    return pickle.loads(base64.b64decode(request.data))\n", "unsafe-deserialize:2 hard"},
		{"imported", "a.py", "from pickle import loads\n\n\ndef f(data):\n    return loads(data)\n", "unsafe-deserialize:5 hard"},
		{"yaml", "a.py", "def f(text):\n    return yaml.load(text, Loader=yaml.Loader)\n", "unsafe-deserialize:2 hard"},
		{"yaml without a loader", "a.py", "def f(text):\n    return yaml.load(text)\n", "unsafe-deserialize:2 hard"},
		{"marshal", "a.py", "def f(fp):\n    import marshal\n\n    return marshal.load(fp)\n", "unsafe-deserialize:4 hard"},
		{"eval", "a.py", "def f(text):\n    return eval(text)\n", "unsafe-deserialize:2 hard"},
		{"exec", "a.py", "def f(text):\n    exec(compile(text, '<x>', 'exec'), {})\n", "unsafe-deserialize:2 hard"},
		{"safe", "a.py", "def f(text, model):\n    yaml.safe_load(text)\n    yaml.load(text, Loader=yaml.SafeLoader)\n    ast.literal_eval(text)\n    json.loads(text)\n    model.eval()\n    return toml.load(text)\n", ""},
		{"constant", "a.py", "def f():\n    return eval('1 + 1')\n", ""},
		{"js eval", "a.js", "function f (text) {\n  return eval('(' + text + ')')\n}\n", "unsafe-deserialize:2 hard"},
		{"js function", "a.ts", "export function f(text: string) {\n  return new Function('return ' + text)()\n}\n", "unsafe-deserialize:2 hard"},
		{"js vm", "a.js", "const vm = require('vm')\nfunction f (text) {\n  return vm.runInNewContext(text)\n}\n", "unsafe-deserialize:3 hard"},
		{"js serialize", "a.js", "function f (text) {\n  return require('node-serialize').unserialize(text)\n}\n", "unsafe-deserialize:2 hard"},
		{"js indirect", "a.ts", "export function f(text: string) {\n  return (0, eval)(text)\n}\n", "unsafe-deserialize:2 hard"},
		{"inline import", "a.py", "def f(data):\n    return __import__('pickle').loads(data)\n", "unsafe-deserialize:2 hard"},
		{"shelve", "a.py", "def f(path):\n    return shelve.open(path)\n", "unsafe-deserialize:2 hard"},
		{"js json", "a.js", "function f (text) {\n  return JSON.parse(text)\n}\n", ""},
		{"java", "A.java", "class A {\n  Object f(InputStream in) throws Exception {\n    return new ObjectInputStream(in).readObject();\n  }\n}\n", "unsafe-deserialize:3 hard"},
		{"java local", "A.java", "class A {\n  Object f(byte[] b) throws Exception {\n    try (var in = new java.io.ObjectInputStream(new ByteArrayInputStream(b))) {\n      return in.readObject();\n    }\n  }\n}\n", "unsafe-deserialize:3 hard"},
		{"java xml", "A.java", "class A {\n  Object f(String x) {\n    return new XMLDecoder(new ByteArrayInputStream(x.getBytes())).readObject();\n  }\n}\n", "unsafe-deserialize:3 hard"},
		{"java forbids", "A.java", "class A {\n  private void readObject(ObjectInputStream in) throws IOException {\n    throw new InvalidObjectException(\"no\");\n  }\n}\n", ""},
		{"java filters", "A.java", "class A {\n  Object f(InputStream in) throws Exception {\n    ObjectInputStream o = new ObjectInputStream(in);\n    o.setObjectInputFilter(FILTER);\n    return o.readObject();\n  }\n}\n", ""},
		{"kotlin", "a.kt", "fun f(s: InputStream): Any {\n  return ObjectInputStream(s).readObject()\n}\n", "unsafe-deserialize:2 hard"},
		{"php", "a.php", "<?php\nfunction f($d) {\n  return unserialize($d);\n}\n", "unsafe-deserialize:3 hard"},
		{"ruby", "a.rb", "def f(d)\n  Marshal.load(d)\nend\n", "unsafe-deserialize:2 hard"},
		{"csharp", "a.cs", "class A {\n  object F(Stream s) {\n    var b = new BinaryFormatter();\n    return b.Deserialize(s);\n  }\n}\n", "unsafe-deserialize:4 hard"},
		{"a request opens", "a.js", "app.get('/', (req, res) => {\n  fs.readFile('data/' + req.query.name, done)\n})\n", "path-traversal:2 soft"},
		{"a request opens, cut", "a.js", "app.get('/', (req, res) => {\n  fs.readFile('data/' + path.basename(req.query.name), done)\n})\n", ""},
	})
}

func TestWhatWasThereIsNotBroughtIn(t *testing.T) {
	t.Parallel()
	const before = "def f(c, mail):\n    c.execute(f\"SELECT * FROM a WHERE m = '{mail}'\")\n"
	c := rulecase.Of(map[string][]byte{"a.py": []byte(before)}, map[string][]byte{"b.py": []byte("# moved\n\n\n" + before)}, nil)
	for _, r := range inject.Rules() {
		if got := rulecase.Findings(r, c); len(got) > 0 {
			t.Errorf("%s: %q", r.ID, got)
		}
	}
}
