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

// reach remembers when the recognizer has answered last.
type reach struct{ answered atomic.Pointer[time.Time] }

func (r *reach) note() {
	now := time.Now()
	r.answered.Store(&now)
}

func (r *reach) recent() bool {
	last := r.answered.Load()
	return last != nil && time.Since(*last) < lifeSign
}

// reachRecognizer returns an error that is waited for, without an attempt, while the
// recognizer itself says that it cannot be reached: a server that is down, or one that
// takes connections and never answers, is not left with a recording for minutes. Any
// other trouble shows when it is given one.
func (p *Pipeline) reachRecognizer(ctx context.Context) error {
	if p.engine.Recognizer == nil || p.reach.recent() {
		return nil
	}
	err := check(ctx, p.engine.Recognizer)
	switch {
	case err == nil:
		p.reach.note()
		return nil
	case ctx.Err() != nil || !errors.Is(err, transcript.UpstreamFailed):
		return nil //nolint:nilerr // it is there, or shows its trouble with the recording
	}
	return transcript.Errorf(transcript.ServiceUnavailable, "The service cannot reach its speech recognizer at the moment.").
		With("engine", p.engine.Recognizer.Info().Name).Because(err)
}
