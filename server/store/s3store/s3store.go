// Package s3store keeps the blobs of a store in a bucket of Amazon S3, or of another
// object store that speaks the protocol of S3.
//
//	s, err := store.Open(ctx, store.Options{
//		Database:   "postgres://…",
//		Blobs:      "s3://recordings?region=eu-west-1",
//		OpenBucket: s3store.Open,
//	})
package s3store

import (
	"context"
	"errors"
	"net/url"

	"gocloud.dev/blob"
	"gocloud.dev/blob/s3blob"
)

// Scheme is the scheme of the URLs that Open opens.
const Scheme = "s3"

// validation lets the SDK compare checksums. The SDK has no checksum for an object of
// several parts, and writes a line to standard error each time. The store compares the
// SHA-256 of what it reads.
const validation = "response_checksum_validation"

// Open opens the bucket of a URL like s3://BUCKET?region=eu-west-1.
func Open(ctx context.Context, u *url.URL) (*blob.Bucket, error) {
	if u.Scheme != Scheme {
		return nil, errors.New("want s3://BUCKET")
	}
	if q := u.Query(); !q.Has(validation) {
		q.Set(validation, "when_required")
		u.RawQuery = q.Encode()
	}
	return new(s3blob.URLOpener).OpenBucketURL(ctx, u)
}
