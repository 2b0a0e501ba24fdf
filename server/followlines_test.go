package server_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/library/follow"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/internal/follower"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// slowFeeds serves quick feeds at /quick/ and feeds at /slow/ that send a byte a second.
type slowFeeds struct {
	*target
	open atomic.Int32 // answers of slow feeds that are under way
	most atomic.Int32 // of them at once
}

func newSlowFeeds(t *testing.T) *slowFeeds {
	t.Helper()
	p := new(slowFeeds)
	p.target = newTarget(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/quick/") {
			_, _ = w.Write([]byte(`<feed xmlns="http://www.w3.org/2005/Atom"><title>Quick</title></feed>`)) // a client that has gone needs no answer
			return
		}
		n := p.open.Add(1)
		defer p.open.Add(-1)
		for most := p.most.Load(); n > most && !p.most.CompareAndSwap(most, n); most = p.most.Load() {
		}
		drip := time.NewTicker(time.Second)
		defer drip.Stop()
		for {
			if _, err := w.Write([]byte(" ")); err != nil {
				return
			}
			_ = http.NewResponseController(w).Flush() // a client that has gone needs no answer
			select {
			case <-r.Context().Done():
				return
			case <-drip.C:
			}
		}
	})
	return p
}

// list is a list of subscriptions to n feeds.
func (p *slowFeeds) list(n int) string {
	var b strings.Builder
	b.WriteString(`<opml version="2.0"><body>`)
	for i := range n {
		fmt.Fprintf(&b, `<outline xmlUrl="http://%s/slow/%d"/>`, p.address, i)
	}
	return b.String() + `</body></opml>`
}

// TestSlowFeedsHoldUpNoOther follows many feeds that send a byte a second. Another account's feed at
// the same host is looked at all the same, and so is a feed of the same account at another host.
func TestSlowFeedsHoldUpNoOther(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		p, other := newSlowFeeds(t), newSlowFeeds(t)
		s := startIn(t, o, t.TempDir(), takesDirect, func(c *server.Config) {
			c.Egress.Allow = []string{p.address, other.address}
			server.SettingsOf(c).Follows = follower.Times{Quick: 500 * time.Millisecond, Slow: 5 * time.Second}
		})
		a := s.postFollows(t, "text/x-opml", "", p.list(50))
		require.Equal(t, http.StatusOK, a.StatusCode, a.body)
		require.Eventually(t, func() bool { return p.most.Load() > 1 }, time.Minute, 10*time.Millisecond)

		looked := func(host string, changes ...change) {
			t.Helper()
			id := s.followed(t, fmt.Sprintf(`{"feed":"http://%s/quick/"}`, host), changes...)
			require.Eventually(t, func() bool {
				a := s.get(t, "/v1/follows/"+id, changes...)
				return a.object(t)["follow"].(map[string]any)["lastLookedAt"] != nil
			}, time.Minute, 20*time.Millisecond)
		}
		looked(p.address, as(s.NewKey(t, "globex")))
		looked(other.address)
		require.Eventually(t, func() bool {
			return strings.Contains(s.get(t, "/v1/follows?maxResults=200").body, `"lookingSince":"`)
		}, time.Minute, 20*time.Millisecond, "a look that is under way is told")
		assert.LessOrEqual(t, p.most.Load(), int32(6), "at one host, three looks of each of the account's lines")
	})
}

// TestFeedThatHasEnded answers 410: the follow is paused and told, and goes on when the account wants.
func TestFeedThatHasEnded(t *testing.T) {
	t.Parallel()
	p := newPublisher(t, "aaaaaaaaaa3", "aaaaaaaaaa1")
	told := make(chan *follow.Follow, 10)
	s := following(t, p, func(c *server.Config) {
		c.FollowFailing = func(_ context.Context, _ string, f *follow.Follow) error { told <- f; return nil }
	})
	hook := s.postWebhook(t, `{"url":"https://hooks.example/","events":["follow.ended"]}`)
	require.Equal(t, http.StatusCreated, hook.StatusCode, hook.body)
	id := s.followed(t, `{"feed":"`+p.feed()+`","language":"en"}`)
	require.Eventually(t, func() bool { return s.followNow(t, id)["lastLookedAt"] != nil }, time.Minute, 20*time.Millisecond)
	p.fail(http.StatusGone)
	f := <-told
	assert.NotNil(t, f.EndedAt)
	deliveries := s.get(t, "/v1/webhooks/"+hook.object(t)["webhook"].(map[string]any)["id"].(string)+"/deliveries")
	assert.Equal(t, 1, strings.Count(deliveries.body, `"follow.ended"`), deliveries.body)
	now := s.followNow(t, id)
	assert.Equal(t, "paused", now["status"])
	assert.Contains(t, now["lastError"].(map[string]any)["message"], "410")
	p.fail(0)
	a := s.do(t, http.MethodPatch, "/v1/follows/"+id, strings.NewReader(`{"status":"active"}`), header("Content-Type", "application/json"))
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	require.Eventually(t, func() bool {
		now := s.followNow(t, id)
		return now["status"] == "active" && now["endedAt"] == nil && now["lastError"] == nil
	}, time.Minute, 20*time.Millisecond)
}

// TestItemThatAppearsLate adds old items to a feed. One between the items that were there is new. One
// below them may have been there always, and its reason says so.
func TestItemThatAppearsLate(t *testing.T) {
	t.Parallel()
	var years atomic.Value
	years.Store([]int{2022, 2020})
	feed := newTarget(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<feed xmlns="http://www.w3.org/2005/Atom"><title>Talks</title>`)
		for _, year := range years.Load().([]int) {
			fmt.Fprintf(w, `<entry><id>%[1]d</id><updated>%[1]d-01-01T00:00:00Z</updated><link href="https://video.example/watch?v=aaaaaaa%[1]d"/></entry>`, year)
		}
		fmt.Fprint(w, `</feed>`)
	})
	s := following(t, &publisher{target: feed})
	id := s.followed(t, `{"feed":"http://`+feed.address+`/","language":"en"}`)
	require.Eventually(t, func() bool { return s.followNow(t, id)["lastLookedAt"] != nil }, time.Minute, 20*time.Millisecond)
	years.Store([]int{2022, 2021, 2020, 2019})
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		assert.ElementsMatch(c, []string{"aaaaaaa2022 skipped", "aaaaaaa2021 submitted", "aaaaaaa2020 skipped", "aaaaaaa2019 skipped"}, s.followItems(t, id))
	}, time.Minute, 20*time.Millisecond)
	assert.Contains(t, s.get(t, "/v1/follows/"+id+"/items").body, "It is dated before the follow.")
}
