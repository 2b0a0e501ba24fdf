package db

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"
)

// Snapshot lets read answer several questions as the database stands at one moment: what
// others commit meanwhile is not seen. An answer that is put together from several reads
// would else contradict itself. A single question needs no snapshot. read may not write;
// each of its questions has the time of one that is asked outside.
func (s *Store) Snapshot(ctx context.Context, read func(ctx context.Context, r Reader) error) (err error) {
	patience, leave, err := s.database.readGate().enterForSome(ctx)
	if err != nil {
		return wrap("snapshot", err)
	}
	defer func() { leave(err) }()
	ctx, end := context.WithCancel(unbounded(ctx))
	defer end()
	tx, err := s.beginSnapshot(ctx, end, patience)
	if err != nil {
		return wrap("begin", err)
	}
	defer func() {
		// Nothing was written. A context that has ended has rolled the transaction back.
		if e := tx.Rollback(); e != nil && !errors.Is(e, sql.ErrTxDone) && ctx.Err() == nil {
			err = errors.Join(err, wrap("rollback", e))
		}
	}()
	return read(context.WithValue(ctx, eachKey{}, patience), newReader(&source{db: tx, kept: s.kept, shared: s.Shared()}))
}

// beginSnapshot ends the context of the transaction where the begin takes too long.
func (s *Store) beginSnapshot(ctx context.Context, end func(), patience time.Duration) (bun.Tx, error) {
	defer time.AfterFunc(patience, end).Stop()
	// PostgreSQL takes the snapshot for the whole transaction only at this level. SQLite
	// does so always, and has no other.
	return s.database.reader().BeginTx(ctx, &sql.TxOptions{Isolation: s.database.snapshotLevel(), ReadOnly: true})
}

// eachKey holds how long each statement of a snapshot may take.
type eachKey struct{}

// enterForSome waits for a connection for several statements. Each of them has the
// patience that it returns.
func (g *gate) enterForSome(ctx context.Context) (patience time.Duration, leave func(error), err error) {
	if patience = patienceOf(ctx); patience == within {
		return workTime, func(error) {}, nil
	}
	if err := g.wait(ctx, time.Now(), patience); err != nil {
		return 0, nil, err
	}
	return patience, func(err error) { g.leave(!passes(err)) }, nil
}
