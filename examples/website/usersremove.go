package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/server/store/s3store"
)

type usersRemove struct {
	usersDatabase
	service.BlobsFlag
	Name    string `arg:"" help:"The user."`
	Account bool   `verb:"" help:"Also remove the account of the same name, with all its texts, recordings, jobs and keys, for good. Needs --blobs of the website."`
	Yes     bool   `verb:"" short:"y" help:"With --account: do not ask for the name again."`
}

// Run also ends the user's sessions.
func (c *usersRemove) Run(ctx context.Context, out output) error {
	if c.Account {
		return c.withAccount(ctx, out)
	}
	return c.withVisitors(ctx, func(visitors *visitor.Visitors) error {
		if err := visitors.RemoveUser(ctx, c.Name); err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		_, err := fmt.Fprintf(out.Stderr, "%s cannot sign in any more. The account and its keys stay: \"website users remove %s --account\" removes them too.\n", c.Name, c.Name)
		return err
	})
}

// withAccount removes the user first, because a sign-in makes the account again. After an error the
// same command goes on: it also removes the account of a user who has gone already.
func (c *usersRemove) withAccount(ctx context.Context, out output) error {
	if err := c.Blobs.Find(); err != nil {
		return err
	}
	log := service.ErrorLog(out.Stderr)
	return c.withData(ctx, store.Options{Blobs: string(c.Blobs), OpenBucket: s3store.Open, Log: log}, func(o opened) error {
		name, there, err := c.nameOf(ctx, o)
		if err == nil && there && !c.Yes {
			err = service.ConfirmRemoval(ctx, out.Stderr, out.Stdin, name)
		}
		if err != nil {
			return err
		}
		missing := o.RemoveUser(ctx, name)
		if missing != nil && !errors.Is(missing, visitor.ErrNoUser) {
			return fmt.Errorf("%s: %w; nothing of the account was removed: repeat the command", name, missing)
		}
		return service.WithIdle(ctx, log, o.store, o.accounts, func(s *server.Server) error {
			err := service.RemoveAccount(ctx, out.Stderr, s, name)
			if errors.Is(err, account.ErrNotFound) && missing != nil {
				return fmt.Errorf("%s: %w, and no such account: \"website users list\" lists the users", name, missing)
			}
			if errors.Is(err, account.ErrNotFound) {
				_, err = fmt.Fprintf(out.Stderr, "%s cannot sign in any more, and had no account.\n", name)
			}
			return err
		})
	})
}

// nameOf is the name of the user's account, and whether there is the user or the account. Users are
// found without regard to case, and accounts are not: a user who has gone must be named as the account is.
func (c *usersRemove) nameOf(ctx context.Context, o opened) (name string, there bool, err error) {
	u, err := o.User(ctx, c.Name)
	if err == nil {
		return u.Name, true, nil
	}
	if errors.Is(err, visitor.ErrNoUser) {
		_, err = o.accounts.Account(ctx, c.Name)
	}
	if errors.Is(err, account.ErrNotFound) { // which may be removed in part
		return c.Name, false, nil
	}
	return c.Name, err == nil, err
}
