package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// database is the flag of every command with a database.
type database struct{ service.DatabaseFlag }

// withStore opens the database for a command other than serve. It creates a missing database
// only if that is the purpose of the command, because a mistyped name would otherwise make a
// new database.
func (d database) withStore(ctx context.Context, made bool, use func(*store.Store) error) error {
	s, err := d.open(ctx, store.Options{MustExist: !made, Blobs: store.InMemory})
	if err != nil {
		return err
	}
	return errors.Join(use(s), s.Close())
}

// open opens the database. An error says what to do about a missing one.
func (d database) open(ctx context.Context, o store.Options) (*store.Store, error) {
	o.Database = string(d.DB)
	s, err := service.OpenStore(ctx, o)
	if o.MustExist && errors.Is(err, store.ErrNoDatabase) {
		return nil, fmt.Errorf("%w: name the right one with --db, or make this one with \"transcriptd migrate\"", err)
	}
	return s, err
}

// withAccounts opens the accounts of the database with the offered plans.
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

// Run opens the database, which also updates it.
func (c *migrateCommand) Run(ctx context.Context, out output) error {
	return c.withStore(ctx, true, func(*store.Store) error {
		_, err := fmt.Fprintln(out.Stderr, "The database is up to date.")
		return err
	})
}
