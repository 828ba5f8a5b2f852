package sql_test

import (
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/guard/destructive/sql"
)

func TestLosses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"DROP TABLE users": "DROP TABLE users", "drop database if exists x;": "drop database if exists x", "/* c */ truncate t": "truncate t", "-- c\nDELETE FROM t": "DELETE FROM t", "select 1; delete from t;": "delete from t",
		"update t set a = 1": "update t set a =", "delete from t where 1=1": "delete from t where 1", "begin; drop schema s cascade; commit": "drop schema s cascade", "/*!50000 drop table t */": "drop table t",
		"with x as (delete from t returning *) select * from x": "delete from t returning *", "explain analyze delete from t": "delete from t", "alter table t drop column c": "alter table t drop column",
		"DELETE FROM `t`": "DELETE FROM t", "delete from \"t\"": "delete from t",
		"": "", "select 'drop table x'": "", "-- drop table x": "", "/* drop table x */ select 1": "", "delete from t where id = 1": "", "update t set a = 1 where id = 2": "", "create table drop_table (a int)": "", "drop index i": "",
		"drop view v": "", "insert into t values ('x; drop table y')": "", "explain delete from t": "", "select \"drop\" from t": "", "comment on table t is 'truncate t'": "", "select count(*) from drop_table_log": "", "delete from t limit 5": "",
	} {
		if got := strings.Join(sql.Losses(text), "; "); got != want {
			t.Errorf("Losses(%q) = %q, want %q", text, got, want)
		}
	}
}

func FuzzLosses(f *testing.F) {
	for _, s := range []string{"drop table x", "/*", "'", "\"", "`", "--", "/*!1", "delete from", "delete from t where", "(((", ";;", "with (delete from t"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if n := len(sql.Losses(text)); n > 8 {
			t.Errorf("%d losses", n)
		}
	})
}
