package main

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest" // a PostgreSQL that the test starts by itself
)

// lookers are the commands that look into a database and make none.
var lookers = []string{
	"accounts list",
	"keys list",
	"keys create --account acme --name ci --scopes transcripts",
	"keys revoke tr_00000000",
}

// A name that is mistyped does not become a database, nor is another program's touched.
func TestMistypedDatabase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	empty, others := filepath.Join(dir, "empty.db"), filepath.Join(dir, "others.db")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	require.NoError(t, os.WriteFile(others, []byte("not a database, but a text of some length"), 0o600))
	for path, says := range map[string]string{
		filepath.Join(dir, "typo.db"):       `typo.db: name the right one with --db, or make this one with "transcriptd migrate"`,
		filepath.Join(dir, "typo", "it.db"): "it.db: the folder is not there: name the right one",
		empty:                               "empty.db: name the right one with --db",
		others:                              "others.db is no SQLite database: restore",
	} {
		for _, command := range lookers {
			a := call(t, append(strings.Fields(command), "--db", "sqlite:"+path)...)
			assert.Equal(t, exitFailure, a.code, command)
			assert.Contains(t, a.stderr, says, command)
			assert.Empty(t, a.stdout, command)
		}
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 2, "nothing was made")
	for _, file := range left {
		info, err := file.Info()
		require.NoError(t, err)
		assert.Contains(t, []int64{0, 41}, info.Size(), file.Name())
	}

	a := call(t, "migrate", "--db", "sqlite:"+filepath.Join(dir, "typo", "it.db"))
	assert.Equal(t, exitFailure, a.code)
	assert.Contains(t, a.stderr, "it.db: the folder is not there: make it, or name another path with --db")
	for _, command := range []string{"migrate", "accounts set acme"} {
		db := newDatabase(t)
		must(t, append(strings.Fields(command), "--db", db)...)
		must(t, "accounts", "list", "--db", db)
	}
}

func TestMistypedDatabaseOnPostgres(t *testing.T) {
	t.Parallel()
	here, err := url.Parse(storetest.Postgres(t).Database)
	require.NoError(t, err)
	named := func(name string) string {
		other := *here
		other.Path = "/" + name
		return other.String()
	}
	for _, command := range lookers {
		a := call(t, append(strings.Fields(command), "--db", named("nowhere"))...)
		assert.Equal(t, exitFailure, a.code, command)
		assert.Regexp(t, `\Atranscriptd: there is no such database: nowhere on \S+: name the right one [^\n]*\n\z`, a.stderr, command)
		a = call(t, append(strings.Fields(command), "--db", named("postgres"))...) // which is another program's
		assert.Equal(t, exitFailure, a.code, command)
		assert.Regexp(t, `\Atranscriptd: there is no such database: postgres on `, a.stderr, command)
	}
	for _, command := range []string{"migrate", "accounts set acme", "serve --listen 127.0.0.1:0 --blobs " + t.TempDir()} {
		a := call(t, append(strings.Fields(command), "--db", named("nowhere"))...)
		assert.Equal(t, exitFailure, a.code, command)
		assert.Contains(t, lastLine(a.stderr), "there is no such database: nowhere on", command)
		assert.Contains(t, a.stderr, "make it with createdb", command)
	}
	must(t, "accounts", "list", "--db", here.String())
}

// A database that does not keep texts as UTF-8 is refused, with how to make one that does.
func TestDatabaseOfAnotherEncoding(t *testing.T) {
	t.Parallel()
	here, err := url.Parse(storetest.Postgres(t).Database)
	require.NoError(t, err)
	conn, err := pgx.Connect(t.Context(), here.String())
	require.NoError(t, err)
	name := filepath.Base(here.Path) + "_ascii"
	_, err = conn.Exec(t.Context(), "CREATE DATABASE "+pgx.Identifier{name}.Sanitize()+" ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0")
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx := context.Background()
		_, err := conn.Exec(ctx, "DROP DATABASE "+pgx.Identifier{name}.Sanitize()+" WITH (FORCE)")
		assert.NoError(t, errors.Join(err, conn.Close(ctx)))
	})
	here.Path = "/" + name
	a := call(t, "migrate", "--db", here.String())
	assert.Equal(t, exitFailure, a.code)
	assert.Contains(t, a.stderr, "does not have the encoding UTF8: make a database that has it: createdb --encoding=UTF8")
}

// Help is asked for in three ways, and starts nothing.
func TestHelpStartsNothing(t *testing.T) {
	t.Chdir(t.TempDir()) // hence not parallel
	for _, row := range [][2]string{
		{"help", "--help"},
		{"-h", "--help"},
		{"help keys create", "keys create --help"},
		{"help serve", "serve -h"},
	} {
		a := must(t, strings.Fields(row[0])...)
		assert.Empty(t, a.stderr)
		assert.Contains(t, a.stdout, "Usage: transcriptd")
		assert.Equal(t, must(t, strings.Fields(row[1])...), a)
	}
	assert.Equal(t, exitUsage, call(t, "help", "fly").code)
	left, err := os.ReadDir(".")
	require.NoError(t, err)
	assert.Empty(t, left)
}
