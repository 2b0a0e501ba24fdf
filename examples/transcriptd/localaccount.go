package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/examples/internal/localservice"
	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/server/account"
)

// localAccount is the account of the user of this machine.
const localAccount = "local"

// readersEnd is longer than other programs hold the file of a service to read it.
const readersEnd = time.Second

// announce lets the programs of this user find the service, if only this machine can reach it. The
// service works without that too, so an error only goes into the log.
func (s *running) announce(ctx context.Context, log *slog.Logger, flags service.Flags) {
	at, is := s.listener.Addr().(*net.TCPAddr)
	if !is || !at.IP.IsLoopback() {
		return
	}
	switch err := s.writeLocal(ctx, flags); {
	case err != nil:
		log.Info("transcribe needs --server and a key, because the file for it cannot be written", "err", err)
	case s.local != nil:
		log.Info("transcribe needs neither --server nor a key on this machine", "account", localAccount)
	}
}

// writeLocal writes the address of the service, and a key of the account "local", into a file of
// this user. On a database without accounts, it makes the account and the key. If there are other
// accounts and the file has no valid key, it writes nothing, because the operator then decides
// about keys.
func (s *running) writeLocal(ctx context.Context, flags service.Flags) error {
	path, err := localservice.Served(absolute(flags.DB))
	if err != nil {
		return err
	}
	file, err := localservice.Hold(path, readersEnd)
	if err != nil {
		return err
	}
	key, err := s.localKey(ctx, file.Key(), flags.Offered())
	if err == nil && key != "" {
		err = file.Write(localservice.Service{URL: "http://" + s.addr(), Key: key})
	}
	if err != nil || key == "" {
		return errors.Join(err, file.Release())
	}
	s.local = file
	return nil
}

// localKey returns the key if it is valid, or a new key of a new account if there are no
// accounts, or empty if there is none.
func (s *running) localKey(ctx context.Context, key string, offered account.Plans) (string, error) {
	if _, err := s.accounts.Verify(ctx, key); err == nil {
		return key, nil
	}
	all, err := s.accounts.List(ctx)
	if err != nil || len(all) > 0 || !offered.ByName[offered.Default].Paid {
		return "", err
	}
	if _, err := s.accounts.Set(ctx, localAccount, account.Settings{}); err != nil {
		return "", err
	}
	_, key, err = s.accounts.CreateKey(ctx, account.KeyParams{Account: localAccount, Name: "this machine", Scopes: account.Scopes()})
	return key, err
}

// absolute returns a name of the database that does not depend on the working directory.
func absolute(database service.Database) string {
	path, isFile := strings.CutPrefix(string(database), "sqlite:")
	full, err := filepath.Abs(path)
	if !isFile || err != nil {
		return string(database)
	}
	return "sqlite:" + full
}
