// Package services holds the rules about what programs talk to: databases, containers, clusters, clouds, hosting. It owns no
// table of the store and no file.
package services

import (
	"path"
	"slices"
	"strings"

	"github.com/devflow-suite/devflow/guard/destructive/rule"

	"github.com/devflow-suite/devflow/guard/destructive/sql"
	"github.com/devflow-suite/devflow/guard/place"
	"github.com/devflow-suite/devflow/guard/verdict"
)

// databaseRules are about data in databases. What goes to a database file in a temporary folder, to a database in memory or to
// one that is named a test database passes.
var databaseRules = [...]rule.Rule{
	{
		ID: "db.sql", Decision: verdict.Deny, Match: sqlLoss,
		What: "deletes data of a database", Why: "`%` cannot be taken back once it is committed", Instead: "look first: `psql -c 'SELECT count(*) FROM t'`; or name the rows: `psql -c 'DELETE FROM t WHERE id = 1'`",
	},
	{
		ID: "db.keys", Decision: verdict.Deny, Match: keyValueLoss,
		What: "empties a database", Why: "the entries are gone at once: no transaction, no undo", Instead: "delete by name: `redis-cli DEL session:1`",
	},
	{
		ID: "db.drop", Decision: verdict.Deny, Match: dropDatabase,
		What: "drops a database", Why: "every table and row in it goes, too; only a dump brings them back", Instead: "work on one of your own: `createdb app_test`",
	},
	{
		ID: "db.reset", Decision: verdict.Deny, Match: resetDatabase,
		What: "empties the database of an application", Why: "its tables are dropped before they are made again, with every row in them", Instead: "name the test database: `RAILS_ENV=test bin/rails db:test:prepare`; add what is missing: `npx prisma migrate deploy`",
	},
	{
		ID: "db.downgrade", Decision: verdict.Ask, Match: downgrade,
		What: "takes back migrations", Why: "the columns and tables that they made are dropped, with what is in them", Instead: "show the statements: `alembic history`",
	},
}

const dropLines = `dropdb
mysqladmin drop
dotnet ef database drop
wp db drop|reset
heroku pg:reset
atlas schema clean
bq rm
influx delete|bucket
cqlsh drop
mongosh drop`

const resetLines = `prisma migrate reset
prisma db push --force-reset|--accept-data-loss
artisan migrate:fresh|migrate:refresh|migrate:reset|db:wipe
rails db:drop*|db:reset|db:purge*|db:schema:load|db:structure:load|db:truncate_all|db:migrate:reset|db:seed:replant
manage.py flush|reset_db|reset_schema|sqlflush_run
manage.py migrate # zero
mix ecto.drop|ecto.reset
sequelize|sequelize-cli db:drop|db:migrate:undo:all
knex migrate:rollback --all
typeorm schema:drop
typeorm schema:sync
diesel database reset|drop
sqlx database drop|reset
flyway clean
liquibase drop-all|dropall
supabase db reset
console doctrine:database:drop|doctrine:schema:drop
doctrine orm:schema-tool:drop
goose reset|down-to
migrate drop
dbmate drop
wrangler d1 delete
hasura metadata clear
convex import --replace
drizzle-kit push --force
lerna clean-db
db-migrate reset
umzug down
aerich downgrade
ecto.drop`

const downgradeLines = `alembic downgrade
knex migrate:rollback
artisan migrate:rollback
rails db:rollback
sequelize|sequelize-cli db:migrate:undo
typeorm migration:revert
flask db downgrade
mix ecto.rollback
migrate down
goose down`

func dropDatabase(k *rule.Call) string {
	hit := k.MatchLines(dropLines)
	if k.Name == "dropdb" || k.Name == "mysqladmin" {
		for _, name := range k.Plain() {
			if testName(name) {
				return ""
			}
		}
	}
	return hit
}

func resetDatabase(k *rule.Call) string {
	for _, v := range [...]string{"RAILS_ENV", "RACK_ENV", "NODE_ENV", "APP_ENV", "MIX_ENV", "DJANGO_ENV"} {
		if e := k.Env(v); e == "test" || e == "testing" {
			return ""
		}
	}
	for _, x := range k.Words {
		if rule.OneOf(x.Text, "--env=test", "--env=testing", "-e=test", "RAILS_ENV=test") {
			return ""
		}
	}
	if k.Name == "manage.py" && k.Arg("flush") && testName(k.Env("DATABASE_URL")) {
		return ""
	}
	return k.MatchLines(resetLines)
}

func downgrade(k *rule.Call) string {
	if k.Arg("--sql", "--dry-run", "--pretend") || k.Env("RAILS_ENV") == "test" || resetDatabase(k) != "" {
		return ""
	}
	if k.Env("RAILS_ENV") == "" && k.Env("NODE_ENV") == "" && k.Env("APP_ENV") == "" && k.Env("DATABASE_URL") == "" && oneStep(k) {
		return ""
	}
	return k.MatchLines(downgradeLines)
}

// oneStep reports whether only the newest migration is taken back, which is how its other half is tried out.
func oneStep(k *rule.Call) bool {
	for _, x := range k.Words {
		if n, ok := strings.CutPrefix(x.Text, "STEP="); ok && n != "1" || strings.HasPrefix(x.Text, "--step") && x.Text != "--step=1" || rule.OneOf(x.Text, "--all", "base", "-all") {
			return false
		}
	}
	return k.MatchLines("alembic|flask downgrade -1\nrails db:rollback\nknex migrate:rollback\ntypeorm migration:revert\nsequelize|sequelize-cli db:migrate:undo\nartisan migrate:rollback --step=1\nmigrate|goose down # 1\nmix ecto.rollback") != "" || k.MatchLines("alembic downgrade") != "" && k.Arg("-1")
}

// testName recognises what is made for a test by its name: app_test, test-db, docker-compose.ci.yml, e2e.sqlite.
func testName(name string) bool {
	if liveName(name) {
		return false
	}
	for _, p := range parts(name) {
		if rule.OneOf(p, "test", "tests", "testing", "testdb", "ci", "e2e", "tmp", "temp", "scratch", "sandbox", "throwaway", "dummy", "fixture", "fixtures") {
			return true
		}
	}
	return false
}

// clients are the programs that take SQL: the options whose value is SQL, and whether plain arguments are SQL, too.
var clients = [...]struct {
	name    string
	options string
	plain   bool
}{
	{"psql", " -c --command -e --execute ", false},
	{"mysql", " -e --execute ", false},
	{"sqlite3", " -cmd ", true},
	{"duckdb", " -c -cmd -s ", true},
	{"sqlcmd", " -Q -q ", false},
	{"clickhouse-client", " -q --query ", false},
	{"clickhouse", " -q --query ", false},
	{"snowsql", " -q --query ", false},
	{"snow", " -q --query ", false},
	{"bq", " ", true},
	{"cqlsh", " -e --execute ", false},
	{"sqlplus", " ", false},
	{"trino", " --execute ", false},
	{"presto", " --execute ", false},
	{"beeline", " -e ", false},
	{"hive", " -e ", false},
	{"spark-sql", " -e ", false},
	{"wrangler", " --command ", false},
	{"turso", " ", true},
	{"sqlite-utils", " ", true},
	{"mysqladmin", " ", false},
	{"pscale", " ", false},
	{"supabase", " ", false},
	{"prisma", " ", false},
	{"isql", " ", false},
	{"osql", " -Q -q ", false},
	{"rails", " ", false},
	{"dolt", " -q --query ", false},
}

// texts gives what a client of a database is told: by option, by argument and on its standard input.
func statements(k *rule.Call, options string, plain bool) []string {
	var list []string
	for i := 0; i < len(k.Words); i++ {
		t := k.Words[i].Text
		name, value, attached := strings.Cut(t, "=")
		switch {
		case strings.HasPrefix(t, "--") && attached && strings.Contains(options, " "+name+" "):
			list = append(list, value)
		case len(t) > 1 && t[0] == '-' && strings.Contains(options, " "+t+" "):
			if i++; i < len(k.Words) {
				list = append(list, k.Words[i].Text)
			}
		case len(t) > 2 && t[0] == '-' && t[1] != '-' && strings.Contains(options, " "+t[:2]+" "):
			list = append(list, t[2:])
		case len(t) > 2 && t[0] == '-' && t[1] != '-' && len(t) < 8 && strings.Contains(options, " -"+t[len(t)-1:]+" "): // psql -tAc SQL
			if i++; i < len(k.Words) {
				list = append(list, k.Words[i].Text)
			}
		case plain && t != "" && t[0] != '-':
			list = append(list, t)
		}
	}
	if text := k.Cmd.Stdin.Text.Text; text != "" {
		list = append(list, text)
	}
	return list
}

func sqlLoss(k *rule.Call) string {
	for _, c := range clients {
		if c.name != k.Name {
			continue
		}
		if scratch(k) {
			return ""
		}
		for _, text := range statements(k, c.options, c.plain) {
			found := slices.DeleteFunc(sql.Losses(text), madeForTest)
			if len(found) > 0 {
				return strings.Join(found, "; ")
			}
		}
	}
	return ""
}

// madeForTest reports whether a statement drops or empties what is made for a test: DROP DATABASE app_test.
func madeForTest(loss string) bool {
	words := strings.Fields(loss)
	return len(words) > 1 && (strings.EqualFold(words[0], "drop") || strings.EqualFold(words[0], "truncate")) && testName(words[len(words)-1])
}

// scratch reports whether the database is a file in a temporary folder, in memory, or named a test database.
func scratch(k *rule.Call) bool {
	plain := k.Plain()
	switch k.Name {
	case "sqlite3", "duckdb":
		if len(plain) == 0 || plain[0] == ":memory:" {
			return true
		}
		if testName(path.Base(plain[0])) {
			return true
		}
		for _, e := range k.Targets(k.Word(plain[0])) {
			if e.Target.Zone != place.Temp || e.Op&rule.Remote != 0 {
				return false
			}
		}
		return true
	case "wrangler":
		return k.Arg("--local")
	case "psql", "mysql":
		o := rule.Parse(k.Words, "dhpUuPFvce", " --dbname --host --port --username --command --database ")
		name, ok := o.Get("d", "D", "--dbname", "--database")
		if !ok && len(o.Operands) > 0 {
			return testName(o.Operand(0))
		}
		return ok && testName(name.Text)
	}
	return false
}

func keyValueLoss(k *rule.Call) string {
	text := strings.ToLower(rule.Join(k.Words) + " " + k.Cmd.Stdin.Text.Text[:min(len(k.Cmd.Stdin.Text.Text), 1<<16)])
	switch k.Name {
	case "redis-cli":
		for _, x := range strings.Fields(text) {
			if rule.OneOf(x, "flushall", "flushdb") {
				return "redis-cli " + strings.ToUpper(x)
			}
		}
	case "mongosh":
		if db := k.Plain(); len(db) > 0 && testName(path.Base(db[0])) {
			return ""
		}
		squeezed := strings.Join(strings.Fields(text), "")
		for _, call := range [...]string{"dropdatabase(", ".drop(", "deletemany({})", "remove({})", "dropindexes(", "dropuser(", "dropallusers"} {
			if strings.Contains(squeezed, call) {
				return "mongosh " + call
			}
		}
	case "etcdctl":
		if k.Arg("del") && k.Option("--prefix|--from-key") {
			return "etcdctl del --prefix"
		}
	case "consul":
		if k.Arg("delete") && k.Option("-recurse") {
			return "consul kv delete -recurse"
		}
	case "nc", "ncat", "telnet":
		if strings.Contains(text, "flush_all") || strings.Contains(text, "flushall") {
			return "flush_all"
		}
	}
	return ""
}
