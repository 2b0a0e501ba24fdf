// Package db keeps what the service must not lose: accounts and keys, transcripts, pieces of work with
// the jobs that claim them, their events, the results of finished chunks, idempotency keys and
// uploaded files. One code path serves SQLite (one file, one process) and PostgreSQL
// (many processes).
//
// Everything that belongs together is written in one transaction:
//
//	err := s.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
//		if err := tx.Works.Move(ctx, work, move); err != nil { // state, jobs, events
//			return err
//		}
//		return tx.Queue.Enqueue(ctx, nextStep) // the queue's row, in the same transaction
//	})
//
// The package knows rows, not rules: others decide about moves and keys. The types of the queue and of
// the SQL library show in its export SQL alone. Its errors begin with "store:", as operators know it.
package db

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/uptrace/bun"
	"gocloud.dev/blob"

	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
	"github.com/transcriptkit/transcriptkit/server/internal/outage"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/server/internal/together"
	"github.com/transcriptkit/transcriptkit/server/internal/window"
)

// The errors of the database, under the names that the packages above know.
var (
	ErrNotFound    = sqldb.ErrNotFound
	ErrExists      = sqldb.ErrExists
	ErrServed      = sqldb.ErrServed
	ErrNoDatabase  = sqldb.ErrNoDatabase
	ErrUncertain   = sqldb.ErrUncertain
	ErrUnavailable = outage.ErrUnavailable
)

// Unhurried, Patient and Sized give the calls of a Store more time.
var (
	Unhurried = sqldb.Unhurried
	Patient   = sqldb.Patient
	Sized     = sqldb.Sized
)

// Options says where the data is.
type Options struct {
	// Database is "sqlite:PATH" or a "postgres://" URL. Required.
	Database string
	// MustExist leaves a database alone that the service has made no tables in yet, and makes no
	// file: that is ErrNoDatabase. It is for tools, as a mistyped name would be a new database.
	MustExist bool
	// Unchanged leaves the tables of an older version as they are, and makes Open fail.
	Unchanged bool
	// FullSync makes every SQLite commit survive a loss of power, at more than ten times the price.
	// Without it the last commits may be lost. A crash of the process loses nothing either way.
	FullSync bool
	// Blobs is where uploads and audio are kept: the path of a folder, the URL of a
	// bucket in an object store, or blobs.InMemory. Required.
	Blobs string
	// OpenBucket opens the bucket whose URL is Blobs, and the store closes the bucket.
	// A folder and blobs.InMemory need none.
	OpenBucket func(ctx context.Context, u *url.URL) (*blob.Bucket, error) `json:"-"`
	// Log receives what goes wrong behind the scenes; nil means that nothing is logged.
	Log *slog.Logger
}

// Store is an open database with its blobs. Safe for concurrent use.
type Store struct {
	Reader // of what is committed

	Blobs       *blobs.Bucket
	Queue       *queue.Queue
	Idempotency Idempotency
	Uploads     Uploads

	answered together.Writes[IdempotencyKey, idempotencyRow, bool] // keys with their final answers
	sql      *sqldb.DB
	writer   *bun.DB
	tables   Tables                        // that this program wants
	windows  window.Counter[RequestWindow] // of a database that one process serves
	rounds   window.Rounds[RequestWindow]  // of a shared one
	folders  []Folder                      // local ones that are written to
	log      *slog.Logger
}

// Open opens the database, brings its tables up to date, and opens the blobs. On SQLite it
// does not change the tables of a file that another process serves: that is ErrServed. It
// refuses tables of a newer version that rule this program out: that is ErrNewer.
func Open(ctx context.Context, o Options) (*Store, error) {
	return OpenThrough(ctx, o, sqldb.Drivers{})
}

// OpenThrough is Open with drivers between the store and its database.
func OpenThrough(ctx context.Context, o Options, through sqldb.Drivers) (*Store, error) {
	log := o.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	bucket, err := blobs.Open(ctx, o.blobs())
	if err != nil {
		return nil, err
	}
	pool, err := sqldb.Open(ctx, sqldb.Options{
		Database: o.Database, MustExist: o.MustExist, FullSync: o.FullSync, Inserts: queue.Inserts(log), Log: log, Drivers: through,
	})
	if err != nil {
		return nil, errors.Join(err, bucket.Close())
	}
	tables, err := migrate(ctx, pool, o.Unchanged, log)
	if err != nil {
		return nil, errors.Join(sqldb.Explain(ctx, o.Database, err), pool.Close(), bucket.Close())
	}
	s := &Store{
		Reader:  newReader(&source{db: pool.Reader(), pool: pool, kept: newKept(), facts: newFacts(pool.Shared()), shared: pool.Shared()}),
		Blobs:   bucket,
		Queue:   queue.New(pool, log),
		sql:     pool,
		writer:  pool.Writer(),
		tables:  tables,
		folders: o.Folders(),
		log:     log,
	}
	s.Idempotency, s.Uploads, s.rounds.Count = Idempotency{s}, Uploads{s}, s.countRound
	s.answered.Write = s.Idempotency.insert
	return s, nil
}

// Folder is a local folder to which a Store writes.
type Folder struct {
	Use  string // "database" or "blobs"
	Path string
}

func (o Options) blobs() blobs.Options {
	return blobs.Options{Place: o.Blobs, OpenBucket: o.OpenBucket}
}

// Folders are the local folders to which a store with these options writes.
func (o Options) Folders() (all []Folder) {
	if path, ok := strings.CutPrefix(o.Database, "sqlite:"); ok {
		all = append(all, Folder{"database", filepath.Dir(path)})
	}
	if folder := o.blobs().Folder(); folder != "" {
		all = append(all, Folder{"blobs", folder})
	}
	return all
}

// Close releases everything. No method may be called afterwards.
func (s *Store) Close() error {
	return errors.Join(s.sql.Close(), s.Blobs.Close())
}

// Ping asks the database for a sign of life. It checks that the tables are as this version
// wants them, or newer, and that the tables can be written to. A write fails on a SQLite
// file that another program locks, and on a PostgreSQL that only copies another one.
func (s *Store) Ping(ctx context.Context) error {
	if err := upToDate(ctx, s.db, s.tables); err != nil {
		return err
	}
	ctx, err := s.sql.Enter(ctx)
	if err != nil {
		return err
	}
	// No row is changed, but all is asked for that a change needs.
	_, err = s.writer.NewRaw(`UPDATE processes SET beats = beats WHERE id = ''`).Exec(ctx)
	return wrap("look whether tables can be written to", err)
}

// SQL is the database, for packages that keep their tables themselves.
func (s *Store) SQL() *sqldb.DB { return s.sql }

// Folders are the local folders to which the store writes: the folder of a SQLite file,
// and the folder of the blobs.
func (s *Store) Folders() []Folder { return slices.Clone(s.folders) }

// Shared reports whether several processes may serve this database at once:
// false on SQLite.
func (s *Store) Shared() bool { return s.sql.Shared() }

// Serve marks this process as the one that serves. On SQLite it takes an exclusive lock on
// a file next to the database, and returns ErrServed if another process or another Store
// holds the lock. The process before is dead then, so Serve frees the idempotency keys that
// it held. The lock ends with the process, or with release.
func (s *Store) Serve(ctx context.Context) (release func() error, err error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("store: serve: %w", err)
	}
	release, err = s.sql.Serve()
	if err != nil || s.Shared() {
		return release, err
	}
	if err := s.Idempotency.freeAll(ctx); err != nil {
		return nil, errors.Join(err, release())
	}
	return release, nil
}

// Watch returns a channel that receives a value after every commit, in any process, that
// touched the topic: the id of a job, a piece of work, a batch or a lookup. A value that was
// not received yet stands for the next commits too. A broken connection to the database may
// lose a value, so a watcher also looks at the rows now and then. The channel never closes;
// stop releases it.
func (s *Store) Watch(topic string) (wake <-chan struct{}, stop func()) { return s.sql.Watch(topic) }

// Handle is what a public store.Store holds. Only this module reaches the database behind it, by [Of].
type Handle struct{ store *Store }

func (h *Handle) opened() *Store { return h.store }
func (h *Handle) hold(s *Store)  { h.store = s }

// Hold makes a public store the one of an open database.
func Hold(public interface{ hold(s *Store) }, s *Store) { public.hold(s) }

// Of returns the database behind a public store.
func Of(s interface{ opened() *Store }) *Store { return s.opened() }
