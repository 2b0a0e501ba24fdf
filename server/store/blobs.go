package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
)

// openBucket opens a folder, or whatever a URL names. In a folder nothing but
// the blobs is written, and what is not yet complete stands beside them, so that
// Sweep finds it after a crash.
func openBucket(ctx context.Context, where string) (*blob.Bucket, error) {
	if where == "" {
		return nil, errors.New("store: no place for blobs is given")
	}
	var bucket *blob.Bucket
	var err error
	if strings.Contains(where, "://") {
		bucket, err = blob.OpenBucket(ctx, where)
	} else {
		bucket, err = fileblob.OpenBucket(where, &fileblob.Options{
			CreateDir:   true,
			DirFileMode: 0o700,
			NoTempDir:   true,
			Metadata:    fileblob.MetadataDontWrite,
		})
	}
	if err != nil {
		return nil, fmt.Errorf("store: open blobs: %w", err)
	}
	return bucket, nil
}
