package dataapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/sitetest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/dataapi"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest/sitecatalog"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// endpoint is an API that keeps what it was asked.
type endpoint struct {
	*httptest.Server
	mu    sync.Mutex
	calls []string // the resource and the query of each
}

// serve starts an API that answers as a handler does.
func serve(t *testing.T, answer http.HandlerFunc) *endpoint {
	t.Helper()
	e := &endpoint{}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.mu.Lock()
		e.calls = append(e.calls, strings.TrimPrefix(r.URL.Path, "/youtube/v3/")+"?"+r.URL.RawQuery)
		e.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(e.Close)
	return e
}

// asked are the resources that were asked for since the last call, in no order.
func (e *endpoint) asked() (resources map[string]int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	resources = map[string]int{}
	for _, call := range e.calls {
		resource, _, _ := strings.Cut(call, "?")
		resources[resource]++
	}
	e.calls = nil
	return resources
}

// withCatalog starts the fake of the API.
func withCatalog(t *testing.T) (*endpoint, *sitecatalog.Catalog) {
	t.Helper()
	c := sitetest.NewCatalog("https://site.example.com")
	return serve(t, fake(c).ServeHTTP), c
}

// says starts an API that answers everything with the same.
func says(t *testing.T, r refusal, header ...string) *endpoint {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, _ *http.Request) {
		for n := 0; n+1 < len(header); n += 2 {
			w.Header().Set(header[n], header[n+1])
		}
		r.send(w)
	})
}

func discovery(t *testing.T, e *endpoint) *dataapi.Discovery {
	t.Helper()
	d, err := dataapi.New(dataapi.Options{Key: key, BaseURL: e.URL, Site: "https://site.example.com"})
	require.NoError(t, err)
	return d
}

func named(name string) engine.List {
	return engine.List{Platform: transcript.VideoSite, Kind: engine.ChannelList, ID: name}
}

var talks = video.Search{Q: "talk", Type: video.TypeVideo, Order: video.ByRelevance}

func TestNewRefusesOptions(t *testing.T) {
	t.Parallel()
	for says, o := range map[string]dataapi.Options{
		"Key is empty": {},
		"invalid characters, perhaps a line break": {Key: "5ecret\n"},
		"the base URL is no address":               {Key: "5ecret", BaseURL: "http://u:5ecret@[x"},
		"the base URL":                             {Key: "5ecret", BaseURL: "ftp://example.com"},
		"is not of the form":                       {Key: "5ecret", BaseURL: "https://u:5ecret@example.com"},
		"?x=1":                                     {Key: "5ecret", BaseURL: "https://example.com/?x=1"},
		"the address of the site":                  {Key: "5ecret", Site: "example.com"},
	} {
		_, err := dataapi.New(o)
		require.ErrorContains(t, err, says)
		assert.NotContains(t, err.Error(), "5ecret")
	}
}

func TestTheKeyIsNotPrinted(t *testing.T) {
	t.Parallel()
	o := dataapi.Options{Key: key, BaseURL: "http://127.0.0.1:1"}
	d, err := dataapi.New(o)
	require.NoError(t, err)
	marshaled, err := json.Marshal(o)
	require.NoError(t, err)
	for _, text := range []string{fmt.Sprint(o), fmt.Sprintf("%+v", o), fmt.Sprintf("%#v", o), string(marshaled)} {
		assert.NotContains(t, text, "5ecret")
	}
	assert.Contains(t, fmt.Sprint(o), "xxxxx")
	_, err = d.Channel(t.Context(), named("@talks"))
	require.ErrorIs(t, err, transcript.UpstreamFailed)
	assert.NotContains(t, err.Error(), "5ecret")
}

// The key goes in a header, and is in no word of an error, also where the API repeats it.
func TestTheKeyStaysOutOfAddressesAndErrors(t *testing.T) {
	t.Parallel()
	e := serve(t, func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, key, r.Header.Get("X-Goog-Api-Key"))
		refusal{400, `{"error": {"code": 400, "message": "The key ` + key + ` is wrong", "errors": [{"reason": "keyInvalid", "message": "` + key + `"}]}}`}.send(w)
	})
	_, err := discovery(t, e).Channel(t.Context(), named("@talks"))
	require.ErrorIs(t, err, transcript.ConfigError)
	assert.NotContains(t, err.Error(), key)
	assert.NotContains(t, strings.Join(e.calls, " "), "5ecret")
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		says   refusal
		header []string
		code   transcript.Code
		words  string // of the message
		after  int    // seconds; -1: any
	}{
		{"wrong key", keyInvalid, nil, transcript.ConfigError, "put the right one into the key file", 0},
		{"wrong key, in the older words", keyInvalidOld, nil, transcript.ConfigError, "put the right one into the key file", 0},
		{"no key", noKey, nil, transcript.ConfigError, "restrictions", 0},
		{"401", refusal{401, `{"error": {"code": 401, "message": "x"}}`}, nil, transcript.ConfigError, "key file", 0},
		{"not enabled", notConfigured, nil, transcript.ConfigError, "enable it there", 0},
		{"not from this address", keyBlocked, nil, transcript.ConfigError, "change the restrictions", 0},
		{"quota", quotaExceeded, nil, transcript.ServiceUnavailable, "midnight Pacific time", -1},
		{"searches of a day", searchesPerDay, nil, transcript.ServiceUnavailable, "midnight Pacific time", -1},
		{"rate limit", rateLimit, nil, transcript.ServiceUnavailable, "no more requests at the moment", 30},
		{"rate limit of a minute", perMinute, []string{"Retry-After", "7"}, transcript.ServiceUnavailable, "no more requests at the moment", 7},
		{"rate limit of an eternity", perMinute, []string{"Retry-After", "99999999999"}, transcript.ServiceUnavailable, "at the moment", 86400},
		{"backend", backendError, nil, transcript.UpstreamFailed, "failed", 0},
		{"bad request", badParameter, nil, transcript.UpstreamFailed, "failed", 0},
		{"HTML", refusal{502, "<!doctype html><title>502</title>"}, nil, transcript.UpstreamFailed, "failed", 0},
		{"no such address", refusal{404, "<!doctype html><title>404</title>"}, nil, transcript.ConfigError, "base URL", 0},
		{"redirect", refusal{302, ""}, []string{"Location", "http://127.0.0.1:1/"}, transcript.ConfigError, "redirects", 0},
		{"304", refusal{304, ""}, nil, transcript.ConfigError, "redirects", 0},
		{"204", refusal{204, ""}, nil, transcript.UpstreamFailed, "sends an unexpected answer", 0},
		{"page token", badPageToken, nil, transcript.InvalidRequest, "page token", 0},
		{"channel", badChannelID, nil, transcript.Unavailable, "no such channel", 0},
		{"playlist", playlistNotFound, nil, transcript.Unavailable, "or playlist", 0},
		{"private playlist", notAccessible, nil, transcript.Unavailable, "private", 0},
		{"errors of other types", refusal{403, `{"error": {"code": 403, "message": "x", "errors": [{"reason": "quotaExceeded"}], "details": ["x", 1, null, {"reason": 5, "metadata": []}]}}`}, nil, transcript.ServiceUnavailable, "used up", -1},
		{"an error that is a text", refusal{403, `{"error": "quotaExceeded"}`}, nil, transcript.ConfigError, "refuses", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := discovery(t, says(t, tt.says, tt.header...))
			page, err := d.Search(t.Context(), talks, engine.Window{Max: 5})
			var e *transcript.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, tt.code, e.Code, "%v", err)
			assert.Contains(t, e.Message, tt.words)
			assert.Empty(t, page.Items)
			if tt.after >= 0 {
				assert.Equal(t, tt.after, e.RetryAfter)
			} else {
				assert.Positive(t, e.RetryAfter)
				assert.LessOrEqual(t, e.RetryAfter, 25*60*60)
			}
		})
	}
}

// The quota is filled at midnight Pacific time, which a caller is told to wait for.
func TestQuotaIsFilledAtMidnight(t *testing.T) {
	t.Parallel()
	pacific, err := time.LoadLocation("America/Los_Angeles")
	require.NoError(t, err)
	before := time.Now()
	_, err = discovery(t, says(t, quotaExceeded)).Channel(t.Context(), named("@talks"))
	var e *transcript.Error
	require.ErrorAs(t, err, &e)
	// Whatever the time that the call took: it was made between before and now.
	wait := time.Duration(e.RetryAfter) * time.Second
	midnight := func(at time.Time) time.Time {
		y, m, d := at.In(pacific).Date()
		return time.Date(y, m, d+1, 0, 0, 0, 0, pacific)
	}
	assert.False(t, before.Add(wait).After(midnight(time.Now()).Add(time.Second)), "too late")
	assert.False(t, time.Now().Add(wait).Before(midnight(before)), "too early")
}

// The newest refusal of the key is told to who asks whether all is well, and no request is
// made for that.
func TestCheckTellsOfAKeyThatIsRefused(t *testing.T) {
	t.Parallel()
	c := sitetest.NewCatalog("")
	answer := fake(c)
	var accepted atomic.Bool
	e := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if !accepted.Load() {
			notConfigured.send(w)
			return
		}
		answer.ServeHTTP(w, r)
	})
	d := discovery(t, e)
	require.NoError(t, d.Check(t.Context()))
	_, err := d.Channel(t.Context(), named("@talks"))
	require.ErrorIs(t, err, transcript.ConfigError)
	e.asked()
	require.ErrorIs(t, d.Check(t.Context()), transcript.ConfigError)
	assert.Empty(t, e.asked(), "calls for a check")
	accepted.Store(true)
	_, err = d.Channel(t.Context(), named("@talks"))
	require.NoError(t, err)
	require.NoError(t, d.Check(t.Context()))
}

// An API that says no more is not waited for, by whomever.
func TestSlowAnswersAreBounded(t *testing.T) {
	t.Parallel()
	e := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("{")) // the client may be gone
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	d, err := dataapi.New(dataapi.Options{Key: key, BaseURL: e.URL, HTTP: &http.Client{Timeout: 50 * time.Millisecond}})
	require.NoError(t, err)
	_, err = d.Channel(t.Context(), named("@talks"))
	require.ErrorIs(t, err, transcript.UpstreamFailed)
	assert.ErrorContains(t, err, "cannot be reached, or breaks off")
}

// What is searched for stands in no log, also where the API is not there.
func TestUnreachableSaysNoWords(t *testing.T) {
	t.Parallel()
	e := serve(t, func(http.ResponseWriter, *http.Request) {})
	d := discovery(t, e)
	e.Close()
	_, err := d.Search(t.Context(), talks, engine.Window{Max: 10})
	require.ErrorIs(t, err, transcript.UpstreamFailed)
	assert.ErrorContains(t, err, "connect")
	assert.NotContains(t, err.Error(), "q="+talks.Q)
}

// Each call costs quota.
func TestCallsOfEachQuestion(t *testing.T) {
	t.Parallel()
	e, c := withCatalog(t)
	d := discovery(t, e)
	first := engine.Window{Max: 10}
	_, err := d.Search(t.Context(), talks, first)
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"search": 1, "videos": 1}, e.asked())
	_, err = d.Search(t.Context(), video.Search{Q: "no such words", Type: video.TypeVideo, Order: video.ByDate}, first)
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"search": 1}, e.asked(), "nothing was found")
	var contents []engine.Content
	for n := range 50 {
		contents = append(contents, c.Content(sitetest.TalkID(n)))
	}
	_, err = d.Videos(t.Context(), contents)
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"videos": 1}, e.asked())
	_, err = d.Videos(t.Context(), nil)
	require.NoError(t, err)
	assert.Empty(t, e.asked())
	_, err = d.Channel(t.Context(), named("@talks"))
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"channels": 1}, e.asked())

	uploads, err := d.Uploads(t.Context(), named("@talks"), video.All, first)
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"channels": 1, "playlistItems": 1, "videos": 1}, e.asked())
	_, err = d.Uploads(t.Context(), named("@talks"), video.All, engine.Window{After: uploads.Next, Max: 10})
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"playlistItems": 1, "videos": 1}, e.asked(), "the channel is remembered")
	items, err := d.Items(t.Context(), c.ListOf(sitetest.TalksPlaylist), first)
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"playlists": 1, "playlistItems": 1, "videos": 1}, e.asked())
	next, err := d.Items(t.Context(), c.ListOf(sitetest.TalksPlaylist), engine.Window{After: items.Next, Max: 10})
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"playlistItems": 1, "videos": 1}, e.asked(), "the title is remembered")
	assert.Equal(t, items.Title, next.Title)

	channels, err := d.Search(t.Context(), video.Search{Q: "talk", Type: video.TypeChannel, Order: video.ByRelevance}, first)
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"search": 1, "channels": 1}, e.asked())
	for _, r := range channels.Items {
		assert.NotNil(t, r.Channel.Handle, "the details of each are asked for")
	}

	for _, kind := range []video.Kind{video.Shorts, video.Live, video.Regular} {
		_, err = d.Uploads(t.Context(), named("@talks"), kind, first)
		require.ErrorIs(t, err, transcript.NotImplemented)
	}
	_, err = d.Search(t.Context(), talks, engine.Window{After: "no token", Max: 10})
	require.ErrorIs(t, err, transcript.InvalidRequest)
	assert.Empty(t, e.asked(), "calls for what cannot be asked, or is no token")
}
