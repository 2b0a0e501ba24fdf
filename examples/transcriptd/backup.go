package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/server/store/s3store"
)

// stored are the flags of the commands that process all data of a service.
type stored struct {
	service.DatabaseFlag
	service.BlobsFlag
}

func (s stored) options() store.Options {
	return store.Options{Database: string(s.DB), Blobs: string(s.Blobs), OpenBucket: s3store.Open}
}

// with opens an existing database and its blobs.
func (s stored) with(ctx context.Context, use func(*store.Store) error) error {
	if err := s.Blobs.Find(); err != nil {
		return err
	}
	o := s.options()
	o.MustExist, o.Unchanged = true, true
	opened, err := service.OpenStore(ctx, o)
	if errors.Is(err, store.ErrNoDatabase) {
		return fmt.Errorf("%w: name the right one with --db", err)
	}
	if err != nil {
		return err
	}
	return errors.Join(use(opened), opened.Close())
}

type backupCommand struct {
	stored
	To string `verb:"" required:"" placeholder:"TARGET" help:"A tar file if it ends in .tar, else a folder. It must not be there yet."`
}

// Run also works while processes serve the database.
func (c *backupCommand) Run(ctx context.Context, out output) error {
	return c.with(ctx, func(s *store.Store) error {
		made, err := s.Backup(ctx, c.To)
		if err != nil {
			return err
		}
		fmt.Fprintf(out.Stderr, "The backup %s has the database and %s.\n", c.To, blobsOf(made))
		if made.Missing == 0 {
			return nil
		}
		fmt.Fprintf(out.Stderr, "%d blobs that rows name were not there: %s: \"transcriptd verify\" says more.\n", made.Missing, strings.Join(made.Missed, ", "))
		return exitCode(exitDegraded)
	})
}

func blobsOf(b store.Backup) string {
	return fmt.Sprintf("%d blobs of %s", b.Blobs, humanize.IBytes(uint64(b.BlobBytes)))
}

type restoreCommand struct {
	stored
	From  string `verb:"" required:"" placeholder:"BACKUP" help:"The file or folder of a backup."`
	Check bool   `verb:"" help:"Only read the backup, and compare each of its files with its sum."`
}

// Run restores into an empty place.
func (c *restoreCommand) Run(ctx context.Context, out output) error {
	if c.Check {
		b, err := store.ExamineBackup(ctx, c.From)
		if err == nil {
			fmt.Fprintf(out.Stderr, "The backup %s of %s is whole: the database and %s.\n", c.From, b.TakenAt.Format(timeFormat), blobsOf(b))
		}
		return err
	}
	b, err := store.Restore(ctx, c.options(), c.From)
	if errors.Is(err, store.ErrNoDatabase) {
		return fmt.Errorf("%w: make an empty one with createdb, or name another one with --db", err)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out.Stderr, "The backup of %s is restored: the database and %s. \"transcriptd serve\" with the same --db and --blobs goes on where it stood.\n",
		b.TakenAt.Format(timeFormat), blobsOf(b))
	return err
}

const timeFormat = "2006-01-02 15:04:05 MST"

type verifyCommand struct{ stored }

// Run also works while processes serve the database.
func (c *verifyCommand) Run(ctx context.Context, out output) error {
	return c.with(ctx, func(s *store.Store) error {
		found, err := s.Verify(ctx)
		for _, f := range service.EachCureOnce(found) {
			printFinding(out.Stdout, f)
		}
		if err != nil {
			return err
		}
		return verdict(found)
	})
}
