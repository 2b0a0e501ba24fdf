package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
)

func (s *service) postFollows(t testing.TB, contentType, query, list string, changes ...change) *answer {
	t.Helper()
	return s.do(t, http.MethodPost, "/v1/follows"+query, strings.NewReader(list), append([]change{header("Content-Type", contentType)}, changes...)...)
}

func TestFollowsRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	long := "https://feeds.example/" + strings.Repeat("x", 5000)
	for body, want := range map[string]struct {
		status int
		code   string
		paths  []string
	}{
		`{}`: {400, "INVALID_REQUEST", nil},
		`{"feed":"https://feeds.example/","channel":"@talks"}`: {400, "INVALID_REQUEST", nil},
		`{"channel":"@talks","maxItems":51}`:                   {422, "INVALID_REQUEST", []string{"maxItems"}},
		`{"channel":"@talks","maxItems":-1}`:                   {422, "INVALID_REQUEST", []string{"maxItems"}},
		`{"channel":"@talks","language":","}`:                  {422, "INVALID_REQUEST", []string{"language"}},
		`{"feed":"` + long + `"}`:                              {422, "INVALID_REQUEST", []string{"feed"}},
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

// Another account sees and changes nothing of a follow.
func TestFollowsOfOthers(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.followed(t, `{"channel":"@talks"}`)
	other := as(s.NewKey(t, "globex"))
	for method, path := range map[string]string{http.MethodGet: "", http.MethodDelete: "", http.MethodPatch: "", "GET ": "/items"} {
		a := s.do(t, strings.TrimSpace(method), "/v1/follows/"+id+path, strings.NewReader(`{"status":"paused"}`), other, header("Content-Type", "application/json"))
		assert.Equal(t, http.StatusNotFound, a.StatusCode, "%s: %s", method, a.body)
	}
	assert.Empty(t, s.get(t, "/v1/follows", other).object(t)["follows"])
	theirs := s.followed(t, `{"channel":"@talks"}`, other)
	assert.NotEqual(t, id, theirs)
	assert.Equal(t, "active", s.followNow(t, id)["status"])
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
