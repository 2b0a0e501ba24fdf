package blobs

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/transcriptkit/transcriptkit/server/internal/outage"
)

// Range opens length bytes of a blob from the given offset. If length is negative, it opens the
// blob up to its end. If the blob ends earlier, the reader returns fewer bytes. The error is
// ErrNotFound if there is no such blob, ErrNoFile if something other than a file has its name,
// and outage.ErrUnavailable if the bucket fails, even while the caller reads. The caller closes
// the reader. The end of ctx ends the reader.
func (b *Bucket) Range(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error) {
	if _, size, inParts := wholeSize(key); inParts {
		if length < 0 {
			length = max(size-offset, 0)
		}
		return b.rangeOfParts(ctx, key, offset, length)
	}
	return b.openRange(ctx, key, offset, length)
}

// openRange is Range for a blob that is not a file in parts.
func (b *Bucket) openRange(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error) {
	within, abandon := context.WithCancelCause(ctx)
	bucket := b.watch(abandon)
	opened := bucket.begin()
	r, err := b.open(within, key, offset, length)
	opened()
	if err != nil {
		defer abandon(nil)
		return nil, b.unread(ctx, "open blob", key, stalled(within, err))
	}
	return &rangeReader{drain: drain{r, bucket}, ctx: ctx, within: within, key: key, close: func() error { abandon(nil); return r.Close() }}, nil
}

// rangeReader reads a part of a blob.
type rangeReader struct {
	drain
	ctx    context.Context //nolint:containedctx // of the call that has opened the reader
	within context.Context //nolint:containedctx // ctx, which a stalled bucket ends
	key    string
	close  func() error
}

func (r *rangeReader) Read(p []byte) (int, error) {
	n, err := r.drain.Read(p)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, outage.ErrUnavailable) {
		err = fault(r.ctx, "read blob", r.key, stalled(r.within, err))
	}
	return n, err
}

// Close releases the bucket.
func (r *rangeReader) Close() error { return r.close() }

// rangeOfParts is Range for a file in parts.
func (b *Bucket) rangeOfParts(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error) {
	all, err := b.parts(ctx, key)
	if err != nil {
		return nil, err
	}
	r := &partsReader{ctx: ctx, bucket: b}
	for _, p := range all {
		first := max(offset-p.offset, 0)
		if n := min(p.size-first, offset+length-p.offset-first); n > 0 {
			r.parts = append(r.parts, partRange{p.key, first, n})
		}
	}
	return r, nil
}

// partRange is the range that is read from a part.
type partRange struct {
	key            string
	offset, length int64
}

// partsReader reads ranges of parts one after another. A part that is too short is ErrDamaged.
type partsReader struct {
	ctx    context.Context //nolint:containedctx // as in rangeReader
	bucket *Bucket
	parts  []partRange
	part   io.ReadCloser // the first of the parts; nil if it is not open
}

func (r *partsReader) Read(p []byte) (int, error) {
	for len(r.parts) > 0 {
		first := &r.parts[0]
		if r.part == nil {
			var err error
			if r.part, err = r.bucket.openRange(r.ctx, first.key, first.offset, first.length); err != nil {
				return 0, err
			}
		}
		n, err := r.part.Read(p)
		first.length -= int64(n)
		switch {
		case err == nil || err != io.EOF && first.length > 0: //nolint:errorlint // a reader returns io.EOF itself
			return n, err
		case first.length > 0:
			return n, fmt.Errorf("blob %s ends %d bytes too early: %w", first.key, first.length, ErrDamaged)
		}
		r.parts = r.parts[1:]
		if err := r.Close(); err != nil || n > 0 {
			return n, err
		}
	}
	return 0, io.EOF
}

// Close releases the bucket.
func (r *partsReader) Close() error {
	if r.part == nil {
		return nil
	}
	open := r.part
	r.part = nil
	return open.Close()
}
