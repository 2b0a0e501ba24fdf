package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/server/store/s3store"
)

// ownedData are the flags of the commands that need the whole data of an account.
type ownedData struct {
	database
	Blobs service.BlobPlace `default:"${blobs}" placeholder:"PLACE" help:"Where the service keeps uploads and recordings: a folder (${default}), or s3://BUCKET?OPTION=…."`
}

// withServer makes a server on the data, and the accounts of the server.
func (d ownedData) withServer(ctx context.Context, out output, use func(*server.Server, *account.Accounts) error) error {
	if err := d.Blobs.Find(); err != nil {
		return err
	}
	return d.withIdleServer(ctx, out, store.Options{Blobs: string(d.Blobs), OpenBucket: s3store.Open}, account.DefaultPlans(), use)
}

// withIdleServer makes a server that serves nothing and does no work, and the accounts of the server.
func (d database) withIdleServer(ctx context.Context, out output, o store.Options, offered account.Plans, use func(*server.Server, *account.Accounts) error) (err error) {
	o.MustExist, o.Log = true, service.ErrorLog(out.Stderr)
	s, err := d.open(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	accounts, err := account.New(s, offered)
	if err != nil {
		return err
	}
	return service.WithIdle(ctx, o.Log, s, accounts, func(idle *server.Server) error { return use(idle, accounts) })
}

type accountsRemove struct {
	ownedData
	Name string `arg:"" help:"The account."`
	Yes  bool   `verb:"" short:"y" help:"Do not ask for the name again."`
}

// Run also works while a server runs on the same database.
func (c *accountsRemove) Run(ctx context.Context, out output) error {
	return c.withServer(ctx, out, func(s *server.Server, accounts *account.Accounts) error {
		_, err := accounts.Account(ctx, c.Name)
		if err == nil && !c.Yes {
			err = service.ConfirmRemoval(ctx, out.Stderr, os.Stdin, c.Name)
		}
		if err != nil && !errors.Is(err, account.ErrNotFound) { // the account may be partly removed
			return err
		}
		err = service.RemoveAccount(ctx, out.Stderr, s, c.Name)
		if errors.Is(err, account.ErrNotFound) {
			return fmt.Errorf("there is no account %q: \"transcriptd accounts list\" lists them", c.Name)
		}
		return err
	})
}
