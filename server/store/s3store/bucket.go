package s3store

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/minio/minio-go/v7"
	"gocloud.dev/blob/driver"
	"gocloud.dev/gcerrors"
)

// bucket implements [driver.Bucket].
type bucket struct {
	name    string
	core    *minio.Core
	middles sync.Pool // of []byte, each with room for middleBuffer bytes
}

var errUnsupported = errors.New("s3store: not supported")

// Attributes asks for the size of an object.
func (b *bucket) Attributes(ctx context.Context, key string) (*driver.Attributes, error) {
	o, err := b.core.StatObject(ctx, b.name, key, minio.StatObjectOptions{})
	if err != nil {
		return nil, err
	}
	return &driver.Attributes{ContentType: o.ContentType, ModTime: o.LastModified, Size: o.Size, ETag: o.ETag}, nil
}

const pageSize = 1000 // objects in a page, the most that S3 lists at once

// ListPaged lists a page of objects. The token of a page is the last key of the page before it.
func (b *bucket) ListPaged(ctx context.Context, opts *driver.ListOptions) (*driver.ListPage, error) {
	if opts.Delimiter != "" {
		return nil, errUnsupported
	}
	most := pageSize
	if opts.PageSize > 0 {
		most = min(most, opts.PageSize)
	}
	ctx, done := context.WithCancel(ctx)
	defer done()
	page := &driver.ListPage{}
	for o := range b.core.ListObjectsIter(ctx, b.name, minio.ListObjectsOptions{
		Prefix: opts.Prefix, Recursive: true, StartAfter: string(opts.PageToken), MaxKeys: most,
	}) {
		if o.Err != nil {
			return nil, o.Err
		}
		page.Objects = append(page.Objects, &driver.ListObject{Key: o.Key, ModTime: o.LastModified, Size: o.Size})
		if len(page.Objects) == most {
			page.NextPageToken = []byte(o.Key)
			break
		}
	}
	return page, nil
}

// NewRangeReader reads length bytes of an object from the given offset. If length is negative,
// it reads to the end of the object.
func (b *bucket) NewRangeReader(ctx context.Context, key string, offset, length int64, _ *driver.ReaderOptions) (driver.Reader, error) {
	var part minio.GetObjectOptions
	switch {
	case length == 0: // S3 has no such range
		return nil, errUnsupported
	case length > 0:
		if err := part.SetRange(offset, offset+length-1); err != nil {
			return nil, err
		}
	case offset > 0:
		if err := part.SetRange(offset, 0); err != nil { // 0 means to the end
			return nil, err
		}
	}
	body, o, header, err := b.core.GetObject(ctx, b.name, key, part)
	if err != nil {
		return nil, err
	}
	size := o.Size
	if _, whole, ranged := strings.Cut(header.Get("Content-Range"), "/"); ranged {
		if n, err := strconv.ParseInt(whole, 10, 64); err == nil {
			size = n
		}
	}
	return &reader{body, driver.ReaderAttributes{ContentType: o.ContentType, ModTime: o.LastModified, Size: size}}, nil
}

// reader implements [driver.Reader].
type reader struct {
	io.ReadCloser
	about driver.ReaderAttributes
}

func (r *reader) Attributes() *driver.ReaderAttributes { return &r.about }

func (r *reader) As(any) bool { return false }

// Delete removes an object. S3 does not say whether the object existed.
func (b *bucket) Delete(ctx context.Context, key string, _ *driver.DeleteOptions) error {
	return b.core.RemoveObject(ctx, b.name, key, minio.RemoveObjectOptions{})
}

// Copy is not supported.
func (b *bucket) Copy(context.Context, string, string, *driver.CopyOptions) error {
	return errUnsupported
}

// SignedURL is not supported.
func (b *bucket) SignedURL(context.Context, string, *driver.SignedURLOptions) (string, error) {
	return "", errUnsupported
}

// ErrorCode says what an error means.
func (b *bucket) ErrorCode(err error) gcerrors.ErrorCode {
	var refused minio.ErrorResponse
	switch {
	case errors.Is(err, errUnsupported):
		return gcerrors.Unimplemented
	case !errors.As(err, &refused):
		return gcerrors.Unknown
	case refused.StatusCode == http.StatusNotFound:
		return gcerrors.NotFound
	case refused.StatusCode == http.StatusForbidden, refused.StatusCode == http.StatusUnauthorized:
		return gcerrors.PermissionDenied
	}
	return gcerrors.Unknown
}

func (b *bucket) As(any) bool { return false }

func (b *bucket) ErrorAs(err error, target any) bool { return errors.As(err, target) }

// Close has nothing to release.
func (b *bucket) Close() error { return nil }
