package db

import (
	"context"
	"fmt"
	"path"
	"slices"

	"github.com/pressly/goose/v3"
	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// Pending describes what Open would change in the tables of a database.
type Pending struct {
	// Database is the place of the database in words, without user and password.
	Database string
	// Migrations are the names of the migrations that Open would run, in their order. Empty
	// means that the tables are up to date.
	Migrations []string
	// Newer is the version that has made the tables, if it is newer than the program. The
	// program can use such tables. It is empty if no newer version has made the tables.
	Newer string
}

// Migrations returns what Open would change, and changes nothing. It needs only the right to read.
// If a newer version has made tables that this program cannot use, the error is ErrNewer.
func Migrations(ctx context.Context, o Options) (p Pending, err error) {
	p.Database, err = sqldb.Look(ctx, o.Database, func(ctx context.Context, kind goose.Dialect, pool *bun.DB) error {
		return p.read(ctx, kind, pool)
	})
	return p, err
}

func (p *Pending) read(ctx context.Context, kind goose.Dialect, db *bun.DB) error {
	ours, err := ourMigrations(kind, db.DB)
	if err != nil {
		return err
	}
	done, err := doneIn(ctx, kind, db, "goose_db_version", "SELECT version_id FROM goose_db_version WHERE is_applied")
	if err != nil {
		return err
	}
	for _, m := range ours.ListSources() {
		if !slices.Contains(done, m.Version) {
			p.Migrations = append(p.Migrations, path.Base(m.Path))
		}
	}
	all, err := sqldb.RiverMigrations(kind)
	if err != nil {
		return fmt.Errorf("store: queue migrations: %w", err)
	}
	rivers, err := doneIn(ctx, kind, db, queue.MigrationTable, queue.MigrationsDone)
	if err != nil {
		return err
	}
	for _, m := range all {
		if !slices.Contains(rivers, int64(m.Version)) {
			p.Migrations = append(p.Migrations, fmt.Sprintf("%d of the queue: %s", m.Version, m.Name))
		}
	}
	want, err := KnownTables(string(kind))
	if err != nil || len(done) == 0 || slices.Max(done) <= want.Ours {
		return err
	}
	if err := compatible(ctx, db, Tables{Ours: slices.Max(done)}, want); err != nil {
		return err
	}
	return wrap("look at the version of the tables", db.NewRaw(`SELECT release FROM compatibility`).Scan(ctx, &p.Newer))
}

// doneIn returns the numbers of the migrations that have run, from a table that may be missing.
func doneIn(ctx context.Context, kind goose.Dialect, db *bun.DB, table, numbers string) (done []int64, err error) {
	has, err := sqldb.HasTable(ctx, kind, db, table)
	if err == nil && has {
		err = db.NewRaw(numbers).Scan(ctx, &done)
	}
	return done, wrap("look at migrations", err)
}
