package service

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// ErrorLog is the log of a command that serves nothing, because the warnings of a server are about
// serving.
func ErrorLog(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelError}))
}

// WithIdle makes a server that serves nothing and does no work on an open store. It is for commands
// that need the whole data of accounts.
func WithIdle(ctx context.Context, log *slog.Logger, s *store.Store, accounts *account.Accounts, use func(*server.Server) error) (err error) {
	idle, err := server.New(ctx, server.Config{Store: s, Accounts: accounts, Log: log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, idle.Stop(context.WithoutCancel(ctx))) }()
	return use(idle)
}

// RemoveAccount removes an account, and writes to told what it has removed. The error is
// account.ErrNotFound if there is no such account.
func RemoveAccount(ctx context.Context, told io.Writer, s *server.Server, name string) error {
	removed, err := s.RemoveAccount(ctx, name)
	switch {
	case errors.Is(err, account.ErrNotFound):
		return err
	case err != nil:
		return fmt.Errorf("%w; the account is suspended: the same command goes on with the removal", err)
	}
	_, err = fmt.Fprintf(told, "Removed account %s: %s.\n", name, inWords(removed))
	return err
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

// ConfirmRemoval asks on told whether to remove an account, and reads the name of the account from
// typed. It returns an error if the line is not the name.
func ConfirmRemoval(ctx context.Context, told io.Writer, typed io.Reader, name string) error {
	fmt.Fprintf(told, "This removes %s with all its texts, recordings, jobs and keys, for good.\nThe name of the account, to go on: ", name)
	read := make(chan string, 1)
	go func() { // ends with the process, because a context cannot interrupt a read from a terminal
		line, _ := bufio.NewReader(typed).ReadString('\n') // the end of the input counts as another name
		read <- strings.TrimSpace(line)
	}()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case line := <-read:
		if line != name {
			return errors.New("that is not the name of the account: nothing was removed (--yes removes it without the question)")
		}
		return nil
	}
}
