package sqldb

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/internal/clip"
)

// dump lets pg_dump read the snapshot of a transaction in which read asks.
func (p *postgres) dump(ctx context.Context, path string, read func(ctx context.Context, db bun.IDB) error) error {
	db := pgPool(p.config.Copy(), newGate(1))
	defer func() { _ = db.Close() }() // it was only read
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return Wrap("begin", err)
	}
	defer func() { _ = tx.Rollback() }() // nothing was written
	// The transaction stands without a statement while pg_dump reads.
	if _, err := tx.ExecContext(ctx, "SET LOCAL idle_in_transaction_session_timeout = 0"); err != nil {
		return Wrap("snapshot", err)
	}
	var snapshot string
	var version int
	if err := tx.NewRaw("SELECT pg_export_snapshot(), current_setting('server_version_num')::int / 10000").Scan(ctx, &snapshot, &version); err != nil {
		return Wrap("snapshot", err)
	}
	if err := read(ctx, tx); err != nil {
		return err
	}
	program, err := findProgram(ctx, "pg_dump", version)
	if err != nil {
		return err
	}
	return program.run(ctx, p.config, nil, "--format=custom", "--compress=1", "--no-owner", "--no-privileges", "--snapshot="+snapshot, "--file="+path)
}

// loadPostgres lets pg_restore fill the database in one transaction.
func loadPostgres(ctx context.Context, database string, dump io.Reader) error {
	config, err := pgx.ParseConfig(database)
	if err != nil {
		return serverFault(database, err)
	}
	program, err := findProgram(ctx, "pg_restore", 0)
	if err != nil {
		return err
	}
	return program.run(ctx, config, dump, "--no-owner", "--no-privileges", "--single-transaction", "--exit-on-error")
}

// emptyPostgres counts what people make in a database.
func emptyPostgres(ctx context.Context, database string) error {
	config, err := pgx.ParseConfig(database)
	if err != nil {
		return err
	}
	db := pgPool(config, newGate(1))
	defer func() { _ = db.Close() }() // it was only read
	var tables []string
	err = db.NewRaw(`SELECT c.relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
		WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg_toast%' AND c.relkind IN ('r', 'p', 'v', 'm', 'S')
		ORDER BY c.relname LIMIT 1`).Scan(ctx, &tables)
	if err != nil {
		return err
	}
	if len(tables) > 0 {
		return &Fault{
			Found: fmt.Sprintf("the database %s at %s is not empty: it has the table %s", config.Database, config.Host, tables[0]),
			Cure:  "make a new one with createdb, and name it with --db",
		}
	}
	return nil
}

// program is a program of PostgreSQL.
type program struct {
	name    string
	path    string
	version int
}

var programVersion = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

// findProgram returns a program that is at least as new as a server: the one in PATH, or one in the
// folders in which Debian keeps the programs of each version.
func findProgram(ctx context.Context, name string, server int) (*program, error) {
	paths, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name) // the pattern is good
	if path, err := exec.LookPath(name); err == nil {
		paths = append([]string{path}, paths...)
	}
	var newest *program
	for _, path := range paths {
		said, err := exec.CommandContext(ctx, path, "--version").Output()
		m := programVersion.FindSubmatch(said)
		if err != nil || m == nil {
			continue
		}
		found := &program{name: name, path: path}
		found.version, _ = strconv.Atoi(string(m[1])) // digits
		if newest == nil || found.version > newest.version {
			newest = found
		}
	}
	switch cure := "install PostgreSQL's client programs (on Debian the package postgresql-client)"; {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case newest == nil:
		return nil, &Fault{Found: "the program " + name + " is not there", Cure: cure}
	case newest.version < server:
		return nil, &Fault{Found: fmt.Sprintf("%s %d is too old for PostgreSQL %d", name, newest.version, server), Cure: cure + fmt.Sprintf(" of version %d", server)}
	}
	return newest, nil
}

// maxSaid bounds what an error repeats of a program's words.
const maxSaid = 300

// run runs the program on a database. The password is not among the arguments, which every user of
// the machine can read.
func (p *program) run(ctx context.Context, config *pgx.ConnConfig, stdin io.Reader, args ...string) error {
	name, err := withoutSecrets(config)
	if err != nil {
		return err
	}
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, p.path, append(args, "--dbname="+name)...)
	cmd.Stdin, cmd.Stderr = stdin, &said
	cmd.Env = append(cmd.Environ(), "PGPASSWORD="+config.Password)
	err = cmd.Run()
	switch exit := new(exec.ExitError); {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &exit):
		words := strings.TrimPrefix(strings.TrimSpace(said.String()), p.name+": error: ")
		return fmt.Errorf("store: %s %d: %s", p.name, p.version, clip.Line(words, maxSaid))
	}
	return err
}

// withoutSecrets is the address of a database for a program of PostgreSQL: without the password, and
// without the options that only the driver of this program knows.
func withoutSecrets(config *pgx.ConnConfig) (string, error) {
	u, err := url.Parse(config.ConnString())
	if err != nil {
		return "", errors.New("store: the URL of the database cannot be read")
	}
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	query := u.Query()
	for option := range query {
		if strings.HasPrefix(option, "pool_") || strings.HasSuffix(option, "_cache_capacity") || option == "default_query_exec_mode" || option == "password" {
			query.Del(option)
		}
	}
	u.RawQuery = query.Encode()
	return u.String(), nil
}
