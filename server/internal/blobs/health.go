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
	// checkAge is how long the result of a check counts: an object store has a price for
	// each question.
	checkAge = 15 * time.Second
	// checkTime is how long an object store may take to answer a check.
	checkTime = 2 * time.Second
	// refusalAge is how long a refused upload counts.
	refusalAge = time.Minute
)

// health is what is known of a bucket. The end of the last upload counts too, because a
// bucket that can be listed may still take nothing.
type health struct {
	checking  sync.Mutex
	checkedAt time.Time
	checked   error

	mu        sync.Mutex
	refusedAt time.Time // of the last upload
	refused   error     // nil means that the bucket has taken the last upload
}

// uploaded notes how an upload has ended.
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
