// Package store opens the database and the folder in which a server keeps its data. The
// database is one SQLite file for a single process, or PostgreSQL for many processes.
//
//	s, err := store.Open(ctx, store.Options{Database: "sqlite:service.db", Blobs: "blobs"})
//	if err != nil {
//		return err
//	}
//	defer s.Close() // after the servers that use it
//	srv, err := server.New(ctx, server.Config{Store: s})
//
// Programs read and change the data through the packages server and account, and over HTTP. The
// tables are not a public interface.
package store

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"strings"

	"gocloud.dev/blob"

	"github.com/transcriptkit/transcriptkit/internal/redact"
	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
)

// ErrServed means that another process serves the same SQLite file.
var ErrServed = db.ErrServed

// ErrNoDatabase means that the database does not exist. With Options.MustExist, it also
// means that the database has no tables of a service.
var ErrNoDatabase = db.ErrNoDatabase

// ErrNewer means that a newer version has changed the tables so that this program
// cannot use them. The error's text names that version.
var ErrNewer = db.ErrNewer

// InMemory is a value of Options.Blobs that keeps uploads and audio in memory until the
// process ends. Use it in tests, and in tools that need neither uploads nor audio.
const InMemory = blobs.InMemory

// Options say where a [Store] keeps its data.
type Options struct {
	// Database is "sqlite:PATH" or a "postgres://" URL. Required.
	Database string
	// MustExist makes Open fail with ErrNoDatabase if no service has created its tables in the
	// database yet; Open then creates no file. It is for tools, because a mistyped name would
	// otherwise make a new database.
	MustExist bool
	// Unchanged makes Open fail, and change nothing, if the tables are of an older version. It is
	// for tools that only read, such as a backup before an upgrade.
	Unchanged bool
	// FullSync makes every SQLite commit survive a power failure. Commits then take more
	// than ten times as long. Without it, a power failure may lose the last commits. If only
	// the process crashes, no commit is lost in either case.
	FullSync bool
	// Blobs is where uploads and audio are kept: the path of a folder, the URL of a
	// bucket in an object store, or InMemory. Required.
	Blobs string
	// OpenBucket opens the bucket whose URL is Blobs, and the store closes the bucket.
	// Package s3store has the function for s3:// URLs. A folder and InMemory need none.
	OpenBucket func(ctx context.Context, u *url.URL) (*blob.Bucket, error) `json:"-"`
	// Log receives errors of background work. If it is nil, they are not logged.
	Log *slog.Logger
}

// Format prints the options without the user, the password and the query of each
// address.
func (o Options) Format(s fmt.State, verb rune) { redact.Print(s, verb, o.shown()) }

// MarshalJSON leaves out the same parts as Format.
func (o Options) MarshalJSON() ([]byte, error) { return json.Marshal(o.shown()) }

// shownOptions is Options without its methods.
type shownOptions Options

func (o Options) shown() shownOptions {
	if !strings.HasPrefix(o.Database, "sqlite:") {
		o.Database = redact.URL(o.Database)
	}
	if strings.Contains(o.Blobs, "://") {
		o.Blobs = redact.URL(o.Blobs)
	}
	return shownOptions(o)
}

// Store is an open database with its blobs. It is safe for concurrent use.
type Store struct{ handle } //nolint:unused // db.Of reads it

// handle keeps the database's methods out of the documentation.
type handle = db.Handle //nolint:unused // as above

// Open opens the database, updates its tables, and opens the blobs. If another process
// serves an SQLite file whose tables would have to change, Open changes nothing and
// returns ErrServed. If this program cannot use the tables, the error is [ErrNewer].
// The caller must close the Store.
func Open(ctx context.Context, o Options) (*Store, error) {
	opened, err := db.Open(ctx, db.Options(o))
	if err != nil {
		return nil, err
	}
	s := new(Store)
	db.Hold(s, opened)
	return s, nil
}

// Close releases everything. The store must not be used afterwards.
func (s *Store) Close() error { return db.Of(s).Close() }

// Pending describes what [Open] would change in the tables of a database.
type Pending struct {
	// Database describes the location of the database, without user and password.
	Database string
	// Migrations are the names of the migrations that Open would run, in order. It is
	// empty if the tables are up to date.
	Migrations []string
	// Newer is the version that made the tables, if it is newer than this program but
	// the program can use them. Otherwise it is empty.
	Newer string
}

// Migrations returns what [Open] would change in the tables. It changes nothing, makes
// no file, and needs only the right to read. It uses only the Database of the options.
// A SQLite file that does not exist needs all migrations. If this program cannot use
// the tables, the error is [ErrNewer].
func Migrations(ctx context.Context, o Options) (Pending, error) {
	found, err := db.Migrations(ctx, db.Options(o))
	return Pending(found), err
}
