package cluster

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// lifeSign is how long an answer of the recognizer proves that the recognizer can be
// reached.
const lifeSign = 30 * time.Second

// Reach knows whether this process can reach its recognizer. A recognizer may run on
// another machine. A Reach is safe for concurrent use.
type Reach struct {
	recognizer engine.Recognizer // nil if the process has no recognizer
	answered   atomic.Pointer[time.Time]
	busy       atomic.Int32 // recordings of this process that the recognizer works on
}

// NewReach returns the Reach of a recognizer, or of a process without a recognizer (nil).
func NewReach(recognizer engine.Recognizer) *Reach { return &Reach{recognizer: recognizer} }

// Lend counts a recording that the recognizer works on, until the caller calls end.
func (r *Reach) Lend() (end func()) {
	r.busy.Add(1)
	return func() { r.busy.Add(-1) }
}

// Answered records that the recognizer has just answered.
func (r *Reach) Answered() {
	now := time.Now()
	r.answered.Store(&now)
}

// known reports whether the recognizer is certainly available, without asking it. A
// recognizer that works on a recording may not be able to answer a question at the same
// time.
func (r *Reach) known() bool {
	last := r.answered.Load()
	return r.busy.Load() > 0 || last != nil && time.Since(*last) < lifeSign
}

// Check returns why the recognizer does not work, or nil. While the recognizer works on a
// recording, Check does not ask and returns nil.
func (r *Reach) Check(ctx context.Context) error {
	if r.busy.Load() > 0 {
		return nil
	}
	return r.ask(ctx)
}

// Wait returns SERVICE_UNAVAILABLE if the recognizer says that it cannot be reached. The
// step then waits without a failed attempt. Any other fault of the recognizer, including
// slowness, shows when it gets a recording.
func (r *Reach) Wait(ctx context.Context) error {
	if r.recognizer == nil || r.known() {
		return nil
	}
	err := r.ask(ctx)
	switch {
	case err == nil:
		r.Answered()
		return nil
	case ctx.Err() != nil || !errors.Is(err, transcript.UpstreamFailed):
		return nil //nolint:nilerr // the recognizer is there, or shows its trouble with the recording
	case r.known(): // another step has reached the recognizer meanwhile
		return nil
	}
	away := transcript.Errorf(transcript.ServiceUnavailable, "The service cannot reach its speech recognizer at the moment.").
		With("engine", r.recognizer.Info().Name).Because(err)
	away.Cure = "The operator can start the recognizer, or correct its address."
	return away
}

func (r *Reach) ask(ctx context.Context) error {
	if c, ok := r.recognizer.(engine.Checker); ok {
		return c.Check(ctx)
	}
	return nil
}
