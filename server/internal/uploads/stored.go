package uploads

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
)

// storedLook is how often a stored file looks for new bytes. Requests of other processes bring bytes
// too, so the row of the upload tells of them.
const storedLook = 500 * time.Millisecond

// stored reads the stored bytes of an upload, and waits for more until the upload is complete.
type stored struct {
	ctx         context.Context //nolint:containedctx // ends the reads
	stop        context.CancelCauseFunc
	store       *db.Store
	account, id string

	at   int64         // the next byte
	part io.ReadCloser // the bytes from at; nil if none are open
}

func newStored(ctx context.Context, store *db.Store, account, id string) *stored {
	s := &stored{store: store, account: account, id: id}
	s.ctx, s.stop = context.WithCancelCause(ctx)
	return s
}

// Finish ends the reads with reason. For io.EOF it does nothing, because the row of the upload says
// when the upload is complete.
func (s *stored) Finish(reason error) {
	if reason != io.EOF { //nolint:errorlint // only the bare one is the end of a file
		s.stop(reason)
	}
}

func (s *stored) Read(p []byte) (int, error) {
	for {
		if s.part != nil {
			n, err := s.part.Read(p)
			s.at += int64(n)
			if n > 0 {
				return n, nil
			}
			s.part.Close() //nolint:errcheck // the bytes are read
			s.part = nil
			if !errors.Is(err, io.EOF) && !errors.Is(err, blobs.ErrNotFound) { // small parts were joined: the whole key still names the bytes
				return 0, err
			}
		}
		if err := s.next(); err != nil {
			return 0, err
		}
	}
}

// next opens the bytes that have come, or waits for them.
func (s *stored) next() error {
	u, err := s.store.Uploads.Look(s.ctx, s.account, s.id)
	switch {
	case err != nil:
		return err
	case u.Received > s.at:
		s.part, err = s.store.Blobs.Range(s.ctx, blobs.WholeKey(PartsPrefix(u), u.Received), s.at, u.Received-s.at)
		if !errors.Is(err, blobs.ErrNotFound) {
			return err
		}
	case u.Complete:
		return io.EOF
	}
	select {
	case <-time.After(storedLook):
		return nil
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	}
}
