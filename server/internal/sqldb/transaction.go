package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/riverqueue/river"
)

// maxTries limits how often a transaction runs that the database rolls back because of
// another transaction.
const maxTries = 10

// Tx is a transaction. It is valid until the function given to InTx returns, and for one
// goroutine.
type Tx struct {
	Dialect
	*transaction

	database database
	topics   []string // to be woken after the commit
	after    []func() // to be called after the commit
	ended    []func() // to be called as soon as others may see the changes
}

// InTx runs fn in a transaction. InTx commits when fn returns nil. It rolls back when fn
// returns an error or panics, or when the transaction takes longer than four seconds (see
// Unhurried and Sized). It wakes watchers after the commit. On PostgreSQL fn runs again
// when the database reports a serialization failure or a deadlock, so fn must not keep
// state between runs. Within fn only tx may write: see Enter.
func (d *DB) InTx(ctx context.Context, fn func(ctx context.Context, tx *Tx) error) (err error) {
	ctx, err = d.Enter(ctx)
	if err != nil {
		return err
	}
	ctx, leave, err := d.database.gate().enter(ctx)
	if err != nil {
		return Wrap("transaction", err)
	}
	defer func() { leave(err) }()
	for try := 1; ; try++ {
		err = d.try(ctx, fn)
		if err == nil || try == maxTries || !d.database.retryable(err) || !pause(ctx, try) {
			return err
		}
	}
}

func (d *DB) try(ctx context.Context, fn func(ctx context.Context, tx *Tx) error) (err error) {
	t, err := d.database.begin(ctx)
	if err != nil {
		return Wrap("begin", err)
	}
	defer t.free()
	committed := false
	defer func() { // also when fn panics
		if committed {
			return
		}
		// A context that has ended has rolled the transaction back already.
		if e := t.Rollback(); e != nil && !errors.Is(e, sql.ErrTxDone) && ctx.Err() == nil {
			err = errors.Join(err, Wrap("rollback", e))
		}
	}()

	tx := &Tx{Dialect: d.Dialect, transaction: t, database: d.database}
	if err := fn(ctx, tx); err != nil {
		return err
	}
	err = t.Commit()
	for _, fn := range tx.ended {
		fn()
	}
	if err != nil {
		return uncertain(Wrap("commit", err))
	}
	committed = true
	d.hub.wake(tx.topics...)
	d.database.announce(tx.topics...)
	for _, fn := range tx.after {
		fn()
	}
	return nil
}

// AfterCommit has fn called once the transaction is committed. It does not call fn if the
// commit got no answer.
func (tx *Tx) AfterCommit(fn func()) { tx.after = append(tx.after, fn) }

// AtEnd calls fn as soon as others may see the changes of the transaction: after the commit,
// even if the commit got no answer, and before others are told about the commit. After a
// rollback fn is not called.
func (tx *Tx) AtEnd(fn func()) { tx.ended = append(tx.ended, fn) }

// Wake wakes the topics' watchers after the commit.
func (tx *Tx) Wake(topics ...string) { tx.topics = append(tx.topics, topics...) }

// Lock makes transactions that name the same key run one after another, until the end of
// the transaction: an advisory lock on PostgreSQL. On SQLite transactions are serial.
func (tx *Tx) Lock(ctx context.Context, key string) error {
	return Wrap("lock "+strconv.Quote(key), tx.database.lock(ctx, tx.Tx, key))
}

// Enqueue inserts a job of River's.
func (tx *Tx) Enqueue(ctx context.Context, args river.JobArgs, opts *river.InsertOpts) error {
	return tx.enqueue(ctx, args, opts)
}

// Posted says that steps wait in queues. The transaction need not say so about a step that it
// inserts.
func (tx *Tx) Posted(queues ...string) { tx.posted = append(tx.posted, queues...) }

// inTx marks the context of a function that runs in a transaction of a DB.
type inTx struct{ db *DB }

// Enter refuses a write outside of the transaction whose function makes the write: on
// SQLite the write would wait for the transaction. The caller uses the returned context
// for the write.
func (d *DB) Enter(ctx context.Context) (context.Context, error) {
	if ctx.Value(inTx{d}) != nil {
		return nil, errors.New("store: write outside the transaction that is open")
	}
	return context.WithValue(ctx, inTx{d}, true), nil
}

// pause waits a few milliseconds, longer with every try, with jitter. It is false when
// ctx has ended.
func pause(ctx context.Context, try int) bool {
	wait := time.Duration(try) * 5 * time.Millisecond
	return rest(ctx, wait/2+rand.N(wait))
}

// rest waits; false: ctx has ended first.
func rest(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
