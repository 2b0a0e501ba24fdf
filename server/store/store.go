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

// ErrServed says that another process serves the same SQLite file.
var ErrServed = db.ErrServed

// ErrNoDatabase says that the named database does not exist. With Options.MustExist it also
// says that no service has created its tables there.
var ErrNoDatabase = db.ErrNoDatabase

// ErrNewer says that a newer version has changed the tables so that this program cannot work on
// them. The error's text names that version.
var ErrNewer = db.ErrNewer

// InMemory as Options.Blobs keeps uploads and audio in the memory of the process: for
// tests, and for tools that touch neither.
const InMemory = blobs.InMemory

// Options names the places of the data.
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
	// FullSync makes every SQLite commit survive a loss of power. Commits then take more than
	// ten times as long. Without it, a loss of power may lose the last commits. A crash of the
	// process loses nothing in either case.
	FullSync bool
	// Blobs is where uploads and audio are kept: the path of a folder, the URL of a
	// bucket in an object store, or InMemory. Required.
	Blobs string
	// OpenBucket opens the bucket whose URL is Blobs, and the store closes the bucket.
	// Package s3store has the function for s3:// URLs. A folder and InMemory need none.
	OpenBucket func(ctx context.Context, u *url.URL) (*blob.Bucket, error) `json:"-"`
	// Log receives errors of background work; nil: nothing is logged.
	Log *slog.Logger
}

// Format prints the options without user, password and query of the addresses.
func (o Options) Format(s fmt.State, verb rune) { redact.Print(s, verb, o.shown()) }

// MarshalJSON hides the same parts as Format.
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

// Store is an open database with its blobs. Safe for concurrent use.
type Store struct{ handle } //nolint:unused // db.Of reads it

// handle keeps the database's methods out of the documentation.
type handle = db.Handle //nolint:unused // as above

// Open opens the database, updates its tables, and opens the blobs. If another process serves
// an SQLite file whose tables would have to change, Open changes nothing and returns ErrServed.
// Open refuses tables that rule this program out, with ErrNewer.
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

// Pending is what Open would change in the tables of a database.
type Pending struct {
	// Database is the place of the database in words, without user and password.
	Database string
	// Migrations are the names of the migrations that Open would run, in their order. Empty:
	// the tables are up to date.
	Migrations []string
	// Newer is the version that has made the tables, if it is newer than the program. The
	// program may work on such tables. Empty: no newer version has.
	Newer string
}

// Migrations returns what Open would change, and changes nothing: it makes no file and needs only
// the right to read. Of the options it uses Database. A SQLite file that does not exist needs all
// migrations. Migrations refuses tables that rule this program out, with ErrNewer.
func Migrations(ctx context.Context, o Options) (Pending, error) {
	found, err := db.Migrations(ctx, db.Options(o))
	return Pending(found), err
}
