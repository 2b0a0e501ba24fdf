package server_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/library/follow"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/internal/follower"
)

// publisher serves a feed that a test changes.
type publisher struct {
	*target
	mu     sync.Mutex
	items  []string // newest first
	status int      // 0: the feed
}

func newPublisher(t *testing.T, items ...string) *publisher {
	t.Helper()
	p := &publisher{items: items}
	p.target = newTarget(t, func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.status != 0 {
			w.WriteHeader(p.status)
			return
		}
		var b strings.Builder
		b.WriteString(`<feed xmlns="http://www.w3.org/2005/Atom"><title>Talks</title>`)
		for _, id := range p.items {
			fmt.Fprintf(&b, `<entry><id>tag:%s</id><title>About %s</title><link href="https://video.example/watch?v=%s"/></entry>`, id, id, id)
		}
		b.WriteString(`</feed>`)
		etag := fmt.Sprintf(`"%x"`, len(b.String()))
		w.Header().Set("ETag", etag)
		if r.Header.Get("If-None-Match") == etag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = w.Write([]byte(b.String())) // a client that has gone needs no answer
	})
	return p
}

func (p *publisher) feed() string { return "http://" + p.address + "/feed.xml" }

// publish puts items before the others.
func (p *publisher) publish(items ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.items = append(items, p.items...)
}

func (p *publisher) fail(status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status = status
}

// following starts a service that looks at the publisher again and again.
func following(t *testing.T, p *publisher, changes ...func(*server.Config)) *service {
	t.Helper()
	return start(t, append([]func(*server.Config){func(c *server.Config) {
		c.Egress.Allow = []string{p.address}
		server.SettingsOf(c).Follows = follower.Times{Step: 50 * time.Millisecond, Every: 100 * time.Millisecond, Wait: 100 * time.Millisecond, FailAfter: 500 * time.Millisecond}
	}}, changes...)...)
}

func (s *service) postFollow(t testing.TB, body string, changes ...change) *answer {
	t.Helper()
	return s.do(t, http.MethodPost, "/v1/follows", strings.NewReader(body), append([]change{header("Content-Type", "application/json")}, changes...)...)
}

// followed makes a follow, and returns its id.
func (s *service) followed(t testing.TB, body string, changes ...change) string {
	t.Helper()
	a := s.postFollow(t, body, changes...)
	require.Equal(t, http.StatusCreated, a.StatusCode, a.body)
	f := a.object(t)["follow"].(map[string]any)
	require.Equal(t, "/v1/follows/"+f["id"].(string), a.Header.Get("Location"))
	return f["id"].(string)
}

func (s *service) followNow(t testing.TB, id string) map[string]any {
	t.Helper()
	a := s.get(t, "/v1/follows/"+id)
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	return a.object(t)["follow"].(map[string]any)
}

// followItems are the items of a follow as "id status", newest first.
func (s *service) followItems(t testing.TB, id string) (all []string) {
	t.Helper()
	a := s.get(t, "/v1/follows/"+id+"/items")
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	for _, i := range a.object(t)["items"].([]any) {
		i := i.(map[string]any)
		all = append(all, fmt.Sprint(i["externalId"], " ", i["status"]))
	}
	return all
}

func TestFollowOfAFeed(t *testing.T) {
	t.Parallel()
	p := newPublisher(t, "aaaaaaaaaa3", "aaaaaaaaaa2", "aaaaaaaaaa1")
	s := following(t, p)
	id := s.followed(t, `{"feed":"`+p.feed()+`","maxItems":1,"language":"en"}`)
	is := func(want ...string) func(*assert.CollectT) {
		return func(c *assert.CollectT) { assert.Equal(c, want, s.followItems(t, id)) }
	}
	require.EventuallyWithT(t, is("aaaaaaaaaa3 submitted", "aaaaaaaaaa2 skipped", "aaaaaaaaaa1 skipped"), time.Minute, 20*time.Millisecond)
	f := s.followNow(t, id)
	assert.Equal(t, "active", f["status"])
	assert.Equal(t, "Talks", f["title"])
	assert.Equal(t, "feed", f["kind"])
	assert.Equal(t, p.feed(), f["url"])
	assert.NotNil(t, f["lastLookedAt"])

	p.publish("aaaaaaaaaa5", "aaaaaaaaaa4")
	require.EventuallyWithT(t, is("aaaaaaaaaa5 submitted", "aaaaaaaaaa4 submitted", "aaaaaaaaaa3 submitted", "aaaaaaaaaa2 skipped", "aaaaaaaaaa1 skipped"), time.Minute, 20*time.Millisecond)
}

// TestFollowThatFails has a feed that cannot be read for a time: the follow says why, the hook and
// the metrics tell of the failure once, and later items become transcripts all the same.
func TestFollowThatFails(t *testing.T) {
	t.Parallel()
	p := newPublisher(t, "aaaaaaaaaa1")
	var told atomic.Int32
	s := following(t, p, func(c *server.Config) {
		c.FollowFailing = func(_ context.Context, account string, f *follow.Follow) error {
			assert.NotEmpty(t, account)
			assert.Equal(t, p.feed(), f.URL)
			told.Add(1)
			return nil
		}
	})
	id := s.followed(t, `{"feed":"`+p.feed()+`","maxItems":0,"language":"en"}`)
	stands := func(status string) {
		t.Helper()
		require.Eventually(t, func() bool {
			return s.followNow(t, id)["status"] == status && s.followNow(t, id)["lastLookedAt"] != nil
		}, time.Minute, 20*time.Millisecond)
	}
	stands("active")
	p.fail(http.StatusInternalServerError)
	stands("failing")
	why := s.followNow(t, id)["lastError"].(map[string]any)
	assert.Equal(t, "UPSTREAM_FAILED", why["code"])
	require.Eventually(t, func() bool { return told.Load() == 1 }, time.Minute, 20*time.Millisecond)

	p.publish("aaaaaaaaaa2")
	p.fail(0)
	stands("active")
	assert.Nil(t, s.followNow(t, id)["lastError"])
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		assert.Equal(c, []string{"aaaaaaaaaa2 submitted", "aaaaaaaaaa1 skipped"}, s.followItems(t, id))
	}, time.Minute, 20*time.Millisecond)
	values := scrape(t, s.Metrics())
	assert.EqualValues(t, 1, values["transcriptkit_follow_sources_failed_total"])
	assert.EqualValues(t, 1, values["transcriptkit_follow_items_total"])
	assert.EqualValues(t, 2, values[`transcriptkit_follow_looks_total{outcome="new"}`])
	assert.Greater(t, values[`transcriptkit_follow_looks_total{outcome="failed"}`], 2.0)
	assert.EqualValues(t, 1, told.Load())
}

// TestPausedFollow pauses a follow: nothing new becomes a transcript before the follow goes on.
func TestPausedFollow(t *testing.T) {
	t.Parallel()
	p := newPublisher(t, "aaaaaaaaaa1")
	s := following(t, p)
	id := s.followed(t, `{"feed":"`+p.feed()+`","maxItems":1,"language":"en"}`)
	other := s.followed(t, `{"feed":"`+p.feed()+`","maxItems":1,"language":"de"}`) // shares the looks
	set := func(status string) {
		t.Helper()
		a := s.do(t, http.MethodPatch, "/v1/follows/"+id, strings.NewReader(`{"status":"`+status+`"}`), header("Content-Type", "application/json"))
		require.Equal(t, http.StatusOK, a.StatusCode, a.body)
		require.Equal(t, status, a.object(t)["follow"].(map[string]any)["status"])
	}
	has := func(of string, want ...string) {
		t.Helper()
		require.EventuallyWithT(t, func(c *assert.CollectT) { assert.Equal(c, want, s.followItems(t, of)) }, time.Minute, 20*time.Millisecond)
	}
	has(id, "aaaaaaaaaa1 submitted")
	has(other, "aaaaaaaaaa1 submitted")
	set("paused")
	p.publish("aaaaaaaaaa2")
	has(other, "aaaaaaaaaa2 submitted", "aaaaaaaaaa1 submitted")
	assert.Equal(t, []string{"aaaaaaaaaa2 waiting", "aaaaaaaaaa1 submitted"}, s.followItems(t, id))
	set("active")
	has(id, "aaaaaaaaaa2 submitted", "aaaaaaaaaa1 submitted")
}
