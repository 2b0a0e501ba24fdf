package pipeline

import (
	"cmp"
	"errors"
	"log/slog"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/shortlink"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// Config has what a pipeline needs. All members except Guard and Tracer are required: the
// defaults are those of server.Config.
type Config struct {
	Store  *db.Store
	Engine engine.Engine // one that lacks everything refuses all work
	// Idle is a pipeline that does no work: it accepts requests for the processes that
	// share the database, by the abilities that these processes declare. The Engine of
	// an idle pipeline lacks everything, and Dir is not used.
	Idle bool
	// Sites says what the links of lists mean, and ShortLinks where short ones lead.
	Sites      *site.Table
	ShortLinks *shortlink.Follower
	// Pace is how often this process visits each platform.
	Pace pace.Config
	// Guard has the exits by which this process visits platforms; nil: the one exit "direct".
	Guard *egress.Guard
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
	// LookupBudget is how long a reader waits for a platform. A later answer goes into
	// the cache.
	LookupBudget time.Duration
	// DiscoveryBudget is how long a reader waits for what the video site has.
	DiscoveryBudget time.Duration
	// Retention is how long what has ended is kept; the zero value: DefaultRetention.
	Retention Retention

	tuning
}

// tuning is what only tests change.
type tuning struct {
	pauses    attempt.Pauses
	settled   func(ended []db.Job) // is told what settle ends, in its transaction
	hearAfter time.Duration        // how long an upload arrives before its chunks are recognized
	// audioLook is the time between two looks for the audio of extractions that have ended.
	audioLook time.Duration
}

func (t tuning) withDefaults() tuning {
	t.pauses = cmp.Or(t.pauses, attempt.Default())
	t.hearAfter = cmp.Or(t.hearAfter, hearAfter)
	if t.settled == nil {
		t.settled = func([]db.Job) {}
	}
	return t
}

func (c Config) check() error {
	if c.Store == nil || c.Dir == "" && !c.Idle || c.Sites == nil || c.ShortLinks == nil || c.Log == nil || c.Metrics == nil {
		return errors.New("pipeline: Config.Store, Dir, Sites, ShortLinks, Log and Metrics are required")
	}
	if c.ASRWorkers <= 0 || c.MaxMediaDuration <= 0 || c.MinFreeDisk <= 0 || c.ProgressInterval <= 0 || c.LookupBudget <= 0 || c.DiscoveryBudget <= 0 {
		return errors.New("pipeline: Config.ASRWorkers, MaxMediaDuration, MinFreeDisk, ProgressInterval, LookupBudget and DiscoveryBudget must be greater than 0")
	}
	return nil
}
