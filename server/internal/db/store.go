// Package db stores the data that the service must not lose: accounts and keys, transcripts, pieces
// of work with the jobs that claim them, their events, the results of finished chunks, idempotency
// keys and uploaded files. The same code serves SQLite (one file, one process) and PostgreSQL (many
// processes).
//
// Data that belong together are written in one transaction:
//
//	err := s.InTx(ctx, func(ctx context.Context, tx *db.Tx) error {
//		if err := tx.Works.Move(ctx, work, move); err != nil { // state, jobs, events
//			return err
//		}
//		return tx.Queue.Enqueue(ctx, nextStep) // the queue's row, in the same transaction
//	})
//
// The package knows rows, not rules: other packages decide about transitions and keys. Only its
// export SQL shows the types of the queue and of the SQL library. Its errors begin with "store:",
// because operators know this name.
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

// The errors of the database, under the names that the packages above use.
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

// Options says where the data are.
type Options struct {
	// Database is "sqlite:PATH" or a "postgres://" URL. Required.
	Database string
	// MustExist makes Open fail with ErrNoDatabase if the service has made no tables in the
	// database yet; Open then makes no file. It is for tools, because a mistyped name would
	// make a new database.
	MustExist bool
	// Unchanged makes Open fail, without a change, if the tables are of an older version.
	Unchanged bool
	// FullSync makes every SQLite commit survive a power failure, but commits take more than ten
	// times as long. Without it, a power failure may lose the last commits. A crash of the process
	// loses nothing in either case.
	FullSync bool
	// Blobs is where uploads and audio are kept: the path of a folder, the URL of a
	// bucket in an object store, or blobs.InMemory. Required.
	Blobs string
	// OpenBucket opens the bucket whose URL is Blobs, and the store closes the bucket. A
	// folder and blobs.InMemory do not need it.
	OpenBucket func(ctx context.Context, u *url.URL) (*blob.Bucket, error) `json:"-"`
	// Log receives errors of background work; nil means that nothing is logged.
	Log *slog.Logger
}

// Store is an open database with its blobs. A Store is safe for concurrent use.
type Store struct {
	Reader // of committed data

	Blobs       *blobs.Bucket
	Queue       *queue.Queue
	Idempotency Idempotency
	Uploads     Uploads

	answered together.Writes[IdempotencyKey, idempotencyRow, bool] // keys with their final answers
	sql      *sqldb.DB
	writer   *bun.DB
	tables   Tables                        // that this program wants
	windows  window.Counter[RequestWindow] // of a database that one process serves
	rounds   window.Rounds[RequestWindow]  // of a shared database
	folders  []Folder                      // local folders to which the store writes
	log      *slog.Logger
}

// Open opens the database, migrates its tables, and opens the blobs. On SQLite, if another process
// serves the file and its tables would have to change, it changes nothing and returns ErrServed. If
// the tables of a newer version exclude this program, it returns ErrNewer.
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

// Ping checks that the database answers. It checks that the tables are of this version or
// newer, and that they can be written to. A write fails on a SQLite file that another
// program locks, and on a PostgreSQL that only replicates another one.
func (s *Store) Ping(ctx context.Context) error {
	if err := upToDate(ctx, s.db, s.tables); err != nil {
		return err
	}
	ctx, err := s.sql.Enter(ctx)
	if err != nil {
		return err
	}
	// Ping changes no row, but needs everything that a change needs.
	_, err = s.writer.NewRaw(`UPDATE processes SET beats = beats WHERE id = ''`).Exec(ctx)
	return wrap("look whether tables can be written to", err)
}

// SQL is the database, for packages with their own tables.
func (s *Store) SQL() *sqldb.DB { return s.sql }

// Folders are the local folders to which the store writes: the folder of a SQLite file,
// and the folder of the blobs.
func (s *Store) Folders() []Folder { return slices.Clone(s.folders) }

// Shared reports whether several processes may serve this database at the same time:
// false on SQLite.
func (s *Store) Shared() bool { return s.sql.Shared() }

// Serve marks this process as the one that serves. On SQLite it takes an exclusive lock on
// a file next to the database, and returns ErrServed if another process or another Store
// holds the lock. The previous process is then dead, so Serve frees the idempotency keys
// that it held. The lock ends with the process, or with release.
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

// Watch returns a channel that receives a value after every commit, in any process, that changed
// the topic: the id of a job, a piece of work, a batch or a lookup. If a value was not received
// yet, it also stands for the next commits. A broken connection to the database may lose a value,
// so a watcher also reads the rows from time to time. The channel never closes; stop releases it.
func (s *Store) Watch(topic string) (wake <-chan struct{}, stop func()) { return s.sql.Watch(topic) }

// Handle is the database in a public store.Store. Only this module reaches the database behind it,
// with [Of].
type Handle struct{ store *Store }

func (h *Handle) opened() *Store { return h.store }
func (h *Handle) hold(s *Store)  { h.store = s }

// Hold connects a public store with an open database.
func Hold(public interface{ hold(s *Store) }, s *Store) { public.hold(s) }

// Of returns the database behind a public store.
func Of(s interface{ opened() *Store }) *Store { return s.opened() }
