package caption

import (
	"context"
	"io"
)

// Until returns a reader of r that fails with the cause of ctx once ctx is done. It
// cancels the reading of a file:
//
//	f, err := caption.ReadAny(caption.Until(ctx, file))
//
// Every reader of this package reads from r at least once for each MiB, so it ends soon
// after ctx is done. The error of the reader wraps the cause of ctx. Until does not
// interrupt a Read of r that blocks.
func Until(ctx context.Context, r io.Reader) io.Reader { return &cancelable{ctx: ctx, src: r} }

// cancelable is a reader that ends with a context.
type cancelable struct {
	ctx context.Context //nolint:containedctx // the reader lives as long as one call
	src io.Reader
}

// readAtOnce bounds, in bytes, what is read between two looks at the context.
const readAtOnce = 64 << 10

// Read implements [io.Reader].
func (c *cancelable) Read(p []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	return c.src.Read(p[:min(len(p), readAtOnce)])
}
