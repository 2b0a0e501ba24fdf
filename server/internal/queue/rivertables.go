package queue

import (
	"context"

	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// addition is what the service adds to River's tables after River's own migrations.
type addition struct {
	column string // of river_job; "" means that create makes an index or a trigger
	name   string // of the index or the trigger
	create string
}

// additions are, in this order, an index for the waiting steps of work and an index for
// the steps that tagReturned looks for.
//
// On SQLite the first index needs a column. River's SQLite driver keeps arguments as JSONB, which a
// sqlite3 before 3.45 cannot read. No index, check or generated column may look into JSONB, because
// such a program would call the whole file damaged. The trigger is safe: only an insert runs it.
func additions(kind goose.Dialect) []addition {
	back := addition{name: "river_job_returned", create: `CREATE INDEX IF NOT EXISTS river_job_returned ON river_job (scheduled_at) WHERE ` + returned}
	if kind == goose.DialectPostgres {
		return []addition{
			{name: "river_job_extraction", create: `CREATE INDEX IF NOT EXISTS river_job_extraction ON river_job ((args ->> 'extraction')) WHERE state = 'available'`},
			back,
		}
	}
	return []addition{
		{column: "extraction", create: `ALTER TABLE river_job ADD COLUMN extraction text; UPDATE river_job SET extraction = args ->> 'extraction'`},
		{name: "river_job_names_extraction", create: `CREATE TRIGGER river_job_names_extraction AFTER INSERT ON river_job WHEN NEW.args ->> 'extraction' IS NOT NULL
			BEGIN UPDATE river_job SET extraction = NEW.args ->> 'extraction' WHERE id = NEW.id; END`},
		// The index that this one replaces read JSONB.
		{name: "river_job_of_extraction", create: `DROP INDEX IF EXISTS river_job_extraction;
			CREATE INDEX river_job_of_extraction ON river_job (extraction) WHERE state = 'available'`},
		back,
	}
}

// MigrationTable has a row for each of River's migrations that has run; MigrationsDone reads them.
const (
	MigrationTable = "river_migration"
	MigrationsDone = `SELECT version FROM river_migration WHERE line = 'main'`
)

// Migrate migrates the tables of the queue.
func Migrate(ctx context.Context, kind goose.Dialect, db *bun.DB, river sqldb.RiverMigrator) error {
	if _, err := river.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return sqldb.Wrap("migrate queue", err)
	}
	for _, a := range additions(kind) {
		has, err := a.isIn(ctx, kind, db)
		if err == nil && !has {
			err = db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
				_, err := tx.ExecContext(ctx, a.create)
				return err
			})
		}
		if err != nil {
			return sqldb.Wrap("migrate queue", err)
		}
	}
	return nil
}

// Missing names what the tables of the queue lack if a process was killed within Migrate, after
// River's own migrations. "" means that nothing is missing.
func Missing(ctx context.Context, kind goose.Dialect, db bun.IDB) (string, error) {
	for _, a := range additions(kind) {
		has, err := a.isIn(ctx, kind, db)
		if err != nil || !has {
			return a.name + a.column, sqldb.Wrap("look at migrations", err)
		}
	}
	return "", nil
}

// isIn reports whether the database has the addition.
func (a addition) isIn(ctx context.Context, kind goose.Dialect, db bun.IDB) (has bool, err error) {
	if a.column == "" {
		return sqldb.HasTable(ctx, kind, db, a.name)
	}
	err = db.NewRaw(`SELECT EXISTS (SELECT 1 FROM pragma_table_info('river_job') WHERE name = ?)`, a.column).Scan(ctx, &has)
	return has, err
}
