package pipeline

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/throttle"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Ping returns nil if the database answers.
func (p *Pipeline) Ping(ctx context.Context) error { return p.store.Ping(ctx) }

// Team returns the processes that work.
func (p *Pipeline) Team(ctx context.Context) cluster.Team { return p.cluster.Team(ctx) }

// Check returns an error, or nil, for each part of the service. The parts are "blobs" and
// the abilities of the engine: "captions", "discovery", "audio", "media" and "asr". The
// part "engine.captions." with a platform is [throttle.ErrOpen] while no working source of the
// platform is asked. An idle pipeline looks at the abilities of all processes, and adds the
// part "workers": [cluster.ErrNoWorkers] if no process works. Check is for /readyz.
func (p *Pipeline) Check(ctx context.Context) map[string]error {
	var blobs error
	var reading sync.WaitGroup
	reading.Go(func() { blobs = p.store.Blobs.Check(ctx) })
	all := p.checkWorkers(ctx)
	reading.Wait()
	all["blobs"] = blobs
	return all
}

func (p *Pipeline) checkWorkers(ctx context.Context) map[string]error {
	if p.cfg.Idle {
		return p.checkOthers(ctx)
	}
	var fit []engine.CaptionSource
	var captions, discovery, audio, media, asr error
	var checks sync.WaitGroup // each may take its time
	checks.Go(func() { fit, captions = p.checkCaptions(ctx) })
	checks.Go(func() { discovery = check(ctx, p.engine.Discovery) })
	checks.Go(func() { audio = check(ctx, p.engine.Audio) })
	checks.Go(func() { media = check(ctx, p.engine.Media) })
	checks.Go(func() { asr = p.checkRecognizer(ctx) })
	checks.Wait()
	all := map[string]error{"captions": captions, "discovery": discovery, "audio": audio, "media": media, "asr": asr}
	for _, platform := range platforms() {
		if len(p.sources.Of(platform)) > 0 {
			all["engine.captions."+string(platform)] = p.pace.Check(fit, platform)
		}
	}
	return all
}

// checkCaptions returns the sources that are fit for work, and why others are not.
func (p *Pipeline) checkCaptions(ctx context.Context) (fit []engine.CaptionSource, err error) {
	if len(p.engine.Captions) == 0 {
		return nil, ErrMissing
	}
	for _, source := range p.engine.Captions {
		if unfit := check(ctx, source); unfit != nil {
			err = errors.Join(err, unfit)
			continue
		}
		fit = append(fit, source)
	}
	return fit, err
}

func (p *Pipeline) checkOthers(ctx context.Context) map[string]error {
	all := p.cluster.Living(ctx)
	if len(all) == 0 {
		return map[string]error{"workers": cluster.ErrNoWorkers}
	}
	lacks := func(can func(cluster.Abilities) bool) error {
		if all.Anyone(can) {
			return nil
		}
		return ErrMissing
	}
	return map[string]error{
		"workers":   nil,
		"captions":  lacks(needs(queueCaptions)),
		"discovery": lacks(func(a cluster.Abilities) bool { return a.Discovery }),
		"audio":     lacks(func(a cluster.Abilities) bool { return a.Audio }),
		"media":     lacks(needs(queueMedia)),
		"asr":       lacks(needs(queueASR)),
	}
}

func (p *Pipeline) checkRecognizer(ctx context.Context) error {
	if p.engine.Recognizer == nil {
		return ErrMissing
	}
	return p.reach.Check(ctx)
}

// ErrMissing tells that a service has no engine for something.
var ErrMissing = errors.New("not configured")

func check(ctx context.Context, capability any) error {
	if capability == nil {
		return ErrMissing
	}
	if c, ok := capability.(engine.Checker); ok {
		return c.Check(ctx)
	}
	return nil
}

// platforms returns the platforms that may block. Direct links lead to many hosts, and none of them
// opens a circuit.
func platforms() []transcript.Platform {
	return slices.DeleteFunc(transcript.Platforms(), func(p transcript.Platform) bool { return p == transcript.Upload })
}

// Exits tells how the exits fare by which this process visits platforms.
func (p *Pipeline) Exits() []throttle.Exit { return p.pace.Exits() }

// OpenCircuits tells for every platform and source that this process visits whether it
// waits for a block of all its exits to pass.
func (p *Pipeline) OpenCircuits() map[metrics.Visited]bool {
	open := map[metrics.Visited]bool{}
	for _, platform := range platforms() {
		if len(p.sources.Of(platform)) > 0 {
			open[metrics.Visited{Platform: platform, Source: metrics.Captions}] = p.pace.Check(p.engine.Captions, platform) != nil
		}
		if p.engine.Audio != nil {
			open[metrics.Visited{Platform: platform, Source: metrics.Audio}] = p.pace.CheckAudio(platform) != nil
		}
	}
	return open
}
