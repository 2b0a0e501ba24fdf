package db

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"
)

// Blob is a stored file.
type Blob struct {
	Key    string
	Size   int64 // bytes
	SHA256 [sha256.Size]byte
}

// Blobs stores and reads blobs.
type Blobs struct{ store *Store }

// Put stores what write writes and returns what that was, once the store
// holds all of it. After an error there is no such blob; an error of write is
// returned as it is, one of the place where blobs are kept is ErrUnavailable.
func (s Blobs) Put(ctx context.Context, key string, write func(io.Writer) error) (Blob, error) {
	b, err := s.put(ctx, key, write)
	if err == nil || errors.Is(err, ErrUnavailable) && ctx.Err() == nil {
		s.store.bucket.health.uploaded(err)
	}
	return b, err
}

func (s Blobs) put(ctx context.Context, key string, write func(io.Writer) error) (Blob, error) {
	up, err := s.store.bucket.upload(ctx, key)
	if err != nil {
		return Blob{}, blobFault(ctx, "open blob", key, err)
	}
	out := &blobWriter{to: up, hash: sha256.New()}
	err = write(out)
	if out.err != nil {
		err = blobFault(ctx, "write blob", key, out.err)
	}
	if err != nil {
		up.abort(err)
		return Blob{}, err
	}
	if err := up.finish(); err != nil {
		// The answer may be all that was lost.
		return Blob{}, errors.Join(blobFault(ctx, "keep blob", key, err), s.takeBack(ctx, key))
	}
	if err := s.prove(ctx, key, out.size); err != nil {
		return Blob{}, errors.Join(err, s.takeBack(ctx, key))
	}
	b := Blob{Key: key, Size: out.size}
	out.hash.Sum(b.SHA256[:0])
	return b, nil
}

// takeBack removes a blob that was not wanted. Where that fails too, Sweep finds it.
func (s Blobs) takeBack(ctx context.Context, key string) error {
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), abortTime)
	defer done()
	return s.Delete(ctx, key)
}

// prove asks the bucket whether it holds as much as it was given.
func (s Blobs) prove(ctx context.Context, key string, size int64) error {
	within, done := s.store.bucket.inTime(ctx)
	defer done()
	held, err := s.store.bucket.Attributes(within, key)
	if err != nil {
		return blobFault(ctx, "look at blob", key, err)
	}
	if held.Size != size {
		return blobFault(ctx, "keep blob", key, fmt.Errorf("it holds %d of %d bytes", held.Size, size))
	}
	return nil
}

// blobFault is the error of a bucket, which passes: a full disk, a store that is
// away. A caller who has given up gets no more than that.
func blobFault(ctx context.Context, doing, key string, err error) error {
	switch ctx.Err() {
	case context.Canceled:
		return fmt.Errorf("store: %s %s: %w", doing, key, ctx.Err())
	case context.DeadlineExceeded:
		err = ctx.Err() // and not what the bucket makes of it
	}
	return fmt.Errorf("%w: %s %s: %w", ErrUnavailable, doing, key, err)
}

// blobWriter counts and hashes what a bucket has taken. A write that failed is
// remembered, for a caller that forgets it. There is no ReadFrom on purpose: that
// of the bucket's writer counts what it has read, so that io.CopyN into it
// succeeds though the disk is full.
type blobWriter struct {
	to   io.Writer
	hash hash.Hash
	size int64
	err  error
}

func (w *blobWriter) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	n, err := w.to.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	w.hash.Write(p[:n])
	w.size += int64(n)
	w.err = err
	return n, err
}

// Read copies a blob to w and returns what it was: whether that is what was
// once stored, the caller judges by the hash. ErrNotFound where there is no such
// blob.
func (s Blobs) Read(ctx context.Context, key string, w io.Writer) (b Blob, err error) {
	within, abandon := context.WithCancelCause(ctx)
	defer abandon(nil)
	bucket := s.store.bucket.watch(abandon)
	opened := bucket.begin()
	r, err := s.store.bucket.NewReader(within, key, nil)
	opened()
	if gcerrors.Code(err) == gcerrors.NotFound {
		if err := s.store.bucket.absent(ctx); err != nil {
			return Blob{}, blobFault(ctx, "open blob", key, err)
		}
		return Blob{}, fmt.Errorf("blob %s: %w", key, ErrNotFound)
	}
	if err != nil {
		return Blob{}, blobFault(ctx, "open blob", key, stalled(within, err))
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	hash := sha256.New()
	b = Blob{Key: key}
	if b.Size, err = io.Copy(io.MultiWriter(w, hash), &drain{r, bucket}); err != nil {
		return Blob{}, blobFault(ctx, "read blob", key, stalled(within, err))
	}
	hash.Sum(b.SHA256[:0])
	return b, nil
}

// drain is what a blob is read from. The time until the next call is not the
// bucket's fault.
type drain struct {
	io.Reader
	bucket *watch
}

func (d *drain) Read(p []byte) (int, error) {
	defer d.bucket.begin()()
	return d.Reader.Read(p)
}

// Delete removes a blob, if it is there.
func (s Blobs) Delete(ctx context.Context, key string) error {
	within, done := s.store.bucket.inTime(ctx)
	defer done()
	err := s.store.bucket.Delete(within, key)
	if gcerrors.Code(err) == gcerrors.NotFound {
		err = s.store.bucket.absent(ctx)
	}
	if err != nil {
		return blobFault(ctx, "delete blob", key, err)
	}
	return nil
}

// Keys returns the keys that begin with prefix.
func (s Blobs) Keys(ctx context.Context, prefix string) (keys []string, err error) {
	err = s.each(ctx, prefix, func(o *blob.ListObject) error {
		keys = append(keys, o.Key)
		return nil
	})
	return keys, err
}

// each calls do for every blob whose key begins with prefix. They are listed in
// pages.
func (s Blobs) each(ctx context.Context, prefix string, do func(*blob.ListObject) error) error {
	if err := s.store.bucket.missing(); err != nil { // a list of it would be empty
		return blobFault(ctx, "list blobs", prefix, err)
	}
	objects := s.store.bucket.List(&blob.ListOptions{Prefix: prefix})
	for {
		within, done := s.store.bucket.inTime(ctx)
		o, err := objects.Next(within)
		done()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return blobFault(ctx, "list blobs", prefix, err)
		}
		if o.IsDir {
			continue
		}
		if err := do(o); err != nil {
			return err
		}
	}
}
