package server_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// parts are the handlers of one resource each.
func parts(s *server.Server) map[string]http.Handler {
	return map[string]http.Handler{
		"Transcripts": s.Transcripts(), "Captions": s.Captions(), "Discovery": s.Discovery(), "Library": s.Library(), "Batches": s.Batches(),
		"Feeds": s.Feeds(), "Shared": s.Shared(), "Follows": s.Follows(), "Webhooks": s.Webhooks(), "Usage": s.Usage(), "Health": s.Health(), "Docs": s.Docs(),
	}
}

// Every route is served by the whole handler and by exactly one of the parts.
func TestPartsServeEveryRouteOnce(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, rt := range patterns(s) {
		var serve []string
		for name, part := range parts(s.Server.Server) {
			w := httptest.NewRecorder()
			path := wildcard.ReplaceAllString(rt.Pattern, "x")
			part.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), rt.Method, path, nil))
			if w.Code != http.StatusNotFound || strings.Contains(w.Body.String(), "NOT_FOUND") { // the route is there, and no thing of the name
				serve = append(serve, name)
			}
		}
		assert.Len(t, serve, 1, "%s %s is served by %v", rt.Method, rt.Pattern, serve)
	}
}

// Parts of the API stand in routers of others, under a prefix, behind sessions of the
// site's own.
func TestPartsInForeignRouters(t *testing.T) {
	t.Parallel()
	const prefix = "/media"
	visitors := sessions{}
	for _, name := range []string{"ann", "bob"} {
		visitors[name] = visitor{account.Principal{Account: name, Plan: account.WithoutLimits("test"), Scopes: account.Scopes()}, nil}
	}
	s := start(t, func(c *server.Config) { c.Authenticator, c.BasePath = visitors, prefix })
	library := http.StripPrefix(prefix, s.Library())
	batches := http.StripPrefix(prefix, s.Batches())
	page := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }

	mux := http.NewServeMux()
	mux.Handle(prefix+"/v1/library/", library)
	mux.Handle(prefix+"/v1/batch", batches)
	mux.Handle(prefix+"/v1/batch/", batches)
	mux.HandleFunc("GET /page", page)

	router := chi.NewRouter()
	router.Route(prefix, func(r chi.Router) {
		r.Mount("/v1/library", library)
		r.Mount("/v1/batch", batches)
	})
	router.Get("/page", page)

	for name, site := range map[string]http.Handler{"net/http": mux, "chi": router} {
		web := httptest.NewServer(site)
		t.Cleanup(web.Close)
		ask := func(method, path, body, session string) *answer {
			t.Helper()
			r, err := http.NewRequestWithContext(t.Context(), method, web.URL+path, strings.NewReader(body))
			require.NoError(t, err)
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Cookie", "session="+session)
			resp, err := web.Client().Do(r)
			require.NoError(t, err)
			defer resp.Body.Close()
			said, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			return &answer{resp, string(said)}
		}
		a := ask(http.MethodPost, prefix+"/v1/batch", ofLinks(video), "ann")
		require.Equal(t, http.StatusAccepted, a.StatusCode, "%s: %s", name, a.body)
		at := a.Header.Get("Location")
		assert.True(t, strings.HasPrefix(at, prefix+"/v1/batch/"), "%s: %s", name, at)
		a = ask(http.MethodGet, at, "", "ann")
		assert.Equal(t, http.StatusOK, a.StatusCode, "%s: %s", name, a.body)
		a = ask(http.MethodGet, prefix+"/v1/library/transcripts", "", "ann")
		assert.Equal(t, http.StatusOK, a.StatusCode, "%s: %s", name, a.body)

		// Owners and strangers are told apart as everywhere, and the rest is the site's.
		assert.Equal(t, http.StatusNotFound, ask(http.MethodGet, at, "", "bob").StatusCode, name)
		assert.Equal(t, "invalid_credential", ask(http.MethodGet, at, "", "eve").slug(t), name)
		assert.Equal(t, "not_found", ask(http.MethodGet, prefix+"/v1/batch/x/y/z", "", "ann").slug(t), name)
		assert.Equal(t, "method_not_allowed", ask(http.MethodPut, prefix+"/v1/batch", "", "ann").slug(t), name)
		assert.Equal(t, http.StatusNotFound, ask(http.MethodPost, prefix+"/v1/transcript", `{}`, "ann").StatusCode, name)
		assert.Equal(t, http.StatusTeapot, ask(http.MethodGet, "/page", "", "").StatusCode, name)
	}
}

// abilities are what an engine may lack.
var abilities = map[string]func(*engine.Engine){
	"captions":  func(e *engine.Engine) { e.Captions = nil },
	"discovery": func(e *engine.Engine) { e.Discovery = nil },
	"lists":     func(e *engine.Engine) { e.Lists = nil },
	"audio":     func(e *engine.Engine) { e.Audio = nil },
	"media":     func(e *engine.Engine) { e.Media = nil },
	"asr":       func(e *engine.Engine) { e.Recognizer = nil },
}

// What the engine lacks is answered as such, by every route that needs it and by no
// other one.
func TestEveryAbilityThatIsLacking(t *testing.T) {
	t.Parallel()
	// needs says without which abilities a request is refused.
	needs := []struct {
		name string
		ask  func(s *service) *answer
		of   []string
	}{
		{"captions of a video", func(s *service) *answer { return s.captions(t, "en") }, []string{"captions"}},
		{"info of a video", func(s *service) *answer { return s.info(t, video) }, []string{"captions"}},
		{"a video", func(s *service) *answer { return s.link(t, video) }, nil}, // captions or sound, either will do
		{"a video, recognized", func(s *service) *answer { return s.link(t, video, lang("asr")) }, []string{"audio", "media", "asr"}},
		{"a photo", func(s *service) *answer { return s.link(t, "https://photos.example/p/C0ffeeBabe1") }, []string{"audio", "media", "asr"}},
		{"a file", func(s *service) *answer { return s.upload(t, "a file") }, []string{"media", "asr"}},
		{"a playlist", func(s *service) *answer { return s.postBatch(t, `{"playlistId": "`+playlistID+`"}`) }, []string{"lists"}},
		{"a channel", func(s *service) *answer { return s.postBatch(t, `{"channelId": "@somebody"}`) }, []string{"lists"}},
		{"links", func(s *service) *answer { return s.postBatch(t, ofLinks(video)) }, nil},
		{"a search", func(s *service) *answer { return s.get(t, "/v1/video_site/search?q=talk") }, []string{"discovery"}},
		{"a library", func(s *service) *answer { return s.get(t, "/v1/library/transcripts") }, nil},
	}
	for lacking, take := range abilities {
		t.Run(lacking, func(t *testing.T) {
			t.Parallel()
			s := start(t, lackingAn(take))
			for _, c := range needs {
				a, err := askPatiently(t.Context(), func() (*answer, error) { return c.ask(s), nil })
				require.NoError(t, err)
				if slices.Contains(c.of, lacking) {
					notImplemented(t, a, c.name)
					continue
				}
				assert.Less(t, a.StatusCode, 300, "%s: %s", c.name, a.body)
			}
		})
	}
}

// refusing are the operations that a service with no engine at all refuses. The others
// are about what it has.
var refusing = []string{"createTranscript", "getCaptions", "getTranscriptInfo", "searchVideoSite", "getVideos", "getChannel", "listChannelVideos", "listPlaylistItems"}

// A service that can do nothing has every route, and says so where it is asked for
// work.
func TestEveryRouteWithoutAnEngine(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *server.Config) { c.Engine = nil })
	for _, rt := range server.Routes(s.Server.Server) {
		thing, _ := thingOf(t, rt)
		a := s.ask(t, rt, thing.unknown, as(s.Key))
		if slices.Contains(refusing, rt.Operation) {
			notImplemented(t, a, rt.Operation)
			continue
		}
		assert.Less(t, a.StatusCode, 500, "%s: %s", rt.Operation, a.body)
	}
}

// lackingAn takes an ability away from the engine.
func lackingAn(take func(*engine.Engine)) func(*server.Config) {
	return func(c *server.Config) {
		all := c.Engine
		c.Engine = func(h engine.Host) (engine.Engine, error) {
			e, err := all(h)
			take(&e)
			return e, err
		}
	}
}

func notImplemented(t *testing.T, a *answer, what string) {
	t.Helper()
	require.Equal(t, http.StatusServiceUnavailable, a.StatusCode, "%s: %s", what, a.body)
	e := a.failure(t)
	assert.Equal(t, string(transcript.NotImplemented), e["code"], what)
	assert.NotEmpty(t, e["message"], what)
	assert.Empty(t, a.Header.Get("Retry-After"), "%s: it does not pass", what)
}
