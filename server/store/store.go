// Package store opens the database and the folder that a server keeps its data
// in: one SQLite file that a single process serves, or PostgreSQL, which many
// processes share.
//
//	s, err := store.Open(ctx, store.Options{Database: "sqlite:service.db", Blobs: "blobs"})
//	if err != nil {
//		return err
//	}
//	defer s.Close() // after the servers that use it
//	srv, err := server.New(ctx, server.Config{Store: s})
//
// What is in it is read and changed through the packages server and account, and
// over HTTP: the tables are nobody's interface.
package store

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/redact"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
)

// ErrServed says that another process serves the same SQLite file.
var ErrServed = db.ErrServed

// ErrNoDatabase says that there is no database of that name, or, with
// Options.MustExist, none that a service has made its tables in.
var ErrNoDatabase = db.ErrNoDatabase

// Options says where the data is.
type Options struct {
	// Database is "sqlite:PATH" or a "postgres://" URL. Required.
	Database string
	// MustExist leaves a database alone that no service has made its tables in yet, and
	// makes no file: that is ErrNoDatabase. It is for tools, as a mistyped name would
	// be a new database.
	MustExist bool
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

// Format prints the options without user, password and query of the addresses.
func (o Options) Format(s fmt.State, verb rune) { redact.Print(s, verb, o.shown()) }

// MarshalJSON is Format for JSON.
func (o Options) MarshalJSON() ([]byte, error) { return json.Marshal(o.shown()) }

// shownOptions are Options without their methods.
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
type Store struct{ handle }

// handle keeps the database out of the documentation.
type handle = db.Handle

// Open opens the database, brings its tables up to date, and opens the blobs.
// On SQLite, tables that another process serves are not changed under its feet:
// that is ErrServed.
func Open(ctx context.Context, o Options) (*Store, error) {
	opened, err := db.Open(ctx, db.Options(o))
	if err != nil {
		return nil, err
	}
	return &Store{db.HandleOf(opened)}, nil
}

// Close releases everything. The store must not be used afterwards.
func (s *Store) Close() error { return db.Of(s).Close() }
