package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// A backup copies the blobs that its snapshot of the database names, which may take hours. A hold
// prevents every process from deleting blobs during the backup:
//
//   - The holder first commits its row, and then takes its snapshot.
//   - A process first commits that no row names a blob any more, then looks for holds, and only
//     then deletes the blob.
//
// So if a snapshot names a blob, the process that wants to delete the blob sees the hold. Then the
// blob stays, and a later Sweep deletes it.

const (
	holdTime  = 30 * time.Second
	holdEvery = 5 * time.Second
)

// ErrHoldLost means that the holder has sent no heartbeat for so long that blobs may have been
// deleted.
var ErrHoldLost = errors.New("store: the database was out of reach, or this process stood still, for 30 s: blobs may have been deleted meanwhile")

// BlobHold prevents all processes from deleting blobs. It ends with Release, or 30 seconds
// after the last heartbeat of its process.
type BlobHold struct {
	store *Store
	id    string
	stop  func()
	ended chan struct{}
}

// HoldBlobs begins a hold. The returned context ends with the cause ErrHoldLost if the hold is
// lost. The caller calls Release.
func (s *Store) HoldBlobs(ctx context.Context) (context.Context, *BlobHold, error) {
	h := &BlobHold{store: s, id: uuid.NewString(), ended: make(chan struct{})}
	began := time.Now()
	_, err := s.sql.Do(ctx, `INSERT INTO blob_holds (id, until) VALUES (?, ?)`, h.id, s.sql.Ago(-holdTime))
	if err != nil {
		return nil, nil, wrap("hold blobs", err)
	}
	held, lose := context.WithCancelCause(ctx)
	beats, stop := context.WithCancel(held)
	h.stop = stop
	go func() {
		defer close(h.ended)
		if err := h.beat(beats, began); err != nil {
			lose(err)
		}
	}()
	return held, h, nil
}

// beat extends the hold until ctx ends, or until the hold is lost. If the database does not
// answer for a moment, the hold is not lost.
func (h *BlobHold) beat(ctx context.Context, last time.Time) error {
	tick := time.NewTicker(holdEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		began := time.Now()
		n, err := h.store.sql.Do(ctx, `UPDATE blob_holds SET until = ? WHERE id = ? AND until > ?`,
			h.store.sql.Ago(-holdTime), h.id, h.store.sql.Ago(0))
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil && n == 0:
			return ErrHoldLost
		case err == nil:
			last = began
		case time.Since(last) > holdTime:
			return fmt.Errorf("%w: %w", ErrHoldLost, wrap("hold blobs", err))
		}
	}
}

// Release ends the hold. It returns ErrHoldLost if the hold had already ended.
func (h *BlobHold) Release(ctx context.Context) error {
	h.stop()
	<-h.ended
	n, err := h.store.sql.Do(ctx, `DELETE FROM blob_holds WHERE id = ? AND until > ?`, h.id, h.store.sql.Ago(0))
	if err == nil && n == 0 {
		return ErrHoldLost
	}
	return wrap("release blobs", err)
}

// BlobsHeld reports whether a process holds the blobs. A caller that deletes a blob asks after
// the commit of the transaction that removes the last row with the blob's name.
func (s *Store) BlobsHeld(ctx context.Context) (bool, error) {
	var held []bool
	err := s.sql.Ask(ctx, &held, `SELECT EXISTS (SELECT 1 FROM blob_holds WHERE until > ?)`, s.sql.Ago(0))
	return err == nil && len(held) > 0 && held[0], wrap("look for holds of blobs", err)
}

// DeleteBlobs deletes blobs that no row names. If they are held, Sweep deletes them later.
func (s *Store) DeleteBlobs(ctx context.Context, keys ...string) error {
	if len(keys) == 0 {
		return nil
	}
	held, err := s.BlobsHeld(ctx)
	if err != nil || held {
		return err
	}
	var errs []error
	for _, key := range keys {
		errs = append(errs, s.Blobs.Delete(ctx, key))
	}
	return errors.Join(errs...)
}
