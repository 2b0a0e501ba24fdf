package service

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/delivery"
	"github.com/transcriptkit/transcriptkit/server/internal/follower"
	"github.com/transcriptkit/transcriptkit/server/internal/hooks"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/shortlink"
	"github.com/transcriptkit/transcriptkit/server/internal/work"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// Config has what a service needs. Store, Dir, Sites, ShortLinks, Log, Metrics, and the numbers without
// a zero value in their comment are required: the defaults are those of server.Config.
type Config struct {
	Store  *db.Store
	Engine engine.Engine // an Engine that lacks everything refuses all work
	// Idle is a service that does no work: it accepts requests for the processes that
	// share the database, by the abilities that these processes declare. The Engine of
	// an idle service lacks everything, and Dir is not used.
	Idle bool
	// Dir is for scratch files; the caller removes it after Stop.
	Dir string
	// Log receives messages for operators.
	Log *slog.Logger
	// Metrics count the events of the service.
	Metrics *metrics.Metrics
	// Tracer is told about each step; nil means that no trace is made.
	Tracer engine.Tracer
	// ASRWorkers is how many chunks this process recognizes at once.
	ASRWorkers int
	// MaxMediaDuration is the longest media that is decoded.
	MaxMediaDuration time.Duration
	// RecognizeBlockedAfter is how long captions may be blocked before the sound is
	// recognized, for plans that set no time; 0 means that jobs wait for their captions.
	RecognizeBlockedAfter time.Duration
	// MinFreeDisk is how many bytes must stay free on each local disk: with less, the
	// service accepts no new work.
	MinFreeDisk int64
	// ProgressInterval is the shortest time between two progress reports of a job.
	ProgressInterval time.Duration
	// Retention is how long ended work is kept; the zero value means work.DefaultRetention.
	Retention work.Retention
	// Sites says which content the links of lists name, and ShortLinks resolves short links.
	Sites      *site.Table
	ShortLinks *shortlink.Follower
	// Pace is how often this process visits each platform.
	Pace pace.Config
	// Guard has the exits by which this process visits platforms; nil means the one exit
	// "direct".
	Guard *egress.Guard
	// LookupBudget is how long a reader waits for a platform. The cache stores a later
	// answer.
	LookupBudget time.Duration
	// DiscoveryBudget is how long a reader waits for the video site.
	DiscoveryBudget time.Duration
	// DirectMedia takes links of no platform as items of batches and follows, see server.Config.
	DirectMedia bool
	// Hooks are called when work ends. The members of hooks.Config that New fills are not
	// set.
	Hooks hooks.Config
	// PlanOf returns the plan of an account; the zero value if the plan cannot be read. nil
	// means that no plan limits how long data are kept.
	PlanOf func(ctx context.Context, account string) account.Plan
	// Follows is how often followed addresses are checked; the zero value means the usual
	// intervals.
	Follows follower.Times
	// TrustWebhooks sends events to addresses that have not answered, see server.Config.
	TrustWebhooks bool
	// Webhooks is how deliveries are sent; the zero value means the usual way.
	Webhooks delivery.Times

	times
}

// times are settings that no public configuration has. The zero value of a member means its usual value.
type times struct {
	pauses    attempt.Pauses
	ended     []intake.Listener // are told about jobs that end, before the features are
	hearAfter time.Duration     // as of recognize.Config
	audioLook time.Duration     // as of work.Config
}

func (c Config) withDefaults() Config {
	c.pauses = cmp.Or(c.pauses, attempt.Default())
	c.Retention = cmp.Or(c.Retention, work.DefaultRetention())
	if c.PlanOf == nil {
		c.PlanOf = func(context.Context, string) account.Plan { return account.Plan{} }
	}
	return c
}

func (c Config) check() error {
	switch {
	case c.Store == nil || c.Sites == nil || c.ShortLinks == nil || c.Log == nil || c.Metrics == nil:
		return errors.New("service: Config.Store, Sites, ShortLinks, Log and Metrics are required")
	case c.Dir == "" && !c.Idle:
		return errors.New("service: Config.Dir is required")
	case c.LookupBudget <= 0 || c.DiscoveryBudget <= 0:
		return errors.New("service: Config.LookupBudget and DiscoveryBudget must be greater than 0")
	case c.ASRWorkers <= 0 || c.MaxMediaDuration <= 0 || c.MinFreeDisk <= 0 || c.ProgressInterval <= 0:
		return errors.New("service: Config.ASRWorkers, MaxMediaDuration, MinFreeDisk and ProgressInterval must be greater than 0")
	}
	return nil
}
