// Package follower checks channels, playlists and feeds that accounts follow, and submits
// each new item once for each follow.
//
// An address that several accounts follow is one source: all of its follows share one
// check. A check writes new items as entries of the source, in the order of time. The
// identity of an entry is kept for as long as the source. Each follow has a position in
// these entries. The transaction that submits an entry also moves the position and writes
// the item. So a crash neither misses an entry nor submits it twice.
//
// A due source waits in a line of an account that follows it, and the lines take turns like
// the lines of webhooks. A check that takes long is stopped and repeated in the slow line
// of the account, so that no account, host or feed delays the quick checks of others.
//
// The package has its own tables, which it uses in the transactions of package db.
package follower

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"golang.org/x/time/rate"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/delivery"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/internal/underway"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// Config is what Follows works with. The members up to Submit are required.
type Config struct {
	Store   *db.Store
	Cluster *cluster.Cluster
	Sites   *site.Table
	Log     *slog.Logger
	// Client returns a client of the egress guard.
	Client func() *http.Client
	// Trace returns the trace of a request, which is stored with the follow.
	Trace func(context.Context) string
	// Submit prepares the submission of an item. The result submits it in a transaction and
	// returns the id of its job; "" means that the text already existed.
	Submit func(context.Context, Item) func(context.Context, *db.Tx) (job string, err error)

	Lists engine.ListSource // reads playlists and channels; nil means that this process cannot
	// DirectMedia accepts items with a recording on no platform.
	DirectMedia bool
	// Failing is called in the transaction that detects a failing follow; nil means that
	// nobody is told.
	Failing func(ctx context.Context, tx *db.Tx, follow string) error
	// Webhooks receive the events of follows that publishers end; nil means that there are
	// no events.
	Webhooks *delivery.Store
	Count    Counts // nil members count nothing
	Times
}

// Counts are called with the values of the metrics, after the values are written.
type Counts struct {
	Looked  func(metrics.Look)
	Taken   func() // an item was submitted
	Failing func() // a source has begun to count as failing
}

// Item is a new item of a follow, to be submitted for its account.
type Item struct {
	Account   string
	Plan      account.Plan
	Content   engine.Content
	Languages transcript.LanguageList
	Trace     string
}

// Follows makes follows and works on them. A Follows is safe for concurrent use.
type Follows struct {
	cfg    *Config
	looker *looker
	taker  taker
}

const (
	usualStep      = 15 * time.Second
	usualEvery     = 30 * time.Minute
	usualFailAfter = 48 * time.Hour
	usualWait      = 15 * time.Minute
	// usualQuick is how long a check in the quick line may take, and usualSlow is how long it
	// may take in the slow line. If a slow check takes no longer than slowAnswer, its source
	// returns to the quick line.
	usualQuick = 2 * time.Second
	usualSlow  = 2 * time.Minute
	slowAnswer = time.Second
	// looksPerSecond is more than 10,000 sources need.
	looksPerSecond = 20
)

// New returns Follows for the configuration.
func New(c Config) *Follows {
	for _, d := range []struct {
		at    *time.Duration
		usual time.Duration
	}{{&c.Step, usualStep}, {&c.Every, usualEvery}, {&c.FailAfter, usualFailAfter}, {&c.Wait, usualWait}, {&c.Quick, usualQuick}, {&c.Slow, usualSlow}} {
		if *d.at == 0 {
			*d.at = d.usual
		}
	}
	c.PerSecond = cmp.Or(c.PerSecond, looksPerSecond)
	if c.Now == nil {
		c.Now = c.Store.Now
	}
	at := map[string]*hosts{LooksQueue: newHosts(), SlowLooksQueue: newHosts()}
	return &Follows{&c, &looker{&c, rate.NewLimiter(rate.Limit(c.PerSecond), c.PerSecond), at, underway.NewLine(largeFeeds)}, taker{&c}}
}

// Periodic is the step of the package, and how often the queue runs it.
func (fs *Follows) Periodic() queue.Periodic { return queue.Periodic{Step: Step{}, Every: fs.cfg.Step} }

// soonest is the shortest pause between two checks of a source.
func (c *Config) soonest() time.Duration { return min(nextLook, c.Every) }

// known converts the error of a question about a follow into the error for its caller.
func known(err error) error {
	if errors.Is(err, db.ErrNotFound) {
		return transcript.Errorf(transcript.NotFound, "There is no such follow.")
	}
	return err
}
