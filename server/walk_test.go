package server_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
)

// These tests walk the route table. A route that is new is walked by itself, and
// fails where a test does not know how to ask for it: then a line is missing in asks,
// or in things.

// whicheverIsThere is the condition of a request that changes a text.
var whicheverIsThere = http.Header{"If-Match": {"*"}}

// asks says what a request holds beside its path, by the operation's name; an
// operation that is not here takes nothing.
var asks = map[string]struct {
	query, contentType, body string
	header                   http.Header
}{
	"createTranscript": {contentType: "application/json", body: `{"url": "` + video + `"}`},
	"continueUpload": {contentType: "application/partial-upload", body: "bytes", header: http.Header{
		"Upload-Offset": {"0"}, "Upload-Complete": {"?0"},
	}},
	"getTranscriptInfo": {query: "?url=" + video},
	"getCaptions":       {query: "?videoId=" + video},
	"createBatch":       {contentType: "application/json", body: `{"urls": ["` + video + `"]}`},

	"createFollow": {contentType: "application/json", body: `{"playlist": "` + playlistID + `"}`},
	"changeFollow": {contentType: "application/json", body: `{"status": "paused"}`},

	"createWebhook":    {contentType: "application/json", body: `{"url": "https://hooks.example/"}`},
	"changeWebhook":    {contentType: "application/json", body: `{"description": "changed"}`},
	"resendDeliveries": {contentType: "application/json", body: `{"since": "2026-11-22T00:00:00Z"}`},

	"editTranscript":   {contentType: "application/json", body: `{"segments": [{"index": 0, "text": "corrected"}]}`, header: whicheverIsThere},
	"importTranscript": {query: "?language=en", contentType: "text/plain", body: "corrected", header: whicheverIsThere},
	"restoreRevision":  {header: whicheverIsThere},

	"downloadTranscript": {query: "?format=txt"},
	"exportBatch":        {query: "?format=txt"},
	"searchLibrary":      {query: "?q=hello"},
	"searchVideoSite":    {query: "?q=talk"},
	"getVideos":          {query: "?videoId=" + video},
	"getChannel":         {query: "?channel=@talks"},
}

// things are what the wildcards of patterns name. Each is made for whoever asks, and
// such that every route about it succeeds; where one needs another, that stands under
// the operation's name.
var things = map[string]thing{
	"/v1/transcript/job/{id}": {
		make: func(t *testing.T, s *service, as change) string {
			return s.job(t, uuid.NewString(), as) // which runs, as the recognizer is held
		},
		unknown: "019321a0-7c11-7c3e-9a55-2f6d1f0c9b11",
	},
	"/v1/transcript/uploads/{uploadId}": begunUpload,
	"/v1/uploads/{uploadId}":            begunUpload,
	"/v1/batch/{batchId}": {
		make: func(t *testing.T, s *service, as change) string {
			return s.listedBatch(t, as) // which waits, as lists are held
		},
		unknown: "019321a0-7c11-7c3e-9a55-2f6d1f0c9b11",
	},
	"exportBatch": {
		make: func(t *testing.T, s *service, _ change) string {
			id, _ := s.makeBatch(t, made{account: "globex", texts: []string{segment("hello world")}}) // which has ended
			return id
		},
		unknown: "019321a0-7c11-7c3e-9a55-2f6d1f0c9b11",
	},
	"deleteBatch": {
		make: func(t *testing.T, s *service, as change) string {
			id := s.listedBatch(t, as)
			a := s.do(t, http.MethodPost, batchPath(id)+"/cancel", nil, as)
			require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
			return id
		},
		unknown: "019321a0-7c11-7c3e-9a55-2f6d1f0c9b11",
	},
	"/v1/follows/{followId}": {
		make: func(t *testing.T, s *service, as change) string {
			return s.followed(t, `{"channel": "@`+strings.ReplaceAll(uuid.NewString(), "-", "")+`"}`, as)
		},
		unknown: "019321a0-7c11-7c3e-9a55-2f6d1f0c9b11",
	},
	"/v1/webhooks/{webhookId}": {
		make: func(t *testing.T, s *service, as change) string {
			id, _ := s.newWebhook(t, `{"url": "https://hooks.example/"}`, as)
			return id
		},
		unknown: "019321a0-7c11-7c3e-9a55-2f6d1f0c9b11",
	},
	"/v1/webhooks/{webhookId}/deliveries/{deliveryId}": {
		make: func(t *testing.T, s *service, as change) string {
			id, _ := s.newWebhook(t, `{"url": "https://hooks.example/"}`, as)
			return id + "/" + s.failedDelivery(t, id, as)
		},
		unknown: "019321a0-7c11-7c3e-9a55-2f6d1f0c9b11/019321a0-7c11-7c3e-9a55-2f6d1f0c9b12",
	},
	"/v1/video_site/channels/{channelId}":   ofTheSite("@talks", "@nobody"),
	"/v1/video_site/playlists/{playlistId}": ofTheSite("PL1234567890", "PL0000000000"),
	"/v1/feeds/{token}": {
		make:    func(t *testing.T, s *service, as change) string { return s.newFeed(t, as) },
		unknown: strings.Repeat("A", 43), public: true, // to all who have the address
	},
	"/v1/shared/{token}": {
		make: func(t *testing.T, s *service, as change) string {
			_, token := s.share(t, s.savedBy(t, as), "", as)
			return token
		},
		unknown: strings.Repeat("A", 43), public: true, // to all who have the link
	},
	"/v1/library/transcripts/{platform}/{externalId}/shares/{shareId}": {
		make: func(t *testing.T, s *service, as change) string {
			path := s.savedBy(t, as)
			id, _ := s.share(t, path, "", as)
			return path + "/" + id
		},
		unknown: "video_site/unknown-vid/019321a0-7c11-7c3e-9a55-2f6d1f0c9b11",
	},
	"/v1/library/transcripts/{platform}/{externalId}/revisions/{revision}": {
		make: func(t *testing.T, s *service, as change) string {
			s.savedBy(t, as)
			list := s.get(t, "/v1/library/transcripts/video_site/"+video+"/revisions", as)
			return fmt.Sprintf("video_site/%s/%v", video, list.object(t)["revisions"].([]any)[0].(map[string]any)["number"])
		},
		unknown: "video_site/unknown-vid/1",
	},
	"/v1/library/transcripts/upload/{externalId}": {
		make:    func(t *testing.T, s *service, _ change) string { return s.putRecording(t, "globex", uuid.NewString()) },
		unknown: strings.Repeat("0", 32),
	},
	"/v1/library/transcripts/{platform}/{externalId}": {
		make:    func(t *testing.T, s *service, as change) string { return s.savedBy(t, as) },
		unknown: "video_site/unknown-vid",
	},
}

var begunUpload = thing{
	make: func(t *testing.T, s *service, as change) string {
		return strings.TrimPrefix(s.begin(t, "", as, lengthOf(10)), "/v1/transcript/uploads/")
	},
	unknown: "019321a0-7c11-7c3e-9a55-2f6d1f0c9b11",
}

// patterns is the route table with a row for each pattern that a route has had.
func patterns(s *service) (all []server.Route) {
	for _, rt := range server.Routes(s.Server.Server) {
		all = append(all, rt)
		if rt.Formerly != "" {
			rt.Pattern = rt.Formerly
			all = append(all, rt)
		}
	}
	return all
}

// savedBy saves the video for an account, and returns the path of the text in the library.
func (s *service) savedBy(t testing.TB, as change) string {
	t.Helper()
	a := s.postJSON(t, `{"url": "`+video+`", "waitMs": 10000}`, as)
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	return "video_site/" + video
}

// ofTheSite are things of the video site, which everybody may see.
func ofTheSite(id, unknown string) thing {
	return thing{
		make:    func(_ *testing.T, s *service, _ change) string { s.setVideoSite(); return id },
		unknown: unknown, public: true,
	}
}

type thing struct {
	make    func(t *testing.T, s *service, as change) (id string)
	unknown string // an id that nothing has
	public  bool   // it belongs to no account
}

// thingOf is what a route is about; false where it names nothing.
func thingOf(t *testing.T, rt server.Route) (thing, bool) {
	t.Helper()
	end := strings.LastIndex(rt.Pattern, "}") + 1
	if end == 0 {
		return thing{}, false
	}
	if thing, own := things[rt.Operation]; own {
		return thing, true
	}
	require.Contains(t, things, rt.Pattern[:end], "no line says how to make one")
	return things[rt.Pattern[:end]], true
}

var wildcard = regexp.MustCompile(`\{\w+\}`)

// pathOf is the path of a route about a thing, whose id has a part for each wildcard
// with slashes between.
func pathOf(rt server.Route, id string) string {
	parts := strings.Split(id, "/")
	return wildcard.ReplaceAllStringFunc(rt.Pattern, func(string) string {
		defer func() { parts = parts[1:] }()
		return parts[0]
	})
}

// ask asks for what the route is about, and does not wait for the end of a stream.
func (s *service) ask(t *testing.T, rt server.Route, id string, changes ...change) *answer {
	t.Helper()
	with := asks[rt.Operation]
	r, err := http.NewRequestWithContext(t.Context(), rt.Method, s.URL+pathOf(rt, id)+with.query, strings.NewReader(with.body))
	require.NoError(t, err)
	if with.contentType != "" {
		r.Header.Set("Content-Type", with.contentType)
	}
	maps.Copy(r.Header, with.header)
	for _, change := range changes {
		change(r)
	}
	resp, err := s.http.Do(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	a := &answer{Response: resp}
	if resp.Header.Get("Content-Type") != "text/event-stream" {
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		a.body = string(body)
	}
	return a
}

// open is the scope of a route that needs no credential.
const open account.Scope = "none"

// scopes is which scope a route needs, by how its path begins, the most exact first:
// "" is any valid key.
var scopes = []struct {
	path  string
	scope account.Scope
}{
	{"/healthz", open}, {"/readyz", open}, {"/docs", open}, {"/v1/feeds/", open}, {"/v1/shared/", open},
	{"/v1/usage", ""}, {"/v1/transcript/info", ""},
	{"/v1/transcript", account.Transcripts}, {"/v1/uploads/", account.Transcripts}, {"/v1/library/", account.Transcripts}, {"/v1/feed", account.Transcripts},
	{"/v1/video_site/captions", account.Transcripts}, {"/v1/video_site/", ""},
	{"/v1/batch", account.Batches},
	{"/v1/follows", account.Batches},
	{"/v1/webhooks", account.Transcripts},
}

func scopeOf(t *testing.T, pattern string) account.Scope {
	t.Helper()
	for _, row := range scopes {
		if strings.HasPrefix(pattern, row.path) {
			return row.scope
		}
	}
	require.Fail(t, "no row says which scope it needs", pattern)
	return ""
}

// Each route lets those in who have its scope, and nobody else: by keys, which have a
// scope at least, and by sessions of an embedder, which may have none. With -short it walks for
// one key, and for sessions with all scopes and with none.
func TestScopesOfEveryRoute(t *testing.T) {
	t.Parallel()
	none, transcripts, batches := []account.Scope{}, []account.Scope{account.Transcripts}, []account.Scope{account.Batches}
	t.Run("keys", func(t *testing.T) {
		t.Parallel()
		all := [][]account.Scope{transcripts, batches, account.Scopes()}
		if testing.Short() {
			all = all[:1]
		}
		for _, scopes := range all {
			s := start(t, behindProxy)
			s.walkScopes(t, as(s.NewKey(t, "globex")), as(s.NewKey(t, "globex", scopes...)), scopes)
		}
	})
	t.Run("sessions", func(t *testing.T) {
		t.Parallel()
		rights := map[string][]account.Scope{"owner": account.Scopes(), "none": none, "transcripts": transcripts, "batches": batches}
		visitors := sessions{}
		for name, scopes := range rights {
			visitors[name] = visitor{account.Principal{Account: "globex", Plan: account.WithoutLimits("test"), Scopes: scopes}, nil}
		}
		if testing.Short() {
			rights = map[string][]account.Scope{"none": none}
		}
		session := func(name string) change {
			return func(r *http.Request) {
				as("")(r)
				r.Header.Set("Cookie", "session="+name)
			}
		}
		for name, scopes := range rights {
			s := start(t, behindProxy, func(c *server.Config) { c.Authenticator = visitors })
			s.NewKey(t, "globex") // only an account that the service keeps has a feed
			s.walkScopes(t, session("owner"), session(name), scopes)
		}
	})
}

// behindProxy lets a test come from many addresses: the service refuses an address that fails too
// often.
func behindProxy(c *server.Config) {
	c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
}

// walkScopes asks every route about things of the owner, as someone of the same
// account who has the scopes.
func (s *service) walkScopes(t *testing.T, owner, as change, scopes []account.Scope) {
	t.Helper()
	defer s.Engine.Hold()()
	defer s.Engine.HoldLists()()
	s.setVideoSite()
	for i, rt := range patterns(s) {
		needs := scopeOf(t, rt.Pattern)
		var id string
		if thing, names := thingOf(t, rt); names {
			id = thing.make(t, s, owner)
		}
		if needs == open {
			a := s.ask(t, rt, id)
			assert.Contains(t, rt.Answers, a.StatusCode, "%s: %s", rt.Operation, a.body)
			continue
		}
		stranger := s.ask(t, rt, id, header("X-Forwarded-For", fmt.Sprint("198.51.100.", i%200)))
		assert.Equal(t, http.StatusUnauthorized, stranger.StatusCode, rt.Operation)
		if rt.Method != http.MethodHead { // which has no body
			assert.Equal(t, "unauthorized", stranger.slug(t), rt.Operation)
		}
		a := s.ask(t, rt, id, as)
		if needs == "" || slices.Contains(scopes, needs) {
			assert.Contains(t, rt.Answers, a.StatusCode, "%s with %s: %s", rt.Operation, scopes, a.body)
			continue
		}
		require.Equal(t, http.StatusForbidden, a.StatusCode, "%s with %s: %s", rt.Operation, scopes, a.body)
		if rt.Method == http.MethodHead {
			continue
		}
		assert.Equal(t, "FORBIDDEN", a.failure(t)["code"], rt.Operation)
		assert.Equal(t, map[string]any{"requiredScope": string(needs)}, a.failure(t)["details"], rt.Operation)
	}
}

// What is another account's is answered as what is not there, byte for byte.
func TestOwnersOfEveryRoute(t *testing.T) {
	t.Parallel()
	s := start(t)
	defer s.Engine.Hold()()
	defer s.Engine.HoldLists()()
	mine, anothers := as(s.NewKey(t, "globex")), as(s.NewKey(t, "initech"))
	same := header("X-Request-Id", "walk")
	walked := 0
	for _, rt := range patterns(s) {
		thing, names := thingOf(t, rt)
		if !names || thing.public {
			continue
		}
		walked++
		id := thing.make(t, s, mine)
		theirs := s.ask(t, rt, id, anothers, same)
		nobodys := s.ask(t, rt, thing.unknown, anothers, same)
		require.Equal(t, http.StatusNotFound, theirs.StatusCode, "%s: %s", rt.Operation, theirs.body)
		assert.Equal(t, http.StatusNotFound, nobodys.StatusCode, rt.Operation)
		assert.Equal(t, nobodys.body, theirs.body, rt.Operation)
		assert.Equal(t, lasting(nobodys.Header), lasting(theirs.Header), rt.Operation)

		a := s.ask(t, rt, id, mine, same)
		assert.Contains(t, rt.Answers, a.StatusCode, "%s: the other has changed nothing: %s", rt.Operation, a.body)
	}
	assert.NotZero(t, walked)
}

// lasting is a header without what differs from one moment to the next.
func lasting(h http.Header) http.Header {
	h = maps.Clone(h)
	for name := range h {
		if name == "Date" || strings.HasPrefix(strings.TrimPrefix(name, "X-"), "Ratelimit") {
			delete(h, name)
		}
	}
	return h
}
