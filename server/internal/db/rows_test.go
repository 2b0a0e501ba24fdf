package db_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
)

// columns are the columns of a row, by name.
type columns map[string]any

// dump reads all tables but those of the queue and of the migrations.
func (d database) dump(t *testing.T, o db.Options) map[string][]columns {
	t.Helper()
	tables := map[string][]columns{}
	for _, table := range d.tables(t, o) {
		tables[table] = d.query(t, "SELECT * FROM "+table)
	}
	return tables
}

// tables are the names of our tables.
func (d database) tables(t *testing.T, o db.Options) (names []string) {
	t.Helper()
	list := "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
	if dialect(o) == goose.DialectPostgres {
		list = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
	}
	for _, row := range d.query(t, list) {
		for _, name := range row {
			if table := fmt.Sprint(name); !strings.HasPrefix(table, "river_") && table != "goose_db_version" {
				names = append(names, table)
			}
		}
	}
	return names
}

// columnsOf are the names of a table's columns.
func (d database) columnsOf(t *testing.T, table string) []string {
	t.Helper()
	rows, err := d.QueryContext(t.Context(), "SELECT * FROM "+table+" WHERE false")
	require.NoError(t, err)
	defer func() { require.NoError(t, rows.Close()) }()
	names, err := rows.Columns()
	require.NoError(t, err)
	require.NoError(t, rows.Err())
	return names
}

func (d database) query(t *testing.T, statement string) (all []columns) {
	t.Helper()
	rows, err := d.QueryContext(t.Context(), statement)
	require.NoError(t, err)
	defer func() { require.NoError(t, rows.Close()) }()
	names, err := rows.Columns()
	require.NoError(t, err)
	for rows.Next() {
		values, into := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		require.NoError(t, rows.Scan(into...))
		row := columns{}
		for i, name := range names {
			row[name] = values[i]
		}
		all = append(all, row)
	}
	require.NoError(t, rows.Err())
	return all
}
