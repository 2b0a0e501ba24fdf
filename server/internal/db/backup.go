package db

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/pressly/goose/v3"
	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// Tables are the versions of the tables of a database: ours, and River's.
type Tables struct{ Ours, Rivers int64 }

// Newer reports whether a program that knows the tables other does not know these tables.
func (t Tables) Newer(other Tables) bool { return t.Ours > other.Ours || t.Rivers > other.Rivers }

// KnownTables are the newest tables that this program knows, on a kind of database.
func KnownTables(kind string) (known Tables, err error) {
	files, err := fs.Glob(migrations, "migrations/"+kind+"/*.sql")
	for _, file := range files {
		n, err := goose.NumericComponent(file)
		if err != nil {
			return known, fmt.Errorf("store: migrations: %w", err)
		}
		known.Ours = max(known.Ours, n)
	}
	rivers, bad := sqldb.RiverMigrations(goose.Dialect(kind))
	for _, m := range rivers {
		known.Rivers = max(known.Rivers, int64(m.Version))
	}
	return known, errors.Join(err, bad)
}

// Tables returns the versions of the tables.
func (r Reader) Tables(ctx context.Context) (Tables, error) { return tablesOf(ctx, r.db) }

// Dump writes the database, as it is at one moment, into a new file. read can read the database as
// it is at the same moment.
func (s *Store) Dump(ctx context.Context, path string, read func(ctx context.Context, r Reader) error) error {
	return s.sql.Dump(ctx, path, func(ctx context.Context, db bun.IDB) error {
		return read(ctx, newReader(&source{db: db, shared: s.Shared()}))
	})
}

// Kind is the kind of the database: "sqlite3" or "postgres".
func (o Options) Kind() string { return string(sqldb.KindOf(o.Database)) }

// Kind is the kind of the database: "sqlite3" or "postgres".
func (s *Store) Kind() string { return string(s.sql.Kind()) }

// Load fills an empty database with the output of Dump, migrates its tables, and prepares it for
// its first process. After an error, the database is empty as before, or the error says that it
// is not.
func Load(ctx context.Context, o Options, dump io.Reader) error {
	return sqldb.Load(ctx, o.Database, dump, func(ctx context.Context, database string) error {
		o.Database, o.MustExist = database, true
		s, err := Open(ctx, o)
		if err != nil {
			return err
		}
		return errors.Join(s.BeginAnew(ctx), s.Close())
	})
}

// BeginAnew prepares a restored database for its first process. The processes of the dumped
// database do not serve this one, so their leases end.
func (s *Store) BeginAnew(ctx context.Context) error {
	err := s.InTx(Unhurried(ctx), func(ctx context.Context, tx *Tx) error {
		for _, table := range OwnTables() {
			if !table.Lease {
				continue
			}
			if _, err := tx.db.NewRaw("DELETE FROM ?", bun.Ident(table.Name)).Exec(ctx); err != nil {
				return wrap("end leases", err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.Idempotency.freeAll(ctx)
}

// OpenEmpty opens the place of the blobs for a restored database. It returns an error unless the
// database and the place of the blobs are empty.
func OpenEmpty(ctx context.Context, o Options) (*blobs.Bucket, error) {
	if err := sqldb.Empty(ctx, o.Database); err != nil {
		return nil, err
	}
	bucket, err := blobs.Open(ctx, o.blobs())
	if err != nil {
		return nil, err
	}
	empty, err := bucket.Empty(ctx)
	if err == nil && !empty {
		place, _, _ := strings.Cut(o.Blobs, "?")
		err = fmt.Errorf("store: there are blobs in %s: name an empty place with --blobs, or remove them if a restore that was killed has left them", place)
	}
	if err != nil {
		_ = bucket.Close() // it was only read
		return nil, err
	}
	return bucket, nil
}
