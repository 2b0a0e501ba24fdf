package blobs

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"github.com/transcriptkit/transcriptkit/server/internal/outage"
)

// ErrNotFound says that there is no blob with the key.
var ErrNotFound = errors.New("store: no such blob")

// Blob is a stored file.
type Blob struct {
	Key    string
	Size   int64 // bytes
	SHA256 [sha256.Size]byte
}

// Put stores the bytes that write writes, and describes them after the bucket has stored
// all of them. After an error, the blob does not exist. Put returns an error of write
// unchanged; an error of the bucket is outage.ErrUnavailable.
func (b *Bucket) Put(ctx context.Context, key string, write func(io.Writer) error) (Blob, error) {
	stored, err := b.put(ctx, key, write)
	if err == nil || errors.Is(err, outage.ErrUnavailable) && ctx.Err() == nil {
		b.health.uploaded(err)
	}
	return stored, err
}

func (b *Bucket) put(ctx context.Context, key string, write func(io.Writer) error) (Blob, error) {
	up, err := b.upload(ctx, key)
	if err != nil {
		return Blob{}, fault(ctx, "open blob", key, err)
	}
	out := &countingWriter{to: up, hash: sha256.New()}
	err = write(out)
	if out.err != nil {
		err = fault(ctx, "write blob", key, out.err)
	}
	if err != nil {
		up.abort(err)
		return Blob{}, err
	}
	if err := up.finish(); err != nil {
		// The bucket may have stored the blob although its answer was lost.
		return Blob{}, errors.Join(fault(ctx, "keep blob", key, err), b.takeBack(ctx, key))
	}
	if err := b.prove(ctx, key, out.size); err != nil {
		return Blob{}, errors.Join(err, b.takeBack(ctx, key))
	}
	stored := Blob{Key: key, Size: out.size}
	out.hash.Sum(stored.SHA256[:0])
	return stored, nil
}

// takeBack removes a blob whose upload has failed. If that fails too, the blob stays until
// the store is swept.
func (b *Bucket) takeBack(ctx context.Context, key string) error {
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), abortTime)
	defer done()
	return b.Delete(ctx, key)
}

// prove asks the bucket whether it holds as many bytes as were written.
func (b *Bucket) prove(ctx context.Context, key string, size int64) error {
	within, done := b.inTime(ctx)
	defer done()
	held, err := b.bucket.Attributes(within, key)
	if err != nil {
		return fault(ctx, "look at blob", key, err)
	}
	if held.Size != size {
		return fault(ctx, "keep blob", key, fmt.Errorf("it holds %d of %d bytes", held.Size, size))
	}
	return nil
}

// fault is the error of a bucket: a full disk or a store that is not available. If the
// caller has given up, the error is the error of the context.
func fault(ctx context.Context, doing, key string, err error) error {
	switch ctx.Err() {
	case context.Canceled:
		return fmt.Errorf("store: %s %s: %w", doing, key, ctx.Err())
	case context.DeadlineExceeded:
		err = ctx.Err() // the bucket's own error says less
	}
	return fmt.Errorf("%w: %s %s: %w", outage.ErrUnavailable, doing, key, err)
}

// countingWriter counts and hashes the bytes that a bucket has accepted, and remembers a
// failed write for a caller that ignores the error. It intentionally has no ReadFrom: the
// ReadFrom of the bucket's writer counts bytes when they are read, and io.CopyN then
// succeeds on a full disk.
type countingWriter struct {
	to   io.Writer
	hash hash.Hash
	size int64
	err  error
}

func (w *countingWriter) Write(p []byte) (int, error) {
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

// Read copies a blob to w and describes the bytes. The caller compares their hash with the hash
// of the stored blob. The error is ErrNotFound if there is no such blob, ErrDamaged if parts of
// it are missing, and ErrNoFile if something other than a file has its name.
func (b *Bucket) Read(ctx context.Context, key string, w io.Writer) (Blob, error) {
	read := b.read
	if _, _, inParts := wholeSize(key); inParts {
		read = b.readParts
	}
	hash := sha256.New()
	size, err := read(ctx, key, io.MultiWriter(w, hash))
	if err != nil {
		return Blob{}, err
	}
	whole := Blob{Key: key, Size: size}
	hash.Sum(whole.SHA256[:0])
	return whole, nil
}

// read copies a blob in parts if it is not a file.
func (b *Bucket) read(ctx context.Context, key string, w io.Writer) (size int64, err error) {
	within, abandon := context.WithCancelCause(ctx)
	defer abandon(nil)
	bucket := b.watch(abandon)
	opened := bucket.begin()
	r, err := b.open(within, key, 0, -1)
	opened()
	if err != nil {
		return 0, b.unread(ctx, "open blob", key, stalled(within, err))
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if size, err = io.Copy(w, &drain{r, bucket}); err != nil {
		return size, fault(ctx, "read blob", key, stalled(within, err))
	}
	return size, nil
}

// open opens length bytes of an object from the given offset. If length is negative, it opens the
// object up to its end.
func (b *Bucket) open(ctx context.Context, key string, offset, length int64) (io.ReadCloser, error) {
	if b.folder != "" {
		return b.openFile(ctx, key, offset, length)
	}
	return b.bucket.NewRangeReader(ctx, key, offset, length, nil)
}

// unread is the error of a blob that could not be opened.
func (b *Bucket) unread(ctx context.Context, doing, key string, err error) error {
	switch {
	case errors.Is(err, ErrNoFile):
		return fmt.Errorf("blob %s: %w", key, ErrNoFile)
	case !errors.Is(err, fs.ErrNotExist) && gcerrors.Code(err) != gcerrors.NotFound:
		return fault(ctx, doing, key, err)
	}
	if err := b.absent(ctx); err != nil {
		return fault(ctx, doing, key, err)
	}
	return fmt.Errorf("blob %s: %w", key, ErrNotFound)
}

// drain reads a blob. The bucket's time limit applies only while a call reads.
type drain struct {
	io.Reader
	bucket *watch
}

func (d *drain) Read(p []byte) (int, error) {
	defer d.bucket.begin()()
	return d.Reader.Read(p)
}

// Delete removes a blob, if it exists, with all its parts.
func (b *Bucket) Delete(ctx context.Context, key string) error {
	if prefix, _, inParts := wholeSize(key); inParts {
		return b.deleteParts(ctx, prefix)
	}
	return b.delete(ctx, key)
}

func (b *Bucket) delete(ctx context.Context, key string) error {
	within, done := b.inTime(ctx)
	defer done()
	err := b.bucket.Delete(within, key)
	if gcerrors.Code(err) == gcerrors.NotFound {
		err = b.absent(ctx)
	}
	if err != nil {
		return fault(ctx, "delete blob", key, err)
	}
	return nil
}

// Keys returns the keys that begin with prefix.
func (b *Bucket) Keys(ctx context.Context, prefix string) (keys []string, err error) {
	err = b.Each(ctx, prefix, func(listed Listed) error {
		keys = append(keys, listed.Key)
		return nil
	})
	return keys, err
}

// Listed is a blob in a list.
type Listed struct {
	Key       string
	Size      int64     // bytes
	ChangedAt time.Time // by the clock of the place
}

// Each calls do for every blob whose key begins with prefix, and stops at the first
// error. The bucket lists the blobs in pages.
func (b *Bucket) Each(ctx context.Context, prefix string, do func(Listed) error) error {
	if err := b.missing(); err != nil { // the list of a missing folder is empty
		return fault(ctx, "list blobs", prefix, err)
	}
	objects := b.bucket.List(&blob.ListOptions{Prefix: prefix})
	for {
		within, done := b.inTime(ctx)
		o, err := objects.Next(within)
		done()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fault(ctx, "list blobs", prefix, err)
		}
		if o.IsDir {
			continue
		}
		if err := do(Listed{o.Key, o.Size, o.ModTime}); err != nil {
			return err
		}
	}
}
