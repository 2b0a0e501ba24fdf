package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

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
	log := slog.New(slog.NewTextHandler(out.Stderr, &slog.HandlerOptions{Level: slog.LevelError})) // the warnings are about serving
	o.MustExist, o.Log = true, log
	s, err := d.open(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	accounts, err := account.New(s, offered)
	if err != nil {
		return err
	}
	idle, err := server.New(ctx, server.Config{Store: s, Accounts: accounts, Log: log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, idle.Stop(context.WithoutCancel(ctx))) }()
	return use(idle, accounts)
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
			fmt.Fprintf(out.Stderr, "This removes %s with all its texts, recordings, jobs and keys, for good.\nThe name of the account, to go on: ", c.Name)
			err = confirmName(ctx, os.Stdin, c.Name)
		}
		if err != nil && !errors.Is(err, account.ErrNotFound) { // which may be removed in part
			return err
		}
		removed, err := s.RemoveAccount(ctx, c.Name)
		if errors.Is(err, account.ErrNotFound) {
			return fmt.Errorf("there is no account %q: \"transcriptd accounts list\" lists them", c.Name)
		}
		if err != nil {
			return fmt.Errorf("%w; the account is suspended: the same command goes on with the removal", err)
		}
		_, err = fmt.Fprintf(out.Stderr, "Removed account %s: %s.\n", c.Name, inWords(removed))
		return err
	})
}

// inWords lists what was removed.
func inWords(r server.Removed) string {
	var parts []string
	for _, part := range []struct {
		n         int64
		one, many string
	}{
		{r.Contents, "entry of the library", "entries of the library"},
		{r.Files, "file", "files"},
		{r.Jobs, "job", "jobs"},
		{r.Batches, "batch", "batches"},
		{r.Follows, "follow", "follows"},
		{r.Webhooks, "webhook", "webhooks"},
		{r.Shares, "shared link", "shared links"},
		{r.Keys, "key", "keys"},
	} {
		switch part.n {
		case 0:
		case 1:
			parts = append(parts, "1 "+part.one)
		default:
			parts = append(parts, fmt.Sprint(part.n, " ", part.many))
		}
	}
	if len(parts) == 0 {
		return "it had nothing"
	}
	return strings.Join(parts, ", ")
}

// confirmName reads a line, and returns an error if it is not the name.
func confirmName(ctx context.Context, r io.Reader, name string) error {
	typed := make(chan string, 1)
	go func() { // ends with the process: a terminal cannot be read with a context
		line, _ := bufio.NewReader(r).ReadString('\n') // the end of the input counts as another name
		typed <- strings.TrimSpace(line)
	}()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case line := <-typed:
		if line != name {
			return errors.New("that is not the name of the account: nothing was removed (--yes removes it without the question)")
		}
		return nil
	}
}
