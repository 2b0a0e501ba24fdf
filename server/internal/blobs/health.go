package blobs

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/scratch"
	"github.com/transcriptkit/transcriptkit/server/internal/outage"
)

const (
	// checkAge is how long the result of a check is valid, because an object store charges
	// for each request.
	checkAge = 15 * time.Second
	// checkTime is how long an object store may take to answer a check.
	checkTime = 2 * time.Second
	// refusalAge is how long a refused upload counts.
	refusalAge = time.Minute
)

// health is the known state of a bucket. The result of the last upload also counts,
// because a bucket that can be listed may still refuse uploads.
type health struct {
	checking  sync.Mutex
	checkedAt time.Time
	checked   error

	mu        sync.Mutex
	refusedAt time.Time // of the last upload
	refused   error     // nil if the bucket has accepted the last upload
}

// uploaded records the result of an upload.
func (h *health) uploaded(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refusedAt, h.refused = time.Now(), err
}

func (h *health) lastUpload() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if time.Since(h.refusedAt) < refusalAge {
		return h.refused
	}
	return nil
}

// Check returns an outage.ErrUnavailable if the place of the blobs cannot be reached, or
// has refused the last blob. It asks an object store at most every 15 s, for at most 2 s.
func (b *Bucket) Check(ctx context.Context) error {
	if err := b.health.lastUpload(); err != nil {
		return err
	}
	if b.folder != "" {
		return unavailable(scratch.Writable(b.folder))
	}
	h := &b.health
	h.checking.Lock() // other callers wait for the same answer
	defer h.checking.Unlock()
	if time.Since(h.checkedAt) < checkAge {
		return h.checked
	}
	// The check outlives the caller's context, because other callers wait for it too.
	within, done := context.WithTimeout(context.WithoutCancel(ctx), checkTime)
	defer done()
	h.checked = unavailable(b.accessible(within))
	h.checkedAt = time.Now()
	return h.checked
}

func unavailable(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: look at the blobs: %w", outage.ErrUnavailable, err)
}
