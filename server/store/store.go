// Package store keeps what the service must not lose: accounts and keys,
// transcripts, extractions with the jobs that claim them, their events, the
// results of finished chunks, idempotency keys, uploaded files, and the queue
// of work. One code path serves SQLite (one file, one process) and PostgreSQL
// (many processes).
//
// Everything that belongs together is written in one transaction:
//
//	err := s.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
//		if err := tx.Move(ctx, extraction, change); err != nil { // state, claims, events
//			return err
//		}
//		return tx.Enqueue(ctx, nextStep, nil) // the queue's row, in the same transaction
//	})
//
// The package knows rows, not rules: which move is right is the pipeline's
// business, which key may do what is the account package's.
package store

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"gocloud.dev/blob"

	"github.com/riverqueue/river"
)

// ErrNotFound says that no row answers.
var ErrNotFound = errors.New("store: not found")

// ErrServed says that another process serves the same SQLite file.
var ErrServed = errors.New("store: another process serves this database")

// Options says where the data is.
type Options struct {
	// Database is "sqlite:PATH" or a "postgres://" URL. Required.
	Database string
	// FullSync makes every SQLite commit survive a loss of power, at more than ten
	// times the price. Without it the last commits before one may be lost; a crash
	// of the process loses nothing either way.
	FullSync bool
	// Blobs is where uploads and audio are kept: a folder's path, or a URL that
	// gocloud.dev/blob opens. Required.
	Blobs string
	// Log receives what goes wrong behind the scenes; nil: nothing is logged.
	Log *slog.Logger
}

// Store is an open database with its blobs. Safe for concurrent use.
type Store struct {
	queries
	// unexported: bun handles (writer, reader), River insert client, hub, bucket
}

// Tx is a transaction. It is valid until the function given to InTx returns,
// and for one goroutine.
type Tx struct {
	queries
}

// queries are the reads, which a Store answers from its read pool and a Tx from
// within itself.
type queries struct{}

// Open opens the database, brings its tables up to date, and opens the blobs.
func Open(ctx context.Context, o Options) (*Store, error) { panic("unwritten") }

// Close releases everything. No method may be called afterwards.
func (s *Store) Close() error { panic("unwritten") }

// Ping asks the database for a sign of life and checks that its tables are as
// this version wants them.
func (s *Store) Ping(ctx context.Context) error { panic("unwritten") }

// Shared reports whether several processes may serve this database at once:
// false on SQLite.
func (s *Store) Shared() bool { panic("unwritten") }

// Serve marks this process as the one that serves. On SQLite it takes an
// exclusive lock beside the file, which dies with the process, and returns
// ErrServed when another process holds it. release gives it back.
func (s *Store) Serve(ctx context.Context) (release func() error, err error) { panic("unwritten") }

// InTx runs fn in a transaction: committed when fn returns nil, else rolled
// back. Watchers are woken after the commit. On PostgreSQL fn is run again when
// the database reports a serialization failure or a deadlock, so it must not
// keep state between runs.
func (s *Store) InTx(ctx context.Context, fn func(ctx context.Context, tx *Tx) error) error {
	panic("unwritten")
}

// Lock makes transactions that name the same key run one after the other, until
// the end of the transaction (an advisory lock on PostgreSQL; on SQLite
// transactions are serial anyway).
func (tx *Tx) Lock(ctx context.Context, key string) error { panic("unwritten") }

// Blobs holds uploads and audio. The caller closes readers and writers, never
// the bucket.
func (s *Store) Blobs() *blob.Bucket { panic("unwritten") }

// Watch returns a channel that receives a value after every commit, in any
// process, that touched the topic: a job's or an extraction's id. Signals that
// nobody has taken yet are merged into one; a lost one is possible (a database
// connection that broke), so a watcher also looks now and then by itself.
// stop releases the channel.
func (s *Store) Watch(topic string) (wake <-chan struct{}, stop func()) { panic("unwritten") }

// Enqueue adds a job to the queue within the transaction.
func (tx *Tx) Enqueue(ctx context.Context, args river.JobArgs, opts *river.InsertOpts) error {
	panic("unwritten")
}

// Workers is what a process works on.
type Workers struct {
	// Process is the name of this process, unique among the living. Required.
	Process string
	Workers *river.Workers
	// Queues maps a queue's name to how many of its jobs run at once here.
	Queues map[string]int
	// Periodic are jobs that one process of all enqueues now and then.
	Periodic []*river.PeriodicJob
	// StopTimeout is how long Stop lets running jobs go on before their contexts
	// are cancelled.
	StopTimeout time.Duration
}

// Runner works on the queue.
type Runner interface {
	// Start returns once the runner works; it goes on after ctx has ended.
	Start(ctx context.Context) error
	// Stop cancels the contexts of running jobs and waits for them, at most until ctx ends.
	Stop(ctx context.Context) error
}

// NewRunner prepares work on the queue.
func (s *Store) NewRunner(w Workers) (Runner, error) { panic("unwritten") }

// Beat says that the process is alive.
func (s *Store) Beat(ctx context.Context, process string) error { panic("unwritten") }

// Leave says that the process has stopped in an orderly way.
func (s *Store) Leave(ctx context.Context, process string) error { panic("unwritten") }

// LostWork is a queue job whose process has died while it ran.
type LostWork struct {
	Kind string
	Args []byte // JSON
}

// Recover makes the queue jobs of dead processes available again and returns
// them. Dead is every process but self whose last beat is older than silence;
// on SQLite every process but self, as only one may serve.
func (tx *Tx) Recover(ctx context.Context, self string, silence time.Duration) ([]LostWork, error) {
	panic("unwritten")
}
