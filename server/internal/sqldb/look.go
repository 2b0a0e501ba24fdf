package sqldb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
)

// Look calls look with a database that the caller only reads. It makes no file, changes no table
// and needs no right to write. A SQLite file that does not exist or is empty counts as a database
// without tables. The place is the database in words, without user and password.
func Look(ctx context.Context, database string, look func(ctx context.Context, kind goose.Dialect, pool *bun.DB) error) (place string, err error) {
	path, isFile := strings.CutPrefix(database, sqliteScheme)
	if isFile {
		place, err = "SQLite at "+path, lookAtFile(ctx, path, look)
	} else {
		place, err = lookAtServer(ctx, database, look)
	}
	return place, Explain(ctx, database, err)
}

func lookAtFile(ctx context.Context, path string, look func(context.Context, goose.Dialect, *bun.DB) error) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, missing := os.Stat(filepath.Dir(path)); missing != nil {
			return folderFault(filepath.Dir(path), missing)
		}
	} else if err != nil {
		return err
	}
	var db *bun.DB
	if err != nil || info.Size() == 0 {
		none, e := Drivers{}.sqlite(":memory:")
		if e != nil {
			return e
		}
		db = bun.NewDB(none, sqlitedialect.New())
	} else if db, err = openReadOnly(path); err != nil {
		return err
	}
	defer func() { _ = db.Close() }() // it was only read
	return look(unbounded(ctx), goose.DialectSQLite3, db)
}

func lookAtServer(ctx context.Context, dsn string, look func(context.Context, goose.Dialect, *bun.DB) error) (place string, err error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return "", err
	}
	config.ConnectTimeout = cmp.Or(config.ConnectTimeout, answerTime)
	db := pgPool(config, newGate(1))
	defer func() { _ = db.Close() }() // it was only read
	place = fmt.Sprintf("PostgreSQL at %s:%d, database %s", config.Host, config.Port, config.Database)
	return place, look(unbounded(ctx), goose.DialectPostgres, db)
}

// HasTable asks whether a database has a table or an index of a name.
func HasTable(ctx context.Context, kind goose.Dialect, db bun.IDB, name string) (has bool, err error) {
	query := "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = ?)"
	if kind == goose.DialectPostgres {
		query = "SELECT to_regclass(?) IS NOT NULL"
	}
	err = db.NewRaw(query, name).Scan(ctx, &has)
	return has, err
}
