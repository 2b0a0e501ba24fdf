package db

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// Tx is a transaction. It is valid until the function given to InTx returns, and for one goroutine.
type Tx struct {
	Reader

	Accounts    AccountsTx
	Allowances  AllowancesTx
	Batches     BatchesTx
	Chunks      ChunksTx
	Contents    ContentsTx
	Works       WorksTx
	Idempotency IdempotencyTx
	Items       ItemsTx
	Jobs        JobsTx
	Keys        KeysTx
	Library     LibraryTx
	Places      PlacesTx
	Queue       queue.Tx
	Recordings  RecordingsTx
	Removals    RemovalsTx
	Speakers    SpeakersTx
	Transcripts TranscriptsTx
	Uploads     UploadsTx

	sql     *sqldb.Tx
	facts   facts          // of the store
	put     *transcriptRow // the last text that the transaction has stored, whose content it has locked
	indexed string         // the last text that the transaction has inserted, with its index
}

func newTx(t *sqldb.Tx, facts facts) *Tx {
	tx := &Tx{Reader: newReader(&source{db: t.Tx, shared: t.Shared()}), sql: t, facts: facts}
	tx.Accounts = AccountsTx{tx.Reader.Accounts, tx}
	tx.Allowances = AllowancesTx{tx.Reader.Allowances, tx}
	tx.Batches = BatchesTx{tx.Reader.Batches, tx}
	tx.Chunks = ChunksTx{tx.Reader.Chunks, tx}
	tx.Contents = ContentsTx{tx.Reader.Contents, tx}
	tx.Works = WorksTx{tx.Reader.Works, tx}
	tx.Idempotency = IdempotencyTx{tx}
	tx.Items = ItemsTx{tx.Reader.Items, tx}
	tx.Jobs = JobsTx{tx.Reader.Jobs, tx}
	tx.Keys = KeysTx{tx.Reader.Keys, tx}
	tx.Library = LibraryTx{tx.Reader.Library, tx}
	tx.Places = PlacesTx{tx.Reader.Places, tx}
	tx.Queue = queue.In(t)
	tx.Recordings = RecordingsTx{tx.Reader.Recordings, tx}
	tx.Removals = RemovalsTx{tx.Reader.Removals, tx}
	tx.Speakers = SpeakersTx{tx.Reader.Speakers, tx}
	tx.Transcripts = TranscriptsTx{tx.Reader.Transcripts, tx}
	tx.Uploads = UploadsTx{tx}
	return tx
}

// InTx runs fn in a transaction. InTx commits when fn returns nil. It rolls back when fn returns an
// error or panics, or when the transaction takes longer than four seconds (see Unhurried and
// Sized). It wakes watchers after the commit. On PostgreSQL fn runs again when the database reports
// a serialization failure or a deadlock, so fn must not keep state between runs. Within fn only tx
// may write: InTx and the other writes of the Store return an error there.
func (s *Store) InTx(ctx context.Context, fn func(ctx context.Context, tx *Tx) error) error {
	return s.sql.InTx(ctx, func(ctx context.Context, t *sqldb.Tx) error { return fn(ctx, newTx(t, s.facts)) })
}

// AfterCommit calls fn after the transaction is committed. It does not call fn if the
// commit got no answer.
func (tx *Tx) AfterCommit(fn func()) { tx.sql.AfterCommit(fn) }

// Lock makes transactions with the same key run one after another. It holds until the end
// of the transaction.
func (tx *Tx) Lock(ctx context.Context, key string) error { return tx.sql.Lock(ctx, key) }

// LockSubmissions makes transactions that accept requests for a content of an account, or remove
// the content, run one after another.
func (tx *Tx) LockSubmissions(ctx context.Context, account string, c engine.Content) error {
	return tx.Lock(ctx, "submit/"+account+"/"+string(c.Platform)+"/"+c.ExternalID)
}

// SQL is the transaction, for packages with their own tables.
func (tx *Tx) SQL() *sqldb.Tx { return tx.sql }

// touch wakes the topics' watchers after the commit.
func (tx *Tx) touch(topics ...string) { tx.sql.Wake(topics...) }

// Snapshot lets read make several queries of the database as it is at one moment: read does
// not see later commits. Without a snapshot, an answer from several reads could contradict
// itself. read must not write. Each of its queries has the same time as a query outside.
func (s *Store) Snapshot(ctx context.Context, read func(ctx context.Context, r Reader) error) error {
	return s.sql.Snapshot(ctx, func(ctx context.Context, db bun.IDB) error {
		return read(ctx, newReader(&source{db: db, kept: s.kept, shared: s.Shared()}))
	})
}
