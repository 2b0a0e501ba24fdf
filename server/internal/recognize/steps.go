// Package recognize makes a text: each step of the work on one content has its file here.
//
//	steps := recognize.New(config)
//	err := steps.Captions(ctx, held, step.Captions{Work: id})
//	next, err := recognize.NextSteps(ctx, tx, e, team)
//
// The first step of a link reads the captions. If no captions answer the request, Prepare
// downloads, decodes and cuts the media, Start waits for a recognizer, Recognize recognizes one
// chunk of speech, TellSpeakers finds out who speaks in the whole recording meanwhile, and Publish
// stores the transcript. The first step of an upload is Prepare. An
// upload may be cut and recognized while it still arrives: see Arrive.
//
// Every step first looks at what is already done, so a step may run again after a crash. The
// transaction that ends a step also writes the results for the next step, and queues it: see
// intake.Moves.Own. Package work runs the steps.
package recognize

import (
	"context"
	"log/slog"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/ask"
	"github.com/transcriptkit/transcriptkit/server/internal/audio"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/disks"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/step"
)

// Config has what the steps need. All members are required but those for which a comment says
// otherwise.
type Config struct {
	Store   *db.Store
	Moves   *intake.Moves
	Engine  engine.Engine // its sources keep the pace; one that lacks everything refuses all work
	Sources *ask.Sources  // the captions of Engine
	Cluster *cluster.Cluster
	Reach   *cluster.Reach // of the recognizer
	Audio   *audio.Files
	Disks   *disks.Disks
	Metrics *metrics.Metrics
	Log     *slog.Logger
	Dir     string // for scratch files; empty: no upload is recognized while it arrives
	// ASRWorkers is how many chunks this process recognizes at once.
	ASRWorkers int
	// MaxMediaDuration is the longest media that is decoded.
	MaxMediaDuration time.Duration
	// RecognizeBlockedAfter is for how long captions may be blocked before the sound is
	// recognized, for plans that say no time; 0: jobs wait for their captions.
	RecognizeBlockedAfter func() time.Duration
	// ProgressInterval is the shortest time between two progress reports of a job.
	ProgressInterval time.Duration
	// HearAfter is how long an upload arrives before its chunks are recognized; 0: as usual.
	HearAfter time.Duration
	// NeedsSound is called in the transaction that finds that captions do not answer some work,
	// so that the work goes on with its sound.
	NeedsSound func(ctx context.Context, tx *db.Tx, e *db.Work) error
}

// Steps do the steps of the work on texts. Safe for concurrent use.
type Steps struct {
	Config
	running progressBoard
	// recognizers are shared by the queue's steps and by uploads that arrive.
	recognizers slots
	arrivals    arrivals
	followed    arrivals // uploads that somebody watches
}

// New makes the steps.
func New(c Config) *Steps {
	if c.HearAfter == 0 {
		c.HearAfter = hearAfter
	}
	return &Steps{
		Config: c, recognizers: make(slots, max(c.ASRWorkers, 1)), arrivals: arrivals{most: arrivalsAtOnce}, followed: arrivals{most: watchedAtOnce},
	}
}

// Captions is the first step of a link that may have captions.
func (p *Steps) Captions(ctx context.Context, t step.Held, a step.Captions) error {
	return captionsStep{p}.readCaptions(ctx, t, a)
}
