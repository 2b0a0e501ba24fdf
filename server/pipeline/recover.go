package pipeline

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	beatEvery = 5 * time.Second
	// silence is how long a process may go without a beat before the others take
	// over its work.
	silence = 30 * time.Second
	// releaseTimeout bounds what a step still writes when the service stops.
	releaseTimeout = 10 * time.Second
)

// beat tells the other processes that this one lives, and takes over the work
// of those that do not.
func (p *Pipeline) beat(ctx context.Context) {
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := p.store.Beat(ctx, p.process)
		if err == nil && p.store.Shared() {
			err = p.recoverLost(ctx)
		}
		if err != nil && ctx.Err() == nil {
			p.log.ErrorContext(ctx, "the heartbeat failed", "err", err)
		}
	}
}

// recoverLost makes the work of dead processes available again (J14). A step
// that was lost too often is not tried again: it may be what kills us.
func (p *Pipeline) recoverLost(ctx context.Context) error {
	return p.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		lost, err := tx.Recover(ctx, p.process, silence)
		if err != nil {
			return err
		}
		seen := map[string]bool{}
		for _, w := range lost {
			var args struct {
				Extraction string `json:"extraction"`
			}
			if err := json.Unmarshal(w.Args, &args); err != nil {
				return fmt.Errorf("arguments of lost work: %w", err)
			}
			if args.Extraction == "" || seen[args.Extraction] {
				continue
			}
			seen[args.Extraction] = true
			if err := p.takeBack(ctx, tx, args.Extraction, true); err != nil {
				return err
			}
			p.log.WarnContext(ctx, "lost work is taken up again", "extraction", args.Extraction, "step", w.Kind)
		}
		return nil
	})
}

// release gives a running step back because the service stops: it is available
// at once, and the attempt does not count (J14).
func (p *Pipeline) release(ctx context.Context, extractionID string) error {
	ctx, cancel := context.WithTimeout(ctx, releaseTimeout)
	defer cancel()
	err := p.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		return p.takeBack(ctx, tx, extractionID, false)
	})
	if err != nil {
		return fmt.Errorf("pipeline: releasing work: %w", err)
	}
	return fmt.Errorf("pipeline: the service stops: %w", context.Canceled) // gives the step back (store.Runner)
}

// takeBack moves a processing extraction back to where its lost step begins.
func (p *Pipeline) takeBack(ctx context.Context, tx *store.Tx, extractionID string, counts bool) error {
	e, err := tx.LockExtraction(ctx, extractionID)
	if err != nil {
		return err
	}
	if e.State.Status != transcript.JobProcessing {
		return nil
	}
	if counts && e.Attempt >= maxAttempts {
		lost := codedError(transcript.Errorf(transcript.Internal, "The work was interrupted too often."))
		return tx.Move(ctx, e, store.Change{To: failed, Error: lost})
	}
	return tx.Move(ctx, e, store.Change{To: before(e.State), Retry: counts})
}
