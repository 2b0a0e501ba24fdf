package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gocloud.dev/blob/memblob"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// database is the flag that every command with a database has.
type database struct {
	DB databaseName `name:"db" default:"sqlite:transcriptd.db" placeholder:"DATABASE" help:"sqlite:PATH or a postgres:// URL (${default})."`
}

// databaseName is checked when the command line is read; whether the database
// can be reached shows later.
type databaseName string

// UnmarshalText is called by the parser.
func (d *databaseName) UnmarshalText(text []byte) error {
	*d = databaseName(text)
	if path, ok := strings.CutPrefix(string(text), "sqlite:"); ok && path != "" {
		return nil
	}
	if !strings.HasPrefix(string(text), "postgres://") && !strings.HasPrefix(string(text), "postgresql://") {
		return errors.New("want sqlite:PATH or postgres://…") // the value may hold a password
	}
	_, err := databaseAddresses(string(text))
	return err
}

// noBlobs is where commands keep uploads that never see one.
const noBlobs = memblob.Scheme + "://"

// openStore opens a database, and says what to do where there is none.
func openStore(ctx context.Context, o store.Options) (*store.Store, error) {
	s, err := store.Open(ctx, o)
	switch {
	case !errors.Is(err, store.ErrNoDatabase):
		return s, err
	case o.MustExist:
		return nil, fmt.Errorf("%w: name the right one with --db, or make this one with \"transcriptd migrate\"", err)
	case strings.HasPrefix(o.Database, "sqlite:"):
		return nil, fmt.Errorf("%w: make it, or name another path with --db", err)
	}
	return nil, fmt.Errorf("%w: make it with createdb, or name another one with --db", err)
}

// withStore opens the database for a command that is not serving. What is not there is
// made only where that is what the command is for: else a mistyped name would be a new
// database.
func (d database) withStore(ctx context.Context, made bool, use func(*store.Store) error) error {
	s, err := openStore(ctx, store.Options{Database: string(d.DB), MustExist: !made, Blobs: noBlobs})
	if err != nil {
		return err
	}
	return errors.Join(use(s), s.Close())
}

// withAccounts opens the accounts of the database, which have plans of those offered.
func (d database) withAccounts(ctx context.Context, made bool, offered account.Plans, use func(*account.Accounts) error) error {
	return d.withStore(ctx, made, func(s *store.Store) error {
		accounts, err := account.New(s, offered)
		if err != nil {
			return err
		}
		return use(accounts)
	})
}

type migrateCommand struct{ database }

// Run opens the database, which is all it takes.
func (c *migrateCommand) Run(ctx context.Context, out output) error {
	return c.withStore(ctx, true, func(*store.Store) error {
		_, err := fmt.Fprintln(out.Stderr, "The database is up to date.")
		return err
	})
}
