package backup

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
)

// Restore restores a backup into an empty database and an empty place for blobs. It reads the
// whole backup once before it writes, and migrates the tables of an older version. After an
// error the place is empty, as before.
func Restore(ctx context.Context, o db.Options, path string) (About, error) {
	b, err := Open(ctx, path)
	if err != nil {
		return About{}, err
	}
	if b.Database != o.Kind() {
		return About{}, fmt.Errorf("store: %s is of a database of the kind %s: name such a database with --db", path, b.Database)
	}
	bucket, err := db.OpenEmpty(ctx, o)
	if err != nil {
		return About{}, err
	}
	err = b.fill(ctx, o, bucket)
	if err = errors.Join(err, bucket.Close()); err != nil {
		return About{}, fmt.Errorf("store: restore: %w", err)
	}
	return b.About, nil
}

// fill puts the blobs into the bucket, and then loads the database.
func (b *Backup) fill(ctx context.Context, o db.Options, bucket *blobs.Bucket) error {
	var put []string
	err := b.each(ctx, func(name string, _ int64, r io.Reader) error {
		if name == databaseName {
			return db.Load(ctx, o, r)
		}
		key, isBlob := blobKey(name)
		if !isBlob {
			return nil
		}
		put = append(put, key)
		_, err := bucket.Put(ctx, key, func(w io.Writer) error {
			_, err := io.Copy(w, r)
			return err
		})
		return err
	})
	if err == nil {
		return nil
	}
	for _, key := range put {
		err = errors.Join(err, bucket.Delete(context.WithoutCancel(ctx), key))
	}
	return err
}
