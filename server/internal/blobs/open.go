// Package blobs keeps uploads and audio in a folder, in a bucket of an object store, or
// in memory. A blob exists completely or not at all.
package blobs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/google/uuid"
	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	"gocloud.dev/blob/memblob"
)

// InMemory as Options.Place keeps the blobs in the memory of the process.
const InMemory = "memory:"

// Options says where the blobs are.
type Options struct {
	// Place is the path of a folder, the URL of a bucket in an object store, or InMemory.
	// Required.
	Place string
	// OpenBucket opens the bucket whose URL is Place. Open calls it only for a URL, and
	// Close closes the bucket.
	OpenBucket func(ctx context.Context, u *url.URL) (*blob.Bucket, error)
}

// Folder is the folder of the blobs; "" if they are not in a folder.
func (o Options) Folder() string {
	if o.Place == InMemory || strings.Contains(o.Place, "://") {
		return ""
	}
	return o.Place
}

// Bucket is the place of the blobs. A Bucket is safe for concurrent use.
type Bucket struct {
	bucket *blob.Bucket
	folder string // the folder of the blobs; "" if they are not in a folder
	// patience is how long the place may take to answer, and to accept or return the next
	// bytes.
	patience time.Duration
	health   health
}

// patience is the time that a line of 1 MBit/s needs for partSize bytes.
const patience = time.Minute

// Open opens the place of the blobs. The folder contains only blobs. An incomplete blob
// is in the same folder, so that Each lists it after a crash. Open tests an object store
// with a small object, and removes the object.
func Open(ctx context.Context, o Options) (*Bucket, error) {
	switch {
	case o.Place == "":
		return nil, errors.New("store: no place for blobs is given")
	case o.Place == InMemory:
		return &Bucket{bucket: memblob.OpenBucket(nil), patience: patience}, nil
	case o.Folder() == "":
		return openURL(ctx, o)
	}
	place := resolved(o.Place)
	folder, err := fileblob.OpenBucket(place, &fileblob.Options{
		CreateDir:   true,
		DirFileMode: 0o700,
		NoTempDir:   true,
		Metadata:    fileblob.MetadataDontWrite,
	})
	if err != nil {
		return nil, fmt.Errorf("store: open blobs: %w", err)
	}
	return &Bucket{bucket: folder, folder: place, patience: patience}, nil
}

// openURL opens a bucket of an object store and tests it. An error shows only the scheme
// and the host of the URL, because people write credentials into the rest.
func openURL(ctx context.Context, o Options) (*Bucket, error) {
	u, err := url.Parse(o.Place)
	if err != nil || u.User != nil {
		return nil, errors.New("store: open blobs: want SCHEME://BUCKET?OPTION=…, without credentials")
	}
	place := u.Scheme + "://" + u.Host
	if o.OpenBucket == nil {
		return nil, fmt.Errorf("store: open blobs: %s: this program opens no buckets: Options.OpenBucket is nil", place)
	}
	opened, err := o.OpenBucket(ctx, u)
	if err != nil {
		text := strings.ReplaceAll(err.Error(), u.String(), place)
		return nil, fmt.Errorf("store: open blobs: %s: %s", place, text)
	}
	b := &Bucket{bucket: opened, patience: patience}
	if err := b.try(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("store: the blobs at %s cannot be written and read: check its name, region and endpoint, the credentials, and what they permit: %w", place, err), b.Close())
	}
	return b, nil
}

// Close releases the bucket. The caller calls no method afterwards.
func (b *Bucket) Close() error { return b.bucket.Close() }

// try writes, reads and removes a few bytes, so that Open, and not the first upload,
// finds an object store that does not exist or refuses writes.
func (b *Bucket) try(ctx context.Context) error {
	ctx, done := b.inTime(ctx)
	defer done()
	key, want := "probe/"+uuid.NewString(), []byte("transcriptkit")
	if err := b.bucket.WriteAll(ctx, key, want, nil); err != nil {
		return err
	}
	got, err := b.bucket.ReadAll(ctx, key)
	if err == nil && !bytes.Equal(got, want) {
		err = errors.New("what was written is not what can be read")
	}
	return errors.Join(err, b.bucket.Delete(ctx, key))
}

// missing is the error of a folder that does not exist. A folder whose disk is not
// mounted may come back with all its blobs. An object store reports a missing bucket by
// itself.
func (b *Bucket) missing() error {
	if b.folder == "" {
		return nil
	}
	_, err := os.Stat(b.folder)
	return err
}

// absent returns the error of a bucket that does not exist, or nil if the bucket exists.
func (b *Bucket) absent(ctx context.Context) error {
	if b.folder != "" {
		return b.missing()
	}
	ctx, done := b.inTime(ctx)
	defer done()
	return b.accessible(ctx)
}

func (b *Bucket) accessible(ctx context.Context) error {
	there, err := b.bucket.IsAccessible(ctx)
	if err == nil && !there {
		err = errors.New("there is no such bucket, or it may not be listed")
	}
	return err
}
