package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"
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
	program, err := findProgram(ctx, "pg_dump", version, candidates("pg_dump"))
	if err != nil {
		return err
	}
	err = program.run(ctx, p.config, task{
		args:   []string{"--format=custom", "--compress=1", "--no-owner", "--no-privileges", "--lock-wait-timeout=" + lockTime, "--snapshot=" + snapshot, "--file=" + path},
		writes: path, moved: func() int64 { return sizeOf(path) }, patience: stallTime,
	})
	if err != nil {
		return err
	}
	return whole(ctx, path, version)
}

// lockTime is how long pg_dump waits for a table that another program keeps locked.
const lockTime = "60s"

// sizeOf is the size of a file; 0 means that it is not there.
func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// loadPostgres lets pg_restore fill the database in one transaction.
func loadPostgres(ctx context.Context, database string, dump io.Reader) error {
	config, err := pgx.ParseConfig(database)
	if err != nil {
		return serverFault(database, err)
	}
	server, err := serverVersion(unbounded(ctx), config)
	if err != nil {
		return serverFault(database, err)
	}
	program, err := findProgram(ctx, "pg_restore", server, candidates("pg_restore"))
	if err != nil {
		return err
	}
	read := &counted{Reader: dump}
	return program.run(ctx, config, task{
		args:  []string{"--no-owner", "--no-privileges", "--single-transaction", "--exit-on-error"},
		stdin: read, moved: read.orWorks, patience: stallTime,
	})
}

func serverVersion(ctx context.Context, config *pgx.ConnConfig) (version int, err error) {
	db := pgPool(config.Copy(), newGate(1))
	defer func() { _ = db.Close() }() // it was only read
	err = db.NewRaw("SELECT current_setting('server_version_num')::int / 10000").Scan(ctx, &version)
	return version, err
}

// emptyPostgres counts the objects that users have made in a database.
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

// counted counts the bytes of a dump that a program has read.
type counted struct {
	io.Reader
	n     atomic.Int64
	ended atomic.Pointer[error]
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n.Add(int64(n))
	if err != nil {
		c.ended.Store(&err)
	}
	return n, err
}

// orWorks is the number of bytes. When the program has read all of them it grows by itself, because
// the program may then make indexes for hours.
func (c *counted) orWorks() int64 {
	if c.ended.Load() != nil {
		return time.Now().UnixNano()
	}
	return c.n.Load()
}

// failure is the error of the dump, if the dump could not be read.
func (c *counted) failure() error {
	if err := c.ended.Load(); err != nil && !errors.Is(*err, io.EOF) {
		return *err
	}
	return nil
}

// whole reads a dump as a restore does, because pg_dump may succeed although the dump has lost
// its end.
func whole(ctx context.Context, path string, server int) error {
	program, err := findProgram(ctx, "pg_restore", server, candidates("pg_restore"))
	if err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("store: dump: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	dump := &counted{Reader: f}
	return program.run(ctx, nil, task{args: []string{"--file=" + os.DevNull}, stdin: dump, moved: dump.n.Load, patience: stallTime})
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
