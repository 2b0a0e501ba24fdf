package s3store

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"
	"gocloud.dev/blob/driver"
	"golang.org/x/sync/errgroup"
)

const (
	leastPart    = 5 << 20  // the least number of bytes that S3 accepts, unless the caller sets another
	firstBuffer  = 64 << 10 // bytes
	middleBuffer = 1 << 20  // bytes
	atOnce       = 2        // the number of parts that are sent at the same time, unless the caller sets another
	// abortTime limits how long an upload waits for the object store to remove its parts.
	abortTime = 10 * time.Second
)

// upload implements [driver.Writer]. An object below the size of a part is sent in one request.
// A larger object is sent in parts, and exists when its last request has succeeded.
type upload struct {
	*bucket
	ctx         context.Context // of the caller
	key         string
	contentType string
	partSize    int
	part        []byte      // the part that is being filled
	free        chan []byte // parts that were sent, kept for their memory

	id      string // of an upload in parts, otherwise empty
	sending *errgroup.Group
	parts   context.Context // ends when a part has failed
	count   int             // of the parts that were sent
	mu      sync.Mutex
	sent    []minio.CompletePart
}

// NewTypedWriter begins an upload. In memory, the upload has the parts that are being
// sent, and one more.
func (b *bucket) NewTypedWriter(ctx context.Context, key, contentType string, o *driver.WriterOptions) (driver.Writer, error) {
	if o.IfNotExist || o.BeforeWrite != nil || len(o.Metadata) > 0 {
		return nil, errUnsupported
	}
	u := &upload{bucket: b, ctx: ctx, key: key, contentType: contentType, partSize: max(o.BufferSize, leastPart)}
	u.sending, u.parts = errgroup.WithContext(ctx)
	limit := cmp.Or(o.MaxConcurrency, atOnce)
	u.sending.SetLimit(limit)
	u.free = make(chan []byte, limit+1) // each part that is being sent, and the part that is being filled
	return u, nil
}

// Write returns the error of an earlier part as soon as that error is known.
func (u *upload) Write(p []byte) (n int, err error) {
	for len(p) > 0 {
		if len(u.part) == u.partSize {
			if err := u.sendPart(); err != nil {
				return n, err
			}
		}
		some := p[:min(len(p), u.partSize-len(u.part))]
		u.grow(len(some))
		u.part = append(u.part, some...)
		p, n = p[len(some):], n+len(some)
	}
	return n, context.Cause(u.parts)
}

// grow makes room for n more bytes of the part. A small object uses little memory, and a large
// object leaves few buffers behind. An object of medium size reuses the memory of an earlier
// object.
func (u *upload) grow(n int) {
	need := len(u.part) + n
	switch {
	case need <= cap(u.part):
	case u.count > 0:
		u.part = u.freePart()
	case need <= firstBuffer:
		u.part = make([]byte, 0, firstBuffer)
	case need <= middleBuffer:
		u.part = append(u.middles.Get().([]byte), u.part...) //nolint:forcetypeassert // the pool has nothing else
	default:
		u.part = append(make([]byte, 0, u.partSize), u.part...)
	}
}

// freePart returns an empty part. It reuses the memory of a part that was sent, if there
// is one.
func (u *upload) freePart() []byte {
	select {
	case part := <-u.free:
		return part[:0]
	default:
		return make([]byte, 0, u.partSize)
	}
}

// sendPart sends the part that is full. It waits while the largest number of parts is
// being sent.
func (u *upload) sendPart() (err error) {
	if u.id == "" {
		if u.id, err = u.core.NewMultipartUpload(u.parts, u.name, u.key, minio.PutObjectOptions{ContentType: u.contentType}); err != nil {
			return err
		}
	}
	u.count++
	number, part := u.count, u.part
	u.part = nil
	u.sending.Go(func() error {
		if err := u.parts.Err(); err != nil {
			return err
		}
		o := minio.PutObjectPartOptions{Sha256Hex: hashOf(part), DisableContentSha256: true} // the hash has been computed
		sent, err := u.core.PutObjectPart(u.parts, u.name, u.key, u.id, number, bytes.NewReader(part), int64(len(part)), o)
		if err != nil {
			return err
		}
		u.free <- part // has room
		u.mu.Lock()
		defer u.mu.Unlock()
		u.sent = append(u.sent, minio.CompletePart{PartNumber: number, ETag: sent.ETag})
		return nil
	})
	return context.Cause(u.parts)
}

// hashOf returns the hash that signs a request, so that the object store accepts no other
// bytes.
func hashOf(part []byte) string {
	hash := sha256.Sum256(part)
	return hex.EncodeToString(hash[:])
}

// Close ends the upload. If the context has ended, or a request fails, neither the object nor
// a part of it remains.
func (u *upload) Close() error {
	if u.id == "" {
		return u.sendWhole()
	}
	var last error
	if len(u.part) > 0 && u.parts.Err() == nil {
		last = u.sendPart()
	}
	if err := cmp.Or(u.sending.Wait(), last, u.ctx.Err()); err != nil {
		return errors.Join(err, u.abort())
	}
	slices.SortFunc(u.sent, func(a, b minio.CompletePart) int { return cmp.Compare(a.PartNumber, b.PartNumber) })
	if _, err := u.core.CompleteMultipartUpload(u.ctx, u.name, u.key, u.id, u.sent, minio.PutObjectOptions{}); err != nil {
		return errors.Join(err, u.abort())
	}
	return nil
}

// sendWhole sends an object in one request.
func (u *upload) sendWhole() error {
	if err := u.ctx.Err(); err != nil {
		return err
	}
	o := minio.PutObjectOptions{ContentType: u.contentType, DisableContentSha256: true} // the hash has been computed
	if _, err := u.core.PutObject(u.ctx, u.name, u.key, bytes.NewReader(u.part), int64(len(u.part)), "", hashOf(u.part), o); err != nil {
		return err
	}
	if cap(u.part) == middleBuffer {
		u.middles.Put(u.part[:0]) //nolint:staticcheck // the header of a slice is small beside its bytes
	}
	return nil
}

// abort makes the object store remove the parts. It continues after the caller's context
// has ended.
func (u *upload) abort() error {
	ctx, done := context.WithTimeout(context.WithoutCancel(u.ctx), abortTime)
	defer done()
	return u.core.AbortMultipartUpload(ctx, u.name, u.key, u.id)
}
