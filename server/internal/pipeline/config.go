package pipeline

import (
	"cmp"
	"errors"
	"log/slog"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/ask"
	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/throttle"
)

// Config has what a pipeline needs. All members except Guard and Tracer are required: the
// defaults are those of server.Config.
type Config struct {
	Store  *db.Store
	Engine engine.Engine // its sources keep the pace; one that lacks everything refuses all work
	// Throttle keeps the pace of Engine, Sources are its captions, and Cluster is the processes that
	// share the work.
	Throttle *throttle.Throttle
	Sources  *ask.Sources
	Cluster  *cluster.Cluster
	// Idle is a pipeline that does no work: it accepts requests for the processes that
	// share the database, by the abilities that these processes declare. The Engine of
	// an idle pipeline lacks everything, and Dir is not used.
	Idle bool
	// Dir is for scratch files; the caller removes it after Stop.
	Dir string
	// Log receives what operators should know.
	Log *slog.Logger
	// Metrics count what is done.
	Metrics *metrics.Metrics
	// Tracer hears of each step; nil: no trace is made.
	Tracer engine.Tracer
	// ASRWorkers is how many chunks this process recognizes at once.
	ASRWorkers int
	// MaxMediaDuration is the longest media that is decoded.
	MaxMediaDuration time.Duration
	// RecognizeBlockedAfter is for how long captions may be blocked before the sound is
	// recognized, for plans that say no time; 0: jobs wait for their captions.
	RecognizeBlockedAfter time.Duration
	// MinFreeDisk is how many bytes are to stay free on each local disk: with less,
	// no new work is taken.
	MinFreeDisk int64
	// ProgressInterval is the shortest time between two progress reports of a job.
	ProgressInterval time.Duration
	// Retention is how long what has ended is kept; the zero value: DefaultRetention.
	Retention Retention

	times
}

// times are settings of the pipeline alone. The zero value of a member means its usual value.
type times struct {
	pauses    attempt.Pauses
	settled   func(ended []db.Job) // is told what settle ends, in its transaction
	hearAfter time.Duration        // how long an upload arrives before its chunks are recognized
	// audioLook is the time between two looks for the audio of extractions that have ended.
	audioLook time.Duration
}

func (t times) withDefaults() times {
	t.pauses = cmp.Or(t.pauses, attempt.Default())
	t.hearAfter = cmp.Or(t.hearAfter, hearAfter)
	if t.settled == nil {
		t.settled = func([]db.Job) {}
	}
	return t
}

func (c Config) check() error {
	if c.Store == nil || c.Dir == "" && !c.Idle || c.Log == nil || c.Metrics == nil {
		return errors.New("pipeline: Config.Store, Dir, Log and Metrics are required")
	}
	if c.ASRWorkers <= 0 || c.MaxMediaDuration <= 0 || c.MinFreeDisk <= 0 || c.ProgressInterval <= 0 {
		return errors.New("pipeline: Config.ASRWorkers, MaxMediaDuration, MinFreeDisk and ProgressInterval must be greater than 0")
	}
	return nil
}
