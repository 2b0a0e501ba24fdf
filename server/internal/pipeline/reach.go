package pipeline

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// lifeSign is for how long a recognizer that has answered is not asked whether it is
// still there.
const lifeSign = 30 * time.Second

// reach remembers when the recognizer has answered last, and how many recordings of this
// process are with it.
type reach struct {
	answered atomic.Pointer[time.Time]
	with     atomic.Int32
}

func (r *reach) note() {
	now := time.Now()
	r.answered.Store(&now)
}

// known tells that the recognizer need not be asked whether it is there: it has just
// answered, or works on one of our recordings, and may then not answer anything else.
func (r *reach) known() bool {
	last := r.answered.Load()
	return r.with.Load() > 0 || last != nil && time.Since(*last) < lifeSign
}

// lend counts a recording as being with the recognizer until the end of it is called.
func (r *reach) lend() (end func()) {
	r.with.Add(1)
	return func() { r.with.Add(-1) }
}

// checkRecognizer returns why the recognizer is not fit for work. While one of our
// recordings is with it nobody asks.
func (p *Pipeline) checkRecognizer(ctx context.Context) error {
	if p.reach.with.Load() > 0 {
		return nil
	}
	return check(ctx, p.engine.Recognizer)
}

// reachRecognizer returns an error that is waited for, without an attempt, while the
// recognizer itself says that it cannot be reached. One that is only slow to answer, and
// whatever else is wrong with it, shows when it is given a recording.
func (p *Pipeline) reachRecognizer(ctx context.Context) error {
	if p.engine.Recognizer == nil || p.reach.known() {
		return nil
	}
	err := check(ctx, p.engine.Recognizer)
	switch {
	case err == nil:
		p.reach.note()
		return nil
	case ctx.Err() != nil || !errors.Is(err, transcript.UpstreamFailed):
		return nil //nolint:nilerr // it is there, or shows its trouble with the recording
	case p.reach.known(): // by now
		return nil
	}
	return transcript.Errorf(transcript.ServiceUnavailable, "The service cannot reach its speech recognizer at the moment.").
		With("engine", p.engine.Recognizer.Info().Name).Because(err)
}
