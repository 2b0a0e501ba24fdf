package recognize

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/server/internal/step"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// progressBoard holds the progress of the extractions that this process works
// on, as several chunks of one may run at once.
type progressBoard struct {
	mu        sync.Mutex
	reporters map[string]*reporter
}

// reporter is the progress of one extraction and when it was last written down.
type reporter struct {
	*recognition.Progress
	users int // guarded by the board

	mu      sync.Mutex
	written time.Time
}

// open returns the reporter of an extraction, brought up to what is done
// according to the cut list. Each open needs a close.
func (b *progressBoard) open(extractionID string, list cutList) *reporter {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.reporters == nil {
		b.reporters = map[string]*reporter{}
	}
	r := b.reporters[extractionID]
	if r == nil {
		r = &reporter{Progress: recognition.NewProgress(list.Plan)}
		b.reporters[extractionID] = r
	}
	r.users++
	for chunk, done := range list.done {
		if done {
			r.Finish(chunk)
		}
	}
	return r
}

func (b *progressBoard) close(extractionID string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r := b.reporters[extractionID]; r != nil {
		if r.users--; r.users == 0 {
			delete(b.reporters, extractionID)
		}
	}
}

// due reports whether it is time to write the progress down again.
func (r *reporter) due(now time.Time, every time.Duration) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now.Sub(r.written) < every {
		return false
	}
	r.written = now
	return true
}

// report writes progress down for the watchers, at most once in a while.
// When it cannot be written, the work goes on.
func (p *Steps) report(ctx context.Context, t step.Held, r *reporter, now transcript.Progress) {
	if !r.due(time.Now(), p.ProgressInterval) {
		return
	}
	err := p.Moves.OwnNow(ctx, t, func(ctx context.Context, tx *db.Tx, e *db.Extraction) error {
		return tx.Jobs.SetProgress(ctx, e.ID, &now)
	})
	if err != nil && !errors.Is(err, attempt.ErrUnwanted) && ctx.Err() == nil {
		p.Log.WarnContext(ctx, "progress was not written", "extraction", t.Extraction, "err", err)
	}
}

func samples(seconds float64) int64 { return int64(math.Round(seconds * speech.SampleRate)) }
