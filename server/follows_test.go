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

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/library/follow"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/follower"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
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

func (s *service) postFollows(t testing.TB, contentType, query, list string, changes ...change) *answer {
	t.Helper()
	return s.do(t, http.MethodPost, "/v1/follows"+query, strings.NewReader(list), append([]change{header("Content-Type", contentType)}, changes...)...)
}

func TestFollowsRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	for body, want := range map[string]struct {
		status int
		code   string
		paths  []string
	}{
		`{}`: {400, "INVALID_REQUEST", nil},
		`{"feed":"https://feeds.example/","channel":"@talks"}`: {400, "INVALID_REQUEST", nil},
		`{"channel":"@talks","language":","}`:                  {422, "INVALID_REQUEST", []string{"language"}},
		`{"feed":"file:///etc/passwd"}`:                        {400, "INVALID_REQUEST", nil},
		`{"feed":"https://user:secret@feeds.example/"}`:        {400, "INVALID_REQUEST", nil},
		`{"feed":"http://169.254.169.254/latest/meta-data"}`:   {422, "INVALID_REQUEST", []string{"feed"}},
		`{"feed":"http://[::ffff:127.0.0.1]/"}`:                {422, "INVALID_REQUEST", []string{"feed"}},
		`{"feed":"http://localhost/"}`:                         {404, "UNAVAILABLE", nil},
		`{"feed":"http://0x7f000001/"}`:                        {422, "INVALID_REQUEST", []string{"feed"}},
	} {
		a := s.postFollow(t, body)
		shown := body[:min(len(body), 80)] + ": " + a.body
		if want.status != 0 {
			assert.Equal(t, want.status, a.StatusCode, shown)
			assert.Equal(t, want.code, a.failure(t)["code"], shown)
		}
		require.GreaterOrEqual(t, a.StatusCode, 400, shown)
		if want.paths != nil {
			assert.Equal(t, want.paths, a.issuePaths(t), shown)
		}
		assert.NotContains(t, a.body, "secret")
	}
	assert.Empty(t, s.get(t, "/v1/follows").object(t)["follows"])
}

// TestFollowOfAFeedThatFails wants a feed that cannot be read: there is no follow.
func TestFollowOfAFeedThatFails(t *testing.T) {
	t.Parallel()
	p := newPublisher(t, "aaaaaaaaaa1")
	s := following(t, p)
	id := s.followed(t, `{"feed":"`+p.feed()+`"}`)
	p.fail(http.StatusInternalServerError)
	a := s.postFollow(t, `{"feed":"`+p.feed()+`?another"}`)
	assert.Equal(t, http.StatusBadGateway, a.StatusCode, a.body)
	assert.Equal(t, "UPSTREAM_FAILED", a.failure(t)["code"])
	a = s.do(t, http.MethodPatch, "/v1/follows/"+id, strings.NewReader("status=paused"), header("Content-Type", "application/x-www-form-urlencoded"))
	assert.Equal(t, http.StatusUnsupportedMediaType, a.StatusCode, a.body)
	assert.Len(t, s.get(t, "/v1/follows").object(t)["follows"], 1)
}

// A request that is sent again makes nothing new, and its key belongs to it alone.
func TestFollowReplays(t *testing.T) {
	t.Parallel()
	s := start(t)
	key := header("Idempotency-Key", "k")
	first := s.postFollow(t, `{"channel":"@talks"}`, key)
	require.Equal(t, http.StatusCreated, first.StatusCode, first.body)
	again := s.postFollow(t, `{"channel":"@talks"}`, key)
	assert.Equal(t, http.StatusCreated, again.StatusCode, again.body)
	assert.Equal(t, "true", again.Header.Get("Idempotency-Replayed"))
	assert.Equal(t, first.Header.Get("Location"), again.Header.Get("Location"))
	other := s.postFollow(t, `{"channel":"@others"}`, key)
	assert.Equal(t, http.StatusConflict, other.StatusCode)
	assert.Equal(t, "IDEMPOTENCY_CONFLICT", other.failure(t)["code"])
	equal := s.postFollow(t, `{"channel":"@talks"}`)
	assert.Equal(t, http.StatusOK, equal.StatusCode, "the same address in the same languages")
	assert.Equal(t, first.object(t)["follow"].(map[string]any)["id"], equal.object(t)["follow"].(map[string]any)["id"])
}

// Each row of a list has its own result, whatever its other rows hold.
func TestFollowsOfLists(t *testing.T) {
	t.Parallel()
	s := start(t, takesDirect)
	rows := func(a *answer) (all []string) {
		t.Helper()
		require.Equal(t, http.StatusOK, a.StatusCode, a.body)
		for _, r := range a.object(t)["results"].([]any) {
			r := r.(map[string]any)
			all = append(all, fmt.Sprint(r["row"], " ", r["created"], " ", r["error"]))
		}
		return all
	}
	csv := "Channel Id,Channel Url,Channel Title\n=cmd|' /C calc'!A0,https://feeds.example/1,\"=HYPERLINK(\"\"x\"\")\"\nx,https://user:secret@feeds.example/2,Two\ny,https://feeds.example/1,again\n+1+1,no address,@SUM(1)\n"
	assert.Equal(t, []string{"2 true <nil>", "3 false INVALID_REQUEST", "4 false <nil>", "5 false INVALID_REQUEST"}, rows(s.postFollows(t, "text/csv", "", csv)))
	opml := `<opml version="2.0"><body><outline text="f"><outline xmlUrl="https://feeds.example/a"/></outline><outline xmlUrl="ftp://feeds.example/b"/></body></opml>`
	assert.Equal(t, []string{"1 true <nil>", "2 false INVALID_REQUEST"}, rows(s.postFollows(t, "text/x-opml", "?maxItems=2", opml)))

	for name, list := range map[string]string{
		"entities": `<!DOCTYPE opml [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><opml><body><outline xmlUrl="https://feeds.example/&b;"/></body></opml>`,
		"nested":   "<opml>" + strings.Repeat("<outline>", 100_000),
		"no OPML":  `<html><body/></html>`,
		"empty":    `<opml><body/></opml>`,
		"too many": "<opml>" + strings.Repeat(`<outline xmlUrl="https://feeds.example/x"/>`, 1001) + "</opml>",
	} {
		a := s.postFollows(t, "text/x-opml", "", list)
		assert.Equal(t, http.StatusUnprocessableEntity, a.StatusCode, "%s: %s", name, a.body)
		assert.Equal(t, []string{"body"}, a.issuePaths(t), name)
	}
	large := s.postFollows(t, "text/x-opml", "", "<opml>"+strings.Repeat(" ", 9<<20))
	assert.Equal(t, http.StatusBadRequest, large.StatusCode, large.body)
	assert.Equal(t, http.StatusUnsupportedMediaType, s.postFollows(t, "text/csv; charset=utf-16", "", csv).StatusCode)
	assert.Equal(t, http.StatusUnsupportedMediaType, s.postFollows(t, "text/html", "", csv).StatusCode)
}

// A plan bounds how many follows an account has.
func TestFollowsOfAPlan(t *testing.T) {
	t.Parallel()
	none, two := account.WithoutLimits("none"), account.WithoutLimits("two")
	none.Follows, two.Follows = 0, 2
	s := start(t, func(c *server.Config) {
		offer(c, account.Plans{Default: "two", ByName: map[string]account.Plan{"none": none, "two": two}})
	})
	refused := s.postFollow(t, `{"channel":"@a"}`, s.on(t, "none"))
	assert.Equal(t, http.StatusPaymentRequired, refused.StatusCode, refused.body)
	first := s.followed(t, `{"channel":"@a"}`)
	s.followed(t, `{"channel":"@b"}`)
	a := s.postFollow(t, `{"channel":"@c"}`)
	require.Equal(t, http.StatusPaymentRequired, a.StatusCode, a.body)
	assert.Equal(t, "UPGRADE_REQUIRED", a.failure(t)["code"])
	require.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, "/v1/follows/"+first, nil).StatusCode)
	s.followed(t, `{"channel":"@c"}`)
}

// The items of a suspended account wait until the operator lets the account in again.
func TestFollowsOfASuspendedAccount(t *testing.T) {
	t.Parallel()
	p := newPublisher(t, "aaaaaaaaaa1")
	s := following(t, p)
	id := s.followed(t, `{"feed":"`+p.feed()+`","maxItems":1}`)
	is := func(want ...string) func(*assert.CollectT) {
		return func(c *assert.CollectT) { assert.Equal(c, want, s.followItems(t, id)) }
	}
	require.EventuallyWithT(t, is("aaaaaaaaaa1 submitted"), time.Minute, 20*time.Millisecond)
	suspend := func(yes bool) {
		_, err := s.Accounts.Set(t.Context(), servertest.Account, account.Settings{Suspended: &yes})
		require.NoError(t, err)
	}
	suspend(true)
	p.publish("aaaaaaaaaa2")
	var why string
	database := storetest.SQL(t, s.options)
	require.Eventually(t, func() bool {
		err := database.QueryRowContext(t.Context(), "SELECT coalesce(last_error, '') FROM follows WHERE id = ?1", id).Scan(&why)
		return err == nil && strings.Contains(why, "suspended")
	}, time.Minute, 20*time.Millisecond, "the item waits")
	suspend(false)
	require.EventuallyWithT(t, is("aaaaaaaaaa2 submitted", "aaaaaaaaaa1 submitted"), time.Minute, 20*time.Millisecond)
}
