package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// database is the flag of every command with a database.
type database struct{ service.DatabaseFlag }

// withStore opens the database for a command other than serve. It creates a missing database
// only if this is the purpose of the command, because a mistyped name would otherwise make a
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

type migrateCommand struct {
	database
	DryRun bool `help:"Print the migrations that would run, and change nothing. Needs only the right to read."`
}

// Run opens the database, which also updates it.
func (c *migrateCommand) Run(ctx context.Context, out output) error {
	if c.DryRun {
		return c.dryRun(ctx, out)
	}
	s, err := c.open(ctx, store.Options{Blobs: store.InMemory, Log: slog.New(slog.NewTextHandler(out.Stderr, nil))})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out.Stderr, "The database is up to date.")
	return errors.Join(err, s.Close())
}

// dryRun prints the name of each migration that would run.
func (c *migrateCommand) dryRun(ctx context.Context, out output) error {
	found, err := service.Migrations(ctx, string(c.DB))
	if err != nil {
		return err
	}
	for _, name := range found.Migrations {
		if _, err := fmt.Fprintln(out.Stdout, name); err != nil {
			return err
		}
	}
	said := fmt.Sprintf("These migrations would run: %d. Nothing has changed.", len(found.Migrations))
	switch {
	case len(found.Migrations) > 0:
	case found.Newer != "":
		said = fmt.Sprintf("The tables are of version %s, which is newer than this program. The program may work on them.", found.Newer)
	default:
		said = "The database is up to date."
	}
	_, err = fmt.Fprintf(out.Stderr, "%s: %s\n", found.Database, said)
	return err
}
