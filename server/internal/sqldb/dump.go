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
	sqlitedriver "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Dump writes the database, as it is at one moment, into a new file that only this user can read.
// Other processes continue to read and write the database. read can read the database as it is at
// the same moment. On PostgreSQL the program pg_dump writes the file.
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

// Load fills a database with the output of Dump from a database of the same kind. The database is
// empty: see Empty. prepare then changes the loaded database. After an error the database is still
// empty, unless prepare has failed on PostgreSQL: the error says so.
func Load(ctx context.Context, database string, dump io.Reader, prepare func(ctx context.Context, database string) error) error {
	if path, ok := strings.CutPrefix(database, sqliteScheme); ok {
		return loadSQLite(ctx, path, dump, prepare)
	}
	if err := loadPostgres(ctx, database, dump); err != nil {
		return err
	}
	if err := prepare(ctx, database); err != nil {
		return fmt.Errorf("store: the tables are in the database, but could not be made ready: make another database with createdb, and restore into it: %w", err)
	}
	return nil
}

// KindOf is the dialect of the migrations of a database.
func KindOf(database string) goose.Dialect {
	if strings.HasPrefix(database, sqliteScheme) {
		return goose.DialectSQLite3
	}
	return goose.DialectPostgres
}

// Empty returns an error unless the database is empty. An empty SQLite database has no
// file. An empty PostgreSQL database exists, and has no tables.
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
	from, err := openReadOnly(s.path) // the connections of s.read refuse this statement
	if err != nil {
		return Wrap("open", err)
	}
	_, err = from.ExecContext(ctx, "VACUUM INTO ?", path)
	if err = errors.Join(err, from.Close()); err != nil {
		return copyFault(s.path, path, err)
	}
	if err := syncFile(path); err != nil {
		return fmt.Errorf("store: dump: %w", err)
	}
	db, err := openReadOnly(path)
	if err != nil {
		return Wrap("open the copy of the database", err)
	}
	return errors.Join(read(ctx, db), db.Close())
}

// copyFault explains why a copy of a SQLite file has failed: only the new file may be out of
// space.
func copyFault(from, to string, err error) error {
	var lite *sqlitedriver.Error
	switch {
	case !errors.As(err, &lite):
	case lite.Code()&0xff == sqlite3.SQLITE_FULL, lite.Code() == sqlite3.SQLITE_IOERR_WRITE:
		return codeFault(to, lite)
	case lite.Code()&0xff == sqlite3.SQLITE_CORRUPT, lite.Code()&0xff == sqlite3.SQLITE_NOTADB:
		return codeFault(from, lite)
	}
	return Wrap("copy the database", err)
}

// loadSQLite gives the file its name when the file is complete and prepared. The lock
// excludes a process that would serve a new file of this name.
func loadSQLite(ctx context.Context, path string, dump io.Reader, prepare func(ctx context.Context, database string) error) (err error) {
	unlock, err := lockFile(path + ".lock")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := Empty(ctx, sqliteScheme+path); err != nil {
		return err
	}
	partial := path + ".partial"
	defer func() { err = errors.Join(err, removeSQLite(partial)) }()
	if err := removeSQLite(partial); err != nil { // of a restore that was killed
		return err
	}
	if err := writeFile(partial, dump); err != nil {
		return err
	}
	if err := prepare(ctx, sqliteScheme+partial); err != nil {
		return err
	}
	if _, err := os.Lstat(partial + "-wal"); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("store: another program has %s open: end it, and try again", partial)
	}
	if err := syncFile(partial); err != nil {
		return fileFault(partial, err)
	}
	return os.Rename(partial, path)
}

// writeFile writes a new file, and returns the errors of the reader unchanged.
func writeFile(path string, from io.Reader) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fileFault(path, err)
	}
	_, err = io.Copy(f, from)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fileFault(path, err)
	}
	return nil
}

// removeSQLite removes a SQLite file, if it is there, with the files that SQLite keeps beside it.
func removeSQLite(path string) error {
	var errs []error
	for _, name := range []string{path, path + "-wal", path + "-shm", path + ".lock"} {
		if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
