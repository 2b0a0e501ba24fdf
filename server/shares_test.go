package server_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// share makes a link to a saved text, such as "video_site/dQw4w9WgXcQ", and returns its id and
// the token in its address.
func (s *service) share(t testing.TB, text, body string, changes ...change) (id, token string) {
	t.Helper()
	a := s.do(t, http.MethodPost, sharesOf(text), strings.NewReader(body), changes...)
	require.Equal(t, http.StatusCreated, a.StatusCode, a.body)
	made, _ := a.object(t)["share"].(map[string]any)
	address, _ := made["url"].(string)
	token, ok := strings.CutPrefix(address, "/v1/shared/")
	require.True(t, ok, a.body)
	return made["id"].(string), token
}

// sharesOf is the path of the links to a saved text.
func sharesOf(text string) string { return "/v1/library/transcripts/" + text + "/shares" }

// sharedAt reads the text of a link, without a key.
func (s *service) sharedAt(t testing.TB, token string, changes ...change) *answer {
	t.Helper()
	return s.get(t, "/v1/shared/"+token, append([]change{as("")}, changes...)...)
}

// links are the links to a saved text, as the account lists them.
func (s *service) links(t testing.TB, text string, changes ...change) []any {
	t.Helper()
	a := s.get(t, sharesOf(text), changes...)
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	return a.object(t)["shares"].([]any)
}

// A link shows the present text of the account, and nobody needs a key to read it.
func TestSharedTextIsThePresentText(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := startIn(t, o, t.TempDir())
		s.saved(t, "A talk", "hello world")
		text := "video_site/" + video
		id, token := s.share(t, text, "")
		assert.Len(t, token, 43)

		first := s.sharedAt(t, token)
		require.Equal(t, http.StatusOK, first.StatusCode, first.body)
		for name, value := range map[string]string{
			"Content-Type": "application/json", "X-Content-Type-Options": "nosniff", "Cache-Control": "private, no-cache",
			"X-Robots-Tag": "noindex, nofollow", "Referrer-Policy": "no-referrer",
			"Content-Security-Policy": "default-src 'none'; sandbox", "Set-Cookie": "",
		} {
			assert.Equal(t, value, first.Header.Get(name), name)
		}
		shown := first.object(t)["transcript"].(map[string]any)
		assert.Equal(t, "A talk", shown["title"])
		assert.Equal(t, "https://video.example/watch?v="+video, shown["sourceUrl"])
		assert.Equal(t, "hello world", shown["segments"].([]any)[0].(map[string]any)["text"])

		edit := s.do(t, http.MethodPatch, "/v1/library/transcripts/"+text, strings.NewReader(`{"segments": [{"index": 0, "text": "Hello, world!", "speaker": "Ada"}]}`),
			header("Content-Type", "application/json"), header("If-Match", "*"))
		require.Equal(t, http.StatusOK, edit.StatusCode, edit.body)
		etag := first.Header.Get("ETag")
		second := s.sharedAt(t, token, header("If-None-Match", etag))
		require.Equal(t, http.StatusOK, second.StatusCode, "a correction changes the text of a link")
		line := second.object(t)["transcript"].(map[string]any)["segments"].([]any)[0].(map[string]any)
		assert.Equal(t, "Hello, world!", line["text"])
		assert.Equal(t, "Ada", line["speaker"])

		same := s.sharedAt(t, token, header("If-None-Match", second.Header.Get("ETag")))
		assert.Equal(t, http.StatusNotModified, same.StatusCode)
		assert.Empty(t, same.body)
		head := s.do(t, http.MethodHead, "/v1/shared/"+token, nil, as(""))
		assert.Equal(t, http.StatusOK, head.StatusCode)
		assert.Equal(t, second.Header.Get("ETag"), head.Header.Get("ETag"))

		listed := s.links(t, text)
		require.Len(t, listed, 1)
		link := listed[0].(map[string]any)
		assert.Equal(t, id, link["id"])
		assert.NotContains(t, link, "url", "the address is told once")
		made, err := time.Parse(time.RFC3339, link["createdAt"].(string))
		require.NoError(t, err)
		ends, err := time.Parse(time.RFC3339, link["expiresAt"].(string))
		require.NoError(t, err)
		assert.Equal(t, 30*24*time.Hour, ends.Sub(made))
	})
}

// A reader of a link may ask for the times of the words.
func TestSharedTextWithWords(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, err := s.PutTranscript(t.Context(), servertest.Account, transcript.Transcript{
		Platform: transcript.VideoSite, ExternalID: video, Lang: "en",
		Segments: []transcript.Segment{{Text: "hello world", Start: 1, Duration: 2, Words: []transcript.Word{{Text: "hello", Start: 1, End: 2}, {Text: "world", Start: 2, End: 3}}}},
	})
	require.NoError(t, err)
	_, token := s.share(t, "video_site/"+video, "")
	without, with := s.sharedAt(t, token), s.sharedAt(t, token+"?include=words")
	assert.NotContains(t, without.body, `"words"`)
	assert.Contains(t, with.body, `"words":[{"text":"hello","start":1,"duration":1}`)
	assert.NotEqual(t, without.Header.Get("ETag"), with.Header.Get("ETag"))
	assert.Equal(t, http.StatusBadRequest, s.sharedAt(t, token+"?include=key").StatusCode)
}

// A link does not tell who has shared, where a recording came from, and how it was recognized.
func TestSharedTextTellsNothingElse(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.job(t, "a recording")
	s.ended(t, id)
	own := s.get(t, "/v1/transcript/job/"+id).object(t)["transcript"].(map[string]any)
	text := "upload/" + own["externalId"].(string)
	_, err := storetest.SQL(t, s.options).ExecContext(t.Context(),
		`UPDATE transcripts SET source_url = 'https://cast.example/feed?key=secret', metadata = '{"engine": "ears", "prompted": true, "tried": [{"source": "x"}], "chapters": [{"title": "Start", "start": 0}]}'`)
	require.NoError(t, err)
	share, token := s.share(t, text, "")
	a := s.sharedAt(t, token)
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	for _, secret := range []string{
		token, s.Key, servertest.Account, own["id"].(string), own["externalId"].(string), id, share, "secret", "ears", "prompt", "tried", "recognizer", "media",
	} {
		assert.NotContains(t, a.body, secret)
	}
	var body struct{ Transcript map[string]any }
	require.NoError(t, json.Unmarshal([]byte(a.body), &body))
	var members []string
	for name := range body.Transcript {
		members = append(members, name)
	}
	assert.ElementsMatch(t, []string{
		"platform", "sourceUrl", "lang", "title", "channel", "creatorName", "creatorHandle", "creatorUrl", "durationSec", "publishedAt",
		"metadata", "source", "segments", "updatedAt",
	}, members)
	assert.Nil(t, body.Transcript["sourceUrl"])
	assert.Equal(t, map[string]any{"chapters": []any{map[string]any{"title": "Start", "start": 0.0}}}, body.Transcript["metadata"])
}

// Links end at once, in every way that they can end, and all that are at an end get the same answer.
func TestSharesEnd(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		unpaid := account.WithoutLimits("unpaid")
		unpaid.Paid = false
		plans := account.Plans{Default: "test", ByName: map[string]account.Plan{"test": account.WithoutLimits("test"), "unpaid": unpaid}}
		s := startIn(t, o, t.TempDir(), func(c *server.Config) { offer(c, plans) })
		s.saved(t, "A talk", "hello")
		accounts, err := account.New(s.Store, plans)
		require.NoError(t, err)
		set := func(change account.Settings) {
			_, err := accounts.Set(t.Context(), servertest.Account, change)
			require.NoError(t, err)
		}
		same := header("X-Request-Id", "one")
		unknown := s.sharedAt(t, strings.Repeat("A", 43), same)
		require.Equal(t, http.StatusNotFound, unknown.StatusCode)
		assert.Equal(t, "NOT_FOUND", unknown.failure(t)["code"])
		gone := func(token, why string) {
			t.Helper()
			a := s.sharedAt(t, token, same)
			assert.Equal(t, http.StatusNotFound, a.StatusCode, why)
			assert.Equal(t, unknown.body, a.body, why)
			assert.Equal(t, lasting(unknown.Header), lasting(a.Header), why)
		}
		shown := func(token, why string) {
			t.Helper()
			assert.Equal(t, http.StatusOK, s.sharedAt(t, token).StatusCode, why)
		}
		text := "video_site/" + video

		deleted, one := s.share(t, text, "")
		_, two := s.share(t, text, "")
		shown(one, "before it is deleted")
		require.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, sharesOf(text)+"/"+deleted, nil).StatusCode)
		gone(one, "it is deleted, although its answer is in memory")
		shown(two, "another link to the text")
		assert.Equal(t, http.StatusNotFound, s.do(t, http.MethodDelete, sharesOf(text)+"/"+deleted, nil).StatusCode)
		assert.Len(t, s.links(t, text), 1)

		expired, three := s.share(t, text, "")
		_, err = storetest.SQL(t, s.options).ExecContext(t.Context(), "UPDATE shares SET expires_at = '2026-01-02 03:04:05.5+00:00' WHERE id = '"+expired+"'")
		require.NoError(t, err)
		gone(three, "it has ended")
		assert.Len(t, s.links(t, text), 1)

		set(account.Settings{Suspended: new(true)})
		gone(two, "the account is suspended")
		set(account.Settings{Suspended: new(false)})
		shown(two, "the account is back")
		set(account.Settings{Plan: "unpaid"})
		gone(two, "the plan is not paid")
		set(account.Settings{Plan: "test"})
		shown(two, "the plan is paid")

		require.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, "/v1/library/transcripts/"+text, nil).StatusCode)
		gone(two, "the text is deleted")
		s.savedBy(t, as(s.Key))
		gone(two, "the text is saved again, which is another row")
		assert.Empty(t, s.links(t, text))

		for _, odd := range []string{"x", strings.Repeat("A", 42), strings.Repeat("A", 44), strings.Repeat("A", 42) + "%0A", strings.Repeat("A", 42) + "=", strings.Repeat("A", 300), "%00"} {
			assert.Equal(t, unknown.body, s.sharedAt(t, odd, same).body, odd)
		}
		assert.Equal(t, http.StatusNotFound, s.sharedAt(t, strings.Repeat("A", 10_000)).StatusCode)
	})
}

// A link belongs to a text of one language and of one account.
func TestSharesBelongToTheirText(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := startIn(t, o, t.TempDir())
		s.Engine.SetTracks(servertest.Track{Lang: "en", Text: "hello"}, servertest.Track{Lang: "fr", Text: "bonjour"})
		for _, language := range []string{"en", "fr"} {
			a := s.postJSON(t, `{"url": "`+video+`", "language": "`+language+`", "waitMs": 10000}`)
			require.Equal(t, http.StatusOK, a.StatusCode, a.body)
		}
		text, other := "video_site/"+video, as(s.NewKey(t, "globex"))
		share := func(language string) (id, token string) {
			a := s.do(t, http.MethodPost, sharesOf(text)+"?language="+language, nil)
			require.Equal(t, http.StatusCreated, a.StatusCode, a.body)
			made := a.object(t)["share"].(map[string]any)
			return made["id"].(string), strings.TrimPrefix(made["url"].(string), "/v1/shared/")
		}
		id, english := share("en")
		_, french := share("fr")
		assert.Contains(t, s.sharedAt(t, english).body, "hello")
		assert.Contains(t, s.sharedAt(t, french).body, "bonjour")
		assert.Equal(t, http.StatusNotFound, s.do(t, http.MethodDelete, sharesOf(text)+"/"+id+"?language=fr", nil).StatusCode)
		assert.Equal(t, http.StatusNotFound, s.do(t, http.MethodPost, sharesOf(text)+"?language=de", nil).StatusCode)

		for _, saved := range []bool{false, true} {
			if saved { // the other account has the same text, which all accounts share
				s.savedBy(t, other)
			}
			a := s.do(t, http.MethodDelete, sharesOf(text)+"/"+id, nil, other)
			assert.Equal(t, http.StatusNotFound, a.StatusCode)
			assert.Equal(t, "NOT_FOUND", a.failure(t)["code"])
		}
		assert.Empty(t, s.links(t, text, other))
		assert.Equal(t, http.StatusOK, s.sharedAt(t, english).StatusCode)

		require.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, "/v1/library/transcripts/"+text+"?language=en", nil).StatusCode)
		assert.Equal(t, http.StatusNotFound, s.sharedAt(t, english).StatusCode)
		assert.Equal(t, http.StatusOK, s.sharedAt(t, french).StatusCode)
	})
}

// A repeated request makes no second link. The repetition gets a new address, because the service
// does not keep the first one.
func TestShareIsMadeOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := startIn(t, o, t.TempDir())
		s.saved(t, "A talk", "hello")
		text, key := "video_site/"+video, header("Idempotency-Key", "share")
		id, first := s.share(t, text, "", key)
		again, second := s.share(t, text, "", key)
		assert.Equal(t, id, again)
		assert.Len(t, s.links(t, text), 1)
		assert.Equal(t, http.StatusNotFound, s.sharedAt(t, first).StatusCode)
		assert.Equal(t, http.StatusOK, s.sharedAt(t, second).StatusCode)
		repeat := func(query string) *answer {
			return s.do(t, http.MethodPost, sharesOf(text)+query, nil, key)
		}
		assert.Equal(t, "IDEMPOTENCY_CONFLICT", repeat("?language=fr").failure(t)["code"])
		theirs := as(s.NewKey(t, "globex"))
		s.savedBy(t, theirs)
		other, _ := s.share(t, text, "", key, theirs)
		assert.NotEqual(t, id, other)

		require.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, sharesOf(text)+"/"+id, nil).StatusCode)
		gone := repeat("")
		assert.Equal(t, http.StatusNotFound, gone.StatusCode)
		assert.Equal(t, "true", gone.Header.Get("Idempotency-Replayed"))
		assert.Empty(t, s.links(t, text))
	})
}

// A link needs a text that is there, and an end within its bounds.
func TestShareBounds(t *testing.T) {
	t.Parallel()
	s := start(t)
	text := "video_site/" + video
	create := func(body string) *answer {
		return s.do(t, http.MethodPost, sharesOf(text), strings.NewReader(body), header("Content-Type", "application/json"))
	}
	assert.Equal(t, http.StatusNotFound, create("").StatusCode)
	s.saved(t, "A talk", "hello")
	at := func(d time.Duration) string {
		return `{"expiresAt": "` + time.Now().Add(d).UTC().Format(time.RFC3339) + `"}`
	}
	for body, message := range map[string]string{
		at(-time.Hour):                          "expiresAt must be in the future",
		at(367 * 24 * time.Hour):                "expiresAt must be at most 366 days ahead: 20",
		`{"expiresAt": "0001-01-01T00:00:00Z"}`: "expiresAt must be in the future",
		`{"expiresAt": "9999-01-01T00:00:00Z"}`: "expiresAt must be at most 366 days ahead",
		`{"expiresAt": "tomorrow"}`:             "expiresAt must be a time in RFC 3339",
	} {
		a := create(body)
		assert.Equal(t, http.StatusUnprocessableEntity, a.StatusCode, body)
		assert.Contains(t, a.failure(t)["message"], message, body)
	}
	assert.Equal(t, http.StatusBadRequest, create(`{"expiresIn": 5}`).StatusCode)
	assert.Equal(t, http.StatusUnsupportedMediaType, s.do(t, http.MethodPost, sharesOf(text), strings.NewReader("x"), header("Content-Type", "text/plain")).StatusCode)
	assert.Empty(t, s.links(t, text))
	for _, body := range []string{at(time.Hour), at(366*24*time.Hour - time.Minute), "", "{}"} {
		assert.Equal(t, http.StatusCreated, create(body).StatusCode, body)
	}
	for range 16 {
		assert.Equal(t, http.StatusCreated, create("").StatusCode)
	}
	full := create("")
	assert.Equal(t, http.StatusConflict, full.StatusCode, full.body)
	assert.Equal(t, map[string]any{"limit": 20.0}, full.failure(t)["details"])
	ended := s.links(t, text)[0].(map[string]any)["id"].(string)
	require.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, sharesOf(text)+"/"+ended, nil).StatusCode)
	assert.Equal(t, http.StatusCreated, create("").StatusCode, "there is room again")

	_, release := s.heldJob(t, "a long recording")
	defer release()
	var page struct {
		Transcripts []struct{ Platform, ExternalID string }
	}
	require.NoError(t, json.Unmarshal([]byte(s.get(t, "/v1/library/transcripts?platform=upload").body), &page))
	busy := s.do(t, http.MethodPost, sharesOf("upload/"+page.Transcripts[0].ExternalID), nil)
	assert.Equal(t, http.StatusConflict, busy.StatusCode, busy.body)
}

// Readers have no key, so their addresses are counted: tokens cannot be guessed in numbers.
func TestSharedTextsCountByAddress(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *server.Config) { c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	s.saved(t, "A talk", "hello")
	_, token := s.share(t, "video_site/"+video, "")
	from := func(client string) change { return header("X-Forwarded-For", client) }
	refused := 0
	for i := range 250 { // within two windows at most, of 120 requests each
		guess := fmt.Sprintf("%043d", i)
		a := s.sharedAt(t, guess, from(fmt.Sprintf("2001:db8::%x", i+1)))
		if a.StatusCode == http.StatusTooManyRequests {
			refused++
			assert.Equal(t, "rate_limited", a.slug(t))
			assert.NotEmpty(t, a.Header.Get("Retry-After"))
		}
	}
	assert.GreaterOrEqual(t, refused, 10)
	assert.Equal(t, http.StatusOK, s.sharedAt(t, token, from("2001:db8:1::1")).StatusCode)
}

// An account that the service does not know itself cannot share texts and has no feed, because the
// service could not tell when the account ends.
func TestSharesNeedAnAccount(t *testing.T) {
	t.Parallel()
	visitors := sessions{"one": visitor{account.Principal{Account: "elsewhere", Plan: account.WithoutLimits("test"), Scopes: account.Scopes()}, nil}}
	s := start(t, func(c *server.Config) { c.Authenticator = visitors })
	session := func(r *http.Request) { as("")(r); r.Header.Set("Cookie", "session=one") }
	text := s.savedBy(t, session)
	for _, a := range []*answer{s.do(t, http.MethodPost, sharesOf(text), nil, session), s.do(t, http.MethodPut, "/v1/feed", nil, session)} {
		require.Equal(t, http.StatusForbidden, a.StatusCode, a.body)
		assert.Equal(t, "FORBIDDEN", a.failure(t)["code"])
	}
}

// The address of a link, and that of a feed, is nowhere in what the service keeps or says.
func TestShareAddressesAreKeptNowhere(t *testing.T) {
	t.Parallel()
	traced := &told{trace: func() string { return "" }}
	s := start(t, func(c *server.Config) { c.Tracer = engine.Tracer(traced) })
	s.saved(t, "A talk", "hello")
	_, share := s.share(t, "video_site/"+video, "")
	for route, token := range map[string]string{"/v1/shared/": share, "/v1/feeds/": s.newFeed(t)} {
		for _, at := range []string{token, token + "x", token + "/x", token + "?" + token} {
			s.get(t, route+at, as(""))
			s.do(t, http.MethodPost, route+at, nil)
		}
		assert.Contains(t, s.log.String(), route+"{token}")
		assert.NotContains(t, s.log.String(), token)
		shown := httptest.NewRecorder()
		s.Metrics().ServeHTTP(shown, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
		assert.Contains(t, shown.Body.String(), route+"{token}")
		assert.NotContains(t, shown.Body.String(), token)
		for _, step := range traced.begun {
			assert.NotContains(t, fmt.Sprintf("%+v", step), token)
		}
		for _, path := range append(files(t, s.dir), files(t, s.scratch)...) {
			content, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.NotContains(t, string(content), token, path)
		}
	}
}

// Titles, speakers and texts of strangers are values of JSON, and nothing else.
func TestSharedTextIsValidWithHostileNames(t *testing.T) {
	t.Parallel()
	s := start(t)
	hostile := `</script><script>alert(1)</script>","segments":[],"x":"` + "\u202Egnp\u2066\x07\uFFFE\U0001F600"
	s.saved(t, hostile, hostile)
	a := s.do(t, http.MethodPatch, "/v1/library/transcripts/video_site/"+video, strings.NewReader(`{"segments": [{"index": 0, "speaker": "\"],<b>"}]}`),
		header("Content-Type", "application/json"), header("If-Match", "*"))
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	_, token := s.share(t, "video_site/"+video, "")
	shared := s.sharedAt(t, token)
	var body struct{ Transcript transcript.Transcript }
	require.NoError(t, json.Unmarshal([]byte(shared.body), &body), shared.body)
	require.Len(t, body.Transcript.Segments, 1)
	assert.Equal(t, `"],<b>`, body.Transcript.Segments[0].Speaker)
	assert.Contains(t, *body.Transcript.Title, `","segments":[],"x":"`)
}

// A text that cannot be read now is a fault of the service, and tells nothing about it.
func TestSharedTextFaults(t *testing.T) {
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
	_, token := s.share(t, "video_site/"+video, "")
	_, err := storetest.SQL(t, s.options).ExecContext(t.Context(), "UPDATE transcripts SET metadata = 'x'")
	require.NoError(t, err)
	broken := s.sharedAt(t, token)
	assert.Equal(t, http.StatusInternalServerError, broken.StatusCode, broken.body)
	assert.NotContains(t, broken.body, "metadata")

	away.Store(true)
	require.Eventually(t, func() bool { return s.sharedAt(t, token).StatusCode == http.StatusServiceUnavailable }, time.Minute, 100*time.Millisecond,
		"an answer of the source is remembered for a second")
	assert.NotContains(t, s.sharedAt(t, token).body, "bills")
}
