package db

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"strconv"
	"time"
)

// maxTries bounds how often a transaction is run that the database rolls back
// for another's sake.
const maxTries = 10

// Tx is a transaction. It is valid until the function given to InTx returns,
// and for one goroutine.
type Tx struct {
	Reader

	Accounts    AccountsTx
	Allowances  AllowancesTx
	Batches     BatchesTx
	Chunks      ChunksTx
	Contents    ContentsTx
	Extractions ExtractionsTx
	Idempotency IdempotencyTx
	Items       ItemsTx
	Jobs        JobsTx
	Keys        KeysTx
	Library     LibraryTx
	Lookups     LookupsTx
	Places      PlacesTx
	Speakers    SpeakersTx
	Transcripts TranscriptsTx

	tx       *transaction
	database database
	topics   []string // to be woken after the commit
	after    []func() // to be called then
}

func newTx(t *transaction, d database) *Tx {
	tx := &Tx{Reader: newReader(&source{db: t.Tx, shared: d.shared()}), tx: t, database: d}
	tx.Accounts = AccountsTx{tx.Reader.Accounts, tx}
	tx.Allowances = AllowancesTx{tx.Reader.Allowances, tx}
	tx.Batches = BatchesTx{tx.Reader.Batches, tx}
	tx.Chunks = ChunksTx{tx.Reader.Chunks, tx}
	tx.Contents = ContentsTx{tx.Reader.Contents, tx}
	tx.Extractions = ExtractionsTx{tx.Reader.Extractions, tx}
	tx.Idempotency = IdempotencyTx{tx}
	tx.Items = ItemsTx{tx.Reader.Items, tx}
	tx.Jobs = JobsTx{tx.Reader.Jobs, tx}
	tx.Keys = KeysTx{tx.Reader.Keys, tx}
	tx.Library = LibraryTx{tx.Reader.Library, tx}
	tx.Lookups = LookupsTx{tx.Reader.Lookups, tx}
	tx.Places = PlacesTx{tx.Reader.Places, tx}
	tx.Speakers = SpeakersTx{tx.Reader.Speakers, tx}
	tx.Transcripts = TranscriptsTx{tx.Reader.Transcripts, tx}
	return tx
}

// InTx runs fn in a transaction: committed when fn returns nil, else rolled
// back, also when it takes longer than four seconds (see Unhurried and Sized). Watchers
// are woken after the commit. On PostgreSQL fn is run again when the database
// reports a serialization failure or a deadlock, so it must not keep state
// between runs. Within fn only tx may write: a write through the
// Store would wait for the transaction itself and is refused.
func (s *Store) InTx(ctx context.Context, fn func(ctx context.Context, tx *Tx) error) (err error) {
	ctx, err = s.enter(ctx)
	if err != nil {
		return err
	}
	ctx, leave, err := s.database.gate().enter(ctx)
	if err != nil {
		return wrap("transaction", err)
	}
	defer func() { leave(err) }()
	for try := 1; ; try++ {
		err = s.tryTx(ctx, fn)
		if err == nil || try == maxTries || !s.database.retryable(err) || !pause(ctx, try) {
			return err
		}
	}
}

func (s *Store) tryTx(ctx context.Context, fn func(ctx context.Context, tx *Tx) error) (err error) {
	t, err := s.database.begin(ctx)
	if err != nil {
		return wrap("begin", err)
	}
	defer t.free()
	committed := false
	defer func() { // also when fn panics
		if committed {
			return
		}
		// A context that has ended has rolled the transaction back already.
		if e := t.Rollback(); e != nil && !errors.Is(e, sql.ErrTxDone) && ctx.Err() == nil {
			err = errors.Join(err, wrap("rollback", e))
		}
	}()

	tx := newTx(t, s.database)
	if err := fn(ctx, tx); err != nil {
		return err
	}
	if err := s.database.announce(ctx, t.Tx, tx.topics); err != nil {
		return wrap("announce", err)
	}
	if err := t.Commit(); err != nil {
		return uncertain(wrap("commit", err))
	}
	committed = true
	s.hub.wake(tx.topics...)
	for _, fn := range tx.after {
		fn()
	}
	return nil
}

// AfterCommit has fn called once the transaction is committed. It is not called where
// the commit got no answer.
func (tx *Tx) AfterCommit(fn func()) { tx.after = append(tx.after, fn) }

// Lock makes transactions that name the same key run one after the other, until
// the end of the transaction (an advisory lock on PostgreSQL; on SQLite
// transactions are serial anyway).
func (tx *Tx) Lock(ctx context.Context, key string) error {
	return wrap("lock "+strconv.Quote(key), tx.database.lock(ctx, tx.tx.Tx, key))
}

// touch notes that the topics' watchers are to be woken after the commit.
func (tx *Tx) touch(topics ...string) { tx.topics = append(tx.topics, topics...) }

// inTx marks the context of a function that runs in a transaction of a Store.
type inTx struct{ store *Store }

// enter refuses a write through the Store inside one of the Store's transactions: on
// SQLite the write would wait for its own transaction.
func (s *Store) enter(ctx context.Context) (context.Context, error) {
	if ctx.Value(inTx{s}) != nil {
		return nil, errors.New("store: write outside the transaction that is open")
	}
	return context.WithValue(ctx, inTx{s}, true), nil
}

// pause waits a little longer with every try: a few milliseconds, with jitter.
// It is false when ctx has ended.
func pause(ctx context.Context, try int) bool {
	wait := time.Duration(try) * 5 * time.Millisecond
	timer := time.NewTimer(wait/2 + rand.N(wait))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
