package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"
)

// Snapshot lets read make several queries of the database as it is at one moment: read
// does not see later commits. read must not write. Each of its questions has as much time
// as a question outside.
func (d *DB) Snapshot(ctx context.Context, read func(ctx context.Context, db bun.IDB) error) (err error) {
	patience, leave, err := d.database.readGate().enterForSome(ctx)
	if err != nil {
		return Wrap("snapshot", err)
	}
	defer func() { leave(err) }()
	ctx, end := context.WithCancel(unbounded(ctx))
	defer end()
	tx, err := d.beginSnapshot(ctx, end, patience)
	if err != nil {
		return Wrap("begin", err)
	}
	defer func() {
		// Nothing was written. A context that has ended has rolled the transaction back.
		if e := tx.Rollback(); e != nil && !errors.Is(e, sql.ErrTxDone) && ctx.Err() == nil {
			err = errors.Join(err, Wrap("rollback", e))
		}
	}()
	return read(context.WithValue(ctx, eachKey{}, patience), tx)
}

// beginSnapshot ends the context of the transaction if the begin takes too long.
func (d *DB) beginSnapshot(ctx context.Context, end func(), patience time.Duration) (bun.Tx, error) {
	defer time.AfterFunc(patience, end).Stop()
	// PostgreSQL takes one snapshot for the whole transaction only at this level. SQLite
	// always does, and has no other level.
	return d.database.reader().BeginTx(ctx, &sql.TxOptions{Isolation: d.database.snapshotLevel(), ReadOnly: true})
}

// eachKey holds how long each statement of a snapshot may take.
type eachKey struct{}

// enterForSome waits for a connection for several statements. Each of them has the
// returned patience.
func (g *gate) enterForSome(ctx context.Context) (patience time.Duration, leave func(error), err error) {
	if patience = patienceOf(ctx); patience == within {
		return workTime, func(error) {}, nil
	}
	if err := g.wait(ctx, time.Now(), patience); err != nil {
		return 0, nil, err
	}
	return patience, func(err error) { g.leave(!passes(err)) }, nil
}
