package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	_ "gocloud.dev/blob/azureblob" // azblob://
	_ "gocloud.dev/blob/gcsblob"   // gs://
	"gocloud.dev/blob/memblob"
	_ "gocloud.dev/blob/s3blob" // s3://

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

// blobFolder is where uploads are kept: a folder, or its file:// URL.
type blobFolder string

// UnmarshalText is called by the parser.
func (f *blobFolder) UnmarshalText(text []byte) error {
	*f = blobFolder(text)
	if strings.Contains(string(text), "://") && !strings.HasPrefix(string(text), "file://") {
		return errors.New("want a folder: no other kind of store is compiled in") // the value may hold a password
	}
	return nil
}

// make creates the folder where there is none.
func (f blobFolder) make() error {
	path, _ := strings.CutPrefix(string(f), "file://")
	return os.MkdirAll(path, 0o700)
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
