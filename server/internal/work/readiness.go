package work

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/step"
	"github.com/transcriptkit/transcriptkit/server/internal/throttle"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Ping returns nil if the database answers.
func (w *Work) Ping(ctx context.Context) error { return w.cfg.Store.Ping(ctx) }

// Team returns the processes that work.
func (w *Work) Team(ctx context.Context) cluster.Team { return w.cfg.Cluster.Team(ctx) }

// Check returns an error, or nil, for each part of the service. The parts are "blobs" and
// the abilities of the engine: "captions", "discovery", "audio", "media" and "asr". The
// part "engine.captions." with a platform is [throttle.ErrOpen] while no working source of the
// platform is asked. An idle process looks at the abilities of all processes, and adds the
// part "workers": [cluster.ErrNoWorkers] if no process works. Check is for /readyz.
func (w *Work) Check(ctx context.Context) map[string]error {
	var blobs error
	var reading sync.WaitGroup
	reading.Go(func() { blobs = w.cfg.Store.Blobs.Check(ctx) })
	all := w.checkWorkers(ctx)
	reading.Wait()
	all["blobs"] = blobs
	return all
}

func (w *Work) checkWorkers(ctx context.Context) map[string]error {
	if w.cfg.Idle {
		return w.checkOthers(ctx)
	}
	var fit []engine.CaptionSource
	var captions, discovery, audio, media, asr error
	var checks sync.WaitGroup // each may take its time
	checks.Go(func() { fit, captions = w.checkCaptions(ctx) })
	checks.Go(func() { discovery = cluster.Check(ctx, w.cfg.Engine.Discovery) })
	checks.Go(func() { audio = cluster.Check(ctx, w.cfg.Engine.Audio) })
	checks.Go(func() { media = cluster.Check(ctx, w.cfg.Engine.Media) })
	checks.Go(func() { asr = w.checkRecognizer(ctx) })
	checks.Wait()
	all := map[string]error{"captions": captions, "discovery": discovery, "audio": audio, "media": media, "asr": asr}
	for _, platform := range platforms() {
		if len(w.cfg.Sources.Of(platform)) > 0 {
			all["engine.captions."+string(platform)] = w.cfg.Throttle.Check(fit, platform)
		}
	}
	return all
}

// checkCaptions returns the sources that are fit for work, and why others are not.
func (w *Work) checkCaptions(ctx context.Context) (fit []engine.CaptionSource, err error) {
	if len(w.cfg.Engine.Captions) == 0 {
		return nil, cluster.ErrMissing
	}
	for _, source := range w.cfg.Engine.Captions {
		if unfit := cluster.Check(ctx, source); unfit != nil {
			err = errors.Join(err, unfit)
			continue
		}
		fit = append(fit, source)
	}
	return fit, err
}

func (w *Work) checkOthers(ctx context.Context) map[string]error {
	all := w.cfg.Cluster.Living(ctx)
	if len(all) == 0 {
		return map[string]error{"workers": cluster.ErrNoWorkers}
	}
	lacks := func(can func(cluster.Abilities) bool) error {
		if all.Anyone(can) {
			return nil
		}
		return cluster.ErrMissing
	}
	return map[string]error{
		"workers":   nil,
		"captions":  lacks(needs(step.CaptionsQueue)),
		"discovery": lacks(func(a cluster.Abilities) bool { return a.Discovery }),
		"audio":     lacks(func(a cluster.Abilities) bool { return a.Audio }),
		"media":     lacks(needs(step.MediaQueue)),
		"asr":       lacks(needs(step.ASRQueue)),
	}
}

func (w *Work) checkRecognizer(ctx context.Context) error {
	if w.cfg.Engine.Recognizer == nil {
		return cluster.ErrMissing
	}
	return w.cfg.Reach.Check(ctx)
}

// platforms returns the platforms that may block. Direct links lead to many hosts, and none of them
// opens a circuit.
func platforms() []transcript.Platform {
	return slices.DeleteFunc(transcript.Platforms(), func(p transcript.Platform) bool { return p == transcript.Upload })
}

// Exits returns the health of the exits by which this process visits platforms.
func (w *Work) Exits() []throttle.Exit { return w.cfg.Throttle.Exits() }

// OpenCircuits says, for every platform and source that this process visits, whether it
// waits for a block of all its exits to end.
func (w *Work) OpenCircuits() map[metrics.Visited]bool {
	open := map[metrics.Visited]bool{}
	for _, platform := range platforms() {
		if len(w.cfg.Sources.Of(platform)) > 0 {
			open[metrics.Visited{Platform: platform, Source: metrics.Captions}] = w.cfg.Throttle.Check(w.cfg.Engine.Captions, platform) != nil
		}
		if w.cfg.Engine.Audio != nil {
			open[metrics.Visited{Platform: platform, Source: metrics.Audio}] = w.cfg.Throttle.CheckAudio(platform) != nil
		}
	}
	return open
}
