package throttle

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// captionSource is a caption source that keeps the pace.
type captionSource struct {
	engine.CaptionSource
	pace *Throttle
	n    int
}

func (s captionSource) Captions(ctx context.Context, c engine.Content, pick func([]transcript.Track) (int, bool)) (found engine.Captions, err error) {
	origin, _ := s.Origin(c.Platform)
	err = s.pace.visit(ctx, route{c.Platform, s.n}, string(origin), func(func()) (err error) {
		found, err = s.CaptionSource.Captions(ctx, c, pick)
		return err
	})
	return found, err
}

// Check calls the Check of the source, if it has one.
func (s captionSource) Check(ctx context.Context) error { return check(ctx, s.CaptionSource) }

// audioSource is an audio source that keeps the pace.
type audioSource struct {
	engine.AudioSource
	pace *Throttle
}

// Audio downloads, which may take hours. The circuit closes as soon as sound arrives.
func (s audioSource) Audio(ctx context.Context, c engine.Content, dir string, o engine.AudioOptions) (path string, err error) {
	progress := o.Progress
	err = s.pace.visit(ctx, route{c.Platform, audio}, audioName, func(answered func()) (err error) {
		comes := sync.OnceFunc(answered)
		o.Progress = func(done, total int64) {
			if done > 0 {
				comes()
			}
			if progress != nil {
				progress(done, total)
			}
		}
		path, err = s.AudioSource.Audio(ctx, c, dir, o)
		return err
	})
	return path, err
}

// Check calls the Check of the source, if it has one.
func (s audioSource) Check(ctx context.Context) error { return check(ctx, s.AudioSource) }

// listSource is a list source that keeps the pace.
type listSource struct {
	engine.ListSource
	pace *Throttle
}

func (s listSource) List(ctx context.Context, l engine.List, offset, n int) (page engine.ListPage, err error) {
	err = s.pace.visit(ctx, route{l.Platform, lists}, listsName, func(func()) (err error) {
		page, err = s.ListSource.List(ctx, l, offset, n)
		return err
	})
	return page, err
}

// Check calls the Check of the source, if it has one.
func (s listSource) Check(ctx context.Context) error { return check(ctx, s.ListSource) }

func check(ctx context.Context, source any) error {
	if c, ok := source.(engine.Checker); ok {
		return c.Check(ctx)
	}
	return nil
}

// visit makes one visit if the source's circuit is closed and the platform has a token for it.
// A visit that an open circuit refuses takes no token.
func (p *Throttle) visit(ctx context.Context, r route, source string, do func(answered func()) error) error {
	who := visitorOf(ctx)
	bucket, circuit := p.bucket(r.platform), p.circuit(r, source)
	if wait, block := circuit.remaining(); wait > 0 {
		return heldBack(block, bucket.stand(who, wait, false))
	}
	ok, err := enter(ctx, bucket, who)
	if err != nil {
		return err
	}
	if !ok {
		const cure = "The operator can allow more visits."
		full := transcript.Errorf(transcript.IPBlocked, "This service may not visit the platform more often at the moment. "+cure)
		full.Cure, full.Err = cure, ErrTooOften
		return heldBack(full, bucket.stand(who, 0, false))
	}
	permit, ok := circuit.begin()
	if !ok { // another visit was faster
		wait, block := circuit.remaining()
		return heldBack(block, bucket.stand(who, wait, true))
	}
	defer circuit.undecided(permit) // a decision below stands
	err = do(func() { circuit.answered(ctx, permit) })
	var coded *transcript.Error
	switch {
	case errors.As(err, &coded) && coded.Code == transcript.IPBlocked:
		circuit.blocked(ctx, permit, coded)
		wait, _ := circuit.remaining()
		return refused(coded, bucket.stand(who, wait, true))
	case err == nil || coded != nil && answers(coded.Code):
		circuit.answered(ctx, permit)
	}
	return err
}

// enter takes a token for a visit; ok is false if there is none. A further visit of [AsOne] may
// use a future token.
func enter(ctx context.Context, b *bucket, who visitor) (ok bool, err error) {
	one, _ := ctx.Value(askingKey{}).(*asking)
	if one != nil && one.begun.Load() {
		b.owe(who, 1)
		return true, nil
	}
	ok, err = b.take(ctx, who)
	if ok && one != nil {
		one.begun.Store(true)
	}
	return ok, err
}

// answers reports whether an error is the platform's answer about a content. Other errors do
// not tell whether the platform blocks: they count as attempts of the job.
func answers(c transcript.Code) bool {
	return c != transcript.UpstreamFailed && c != transcript.ConfigError && c != transcript.Internal
}

// heldBack returns the error of a visit that is not made.
func heldBack(why *transcript.Error, wait time.Duration) error {
	e := *why
	if e.Err = ErrHeldBack; why.Err != nil {
		e.Err = fmt.Errorf("%w: %w", ErrHeldBack, why.Err)
	}
	return refused(&e, wait)
}

// refused returns the error of a visit without an answer: the reason, and when to come again.
func refused(why *transcript.Error, wait time.Duration) error {
	e := *why
	e.RetryAfter = max(1, int((wait+time.Second-1)/time.Second))
	return &e
}

// bucket returns the bucket of a platform.
func (p *Throttle) bucket(platform transcript.Platform) *bucket {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.buckets[platform]
	if b == nil {
		r, ok := p.cfg.Rates[platform]
		if !ok {
			r = p.cfg.Rate
		}
		b = newBucket(r)
		p.buckets[platform] = b
	}
	return b
}

// circuit returns the circuit of a route; source is its name in the log.
func (p *Throttle) circuit(r route, source string) *circuit {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.circuits[r]
	if c == nil {
		c = newCircuit(p.log.With("platform", r.platform, "source", source))
		p.circuits[r] = c
	}
	return c
}
