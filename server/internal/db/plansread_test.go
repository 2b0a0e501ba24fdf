package db_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
)

// plans asks a database how it does statements.
type plans struct {
	database
	postgres bool
	tables   map[string]bool
	indexes  map[string]index
}

type index struct {
	table string
	first string // its first column or expression
}

// wideRead is a step of a plan that reads a whole table or index, or all rows of an account.
type wideRead struct{ table, how string }

// what is the table, and whether the step reads all rows or those of an account.
func (w wideRead) what() string {
	if strings.Contains(w.how, "(account") {
		return w.table + " of an account"
	}
	return w.table
}

func newPlans(t *testing.T, raw database, o db.Options) plans {
	t.Helper()
	p := plans{raw, dialect(o) == goose.DialectPostgres, map[string]bool{}, map[string]index{}}
	all := `SELECT i.name AS "index", i.tbl_name AS "table", coalesce(c.name, '') AS first FROM sqlite_master AS i, pragma_index_info(i.name) AS c
		WHERE i.type = 'index' AND c.seqno = 0 UNION ALL SELECT '', name, '' FROM sqlite_master WHERE type = 'table'`
	if p.postgres {
		all = `SELECT CAST(indexrelid AS regclass)::text AS "index", CAST(indrelid AS regclass)::text AS "table", pg_get_indexdef(indexrelid, 1, true) AS first FROM pg_index
			UNION ALL SELECT '', relname::text, '' FROM pg_class WHERE relkind = 'r' AND relnamespace = CAST('public' AS regnamespace)`
	}
	for _, row := range raw.query(t, all) {
		name, table := fmt.Sprint(row["index"]), fmt.Sprint(row["table"])
		if name == "" {
			p.tables[table] = true
			continue
		}
		p.indexes[name] = index{table, fmt.Sprint(row["first"])}
	}
	return p
}

// wide returns the steps of a statement that read too much of tables that are not small.
func (p plans) wide(t *testing.T, s statement) (all []wideRead) {
	t.Helper()
	found := p.wideInSQLite
	if p.postgres {
		found = p.wideInPostgres
	}
	for _, w := range found(t, s) {
		if _, is := small[w.table]; !is && p.tables[w.table] {
			all = append(all, w)
		}
	}
	return all
}

var (
	liteStep = regexp.MustCompile(`^(SCAN|SEARCH) (\S+)(?: USING (AUTOMATIC )?(?:PARTIAL )?(?:COVERING )?INDEX (\S+))?`)
	liteKeys = regexp.MustCompile(`\((account=\?)\)$`)
)

// wideInSQLite reads lines such as "SEARCH l USING INDEX library_rows_recent (account=?)".
func (p plans) wideInSQLite(t *testing.T, s statement) (all []wideRead) {
	t.Helper()
	rows, err := p.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+s.text, make([]any, strings.Count(s.text, "?"))...)
	require.NoError(t, err, s.text)
	defer rows.Close()
	for rows.Next() {
		var id, parent, unused any
		var how string
		require.NoError(t, rows.Scan(&id, &parent, &unused, &how))
		step := liteStep.FindStringSubmatch(how)
		if step == nil || step[1] == "SEARCH" && step[3] == "" && !liteKeys.MatchString(how) {
			continue
		}
		table := p.indexes[step[4]].table
		if table == "" {
			table = p.tableOf(s.text, step[2])
		}
		all = append(all, wideRead{table, how})
	}
	require.NoError(t, rows.Err())
	return all
}

// tableOf returns the table that has an alias in a statement.
func (p plans) tableOf(text, alias string) string {
	if p.tables[alias] {
		return alias
	}
	for _, m := range regexp.MustCompile(`(?i)(\w+)"? (?:AS )?"?`+regexp.QuoteMeta(alias)+`\b`).FindAllStringSubmatch(text, -1) {
		if p.tables[m[1]] {
			return m[1]
		}
	}
	return ""
}

// node is a step of a plan of PostgreSQL.
type node struct {
	Kind  string `json:"Node Type"`
	Table string `json:"Relation Name"`
	Index string `json:"Index Name"`
	Cond  string `json:"Index Cond"`
	Plans []node
}

// wideInPostgres looks at the plan for the statement's arguments. If the statement is prepared,
// it also looks at the plan for all arguments, which the database may use from the sixth time on.
func (p plans) wideInPostgres(t *testing.T, s statement) []wideRead {
	t.Helper()
	all := p.explain(t, "EXPLAIN (FORMAT JSON) "+s.text, s.args...)
	if len(s.args) == 0 {
		return all
	}
	conn, err := p.Conn(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close()) }()
	_, err = conn.ExecContext(t.Context(), "SET plan_cache_mode = force_generic_plan; PREPARE asked AS "+s.text)
	require.NoError(t, err, s.text)
	defer func() {
		_, err := conn.ExecContext(context.WithoutCancel(t.Context()), "DEALLOCATE asked")
		require.NoError(t, err)
	}()
	nulls := strings.TrimSuffix(strings.Repeat("NULL, ", len(s.args)), ", ")
	var plan []byte
	require.NoError(t, conn.QueryRowContext(t.Context(), "EXPLAIN (FORMAT JSON) EXECUTE asked ("+nulls+")").Scan(&plan))
	return append(all, p.wideNodes(t, plan)...)
}

func (p plans) explain(t *testing.T, question string, args ...any) []wideRead {
	t.Helper()
	var plan []byte
	require.NoError(t, p.QueryRowContext(t.Context(), question, args...).Scan(&plan), question)
	return p.wideNodes(t, plan)
}

func (p plans) wideNodes(t *testing.T, plan []byte) []wideRead {
	t.Helper()
	var parsed []struct{ Plan node }
	require.NoError(t, json.Unmarshal(plan, &parsed))
	return p.wideIn(parsed[0].Plan)
}

func (p plans) wideIn(n node) (all []wideRead) {
	i := p.indexes[n.Index]
	switch {
	case n.Kind == "Seq Scan":
		all = append(all, wideRead{n.Table, n.Kind})
	case n.Index == "" || n.Kind == "ModifyTable":
	case !strings.Contains(n.Cond, i.first), strings.HasPrefix(n.Cond, "(account = ") && !strings.Contains(n.Cond, ") AND ("):
		all = append(all, wideRead{i.table, n.Kind + " " + n.Index + " " + n.Cond})
	}
	for _, child := range n.Plans {
		all = append(all, p.wideIn(child)...)
	}
	return all
}
