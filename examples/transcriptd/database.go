package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// database is the flag that every command with a database has.
type database struct{ service.DatabaseFlag }

// withStore opens the database for a command that is not serving. What is not there is
// made only where that is what the command is for: else a mistyped name would be a new
// database.
func (d database) withStore(ctx context.Context, made bool, use func(*store.Store) error) error {
	s, err := service.OpenStore(ctx, store.Options{Database: string(d.DB), MustExist: !made, Blobs: store.InMemory})
	if !made && errors.Is(err, store.ErrNoDatabase) {
		return fmt.Errorf("%w: name the right one with --db, or make this one with \"transcriptd migrate\"", err)
	}
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
