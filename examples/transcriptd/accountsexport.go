package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
)

type accountsExport struct {
	ownedData
	Name              string `arg:"" help:"The account."`
	To                string `verb:"" type:"path" placeholder:"FILE" help:"The file to write, which must not be there yet. Default: NAME.zip in this folder."`
	WithoutRecordings bool   `verb:"" help:"Leave out the files of the recordings that the account keeps."`
}

// Run also works while a server runs on the same database. The file gets its name when it is
// complete.
func (c *accountsExport) Run(ctx context.Context, out output) error {
	to := c.To
	if to == "" {
		to = c.Name + ".zip"
	}
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = fmt.Errorf("%s is there: name another file with --to", to)
		}
		return err
	}
	return c.withServer(ctx, out, func(s *server.Server, _ *account.Accounts) error {
		written, err := c.write(ctx, s, to)
		if errors.Is(err, account.ErrNotFound) {
			return fmt.Errorf("there is no account %q: \"transcriptd accounts list\" lists them", c.Name)
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(out.Stderr, "Wrote %s: %d rows, %d texts, %d recordings.\n", to, written.Rows, written.Texts, written.Recordings)
		if written.Missing > 0 {
			fmt.Fprintf(out.Stderr, "%d recordings are not in the file, because they are not in --blobs.\n", written.Missing)
		}
		return nil
	})
}

// write writes the export into a file that only this user can read.
func (c *accountsExport) write(ctx context.Context, s *server.Server, to string) (written server.Exported, err error) {
	partial := to + ".partial"
	f, err := os.OpenFile(partial, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return written, fmt.Errorf("%s is there: another export writes it, or an earlier one was killed: then remove the file", partial)
	}
	if err != nil {
		return written, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(partial))
		}
	}()
	w := bufio.NewWriterSize(f, 1<<20)
	written, err = s.ExportAccount(ctx, c.Name, w, server.ExportOptions{WithoutRecordings: c.WithoutRecordings})
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return written, err
	}
	return written, os.Rename(partial, to)
}
