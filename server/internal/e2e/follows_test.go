package e2e_test

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/library/follow"
	"github.com/transcriptkit/transcriptkit/server/internal/follower"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// failAfter is how long a followed address fails in these tests until it counts as failing, by
// the clock of the follows.
const failAfter = 30 * time.Minute

// quickFollows looks at followed addresses all the time, by a clock whose error stands in a file,
// in seconds. The pause between two looks is shorter than the jumps of the clock.
func quickFollows(clock string) follower.Times {
	every, err := time.ParseDuration(os.Getenv(childEvery))
	if err != nil {
		panic(err) // the test has set it
	}
	return follower.Times{
		Step: 200 * time.Millisecond, Every: every, Wait: time.Second, FailAfter: failAfter, PerSecond: 2000,
		Now: func(context.Context) (time.Time, error) {
			text, err := os.ReadFile(clock)
			if err != nil {
				return time.Time{}, err
			}
			off, err := strconv.Atoi(string(text))
			return time.Now().Add(time.Duration(off) * time.Second), err
		},
	}
}

// noteFailing writes down which follows a child is told of; nil where it is not to be.
func noteFailing() func(context.Context, string, *follow.Follow) error {
	clock := os.Getenv(childFollows)
	if clock == "" {
		return nil
	}
	return func(_ context.Context, _ string, f *follow.Follow) error {
		return diarist{clock + ".failing"}.write(f.URL)
	}
}

// publisher has many feeds, each with an old item and, once it has published, a new one. Some of
// them break in one of seven ways.
type publisher struct {
	*httptest.Server
	feeds     int
	published atomic.Bool
	broken    atomic.Bool
	looks     atomic.Int64
}

// breakEvery is how many feeds there are for each that breaks: 5 % do.
const breakEvery = 20

func (p *publisher) breaks(n int) bool { return n%breakEvery == 7 }

func newPublisher(t *testing.T, feeds int) *publisher {
	t.Helper()
	p := &publisher{feeds: feeds}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.CloseClientConnections) // before Close, which waits for them
	t.Cleanup(p.Close)
	return p
}

func (p *publisher) address(n int) string { return fmt.Sprintf("%s/feeds/%d", p.URL, n) }

// newItem is the id of the video that a feed publishes.
func newItem(n int) string { return fmt.Sprintf("new%08d", n) }

// ServeHTTP serves a feed, or what has become of it.
func (p *publisher) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/feeds/"))
	if err != nil || n >= p.feeds {
		http.NotFound(w, r)
		return
	}
	p.looks.Add(1)
	if p.breaks(n) && p.broken.Load() {
		p.serveBroken(w, r, n/breakEvery)
		return
	}
	etag := fmt.Sprintf(`"%t"`, p.published.Load())
	w.Header().Set("ETag", etag)
	if r.Header.Get("If-None-Match") == etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	fmt.Fprintf(w, `<feed xmlns="http://www.w3.org/2005/Atom"><title>Feed %d</title>`, n)
	ids := []string{fmt.Sprintf("old%08d", n)}
	if etag == `"true"` {
		ids = append([]string{newItem(n)}, ids...)
	}
	for _, id := range ids {
		fmt.Fprintf(w, `<entry><id>tag:%[1]s</id><title>Talk %[1]s</title><link href="https://youtu.be/%[1]s"/></entry>`, id)
	}
	fmt.Fprint(w, `</feed>`)
}

func (p *publisher) serveBroken(w http.ResponseWriter, r *http.Request, way int) {
	switch way % 7 {
	case 0:
		http.NotFound(w, r)
	case 1:
		http.Error(w, "no feed today", http.StatusInternalServerError)
	case 2:
		fmt.Fprint(w, `<feed xmlns="http://www.w3.org/2005/Atom"><title>Cut</title><entry><id>tag:`)
	case 3:
		fmt.Fprint(w, `<!DOCTYPE feed [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]>`+
			`<feed xmlns="http://www.w3.org/2005/Atom"><title>&c;</title></feed>`)
	case 4:
		http.Redirect(w, r, "http://10.0.0.1/feed.xml", http.StatusFound)
	case 5:
		fmt.Fprint(w, `<feed xmlns="http://www.w3.org/2005/Atom"><title>`)
		for r.Context().Err() == nil {
			if _, err := w.Write([]byte(strings.Repeat("never-ending ", 5000))); err != nil {
				return
			}
		}
	default:
		w.Header().Set("Content-Type", "image/png")
		_, _ = w.Write([]byte("\x89PNG\r\n\x1a\n")) // a client that has gone needs no answer
	}
}

// TestFollowsAcrossKills is the small form of TestSoakFollows.
func TestFollowsAcrossKills(t *testing.T) {
	full(t)
	t.Parallel()
	followAcrossKills(t, storetest.SQLite(t).Database, 140, 3, time.Second)
}

var soakFeeds = flag.Int("feeds", 10_000, "how many feeds TestSoakFollows follows; it kills the service once for each hundred")

// TestSoakFollows follows 10,000 feeds with one new item each, kills the service 100 times with
// kill -9, lets the clock jump by an hour in both directions, and breaks 5 % of the feeds: each item
// becomes one transcript, and each broken feed is told.
func TestSoakFollows(t *testing.T) {
	soak(t)
	storetest.Each(t, func(t *testing.T, o store.Options) {
		followAcrossKills(t, o.Database, *soakFeeds, *soakFeeds/100, time.Minute)
	})
}

func followAcrossKills(t *testing.T, database string, feeds, kills int, every time.Duration) {
	t.Helper()
	began := time.Now()
	p := newPublisher(t, feeds)
	s := newPlace(t, database)
	s.reads, s.allow = "1ms", strings.TrimPrefix(p.URL, "http://")
	s.every = every
	s.follows = filepath.Join(t.TempDir(), "clock")
	jump := func(off time.Duration) {
		t.Helper()
		next := s.follows + ".next"
		require.NoError(t, os.WriteFile(next, strconv.AppendInt(nil, int64(off/time.Second), 10), 0o600))
		require.NoError(t, os.Rename(next, s.follows))
	}
	jump(0)
	s.plans = filepath.Join(t.TempDir(), "plans.json")
	require.NoError(t, os.WriteFile(s.plans, []byte(`{"defaultPlan": "self_hosted", "plans": {"self_hosted": {"paid": true, "rateLimit": null,
		"transcriptsPerPeriod": null, "asrMinutesPerPeriod": null, "asrConcurrency": null, "asrWaiting": null, "maxDurationSec": null,
		"maxUploadBytes": null, "batchItems": null, "follows": null, "followItemsPerDay": null, "cacheTtlSec": null, "eventStreams": null}}}`), 0o600))
	key := s.makeKey(t)
	rows := beside{storetest.SQL(t, store.Options{Database: database})}
	addr := freeAddr(t)
	running := s.spawn(t, addr)
	c := newClient(t, running.url, key)

	ids := make([]string, feeds)
	var making errgroup.Group
	making.SetLimit(8)
	for n := range feeds {
		making.Go(func() error {
			f, _, err := c.Follows.Create(t.Context(), client.FollowParams{Feed: p.address(n)})
			if err == nil {
				ids[n] = f.ID
			}
			return err
		})
	}
	require.NoError(t, making.Wait())
	rows.await(t, "SELECT count(*) FROM follow_sources WHERE looked_at IS NOT NULL", feeds)
	made := time.Since(began)

	p.broken.Store(true)
	p.published.Store(true)
	for n := range kills {
		jump([]time.Duration{0, time.Hour, -time.Hour, 0}[n%4])
		wait := 300*time.Millisecond + rand.N(700*time.Millisecond)
		<-time.After(wait) // the work goes on meanwhile
		running.kill()
		running = s.spawn(t, addr)
	}
	jump(0)
	killed := time.Since(began)
	sound := 0
	for n := range feeds {
		if !p.breaks(n) {
			sound++
		}
	}
	ready := "SELECT count(*) FROM transcripts WHERE external_id LIKE 'new%'"
	rows.await(t, ready, sound)
	settled := time.Since(began)

	// The clock goes on until the broken feeds have failed for long enough.
	for hour := time.Hour; rows.count(t, "SELECT count(*) FROM follow_sources WHERE told") < feeds-sound && hour < 48*time.Hour; hour += time.Hour {
		jump(hour)
		before := p.looks.Load()
		require.Eventually(t, func() bool { return p.looks.Load() >= before+int64(feeds) }, 5*time.Minute, 50*time.Millisecond)
	}
	rows.await(t, "SELECT count(*) FROM follow_sources WHERE told", feeds-sound)
	var silent []string
	for n := range feeds {
		f, err := c.Follows.Get(t.Context(), ids[n])
		require.NoError(t, err)
		if p.breaks(n) && (f.Status != follow.Failing || f.LastError == nil || f.LastError.Message == "") || !p.breaks(n) && f.Status != follow.Active {
			silent = append(silent, fmt.Sprint(f.URL, " ", f.Status))
		}
	}
	assert.Empty(t, silent, "a feed is failing if it is broken, and only then")
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		told := begun(t, s.follows+".failing")
		for n := range feeds {
			if p.breaks(n) {
				assert.Positive(c, told[p.address(n)], "the event of %s", p.address(n))
			}
		}
	}, time.Minute, 100*time.Millisecond)

	p.broken.Store(false) // and their items come
	jump(100 * time.Hour)
	rows.await(t, ready, feeds)
	rows.await(t, "SELECT count(*) FROM follow_sources WHERE told", 0)
	for what, want := range map[string]int{
		"SELECT count(DISTINCT external_id) FROM transcripts WHERE external_id LIKE 'new%'":                   feeds,
		"SELECT count(*) FROM transcripts WHERE external_id LIKE 'old%'":                                      0,
		"SELECT count(*) FROM follow_items WHERE status = 'submitted'":                                        feeds,
		"SELECT count(*) FROM follow_items WHERE status = 'failed' OR status = 'waiting'":                     0,
		"SELECT count(*) FROM jobs AS j JOIN extractions AS e ON e.id = j.extraction_id":                      feeds,
		"SELECT count(DISTINCT e.external_id) FROM jobs AS j JOIN extractions AS e ON e.id = j.extraction_id": feeds,
		"SELECT count(*) FROM jobs WHERE status <> 'success'":                                                 0,
	} {
		assert.Equal(t, want, rows.count(t, what), what)
	}
	t.Logf("%d feeds, %d broken, %d kills: followed in %v, killed until %v, all sound items ready after %v, all items after %v; %d looks",
		feeds, feeds-sound, kills, made.Round(time.Second), killed.Round(time.Second), settled.Round(time.Second), time.Since(began).Round(time.Second), p.looks.Load())
}

// beside asks the database of a service for numbers, beside the service.
type beside struct{ *sql.DB }

func (b beside) count(t *testing.T, query string) (n int) {
	t.Helper()
	require.NoError(t, b.QueryRowContext(t.Context(), query).Scan(&n))
	return n
}

// await waits until the database answers with a number.
func (b beside) await(t *testing.T, query string, want int) {
	t.Helper()
	var last sync.Map
	if !assert.Eventually(t, func() bool {
		n := b.count(t, query)
		last.Store("n", n)
		return n == want
	}, 15*time.Minute, 100*time.Millisecond) {
		n, _ := last.Load("n")
		t.Fatalf("%s: %v, and not %d", query, n, want)
	}
}
