// Package s3store keeps the blobs of a store in a bucket of Amazon S3, or of another
// object store with the S3 API.
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
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"gocloud.dev/blob"
)

const (
	// Scheme is the scheme of the URLs that Open opens.
	Scheme = "s3"

	amazon   = "https://s3.amazonaws.com"
	attempts = 3 // at most, for each request
)

// Open opens the bucket of a URL like s3://BUCKET?region=eu-west-1. It sends no request. The
// options of the URL are:
//
//   - region: the region of the bucket. Without it, the client asks the object store.
//   - endpoint: the http or https address of an object store other than Amazon's.
//   - use_path_style: true if the name of the bucket belongs in the path instead of the
//     host. The default is false for Amazon and true for other object stores.
//
// The credentials come from the variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, from
// ~/.aws/credentials, or from the role of the instance or container.
//
// The bucket supports only what a store needs. It does not support signed URLs, copies,
// conditional writes or lists of folders. The store closes the bucket.
func Open(_ context.Context, u *url.URL) (*blob.Bucket, error) {
	if u.Scheme != Scheme || u.Host == "" {
		return nil, errors.New("want s3://BUCKET")
	}
	endpoint, options, err := read(u.Query())
	if err != nil {
		return nil, err
	}
	core, err := minio.NewCore(endpoint, options)
	if err != nil {
		return nil, err
	}
	b := &bucket{name: u.Host, core: core}
	b.middles.New = func() any { return make([]byte, 0, middleBuffer) }
	return blob.NewBucket(b), nil
}

// read reads the options of a URL.
func read(q url.Values) (endpoint string, o *minio.Options, err error) {
	o = &minio.Options{
		Creds: credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{},
		}),
		MaxRetries: attempts,
	}
	at, _ := url.Parse(amazon) // a constant
	for name := range q {
		value := q.Get(name)
		switch name {
		case "region":
			o.Region = value
		case "endpoint":
			at, err = url.Parse(value)
			if err != nil || !isEndpoint(at) {
				return "", nil, errors.New("endpoint: want http://HOST:PORT or https://HOST:PORT")
			}
		case "use_path_style":
			path, err := strconv.ParseBool(value)
			if err != nil {
				return "", nil, errors.New("use_path_style: want true or false")
			}
			o.BucketLookup = minio.BucketLookupDNS
			if path {
				o.BucketLookup = minio.BucketLookupPath
			}
		default:
			return "", nil, fmt.Errorf("unknown query parameter %q: want region, endpoint or use_path_style", name)
		}
	}
	o.Secure = at.Scheme == "https"
	return at.Host, o, nil
}

// isEndpoint reports whether a URL is an address without parts that a request would not use.
func isEndpoint(u *url.URL) bool {
	http := u.Scheme == "http" || u.Scheme == "https"
	return http && u.Host != "" && u.User == nil && strings.Trim(u.Path, "/") == "" && u.RawQuery == "" && u.Fragment == ""
}
