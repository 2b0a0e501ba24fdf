package backup

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/tables"
)

// namedName is the file that lists the blobs while a backup is made. There may be any number of
// them.
const namedName = "named"

// Take copies the state of a service at one moment to target, while processes serve the service.
// If the name of target ends in .tar, target is a file; otherwise it is a folder. target must
// not exist, and does not exist after an error. No process deletes blobs until Take returns.
func Take(ctx context.Context, s *db.Store, target string) (about About, err error) {
	w, err := newWriter(target)
	if err != nil {
		return about, err
	}
	defer func() { err = errors.Join(err, w.discard()) }()
	held, hold, err := s.HoldBlobs(ctx)
	if err != nil {
		return about, err
	}
	t := &taking{store: s, out: w, about: About{Format: format, Database: s.Kind(), TakenAt: time.Now().UTC()}}
	err = t.copyAll(held)
	if held.Err() != nil {
		err = context.Cause(held)
	}
	if err != nil {
		// Remove it at once, because the target may have filled the disk of the database.
		err = errors.Join(err, w.discard())
	}
	// The hold must have lasted until the last blob was copied.
	if err = errors.Join(err, hold.Release(context.WithoutCancel(ctx))); err != nil {
		return about, err
	}
	return t.about, w.finish()
}

// taking is a backup that is being made.
type taking struct {
	store *db.Store
	out   *writer
	about About
}

func (t *taking) copyAll(ctx context.Context) error {
	dump := t.out.scratch(databaseName)
	if err := t.snapshot(ctx, dump); err != nil {
		return err
	}
	if err := t.eachNamed(func(b tables.Blob) error { return t.copyBlob(ctx, b) }); err != nil {
		return err
	}
	if err := t.out.addFile(ctx, databaseName, dump); err != nil {
		return err
	}
	about, err := json.MarshalIndent(t.about, "", "  ")
	if err != nil {
		return err
	}
	return t.out.addBytes(aboutName, append(about, '\n'))
}

// snapshot dumps the database, and lists the blobs that its rows name at the same moment.
func (t *taking) snapshot(ctx context.Context, dump string) error {
	named, err := newFile(t.out.scratch(namedName))
	if err != nil {
		return err
	}
	list := bufio.NewWriter(named)
	err = t.store.Dump(ctx, dump, func(ctx context.Context, r db.Reader) error {
		versions, err := r.Tables(ctx)
		if err != nil {
			return err
		}
		t.about.Tables, t.about.Queue = versions.Ours, versions.Rivers
		each := json.NewEncoder(list)
		return r.NamedBlobs(ctx, func(b tables.Blob) error { return each.Encode(b) })
	})
	return errors.Join(err, list.Flush(), named.Close())
}

func (t *taking) eachNamed(do func(tables.Blob) error) error {
	f, err := os.Open(t.out.scratch(namedName))
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	for lines := json.NewDecoder(f); ; {
		var b tables.Blob
		err := lines.Decode(&b)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = do(b)
		}
		if err != nil {
			return err
		}
	}
}

// copyBlob copies the objects of a blob. If a blob is missing, the backup continues with the
// other blobs.
func (t *taking) copyBlob(ctx context.Context, b tables.Blob) error {
	objects, err := t.store.Blobs.Objects(ctx, b.Key)
	switch {
	case b.May && errors.Is(err, blobs.ErrNotFound):
		return nil
	case errors.Is(err, blobs.ErrNotFound), errors.Is(err, blobs.ErrDamaged), errors.Is(err, blobs.ErrNoFile):
		if t.about.Missing++; t.about.Missing <= maxListed {
			t.about.Missed = append(t.about.Missed, b.Key)
		}
		return nil
	case err != nil:
		return err
	}
	for _, o := range objects {
		err := t.out.add(blobFolder+o.Key, o.Size, func(to io.Writer) error {
			_, err := t.store.Blobs.Read(ctx, o.Key, to)
			return err
		})
		if err != nil {
			return fmt.Errorf("store: backup: %w", err)
		}
		t.about.Blobs++
		t.about.BlobBytes += o.Size
	}
	return nil
}
