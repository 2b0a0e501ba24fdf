package server_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// newFeed gives an account a new address of its feed, and returns the token in it.
func (s *service) newFeed(t testing.TB, changes ...change) (token string) {
	t.Helper()
	a := s.do(t, http.MethodPut, "/v1/feed", nil, changes...)
	require.Equal(t, http.StatusCreated, a.StatusCode, a.body)
	address, _ := a.object(t)["url"].(string)
	token, ok := strings.CutPrefix(address, "/v1/feeds/")
	require.True(t, ok, a.body)
	return token
}

// feedAt reads the feed at an address, without a key.
func (s *service) feedAt(t testing.TB, token string, changes ...change) *answer {
	t.Helper()
	return s.get(t, "/v1/feeds/"+token, append([]change{as("")}, changes...)...)
}

// entries are the entries of the feed at an address. The feed is one by RFC 4287.
func (s *service) entries(t testing.TB, token string) []atomEntry {
	t.Helper()
	a := s.feedAt(t, token)
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	return readAtom(t, a.body).Entries
}

type atomFeed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	ID      []string    `xml:"http://www.w3.org/2005/Atom id"`
	Title   []string    `xml:"http://www.w3.org/2005/Atom title"`
	Updated []string    `xml:"http://www.w3.org/2005/Atom updated"`
	Author  []string    `xml:"http://www.w3.org/2005/Atom author>name"`
	Entries []atomEntry `xml:"http://www.w3.org/2005/Atom entry"`
	Other   []anyXML    `xml:",any"`
}

type atomEntry struct {
	ID        []string   `xml:"http://www.w3.org/2005/Atom id"`
	Title     []string   `xml:"http://www.w3.org/2005/Atom title"`
	Updated   []string   `xml:"http://www.w3.org/2005/Atom updated"`
	Published []string   `xml:"http://www.w3.org/2005/Atom published"`
	Author    []string   `xml:"http://www.w3.org/2005/Atom author>name"`
	Links     []atomLink `xml:"http://www.w3.org/2005/Atom link"`
	Summary   []atomText `xml:"http://www.w3.org/2005/Atom summary"`
	Content   []atomText `xml:"http://www.w3.org/2005/Atom content"`
	Other     []anyXML   `xml:",any"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Href string `xml:"href,attr"`
}

type atomText struct {
	Type string `xml:"type,attr"`
	Lang string `xml:"http://www.w3.org/XML/1998/namespace lang,attr"`
	Text string `xml:",chardata"`
}

type anyXML struct{ XMLName xml.Name }

// readAtom reads a feed, and holds it to what RFC 4287 demands in sections 4.1.1 and 4.1.2.
func readAtom(t testing.TB, body string) (feed atomFeed) {
	t.Helper()
	strict := xml.NewDecoder(strings.NewReader(body))
	require.NoError(t, strict.Decode(&feed), body)
	_, err := strict.Token()
	require.ErrorIs(t, err, io.EOF, "nothing follows")
	assert.Empty(t, feed.Other)
	ids := map[string]bool{}
	check := func(id, title, updated []string) {
		for _, one := range [][]string{id, title, updated} {
			require.Len(t, one, 1, body)
		}
		at, err := url.Parse(id[0])
		require.NoError(t, err)
		assert.True(t, at.IsAbs(), "an id is a whole IRI: %s", id[0])
		assert.False(t, ids[id[0]], "the id is there twice: %s", id[0])
		ids[id[0]] = true
		assert.NotEmpty(t, title[0])
		_, err = time.Parse(time.RFC3339, updated[0])
		assert.NoError(t, err)
	}
	check(feed.ID, feed.Title, feed.Updated)
	assert.Len(t, feed.Author, 1, "the author of entries without one")
	latest := feed.Updated[0]
	for _, e := range feed.Entries {
		check(e.ID, e.Title, e.Updated)
		assert.Empty(t, e.Other)
		assert.LessOrEqual(t, len(e.Author), 1)
		assert.LessOrEqual(t, e.Updated[0], latest, "the latest first")
		latest = e.Updated[0]
		require.Equal(t, 1, len(e.Summary)+len(e.Content))
		if len(e.Content) == 0 {
			require.Len(t, e.Links, 1, "an entry without content has a link")
			assert.Equal(t, "alternate", e.Links[0].Rel)
		}
		for _, text := range append(e.Summary, e.Content...) {
			assert.Empty(t, text.Type, "plain text")
		}
	}
	return feed
}

// A feed has the new texts of the account alone, and nobody needs a key to read it.
func TestFeedOfNewTexts(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := startIn(t, o, t.TempDir())
		none := s.get(t, "/v1/feed")
		assert.JSONEq(t, `{"feed": null}`, none.body)
		token := s.newFeed(t)
		assert.Empty(t, s.entries(t, token))

		s.saved(t, "A talk", "hello world")
		id := s.job(t, "a recording")
		s.ended(t, id)
		other := as(s.NewKey(t, "globex"))
		a := s.postForm(t, []part{field("waitMs", "10000"), file("another's recording")}, other)
		require.Equal(t, http.StatusOK, a.StatusCode, a.body)

		answer := s.feedAt(t, token)
		for name, value := range map[string]string{
			"Content-Type": "application/atom+xml; charset=utf-8", "Cache-Control": "private, no-cache",
			"X-Robots-Tag": "noindex, nofollow", "Referrer-Policy": "no-referrer", "Set-Cookie": "",
		} {
			assert.Equal(t, value, answer.Header.Get(name), name)
		}
		entries := readAtom(t, answer.body).Entries
		require.Len(t, entries, 2, answer.body)
		upload, talk := entries[0], entries[1]
		assert.Empty(t, upload.Links, "a recording that was uploaded has no address")
		assert.Equal(t, "hello world", upload.Content[0].Text)
		assert.Equal(t, []string{"A talk"}, talk.Title)
		assert.Equal(t, []string{"Talks"}, talk.Author)
		assert.Equal(t, []atomLink{{"alternate", "https://video.example/watch?v=" + video}}, talk.Links)
		assert.Equal(t, []atomText{{Lang: "en", Text: "hello world"}}, talk.Summary)
		for _, secret := range []string{token, s.Key, servertest.Account} {
			assert.NotContains(t, answer.body, secret)
		}
		theirs := s.entries(t, s.newFeed(t, other))
		require.Len(t, theirs, 1)
		assert.NotEqual(t, upload.ID, theirs[0].ID)

		require.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, "/v1/library/transcripts/video_site/"+video, nil).StatusCode)
		assert.Len(t, s.entries(t, token), 1, "a text that is removed from the library is not in the feed")
	})
}

// An address ends when there is a newer one, when it is deleted, and while the account may not
// use the service.
func TestFeedAddressesEnd(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		unpaid := account.WithoutLimits("unpaid")
		unpaid.Paid = false
		s := startIn(t, o, t.TempDir(), func(c *server.Config) {
			offer(c, account.Plans{Default: "test", ByName: map[string]account.Plan{"test": account.WithoutLimits("test"), "unpaid": unpaid}})
		})
		s.saved(t, "A talk", "hello")
		accounts, err := account.New(s.Store, account.Plans{Default: "test", ByName: map[string]account.Plan{"test": account.WithoutLimits("test"), "unpaid": unpaid}})
		require.NoError(t, err)
		set := func(change account.Settings) {
			_, err := accounts.Set(t.Context(), servertest.Account, change)
			require.NoError(t, err)
		}
		status := func(token string) int { return s.feedAt(t, token).StatusCode }

		first := s.newFeed(t)
		before := readAtom(t, s.feedAt(t, first).body)
		second := s.newFeed(t)
		assert.Equal(t, http.StatusNotFound, status(first))
		require.Equal(t, http.StatusOK, status(second))
		after := readAtom(t, s.feedAt(t, second).body)
		assert.Equal(t, before.ID, after.ID, "the feed is the same")
		assert.Equal(t, before.Entries, after.Entries)
		assert.Equal(t, before.ID[0], "urn:uuid:"+s.get(t, "/v1/feed").object(t)["feed"].(map[string]any)["id"].(string))

		set(account.Settings{Suspended: new(true)})
		assert.Equal(t, http.StatusNotFound, status(second))
		set(account.Settings{Suspended: new(false)})
		assert.Equal(t, http.StatusOK, status(second))
		set(account.Settings{Plan: "unpaid"})
		unknown, ended := s.feedAt(t, strings.Repeat("A", 43), header("X-Request-Id", "one")), s.feedAt(t, second, header("X-Request-Id", "one"))
		assert.Equal(t, http.StatusNotFound, ended.StatusCode)
		assert.Equal(t, unknown.body, ended.body, "the answer does not tell that there is such an address")
		set(account.Settings{Plan: "test"})
		assert.Equal(t, http.StatusOK, status(second))

		for range 2 {
			require.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, "/v1/feed", nil).StatusCode)
		}
		assert.Equal(t, http.StatusNotFound, status(second))
		assert.JSONEq(t, `{"feed": null}`, s.get(t, "/v1/feed").body)
		for _, odd := range []string{"x", second + "x", "%00", "..%2f" + second, strings.Repeat("A", 300)} {
			assert.Equal(t, http.StatusNotFound, status(odd), odd)
		}
	})
}

// Titles and texts of strangers are plain text in the feed, on one line.
func TestFeedEscapesTexts(t *testing.T) {
	t.Parallel()
	s := start(t)
	token := s.newFeed(t)
	hostile := "]]><script>alert(1)</script> &amp; \u202Egnp.exe\u2066 a\x07\x1b[31m\u0085\u2028b \uFFFE\U0001F600"
	s.saved(t, "A talk", hostile+strings.Repeat(" long", 1000))
	for link, shown := range map[string]bool{
		"https://talks.example/1?a=1&b=<2>": true, "javascript:alert(1)": false, "https://user:secret@talks.example/": false, "//talks.example/": false,
	} {
		_, err := storetest.SQL(t, s.options).ExecContext(t.Context(), "UPDATE transcripts SET title = ?1, channel = ?1, source_url = ?2", hostile, link)
		require.NoError(t, err)
		body := s.feedAt(t, token).body
		entries := readAtom(t, body).Entries
		require.Len(t, entries, 1)
		for _, r := range body {
			assert.False(t, unicode.IsControl(r) && r != '\n' || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp), "%U", r)
		}
		assert.NotContains(t, body, "<script")
		e := entries[0]
		assert.Contains(t, e.Title[0], "]]><script>alert(1)</script> &amp; gnp.exe a")
		assert.Contains(t, e.Author[0], "<script>")
		text := append(e.Summary, e.Content...)[0].Text
		assert.Contains(t, text, "<script>alert(1)</script>")
		assert.True(t, strings.HasSuffix(text, "…"))
		assert.LessOrEqual(t, len([]rune(text)), 1001)
		if assert.Equal(t, shown, len(e.Links) == 1, link) && shown {
			assert.Equal(t, "https://talks.example/1?a=1&b=<2>", e.Links[0].Href)
		}
	}
}

// A text that took long is the latest when it is ready, and a text that is made again is not new.
func TestFeedOrder(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := startIn(t, o, t.TempDir())
		token := s.newFeed(t)
		id, release := s.heldJob(t, "a long recording")
		s.saved(t, "A talk", "hello")
		talk := s.entries(t, token)
		require.Len(t, talk, 1, "work on its way is not in the feed")
		release()
		s.ended(t, id)
		entries := s.entries(t, token)
		require.Len(t, entries, 2)
		assert.Equal(t, talk[0], entries[1], "the long recording is the latest")

		for _, text := range []string{"corrected", "corrected again"} {
			_, err := s.PutTranscript(t.Context(), servertest.Account, corrected("de", text))
			require.NoError(t, err)
			a := s.postJSON(t, `{"url": "`+video+`", "language": "de"}`)
			require.Equal(t, http.StatusOK, a.StatusCode, a.body)
			again := s.entries(t, token)
			require.Len(t, again, 3)
			assert.Contains(t, again[0].Summary[0].Text, text)
			if text == "corrected" {
				entries = again
				continue
			}
			assert.Equal(t, entries[0].ID, again[0].ID)
			assert.Equal(t, entries[0].Updated, again[0].Updated)
		}
	})
}

// A reader who has the feed as it is gets no body.
func TestFeedConditional(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.saved(t, "A talk", "hello")
	token := s.newFeed(t)
	fresh := s.feedAt(t, token)
	assert.Empty(t, fresh.Header.Get("Last-Modified"), "another text may get the same time")
	etag := fresh.Header.Get("ETag")
	require.NotEmpty(t, etag)
	assert.Equal(t, http.StatusNotModified, s.feedAt(t, token, header("If-None-Match", etag)).StatusCode)

	for _, table := range []string{"library_rows", "transcripts"} {
		_, err := storetest.SQL(t, s.options).ExecContext(t.Context(), "UPDATE "+table+" SET created_at = '2026-01-02 03:04:05.5+00:00'")
		require.NoError(t, err)
	}
	old := s.feedAt(t, token)
	assert.NotEqual(t, etag, old.Header.Get("ETag"))
	modified := old.Header.Get("Last-Modified")
	assert.Equal(t, "Fri, 02 Jan 2026 03:04:05 GMT", modified)
	same := s.feedAt(t, token, header("If-Modified-Since", modified))
	assert.Equal(t, http.StatusNotModified, same.StatusCode)
	assert.Empty(t, same.body)
	assert.Equal(t, http.StatusOK, s.feedAt(t, token, header("If-Modified-Since", modified), header("If-None-Match", `"another"`)).StatusCode)

	s.Engine.SetTracks(servertest.Track{Lang: "fr", Text: "bonjour"})
	_, err := s.PutTranscript(t.Context(), servertest.Account, corrected("fr", "bonjour"))
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, s.postJSON(t, `{"url": "`+video+`", "language": "fr"}`).StatusCode)
	assert.Equal(t, http.StatusOK, s.feedAt(t, token, header("If-Modified-Since", modified)).StatusCode)
	assert.Equal(t, http.StatusOK, s.feedAt(t, token, header("If-None-Match", old.Header.Get("ETag"))).StatusCode)

	head := s.do(t, http.MethodHead, "/v1/feeds/"+token, nil, as(""))
	assert.Equal(t, http.StatusOK, head.StatusCode)
	assert.Empty(t, head.body)
}

// Readers have no key, so their addresses are counted.
func TestFeedsCountByAddress(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *server.Config) { c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	token := s.newFeed(t)
	from := func(client string) change { return header("X-Forwarded-For", client) }
	refused := 0
	for i := range 250 { // within two windows at most, of 120 requests each
		a := s.feedAt(t, []string{token, "unknown"}[i%2], from(fmt.Sprintf("2001:db8::%x", i+1)))
		if a.StatusCode == http.StatusTooManyRequests {
			refused++
			assert.Equal(t, "rate_limited", a.slug(t))
			assert.NotEmpty(t, a.Header.Get("Retry-After"))
		}
	}
	assert.GreaterOrEqual(t, refused, 10)
	assert.Equal(t, http.StatusOK, s.feedAt(t, token, from("2001:db8:1::1")).StatusCode)
	assert.Equal(t, http.StatusOK, s.get(t, "/v1/feed", from("2001:db8::1")).StatusCode, "requests with a key count elsewhere")
}

// A feed that cannot be read now is a fault of the service, and tells nothing about it.
func TestFeedFaults(t *testing.T) {
	t.Parallel()
	var away atomic.Bool
	s := start(t, func(c *server.Config) {
		accounts, err := account.New(c.Store, sourceOf(func(account.Account) (account.Plan, error) {
			if away.Load() {
				return account.Plan{}, errors.New("the bills are away")
			}
			return account.WithoutLimits("test"), nil
		}))
		if err != nil {
			panic(err) // of the test's own making
		}
		c.Accounts = accounts
	})
	s.saved(t, "A talk", "hello")
	token := s.newFeed(t)
	_, err := storetest.SQL(t, s.options).ExecContext(t.Context(), "UPDATE texts SET segments = x'00'")
	require.NoError(t, err)
	broken := s.feedAt(t, token)
	assert.Equal(t, http.StatusInternalServerError, broken.StatusCode, broken.body)
	assert.NotContains(t, broken.body, "segments")

	away.Store(true)
	require.Eventually(t, func() bool { return s.feedAt(t, token).StatusCode == http.StatusServiceUnavailable }, time.Minute, 100*time.Millisecond,
		"an answer of the source is remembered for a second")
}
