package db

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

// bucket is the place of the blobs.
type bucket struct {
	*blob.Bucket
	folder string // in which it is, where that is a folder
	// tidiesUp: it takes back what it has got of an upload when that cannot be read on,
	// but not when the upload's context has ended.
	tidiesUp bool
	// patience is how long it may take to answer, and to take or give the next bytes.
	patience time.Duration
	health   bucketHealth
}

// blobPatience is as long as 8 MiB, the part of an upload that is sent at a time,
// need on a line of 1 MBit/s.
const blobPatience = time.Minute

// InMemory as Options.Blobs keeps the blobs in the memory of the process.
const InMemory = "memory:"

// openBucket opens the place of the blobs. A folder holds the blobs and nothing else:
// an incomplete blob lies in the same folder, so that Sweep finds it after a crash.
func openBucket(ctx context.Context, o Options) (*bucket, error) {
	switch {
	case o.Blobs == "":
		return nil, errors.New("store: no place for blobs is given")
	case o.Blobs == InMemory:
		return &bucket{Bucket: memblob.OpenBucket(nil), patience: blobPatience}, nil
	case !keptInFolder(o.Blobs):
		return openBucketURL(ctx, o)
	}
	folder, err := fileblob.OpenBucket(o.Blobs, &fileblob.Options{
		CreateDir:   true,
		DirFileMode: 0o700,
		NoTempDir:   true,
		Metadata:    fileblob.MetadataDontWrite,
	})
	if err != nil {
		return nil, fmt.Errorf("store: open blobs: %w", err)
	}
	return &bucket{Bucket: folder, folder: o.Blobs, patience: blobPatience}, nil
}

// keptInFolder reports whether the place of the blobs is a folder.
func keptInFolder(blobs string) bool {
	return blobs != InMemory && !strings.Contains(blobs, "://")
}

// openBucketURL opens a bucket of an object store and tries it. An error shows only the
// scheme and the host of the URL, because people write credentials into the rest.
func openBucketURL(ctx context.Context, o Options) (*bucket, error) {
	u, err := url.Parse(o.Blobs)
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
	b := &bucket{Bucket: opened, tidiesUp: u.Scheme == "s3", patience: blobPatience}
	if err := b.try(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("store: the blobs at %s cannot be written and read: check its name, region and endpoint, the credentials, and what they permit: %w", place, err), b.Close())
	}
	return b, nil
}

// try writes, reads and removes a few bytes: an object store that is not there, or
// that takes nothing, is to be found before the first upload comes.
func (b *bucket) try(ctx context.Context) error {
	ctx, done := b.inTime(ctx)
	defer done()
	key, want := "probe/"+uuid.NewString(), []byte("transcriptkit")
	if err := b.WriteAll(ctx, key, want, nil); err != nil {
		return err
	}
	got, err := b.ReadAll(ctx, key)
	if err == nil && !bytes.Equal(got, want) {
		err = errors.New("what was written is not what can be read")
	}
	return errors.Join(err, b.Delete(ctx, key))
}

// missing is the error of a folder that is not there, as when it is not mounted: it
// may come back, with all that was in it. Other buckets say so themselves.
func (b *bucket) missing() error {
	if b.folder == "" {
		return nil
	}
	_, err := os.Stat(b.folder)
	return err
}

// absent is why a blob is not found where the bucket itself is not there.
func (b *bucket) absent(ctx context.Context) error {
	if b.folder != "" {
		return b.missing()
	}
	ctx, done := b.inTime(ctx)
	defer done()
	there, err := b.IsAccessible(ctx)
	if err == nil && !there {
		err = errors.New("there is no such bucket, or it may not be listed")
	}
	return err
}
