package sqldb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/pressly/goose/v3"
	"github.com/uptrace/bun"
)

// Dump writes the database as it stands at one moment into a new file, which only this user can
// read. Other processes go on to read and write the database. read asks the database as it stands
// at the same moment. On PostgreSQL the program pg_dump writes the file.
func (d *DB) Dump(ctx context.Context, path string, read func(ctx context.Context, db bun.IDB) error) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("store: dump: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("store: dump: %w", err)
	}
	return d.database.dump(unbounded(ctx), path, read)
}

// Load fills a database with what Dump has written on a database of the same kind. The database is
// empty: see Empty. After an error the database is still empty.
func Load(ctx context.Context, database string, dump io.Reader) error {
	if path, ok := strings.CutPrefix(database, sqliteScheme); ok {
		return loadSQLite(ctx, path, dump)
	}
	return loadPostgres(ctx, database, dump)
}

// KindOf is the dialect of the migrations of a database.
func KindOf(database string) goose.Dialect {
	if strings.HasPrefix(database, sqliteScheme) {
		return goose.DialectSQLite3
	}
	return goose.DialectPostgres
}

// Empty returns an error unless the database is empty. There is no file of an empty SQLite
// database. An empty PostgreSQL database is there, and has no tables.
func Empty(ctx context.Context, database string) error {
	path, ok := strings.CutPrefix(database, sqliteScheme)
	if !ok {
		return Explain(ctx, database, emptyPostgres(unbounded(ctx), database))
	}
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		_, err := os.Lstat(name)
		if err == nil {
			return &Fault{Found: name + " is there", Cure: "name a file that is not there with --db, or move this one away"}
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return Explain(ctx, database, err)
		}
	}
	return nil
}

// dump copies the file by a statement that reads all of it in one transaction.
func (s *sqlite) dump(ctx context.Context, path string, read func(ctx context.Context, db bun.IDB) error) error {
	from, err := openReadOnly(ctx, s.path) // the connections of s.read refuse this statement
	if err != nil {
		return Wrap("open", err)
	}
	_, err = from.ExecContext(ctx, "VACUUM INTO ?", path)
	if err = errors.Join(err, from.Close()); err != nil {
		return Wrap("copy the database", err)
	}
	if err := syncFile(path); err != nil {
		return fmt.Errorf("store: dump: %w", err)
	}
	db, err := openReadOnly(ctx, path)
	if err != nil {
		return Wrap("open the copy of the database", err)
	}
	return errors.Join(read(ctx, db), db.Close())
}

// loadSQLite gives the file its name when the file is whole. The lock keeps away a process that
// would serve a new file of this name.
func loadSQLite(ctx context.Context, path string, dump io.Reader) (err error) {
	unlock, err := lockFile(path + ".lock")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := Empty(ctx, sqliteScheme+path); err != nil {
		return err
	}
	partial := path + ".partial"
	f, err := os.OpenFile(partial, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fileFault(path, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(partial))
		}
	}()
	_, err = io.Copy(f, dump)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("store: write %s: %w", partial, err)
	}
	return os.Rename(partial, path)
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
