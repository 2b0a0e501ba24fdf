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

// withStore opens the database for a command that is not serving.
func (d database) withStore(ctx context.Context, use func(*store.Store) error) error {
	s, err := store.Open(ctx, store.Options{Database: string(d.DB), Blobs: noBlobs})
	if err != nil {
		return err
	}
	return errors.Join(use(s), s.Close())
}

// withAccounts opens the accounts of the database, which have plans of those offered.
func (d database) withAccounts(ctx context.Context, offered account.Plans, use func(*account.Accounts) error) error {
	return d.withStore(ctx, func(s *store.Store) error {
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
	return c.withStore(ctx, func(*store.Store) error {
		_, err := fmt.Fprintln(out.Stderr, "The database is up to date.")
		return err
	})
}
