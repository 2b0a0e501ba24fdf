package db

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"

	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	"gocloud.dev/gcerrors"
)

// Blob is a stored file.
type Blob struct {
	Key    string
	Size   int64 // bytes
	SHA256 [sha256.Size]byte
}

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

// PutBlob stores what write writes and returns what that was, once the store
// holds all of it. After an error there is no such blob; an error of write is
// returned as it is, one of the place where blobs are kept is ErrUnavailable.
func (s *Store) PutBlob(ctx context.Context, key string, write func(io.Writer) error) (Blob, error) {
	ctx, abandon := context.WithCancel(ctx)
	defer abandon()
	w, err := s.bucket.NewWriter(ctx, key, nil)
	if err != nil {
		return Blob{}, blobFault("open blob", key, err)
	}
	out := &blobWriter{to: w, hash: sha256.New()}
	err = write(out)
	if out.err != nil {
		err = blobFault("write blob", key, out.err)
	}
	if err != nil {
		abandon()     // the bucket drops a blob whose context ends before Close
		_ = w.Close() // reports the cancellation just made
		return Blob{}, err
	}
	if err := w.Close(); err != nil {
		return Blob{}, blobFault("keep blob", key, err)
	}
	if err := s.proveBlob(ctx, key, out.size); err != nil {
		return Blob{}, errors.Join(err, s.DeleteBlob(ctx, key))
	}
	b := Blob{Key: key, Size: out.size}
	out.hash.Sum(b.SHA256[:0])
	return b, nil
}

// proveBlob asks the bucket whether it holds as much as it was given.
func (s *Store) proveBlob(ctx context.Context, key string, size int64) error {
	held, err := s.bucket.Attributes(ctx, key)
	if err != nil {
		return blobFault("look at blob", key, err)
	}
	if held.Size != size {
		return blobFault("keep blob", key, fmt.Errorf("it holds %d of %d bytes", held.Size, size))
	}
	return nil
}

// blobFault is the error of a bucket, which passes: a full disk, a store that is
// away.
func blobFault(doing, key string, err error) error {
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("store: %s %s: %w", doing, key, err)
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

// ReadBlob copies a blob to w and returns what it was: whether that is what was
// once stored, the caller judges by the hash. ErrNotFound where there is no such
// blob.
func (s *Store) ReadBlob(ctx context.Context, key string, w io.Writer) (b Blob, err error) {
	r, err := s.bucket.NewReader(ctx, key, nil)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return Blob{}, fmt.Errorf("blob %s: %w", key, ErrNotFound)
	}
	if err != nil {
		return Blob{}, blobFault("open blob", key, err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	hash := sha256.New()
	b = Blob{Key: key}
	if b.Size, err = io.Copy(io.MultiWriter(w, hash), r); err != nil {
		return Blob{}, blobFault("read blob", key, err)
	}
	hash.Sum(b.SHA256[:0])
	return b, nil
}

// DeleteBlob removes a blob, if it is there.
func (s *Store) DeleteBlob(ctx context.Context, key string) error {
	if err := s.bucket.Delete(ctx, key); err != nil && gcerrors.Code(err) != gcerrors.NotFound {
		return blobFault("delete blob", key, err)
	}
	return nil
}

// BlobKeys returns the keys that begin with prefix.
func (s *Store) BlobKeys(ctx context.Context, prefix string) ([]string, error) {
	var keys []string
	objects := s.bucket.List(&blob.ListOptions{Prefix: prefix})
	for {
		o, err := objects.Next(ctx)
		if errors.Is(err, io.EOF) {
			return keys, nil
		}
		if err != nil {
			return nil, blobFault("list blobs", prefix, err)
		}
		keys = append(keys, o.Key)
	}
}
