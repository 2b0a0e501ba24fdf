package service_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// blockingSite is what a video site answers that blocks until it is told not to,
// with when it was visited.
type blockingSite struct {
	mu      sync.Mutex
	visits  []time.Time
	blocks  bool
	refused int
}

func (s *blockingSite) answer(context.Context, int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.visits = append(s.visits, time.Now())
	if s.blocks {
		s.refused++
		return blocksBriefly()
	}
	return nil
}

func (s *blockingSite) block(blocks bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.blocks = blocks
}

// A site blocks while fifty jobs (twenty with -short) stand in the queue, then recovers: no job fails
// or loses an attempt, none is recognized instead, and the site is never visited
// more often than it may be. A text that has expired is served meanwhile.
func TestFiftyJobsOnABlockedSite(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		rate := pace.Rate{PerMinute: 600, Burst: 5}
		e, sites, site := &script{}, newPlatforms(t, manual("en")), &blockingSite{}
		sites.captions = site.answer
		b := startLinks(t, s, e, sites, func(c *service.Config) { c.Pace = pace.Config{Rate: rate} })
		cached := link("cached", "en")
		b.succeed(t, cached)

		many := 50
		if testing.Short() {
			many = 20
		}
		site.block(true)
		began := time.Now()
		ids := make([]string, many)
		for i := range ids {
			out, err := b.Submit(t.Context(), link(fmt.Sprintf("v%d", i), "en"))
			require.NoError(t, err)
			ids[i] = out.Job.JobID
		}
		cached.Plan.CacheTTL = time.Nanosecond
		stale := b.succeed(t, cached)
		assert.True(t, stale.Result.Stale)
		assert.True(t, stale.Result.Cached)
		site.block(false)

		moves := 0
		for i, id := range ids {
			job, err := b.Jobs.Wait(t.Context(), acme, id, nil)
			require.NoError(t, err)
			require.Equal(t, transcript.JobSuccess, job.Status, "job %d: %v", i, job.Error)
			assert.Equal(t, 1, job.Attempt, "waiting is not failing")
			assert.False(t, job.Result.Stale)
			assert.Equal(t, transcript.OriginDownloader, job.Result.Transcript.Source)
			moves += job.Sequence
		}
		assert.Zero(t, e.calls(), "no recognition")
		assert.Zero(t, sites.downloads)
		site.mu.Lock()
		defer site.mu.Unlock()
		withinRate(t, site.visits, rate)
		assert.Positive(t, site.refused)
		assert.LessOrEqual(t, site.refused, 10, "those under way at the first block, then one at a time")
		assert.Len(t, site.visits, 1+many+site.refused, "each content once")
		t.Logf("%d jobs in %s: %d visits, %d of them blocked, the most in a second %d, %.1f moves of a job",
			many, time.Since(began).Round(time.Millisecond), len(site.visits), site.refused, most(site.visits, time.Second), float64(moves)/float64(many))
	})
}

// withinRate asserts that no window has more visits than the rate permits. A
// visit is noted a little after its token was taken.
func withinRate(t *testing.T, visits []time.Time, r pace.Rate) {
	t.Helper()
	const late = time.Second
	for i := range visits {
		for j := i; j < len(visits); j++ {
			permitted := float64(r.Burst) + r.PerMinute*(visits[j].Sub(visits[i])+late).Minutes()
			if n := float64(j - i + 1); n > permitted {
				require.LessOrEqual(t, n, permitted, "from visit %d to %d", i, j)
			}
		}
	}
}

// most is the number of visits in the busiest window.
func most(visits []time.Time, window time.Duration) (n int) {
	for i := range visits {
		for j := i; j < len(visits) && visits[j].Sub(visits[i]) < window; j++ {
			n = max(n, j-i+1)
		}
	}
	return n
}

// Of two sources that block, the one that does so for less time is waited for.
func TestShorterBlockCounts(t *testing.T) {
	t.Parallel()
	for _, asked := range [][]int{{600, 5}, {5, 600}} {
		var all []engine.CaptionSource
		for _, seconds := range asked {
			sites := newPlatforms(t)
			sites.captions = func(context.Context, int) error {
				e := transcript.Errorf(transcript.IPBlocked, "The platform blocks.")
				e.RetryAfter = seconds
				return e
			}
			all = append(all, sites)
		}
		b := prepareLinks(t, dbtest.Open(t, dbtest.SQLite(t)), newPlatforms(t), func(c *service.Config) { c.Engine.Captions = all })
		for range 3 { // also when they are not asked again
			r, err := b.Ask.Captions(t.Context(), question("en"))
			require.NoError(t, err)
			assert.InDelta(t, 5, r.Failure.RetryAfter, 1)
		}
		assert.Equal(t, 1, all[0].(*platforms).questions())
		assert.Equal(t, 1, all[1].(*platforms).questions())
	}
}

// A link without captions, on a platform that blocks downloads, is waited for.
func TestBlockedDownloadIsWaitedFor(t *testing.T) {
	t.Parallel()
	e, sites := &script{}, newPlatforms(t)
	calls := 0
	sites.audio = func(context.Context) error {
		if calls++; calls == 1 {
			return blocksBriefly()
		}
		return nil
	}
	b := startLinks(t, dbtest.Open(t, dbtest.SQLite(t)), e, sites)
	job := b.succeed(t, link("v1", "en"))
	assert.Equal(t, 1, job.Attempt)
	assert.Equal(t, 2, sites.downloads)
	assert.Equal(t, 1, e.calls())
}
