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

// progressBoard holds the progress of the pieces of work that this process works
// on, as several chunks of one may run at once.
type progressBoard struct {
	mu        sync.Mutex
	reporters map[string]*reporter
}

// reporter is the progress of one piece of work and when it was last written down.
type reporter struct {
	*recognition.Progress
	users int // guarded by the board

	mu      sync.Mutex
	written time.Time
}

// open returns the reporter of work, brought up to what is done
// according to the cut list. Each open needs a close.
func (b *progressBoard) open(workID string, list cutList) *reporter {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.reporters == nil {
		b.reporters = map[string]*reporter{}
	}
	r := b.reporters[workID]
	if r == nil {
		r = &reporter{Progress: recognition.NewProgress(list.Plan)}
		b.reporters[workID] = r
	}
	r.users++
	for chunk, done := range list.done {
		if done {
			r.Finish(chunk)
		}
	}
	return r
}

func (b *progressBoard) close(workID string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r := b.reporters[workID]; r != nil {
		if r.users--; r.users == 0 {
			delete(b.reporters, workID)
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
	err := p.Moves.OwnNow(ctx, t, func(ctx context.Context, tx *db.Tx, e *db.Work) error {
		return tx.Jobs.SetProgress(ctx, e.ID, &now)
	})
	if err != nil && !errors.Is(err, attempt.ErrUnwanted) && ctx.Err() == nil {
		p.Log.WarnContext(ctx, "progress was not written", "extraction", t.Work, "err", err)
	}
}

func samples(seconds float64) int64 { return int64(math.Round(seconds * speech.SampleRate)) }
