package blobs

import (
	"context"
	"time"

	"gocloud.dev/blob"
)

const (
	// An object store receives an upload in parts of partSize bytes, partsAtOnce at a time.
	// Meanwhile the next part is being filled. S3 accepts no smaller parts, and at most
	// 10,000 parts, which is 48 GiB.
	partSize    = 5 << 20
	partsAtOnce = 1
	// abortTime limits how long the removal of an unwanted blob takes.
	abortTime = 10 * time.Second
)

// UploadMemory is the memory that an upload uses, in bytes: the parts that are being sent to
// an object store, and the part that is being filled. It is 0 for a folder.
func (b *Bucket) UploadMemory() int64 {
	if b.folder != "" {
		return 0
	}
	return (partsAtOnce + 1) * partSize
}

// upload is a blob that is being written to the bucket. It ends with finish or abort, or with
// its context.
type upload struct {
	*blob.Writer
	ctx     context.Context // of the writer
	watch   *watch
	abandon context.CancelCauseFunc
}

func (b *Bucket) upload(ctx context.Context, key string) (*upload, error) {
	if err := b.missing(); err != nil { // otherwise the writer would make the folder
		return nil, err
	}
	ctx, abandon := context.WithCancelCause(ctx)
	w, err := b.bucket.NewWriter(ctx, key, &blob.WriterOptions{
		ContentType: "application/octet-stream", BufferSize: partSize, MaxConcurrency: partsAtOnce,
	})
	if err != nil {
		abandon(nil)
		return nil, err
	}
	return &upload{Writer: w, ctx: ctx, watch: b.watch(abandon), abandon: abandon}, nil
}

func (u *upload) Write(p []byte) (int, error) {
	defer u.watch.begin()()
	n, err := u.Writer.Write(p)
	return n, stalled(u.ctx, err)
}

// finish returns when the bucket has the whole blob, or has failed.
func (u *upload) finish() error {
	defer u.abandon(nil)
	defer u.watch.begin()()
	return stalled(u.ctx, u.Close())
}

// abort returns when the bucket has removed what it has received.
func (u *upload) abort(why error) {
	u.abandon(why) // a bucket drops a blob whose context ends before Close
	_ = u.Close()  // returns the end of the context
}
