package blobs

import (
	"context"
	"io"
	"time"

	"gocloud.dev/blob"
)

const (
	// An object store gets an upload in parts of partSize bytes, partsAtOnce at a time.
	partSize    = 8 << 20
	partsAtOnce = 2
	// abortTime is how long an object store may take to take back a broken upload.
	abortTime = 10 * time.Second
)

// UploadMemory is how many bytes of memory an upload takes while it is under way: the
// parts that are sent to an object store and the part that fills. 0 for a folder.
func (b *Bucket) UploadMemory() int64 {
	if b.folder != "" {
		return 0
	}
	return (partsAtOnce + 1) * partSize
}

// upload is a blob on its way into the bucket. It ends by finish or abort.
type upload interface {
	io.Writer
	// finish returns once the bucket holds the whole blob, or has failed.
	finish() error
	// abort returns once the bucket has dropped the blob.
	abort(why error)
}

func (b *Bucket) upload(ctx context.Context, key string) (upload, error) {
	if err := b.missing(); err != nil { // fileblob would make the folder again
		return nil, err
	}
	o := &blob.WriterOptions{ContentType: "application/octet-stream", BufferSize: partSize, MaxConcurrency: partsAtOnce}
	if b.tidiesUp {
		return b.pipe(ctx, key, o), nil
	}
	ctx, abandon := context.WithCancelCause(ctx)
	w, err := b.bucket.NewWriter(ctx, key, o)
	if err != nil {
		abandon(nil)
		return nil, err
	}
	return &written{Writer: w, ctx: ctx, watch: b.watch(abandon), abandon: abandon}, nil
}

// written is an upload that ends with its context.
type written struct {
	*blob.Writer
	ctx     context.Context // of the writer
	watch   *watch
	abandon context.CancelCauseFunc
}

func (u *written) Write(p []byte) (int, error) {
	defer u.watch.begin()()
	n, err := u.Writer.Write(p)
	return n, stalled(u.ctx, err)
}

func (u *written) finish() error {
	defer u.abandon(nil)
	defer u.watch.begin()()
	return stalled(u.ctx, u.Close())
}

func (u *written) abort(why error) {
	u.abandon(why) // the bucket drops a blob whose context ends before Close
	_ = u.Close()  // reports the end of the context
}

// piped is an upload that the bucket reads. Its context does not end with the caller's
// context, because the bucket could then not take back the parts that it holds. It ends
// when there is no more to read, or when the bucket takes too long.
type piped struct {
	*io.PipeWriter
	caller  func() bool // stops watching the caller's context
	abandon context.CancelCauseFunc
	ended   chan struct{}
	err     error // of the bucket, once ended is closed
}

func (b *Bucket) pipe(caller context.Context, key string, o *blob.WriterOptions) *piped {
	ctx, abandon := context.WithCancelCause(context.WithoutCancel(caller))
	out, in := io.Pipe()
	u := &piped{PipeWriter: in, abandon: abandon, ended: make(chan struct{})}
	u.caller = context.AfterFunc(caller, func() { _ = in.CloseWithError(caller.Err()) }) // never fails
	bucket := b.watch(abandon)
	go func() {
		defer close(u.ended)
		defer bucket.begin()()
		u.err = stalled(ctx, b.bucket.Upload(ctx, key, &feed{out, bucket}, o))
		_ = out.CloseWithError(u.err) // never fails
	}()
	return u
}

func (u *piped) finish() error {
	defer u.abandon(nil)
	_ = u.Close() // never fails
	<-u.ended
	u.caller()
	return u.err
}

func (u *piped) abort(why error) {
	defer u.abandon(nil)
	_ = u.CloseWithError(why) // never fails
	defer time.AfterFunc(abortTime, func() { u.abandon(errStalled) }).Stop()
	<-u.ended
	u.caller()
}

// feed is the reader of an upload. The bucket's time does not run while the bucket waits
// for the caller's bytes.
type feed struct {
	io.Reader
	bucket *watch
}

func (f *feed) Read(p []byte) (int, error) {
	f.bucket.end()
	n, err := f.Reader.Read(p)
	f.bucket.begin()
	return n, err
}
