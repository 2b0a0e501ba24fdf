package db

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/scratch"
)

const (
	// bucketLook is how long it counts what was found of the bucket: an object store has
	// its price for each question.
	bucketLook = 15 * time.Second
	// bucketLookTime is how long the bucket may take to answer.
	bucketLookTime = 2 * time.Second
	// uploadRefused is how long it counts that the bucket has not taken a blob.
	uploadRefused = time.Minute
)

// bucketHealth is what is known of a bucket. A bucket that can be listed may still take
// nothing, so it counts too how the last upload has ended.
type bucketHealth struct {
	looking sync.Mutex
	at      time.Time // of the last look
	found   error

	mu        sync.Mutex
	refusedAt time.Time // of the last upload, where the bucket has not taken it
	refused   error
}

// uploaded notes how an upload has ended.
func (h *bucketHealth) uploaded(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refusedAt, h.refused = time.Now(), err
}

func (h *bucketHealth) lastUpload() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if time.Since(h.refusedAt) < uploadRefused {
		return h.refused
	}
	return nil
}

// Check returns an ErrUnavailable where the place of the blobs cannot be reached, or
// has not taken the last blob. It asks an object store at most every 15 s, for at most 2 s.
func (s Blobs) Check(ctx context.Context) error {
	b := s.store.bucket
	if err := b.health.lastUpload(); err != nil {
		return err
	}
	if b.folder != "" {
		if err := scratch.Writable(b.folder); err != nil {
			return fmt.Errorf("%w: look at the blobs: %w", ErrUnavailable, err)
		}
		return nil
	}
	h := &b.health
	h.looking.Lock() // whoever comes meanwhile waits for the same answer
	defer h.looking.Unlock()
	if time.Since(h.at) < bucketLook {
		return h.found
	}
	// Not the caller's context: others wait for the answer too.
	within, done := context.WithTimeout(context.WithoutCancel(ctx), bucketLookTime)
	defer done()
	there, err := b.IsAccessible(within)
	if err == nil && !there {
		err = errors.New("there is no such bucket, or it may not be listed")
	}
	if err != nil {
		err = fmt.Errorf("%w: look at the blobs: %w", ErrUnavailable, err)
	}
	h.at, h.found = time.Now(), err
	return err
}
