package videosite_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/videosite"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	id      = "dQw4w9WgXcQ"
	goodKey = `<script>ytcfg.set({"INNERTUBE_API_KEY":"key-1_A","X":1})</script>`
	english = `{"wireMagic":"pb3","events":[{"tStartMs":500,"dDurationMs":1500,"segs":[{"utf8":"hello & "},{"utf8":"welcome"}]}]}`
)

// site answers a page, a player's question and a track; nil: as a site does that
// has nothing to hide. It keeps the requests it gets.
type site struct {
	page, player, track http.HandlerFunc

	mu       sync.Mutex
	requests []*http.Request
	bodies   []string
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // an empty one shows in the test
	s.mu.Lock()
	s.requests, s.bodies = append(s.requests, r), append(s.bodies, string(body))
	s.mu.Unlock()
	handler := map[string]http.HandlerFunc{"/watch": s.page, "/youtubei/v1/player": s.player, "/api/timedtext": s.track}[r.URL.Path]
	switch {
	case handler != nil:
		handler(w, r)
	case r.URL.Path == "/watch":
		text(goodKey)(w, r)
	case r.URL.Path == "/youtubei/v1/player":
		text(played(track("en", "", "/api/timedtext?lang=en&fmt=srv3"), ""))(w, r)
	case r.URL.Path == "/api/timedtext":
		text(english)(w, r)
	default:
		http.NotFound(w, r)
	}
}

func text(s string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, s) } // a client that is gone shows in the test
}

// played is a player's answer for a video that can be played, with those tracks
// and more members of videoDetails.
func played(tracks, details string) string {
	return `{"playabilityStatus":{"status":"OK"},"videoDetails":{"videoId":"` + id + `"` + details + `},` +
		`"captions":{"playerCaptionsTracklistRenderer":{"captionTracks":[` + tracks + `]}}}`
}

func track(lang, kind, address string) string {
	data, err := json.Marshal(map[string]any{
		"baseUrl": address, "languageCode": lang, "kind": kind, "isTranslatable": true,
		"name": map[string]any{"runs": []any{map[string]any{"text": "Name of " + lang}}},
	})
	if err != nil {
		panic(err) // strings can be marshaled
	}
	return string(data)
}

// ask starts the site and asks the route for the first track.
func (s *site) ask(t *testing.T, o videosite.Options) (engine.Captions, error) {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	o.Base = server.URL
	route, err := videosite.New(engine.Host{HTTP: server.Client()}, o)
	require.NoError(t, err)
	return route.Captions(t.Context(), engine.Content{Platform: transcript.VideoSite, ExternalID: id}, first)
}

func first([]transcript.Track) (int, bool) { return 0, true }

func coded(t *testing.T, err error, code transcript.Code) transcript.Error {
	t.Helper()
	var e *transcript.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, code, e.Code, "%v", err)
	assert.NotEmpty(t, e.Message)
	return *e
}

// A list of tracks without end is cut off: it costs little time, and nobody keeps
// it.
func TestTracksWithoutEnd(t *testing.T) {
	t.Parallel()
	many := strings.Repeat(track("en", "asr", "/api/timedtext")+",", 5_000)
	s := &site{player: text(played(strings.TrimSuffix(many, ","), ""))}
	began := time.Now()
	found, err := s.ask(t, videosite.Options{})
	require.NoError(t, err)
	assert.Len(t, found.Tracks, 500)
	assert.Less(t, time.Since(began), time.Minute)
}

func TestReadsATrack(t *testing.T) {
	t.Parallel()
	s := &site{player: text(`{"playabilityStatus":{"status":"OK"},
		"videoDetails":{"videoId":"` + id + `","title":"A\ttalk","author":"Somebody","channelId":"UC_1","lengthSeconds":"212",
			"shortDescription":"A talk.\n\n0:00 Intro\n• 01:05 – The sea\n1:02:03) \"The\u0007 end\"\nSee you at 10:00 tomorrow",
			"thumbnail":{"thumbnails":[{"url":"https://i.example/small"},{"url":"https://i.example/large"}]}},
		"microformat":{"playerMicroformatRenderer":{"ownerProfileUrl":"http://www.example/@some.body","publishDate":"2024-02-03"}},
		"captions":{"playerCaptionsTracklistRenderer":{
			"translationLanguages":[{"languageCode":"fr"}],
			"captionTracks":[
				` + track("en-nP7-2PuUl7o", "", "/api/timedtext?v="+id+"&fmt=srv3&xosf=1&sig=a%26b") + `,
				` + track("pt_BR", "", "/api/timedtext?v=2") + `,
				` + track("en", "asr", "/api/timedtext?v=3") + `,
				` + track("fr", "", "/api/timedtext?v=4&tlang=fr") + `,
				` + track("en", "asr", "/api/timedtext?v=5") + `]}}}`)}
	found, err := s.ask(t, videosite.Options{Players: []videosite.Player{{Name: "ANDROID", Version: "21.1", Captions: true}}, Header: http.Header{"User-Agent": {"me"}}})
	require.NoError(t, err)

	assert.Equal(t, []transcript.Track{
		{ID: "en.manual.nP7-2PuUl7o", Lang: "en", Name: "Name of en-nP7-2PuUl7o", Kind: transcript.TrackManual, IsDefault: true, IsTranslatable: true},
		{ID: "pt-BR.manual", Lang: "pt-BR", Name: "Name of pt_BR", Kind: transcript.TrackManual, IsTranslatable: true},
		{ID: "en.asr", Lang: "en", Name: "Name of en", Kind: transcript.TrackAuto, IsTranslatable: true},
		{ID: "en.asr.2", Lang: "en", Name: "Name of en", Kind: transcript.TrackAuto, IsTranslatable: true},
	}, found.Tracks)
	assert.Equal(t, &found.Tracks[0], found.Track)
	assert.Equal(t, []transcript.Segment{{Text: "hello & welcome", Start: 0.5, Duration: 1.5}}, found.Segments)

	base := "http://" + s.requests[0].Host
	assert.Equal(t, transcript.Metadata{
		Title: "A talk", Channel: "Somebody", CreatorName: "Somebody", CreatorHandle: "@some.body",
		CreatorURL: base + "/channel/UC_1", ThumbnailURL: "https://i.example/large", Duration: 212,
		PublishedAt: time.Date(2024, 2, 3, 0, 0, 0, 0, time.UTC),
		Chapters:    []transcript.Chapter{{Title: "Intro"}, {Title: "The sea", Start: 65}, {Title: `"The end"`, Start: 3723}},
	}, found.Metadata)

	require.Len(t, s.requests, 3)
	assert.Equal(t, "/watch?v="+id, s.requests[0].RequestURI)
	assert.Equal(t, "POST /youtubei/v1/player?key=key-1_A", s.requests[1].Method+" "+s.requests[1].RequestURI)
	assert.JSONEq(t, `{"context":{"client":{"clientName":"ANDROID","clientVersion":"21.1"}},"videoId":"`+id+`"}`, s.bodies[1])
	assert.Equal(t, "/api/timedtext?fmt=json3&sig=a%26b&v="+id, s.requests[2].RequestURI)
	for _, r := range s.requests {
		assert.Equal(t, "en-US", r.Header.Get("Accept-Language"))
		assert.Equal(t, "me", r.Header.Get("User-Agent"))
	}
}

func TestGivesConsentOnce(t *testing.T) {
	t.Parallel()
	const page = `<form action="https://consent.youtube.com/s"><input type="hidden" value="cb.1&amp;2" name="v"></form>`
	cookie := ""
	s := &site{page: func(w http.ResponseWriter, r *http.Request) {
		c, err := r.Cookie("CONSENT")
		if err != nil {
			http.SetCookie(w, &http.Cookie{Name: "VISITOR", Value: "7", Path: "/"})
			text(page)(w, r)
			return
		}
		cookie = r.Header.Get("Cookie")
		assert.Equal(t, "YES+cb.1&2", c.Value)
		text(strings.ReplaceAll(goodKey, `"`, "&quot;"))(w, r)
	}}
	found, err := s.ask(t, videosite.Options{})
	require.NoError(t, err)
	assert.Len(t, found.Tracks, 1)
	assert.Contains(t, cookie, "VISITOR=7")

	for _, stays := range []string{page, strings.Replace(page, `name="v"`, `name="w"`, 1)} {
		s := &site{page: text(stays)}
		_, err = s.ask(t, videosite.Options{})
		coded(t, err, transcript.UpstreamFailed)
		assert.LessOrEqual(t, len(s.requests), 2)
	}
}

// What the player says of a video that it does not play.
func TestPlayability(t *testing.T) {
	t.Parallel()
	tests := []struct {
		status, reason, subreason string
		code                      transcript.Code
	}{
		{"LOGIN_REQUIRED", "Sign in to confirm you’re not a bot", "", transcript.IPBlocked},
		{"LOGIN_REQUIRED", "Sign in to confirm you're not a bot", "", transcript.IPBlocked},
		{"LOGIN_REQUIRED", "This video may be inappropriate for some users.", "", transcript.LoginRequired},
		{"LOGIN_REQUIRED", "Please sign in", "", transcript.LoginRequired},
		{"LOGIN_REQUIRED", "", "", transcript.LoginRequired},
		{"LOGIN_REQUIRED", "This is a private video. Please sign in to verify that you may see it.", "", transcript.Unavailable},
		{"AGE_VERIFICATION_REQUIRED", "", "", transcript.LoginRequired},
		{"ERROR", "This video is unavailable", "", transcript.Unavailable},
		{"ERROR", "This video has been removed by the uploader", "", transcript.Unavailable},
		{"ERROR", "An error occurred. Please try again later.", "", transcript.UpstreamFailed},
		{"ERROR", "This video is unavailable", "Watch on the latest version of YouTube.", transcript.UpstreamFailed},
		{"UNPLAYABLE", "The following content is not available on this app.", "", transcript.UpstreamFailed},
		{"UNPLAYABLE", "Video unavailable", "The uploader has not made this video available in your country", transcript.Unavailable},
		{"UNPLAYABLE", "Join this channel to get access to members-only content", "", transcript.Unavailable},
		{"UNPLAYABLE", "Sign in to confirm your age", "", transcript.LoginRequired},
		{"UNPLAYABLE", "Our systems have detected unusual traffic", "", transcript.IPBlocked},
		{"UNPLAYABLE", "This content isn't available, try again later.", "The current session has been rate-limited by YouTube for up to an hour.", transcript.IPBlocked},
		{"ERROR", "This content isn’t available, try again later", "", transcript.IPBlocked},
		{"ERROR", "", "", transcript.Unavailable},
		{"UNPLAYABLE", "", "", transcript.UpstreamFailed},
		{"LIVE_STREAM_OFFLINE", "This live event will begin in 2 hours.", "", transcript.Unavailable},
		{"SOMETHING_NEW", "Sign in to confirm you’re not a bot", "", transcript.IPBlocked},
		{"SOMETHING_NEW", "who knows", "", transcript.UpstreamFailed},
		{"", "", "", transcript.UpstreamFailed},
	}
	for _, tt := range tests {
		t.Run(tt.status+" "+tt.reason+tt.subreason, func(t *testing.T) {
			t.Parallel()
			answer, err := json.Marshal(map[string]any{
				"playabilityStatus": map[string]any{
					"status": tt.status, "reason": tt.reason,
					"errorScreen": map[string]any{"playerErrorMessageRenderer": map[string]any{
						"subreason": map[string]any{"runs": []any{map[string]any{"text": tt.subreason}}},
					}},
				},
				"videoDetails": map[string]any{"videoId": id, "title": "A talk"},
			})
			require.NoError(t, err)
			found, err := (&site{player: text(string(answer))}).ask(t, videosite.Options{})
			e := coded(t, err, tt.code)
			assert.Equal(t, "A talk", found.Metadata.Title)
			assert.Nil(t, found.Tracks)
			wait := 0
			switch {
			case strings.Contains(tt.reason, "try again later") && tt.code == transcript.IPBlocked:
				wait = 600 // "for up to an hour"
			case tt.code == transcript.IPBlocked:
				wait = 30
			}
			assert.Equal(t, wait, e.RetryAfter)
			// Only what the site says is gone is proven to be.
			assert.Equal(t, tt.status == "ERROR" && tt.reason == "", errors.Is(err, engine.ErrNothingFound))
		})
	}
}

// What of a track cannot be read is told beside what can be.
func TestLostCues(t *testing.T) {
	t.Parallel()
	track := strings.Replace(english, `[{"`, `[{"tStartMs":"soon","segs":[{"utf8":"lost"}]},{"`, 1)
	found, err := (&site{track: text(track)}).ask(t, videosite.Options{})
	require.NoError(t, err)
	require.Len(t, found.Segments, 1)
	assert.Equal(t, "hello & welcome", found.Segments[0].Text)
	assert.EqualError(t, found.Lost, "caption: json3: 1 cue is lost, near byte 73: the times of an event cannot be read")
}

// A captcha in the place of the reason is a block, whatever else is said.
func TestCaptchaOfThePlayer(t *testing.T) {
	t.Parallel()
	answer := `{"playabilityStatus":{"status":"UNPLAYABLE","reason":"Video unavailable","errorScreen":{"playerCaptchaViewModel":{"x":1}}}}`
	_, err := (&site{player: text(answer)}).ask(t, videosite.Options{})
	assert.Equal(t, 30, coded(t, err, transcript.IPBlocked).RetryAfter)
}

// Only a video that can be played and names no track has none.
func TestOnlyProvenNone(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{
		played("", ""),
		`{"playabilityStatus":{"status":"OK"},"videoDetails":{"videoId":"` + id + `"}}`,
		`{"playabilityStatus":{"status":"OK"},"videoDetails":{"videoId":"` + id + `"},"captions":{}}`,
	} {
		found, err := (&site{player: text(answer)}).ask(t, videosite.Options{})
		require.NoError(t, err, answer)
		assert.Empty(t, found.Tracks)
	}
	for answer, code := range map[string]transcript.Code{
		`{}`:                                    transcript.UpstreamFailed,
		`{"playabilityStatus":{"status":"OK"}}`: transcript.UpstreamFailed,
		`{"playabilityStatus":{"status":"OK"},"videoDetails":{"videoId":"another-one"}}`:              transcript.IPBlocked,
		`{"playabilityStatus":{"status":"OK"},"videoDetails":{"videoId":"` + id + `"},"captions":[]}`: transcript.UpstreamFailed,
		`null`:                           transcript.UpstreamFailed,
		`[`:                              transcript.UpstreamFailed,
		" \n":                            transcript.POTokenRequired,
		played("", `,"isLive":true`):     transcript.Unavailable,
		played("", `,"isUpcoming":true`): transcript.Unavailable,
		played(track("fr", "", "/api/timedtext?tlang=fr"), ""): transcript.UpstreamFailed,
	} {
		_, err := (&site{player: text(answer)}).ask(t, videosite.Options{})
		coded(t, err, code)
	}
}

// A track is fetched from the site and nowhere else.
func TestTrackAddresses(t *testing.T) {
	t.Parallel()
	for address, code := range map[string]transcript.Code{
		"/api/timedtext?v=" + id + "&exp=xpe":       transcript.POTokenRequired,
		"/api/timedtext?v=" + id + "&exp=xpv":       transcript.POTokenRequired,
		"/api/timedtext?v=" + id + "&exp=a&exp=xpv": transcript.POTokenRequired,
		"/api/timedtext?v=" + id + "&exp=xpe,xpv":   transcript.POTokenRequired,
		"":                                  transcript.UpstreamFailed,
		"https://www.example/api/timedtext": transcript.UpstreamFailed,
		"//169.254.169.254/api/timedtext":   transcript.UpstreamFailed,
		"file:///etc/passwd":                transcript.UpstreamFailed,
		"http://%zz/":                       transcript.UpstreamFailed,
		"/nothing-here":                     transcript.UpstreamFailed,
	} {
		s := &site{player: text(played(track("en", "", address), ""))}
		found, err := s.ask(t, videosite.Options{})
		coded(t, err, code)
		assert.Len(t, found.Tracks, 1, "what was learned before")
		switch {
		case address == "/nothing-here":
		case code == transcript.POTokenRequired:
			assert.Len(t, s.requests, 3, "%s: the next player is asked", address)
		default:
			assert.Len(t, s.requests, 2, address)
		}
	}
}

func TestStatuses(t *testing.T) {
	t.Parallel()
	answer := func(status int, retryAfter string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", retryAfter)
			w.WriteHeader(status)
		}
	}
	redirect := func(to string) http.HandlerFunc { return http.RedirectHandler(to, http.StatusFound).ServeHTTP }
	inTwoHours := time.Now().Add(2 * time.Hour).UTC().Format(http.TimeFormat)
	tests := []struct {
		name       string
		site       *site
		code       transcript.Code
		retryAfter int // at least, and less than a minute more
	}{
		{"429 page", &site{page: answer(429, "")}, transcript.IPBlocked, 30},
		{"429 player, seconds", &site{player: answer(429, "120")}, transcript.IPBlocked, 120},
		{"429 track, date", &site{track: answer(429, inTwoHours)}, transcript.IPBlocked, 7170},
		{"429 nonsense", &site{page: answer(429, "soon")}, transcript.IPBlocked, 30},
		{"429 zero", &site{page: answer(429, "0")}, transcript.IPBlocked, 30},
		{"429 a month", &site{page: answer(429, "2592000")}, transcript.IPBlocked, 86400},
		{"403", &site{player: answer(403, "")}, transcript.IPBlocked, 30},
		{"401", &site{player: answer(401, "")}, transcript.LoginRequired, 0},
		{"404 page", &site{page: answer(404, "")}, transcript.Unavailable, 0},
		{"404 player", &site{player: answer(404, "")}, transcript.UpstreamFailed, 0},
		{"451", &site{page: answer(451, "")}, transcript.Unavailable, 0},
		{"500", &site{page: answer(500, "")}, transcript.UpstreamFailed, 0},
		{"503 track", &site{track: answer(503, "")}, transcript.UpstreamFailed, 0},
		{"204", &site{track: answer(204, "")}, transcript.UpstreamFailed, 0},
		{"redirect elsewhere", &site{page: redirect("http://169.254.169.254/")}, transcript.UpstreamFailed, 0},
		{"redirect to a captcha", &site{page: redirect("https://www.example/sorry/index?continue=x")}, transcript.IPBlocked, 30},
		{"redirect in circles", &site{page: redirect("/watch?v=" + id)}, transcript.UpstreamFailed, 0},
		{"captcha", &site{page: text(`<form><div class="g-recaptcha"></div></form>`)}, transcript.IPBlocked, 30},
		{"captcha for a track", &site{track: text(`<form><div class="g-recaptcha"></div></form>`)}, transcript.IPBlocked, 30},
		{"no key", &site{page: text("<html>Hello</html>")}, transcript.UpstreamFailed, 0},
		{"a page for a track", &site{track: text("<html>Hello</html>")}, transcript.UpstreamFailed, 0},
		{"a track of another shape", &site{track: text(strings.ReplaceAll(english, "500", `"soon"`))}, transcript.UpstreamFailed, 0},
		{"a track that is cut off", &site{track: text(english[:len(english)-2])}, transcript.UpstreamFailed, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := tt.site.ask(t, videosite.Options{})
			e := coded(t, err, tt.code)
			assert.GreaterOrEqual(t, e.RetryAfter, tt.retryAfter)
			assert.Less(t, e.RetryAfter, tt.retryAfter+60)
		})
	}
}

// transport answers without a network.
type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// A site that says nothing is given up on after a while, and at once when the
// context ends.
func TestPatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		silent := transport(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		route, err := videosite.New(engine.Host{HTTP: &http.Client{Transport: silent}}, videosite.Options{})
		require.NoError(t, err)
		begun := time.Now()
		_, err = route.Captions(t.Context(), engine.Content{ExternalID: id}, first)
		coded(t, err, transcript.UpstreamFailed)
		assert.Equal(t, 15*time.Second, time.Since(begun))

		draining := errors.New("draining")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, draining)
		defer cancel()
		_, err = route.Captions(ctx, engine.Content{ExternalID: id}, first)
		assert.Equal(t, draining, err)
	})
}

// Picking none reads none; picking what is not there is the caller's fault.
func TestPick(t *testing.T) {
	t.Parallel()
	s := new(site)
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	route, err := videosite.New(engine.Host{HTTP: server.Client()}, videosite.Options{Base: server.URL + "/"})
	require.NoError(t, err)
	found, err := route.Captions(t.Context(), engine.Content{ExternalID: id}, func([]transcript.Track) (int, bool) { return 0, false })
	require.NoError(t, err)
	assert.Len(t, found.Tracks, 1)
	assert.Nil(t, found.Track)
	assert.Len(t, s.requests, 2)
	for _, n := range []int{-1, 1} {
		_, err = route.Captions(t.Context(), engine.Content{ExternalID: id}, func([]transcript.Track) (int, bool) { return n, true })
		require.ErrorContains(t, err, "was picked")
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	host := engine.Host{HTTP: http.DefaultClient}
	for _, o := range []videosite.Options{
		{Base: "www.example"}, {Base: "ftp://www.example"}, {Base: "https://me@www.example"}, {Base: "https://www.example/watch"},
		{Base: "https://www.example?x=1"}, {Base: "http://%zz"}, {ConsentAction: "/s"},
	} {
		_, err := videosite.New(host, o)
		assert.Error(t, err, "%+v", o)
	}
	_, err := videosite.New(engine.Host{}, videosite.Options{})
	require.ErrorContains(t, err, "no network")

	route, err := videosite.New(host, videosite.Options{})
	require.NoError(t, err)
	origin, ok := route.Origin(transcript.VideoSite)
	assert.True(t, ok)
	assert.Equal(t, transcript.OriginCaptionAPI, origin)
	_, ok = route.Origin(transcript.ShortVideoSite)
	assert.False(t, ok)
}

// Times in a description make chapters only as the site would make them.
func TestDescriptionsWithoutChapters(t *testing.T) {
	t.Parallel()
	for name, description := range map[string]string{
		"none":                "A talk.",
		"two":                 "0:00 Intro\\n1:00 End",
		"the first is late":   "0:05 Intro\\n1:00 Sea\\n2:00 End",
		"one goes back":       "0:00 Intro\\n2:00 Sea\\n1:00 End",
		"one is short":        "0:00 Intro\\n0:09 Sea\\n1:00 End",
		"times without words": "0:00\\n1:00\\n2:00",
		"times within lines":  "at 0:00\\nat 1:00\\nat 2:00",
	} {
		s := &site{player: text(`{"playabilityStatus":{"status":"OK"},"videoDetails":{"videoId":"` + id + `","shortDescription":"` + description + `"}}`)}
		found, err := s.ask(t, videosite.Options{})
		require.NoError(t, err, name)
		assert.Nil(t, found.Metadata.Chapters, name)
	}
}
