package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/store"
)

// Tables are all tables of a database by name, also those of the queue.
type Tables map[string]Table

// Table is the answer to a query.
type Table struct {
	Columns []string
	Rows    []string // the values of a row, with a space between two
}

// Dump reads a whole database.
func Dump(t testing.TB, o store.Options) Tables {
	t.Helper()
	all := Tables{}
	for _, name := range TableNames(t, o) {
		all[name] = Query(t, o, `SELECT * FROM "`+name+`"`)
	}
	return all
}

// TableNames returns the names of all tables.
func TableNames(t testing.TB, o store.Options) (names []string) {
	t.Helper()
	query := "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
	if !IsPostgres(o) {
		query = "SELECT name FROM sqlite_schema WHERE type = 'table'"
	}
	return Query(t, o, query).Rows
}

// Query reads the whole answer to a query. Columns of bytes are read as text.
func Query(t testing.TB, o store.Options, query string) (all Table) {
	t.Helper()
	db := openSQL(t, o)
	defer func() { require.NoError(t, db.Close()) }()
	rows, err := db.QueryContext(t.Context(), query)
	require.NoError(t, err)
	defer func() { require.NoError(t, rows.Close()) }()
	all.Columns, err = rows.Columns()
	require.NoError(t, err)
	for rows.Next() {
		values := make([]any, len(all.Columns))
		for i := range values {
			values[i] = new(any)
		}
		require.NoError(t, rows.Scan(values...))
		row := make([]string, len(values))
		for i, value := range values {
			row[i] = fmt.Sprint(*value.(*any))
			if b, ok := (*value.(*any)).([]byte); ok {
				row[i] = string(b)
			}
		}
		all.Rows = append(all.Rows, strings.Join(row, " "))
	}
	require.NoError(t, rows.Err())
	return all
}

// With counts the rows that hold a text, in each table that has such rows.
func (all Tables) With(text string) map[string]int {
	found := map[string]int{}
	for name, table := range all {
		for _, row := range table.Rows {
			if strings.Contains(row, text) {
				found[name]++
			}
		}
	}
	return found
}

// owners are the columns that name an account, in all tables.
var owners = []string{"account", "owner", "turn"}

// Owned returns the names of the tables with a column that names an account.
func (all Tables) Owned() (names []string) {
	for name, table := range all {
		if slices.ContainsFunc(table.Columns, func(column string) bool { return slices.Contains(owners, column) }) {
			names = append(names, name)
		}
	}
	return names
}
