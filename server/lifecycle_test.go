package server_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/apitest"
	"github.com/transcriptkit/transcriptkit/internal/test/nstest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func underMedia(c *server.Config) { c.BasePath = "/media" }

func openStore(t *testing.T) *store.Store {
	t.Helper()
	dir := t.TempDir()
	s, err := store.Open(t.Context(), store.Options{Database: "sqlite:" + filepath.Join(dir, "test.db"), Blobs: filepath.Join(dir, "blobs")})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() }) // a test may have closed it
	return s
}

// New names the member that is wrong.
func TestConfigThatIsWrong(t *testing.T) {
	t.Parallel()
	st := openStore(t)
	dir := t.TempDir()
	for _, c := range []struct {
		member string
		server.Config
	}{
		{"Store", server.Config{}},
		{"BasePath", server.Config{Store: st, BasePath: "media"}},
		{"BasePath", server.Config{Store: st, BasePath: "/"}},
		{"BasePath", server.Config{Store: st, BasePath: "/media/"}},
		{"BasePath", server.Config{Store: st, BasePath: "/a b?x"}},
		{"BasePath", server.Config{Store: st, BasePath: "/a?"}},
		{"BasePath", server.Config{Store: st, BasePath: "/a#b"}},
		{"BasePath", server.Config{Store: st, BasePath: "/a%20b"}},
		{"BasePath", server.Config{Store: st, BasePath: "/a//b"}},
		{"BasePath", server.Config{Store: st, BasePath: "//a/b"}},
		{"BasePath", server.Config{Store: st, BasePath: "/a/../b"}},
		{"BasePath", server.Config{Store: st, BasePath: "/{id}"}},
		{"DrainDelay", server.Config{Store: st, DrainDelay: -1}},
		{"Pace", server.Config{Store: st, Pace: pace.Config{Rate: pace.Rate{PerMinute: -1}}}},
		{"Pace", server.Config{Store: st, Pace: pace.Config{Rates: map[transcript.Platform]pace.Rate{transcript.VideoSite: {Burst: -1}}}}},
		{"Limits.ASRWorkers", server.Config{Store: st, Limits: server.Limits{ASRWorkers: -1}}},
		{"Limits.MaxMediaDuration", server.Config{Store: st, Limits: server.Limits{MaxMediaDuration: -1}}},
		{"Limits.MinFreeDisk", server.Config{Store: st, Limits: server.Limits{MinFreeDisk: -1}}},
		{"Dir", server.Config{Store: st, Dir: filepath.Join(dir, "missing")}},
		{"Egress.Allow", server.Config{Store: st, Egress: server.Egress{Allow: []string{"nowhere"}}}},
		{"Egress.Allow", server.Config{Store: st, Egress: server.Egress{Allow: []string{"127.0.0.1:9099"}, Deny: []string{"localhost:9099"}}}},
		{"Egress.Deny", server.Config{Store: st, Egress: server.Egress{Deny: []string{"nowhere"}}}},
		{"Egress.Exits", server.Config{Store: st, Egress: server.Egress{Exits: []server.Exit{{Name: "a b"}}}}},
		{"Egress.Proxies[0]", server.Config{Store: st, Egress: server.Egress{Proxies: []*url.URL{{Scheme: "ftp", Host: "127.0.0.1"}}}}},
		{"Engine", server.Config{Store: st, Engine: func(engine.Host) (engine.Engine, error) {
			return engine.Engine{}, transcript.Errorf(transcript.ConfigError, "There is no ffmpeg.")
		}}},
	} {
		if c.Dir == "" {
			c.Dir = dir
		}
		_, err := server.New(t.Context(), c.Config)
		var wrong *server.ConfigError
		require.ErrorAs(t, err, &wrong, c.member)
		assert.Equal(t, c.member, wrong.Member)
		assert.ErrorContains(t, err, "server: Config."+c.member+": ")
	}
	assert.Empty(t, files(t, dir), "nothing is left of a server that could not be made")
}

// What /readyz says of what nobody has set up, and of a service that nobody works for.
const (
	noEngine  = "unavailable: set up an engine for it, where it is wanted"
	noWorkers = "none: start a process that works"
)

// A server needs a store and nothing else, and then refuses all work.
func TestServerWithoutAnEngine(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *server.Config) { c.Engine = nil })
	a := s.upload(t, "a file")
	require.Equal(t, http.StatusServiceUnavailable, a.StatusCode, a.body)
	assert.Equal(t, "NOT_IMPLEMENTED", a.failure(t)["code"])
	assert.Empty(t, files(t, s.blobs))
	ready := s.get(t, "/readyz", as(""))
	assert.Equal(t, http.StatusOK, ready.StatusCode, "the store decides")
	assert.Equal(t, map[string]any{
		"status": "degraded", "checks": map[string]any{
			"store": "ok", "disk": "ok", "blobs": "ok", "captions": noEngine, "discovery": noEngine, "audio": noEngine, "media": noEngine, "asr": noEngine,
		},
	}, ready.object(t))
}

func TestHealth(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *server.Config) { c.Version = "v1.2.3" })
	assert.Equal(t, map[string]any{"status": "ok", "version": "v1.2.3"}, s.get(t, "/healthz", as("")).object(t))
	ready := s.get(t, "/readyz", as(""))
	assert.Equal(t, http.StatusOK, ready.StatusCode)
	assert.Equal(t, map[string]any{
		"status": "ready", "checks": map[string]any{
			"store": "ok", "disk": "ok", "blobs": "ok", "captions": "ok", "discovery": "ok", "audio": "ok", "media": "ok", "asr": "ok", "engine.captions.video_site": "ok",
			"engine.captions.short_video_site": "ok", "engine.captions.professional_site": "ok",
		},
	}, ready.object(t))
}

// A system that does not hold programs to the guard is told of, with the cure, and
// goes on serving.
func TestHealthWhereProgramsAreNotConfined(t *testing.T) {
	t.Parallel()
	s := start(t)
	server.Unconfine(s.Server.Server, errors.New("it takes Linux 6.7"))
	ready := s.get(t, "/readyz", as(""))
	assert.Equal(t, http.StatusOK, ready.StatusCode)
	body := ready.object(t)
	assert.Equal(t, "degraded", body["status"])
	assert.Subset(t, body["checks"], map[string]any{"programs": "not confined: it takes Linux 6.7", "store": "ok"})
}

// unfit is an engine that is not fit for work.
type unfit struct {
	engine.MediaTool
	why error
}

func (u *unfit) Check(context.Context) error { return u.why }

// The message of a coded error is shown, which is written for callers and ends with the
// cure; what another error says may be a secret.
func TestHealthNamesTheCure(t *testing.T) {
	t.Parallel()
	media := &unfit{}
	s := start(t, func(c *server.Config) {
		c.Engine = func(engine.Host) (engine.Engine, error) { return engine.Engine{Media: media}, nil }
	})
	lacks := transcript.Errorf(transcript.ConfigError, "The program sox is missing: install sox.").Because(errors.New("at /root/secret"))
	for says, why := range map[string]error{
		"ok": nil,
		"unavailable: The program sox is missing: install sox.": fmt.Errorf("media: %w", lacks),
		"unavailable": errors.New("password 123"),
		"unavailable: it has not answered yet: ask again": fmt.Errorf("media: %w", context.DeadlineExceeded),
	} {
		media.why = why
		assert.Equal(t, says, s.get(t, "/readyz", as("")).object(t)["checks"].(map[string]any)["media"])
	}
	media.why = transcript.Errorf(transcript.UpstreamFailed, "%s", strings.Repeat("x", 5000))
	assert.Less(t, len(s.get(t, "/readyz", as("")).body), 2000)
}

// busy is a recognizer that is there and has not answered in time.
type busy struct{ engine.Recognizer }

func (busy) Check(context.Context) error {
	return transcript.Errorf(transcript.RateLimited, "It may be busy.")
}

// A busy recognizer works: the service is ready.
func TestHealthOfABusyRecognizer(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *server.Config) {
		made := c.Engine
		c.Engine = func(h engine.Host) (engine.Engine, error) {
			e, err := made(h)
			e.Recognizer = busy{e.Recognizer}
			return e, err
		}
	})
	ready := s.get(t, "/readyz", as("")).object(t)
	assert.Equal(t, "busy: It may be busy.", ready["checks"].(map[string]any)["asr"])
	assert.Equal(t, "ready", ready["status"])
}

// A platform that blocks makes the service degraded, not unready, and readers are
// told when to come again without its being asked.
func TestHealthWhileAPlatformBlocks(t *testing.T) {
	t.Parallel()
	s := start(t)
	blocked := transcript.Errorf(transcript.IPBlocked, "Prove that you are a person.")
	blocked.RetryAfter = 120
	s.Engine.FailCaptions(blocked)
	for range 3 {
		a := s.get(t, "/v1/video_site/captions?videoId=dQw4w9WgXcQ")
		require.Equal(t, http.StatusServiceUnavailable, a.StatusCode, a.body)
		assert.Equal(t, "IP_BLOCKED", a.failure(t)["code"])
		seconds, err := strconv.Atoi(a.Header.Get("Retry-After"))
		require.NoError(t, err)
		assert.InDelta(t, 115, seconds, 5)
	}
	assert.Equal(t, 1, s.Engine.CaptionReads(transcript.VideoSite))
	ready := s.get(t, "/readyz", as(""))
	assert.Equal(t, http.StatusOK, ready.StatusCode)
	body := ready.object(t)
	assert.Equal(t, "degraded", body["status"])
	assert.Contains(t, s.log.String(), `msg="a circuit has opened" platform=video_site exit=direct source=video_site_downloader for=2m0s`)
	assert.Subset(t, body["checks"], map[string]any{
		"store": "ok", "captions": "ok", "engine.captions.video_site": "open_circuit: " + engine.Cure(transcript.IPBlocked), "engine.captions.short_video_site": "ok",
	})
}

// With too little room on a disk no new work is taken; what is stored is still
// read.
func TestHealthOnAFullDisk(t *testing.T) {
	t.Parallel()
	nstest.Disk(t, 8<<20, func(t *testing.T, disk string) {
		s := start(t, func(c *server.Config) { c.Dir, c.Limits.MinFreeDisk = disk, 4<<20 })
		id := s.job(t, "before")
		s.ended(t, id)
		filler := filepath.Join(disk, "filler")
		require.NoError(t, os.WriteFile(filler, make([]byte, 6<<20), 0o600))

		ready := s.get(t, "/readyz", as(""))
		assert.Equal(t, http.StatusServiceUnavailable, ready.StatusCode)
		assert.Contains(t, ready.object(t)["checks"].(map[string]any)["disk"], "unavailable: make room")
		for what, a := range map[string]*answer{
			"upload": s.upload(t, "another"),
			"link":   s.postJSON(t, `{"platform":"video_site","externalId":"dQw4w9WgXcQ"}`),
		} {
			assert.Equal(t, http.StatusServiceUnavailable, a.StatusCode, what)
			assert.Equal(t, "SERVICE_UNAVAILABLE", a.failure(t)["code"], what)
			assert.Equal(t, "2", a.Header.Get("Retry-After"), what)
		}
		assert.Equal(t, http.StatusOK, s.get(t, "/v1/transcript/job/"+id).StatusCode)

		require.NoError(t, os.Remove(filler))
		assert.Equal(t, http.StatusOK, s.get(t, "/readyz", as("")).StatusCode)
		s.ended(t, s.job(t, "another"))
	})
}

// A disk whose inodes are used up is full, however many bytes are free.
func TestHealthOnADiskFullOfFiles(t *testing.T) {
	t.Parallel()
	nstest.DiskWithFiles(t, 8<<20, 1200, func(t *testing.T, disk string) {
		s := start(t, func(c *server.Config) { c.Dir, c.Limits.MinFreeDisk = disk, 1 })
		s.ended(t, s.job(t, "before"))
		many := filepath.Join(disk, "many")
		require.NoError(t, os.Mkdir(many, 0o700))
		for i := range 201 {
			require.NoError(t, os.WriteFile(filepath.Join(many, strconv.Itoa(i)), nil, 0o600))
		}
		ready := s.get(t, "/readyz", as(""))
		assert.Equal(t, http.StatusServiceUnavailable, ready.StatusCode)
		assert.Contains(t, ready.object(t)["checks"].(map[string]any)["disk"], "unavailable: make room")
		assert.Equal(t, http.StatusServiceUnavailable, s.upload(t, "another").StatusCode)
		require.NoError(t, os.RemoveAll(many))
		s.ended(t, s.job(t, "another"))
	})
}

func TestHealthWithoutAStore(t *testing.T) {
	t.Parallel()
	st := openStore(t)
	srv, err := server.New(t.Context(), server.Config{Store: st, Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, srv.Stop(context.WithoutCancel(t.Context()))) })
	require.NoError(t, st.Close())
	for path, status := range map[string]int{"/readyz": http.StatusServiceUnavailable, "/healthz": http.StatusOK} {
		w := httptest.NewRecorder()
		srv.Health().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		assert.Equal(t, status, w.Code, path)
		assert.NotContains(t, w.Body.String(), "closed", "no inner matters")
	}
}

// Stop first says that the service goes, then ends the streams, then the work,
// which the next start takes up.
func TestStop(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *server.Config) { c.DrainDelay = 300 * time.Millisecond })
	id, release := s.heldJob(t, "a file")
	stream := s.open(t, id)
	require.Equal(t, "job.snapshot", stream.next(t).name)

	stopped := make(chan error, 1)
	began := time.Now()
	go func() { stopped <- s.Stop(context.WithoutCancel(t.Context())) }()
	require.Eventually(t, func() bool {
		a, err := s.send(t, http.MethodGet, "/readyz", nil)
		return err == nil && a.StatusCode == http.StatusServiceUnavailable && strings.Contains(a.body, `"draining"`)
	}, time.Minute, 5*time.Millisecond)
	assert.Equal(t, http.StatusOK, s.get(t, "/healthz", as("")).StatusCode)
	closing := stream.next(t)
	assert.Equal(t, "stream.closing", closing.name)
	assert.JSONEq(t, `{"reason":"shutdown","retryMs":1000}`, closing.data)
	assert.GreaterOrEqual(t, time.Since(began), 300*time.Millisecond)
	stream.end(t)
	require.NoError(t, <-stopped)
	left, err := os.ReadDir(s.scratch)
	require.NoError(t, err)
	assert.Empty(t, left)
	require.NoError(t, s.Stop(t.Context()), "again")

	release()
	require.NoError(t, s.Restart(t.Context()))
	job := s.ended(t, id)
	assert.Equal(t, "success", job["status"])
	assert.Equal(t, 1.0, job["attempt"], "an orderly stop is no failure")
}

// Only one server serves an SQLite file.
func TestSecondServerOfAFile(t *testing.T) {
	t.Parallel()
	s := start(t)
	second, err := server.New(t.Context(), server.Config{Store: s.Store, Dir: t.TempDir()})
	require.NoError(t, err)
	assert.ErrorIs(t, second.Start(t.Context()), store.ErrServed)
	require.NoError(t, second.Stop(t.Context()))
}

// A server that is stopped begins no work, which nothing would end.
func TestStartAfterStop(t *testing.T) {
	t.Parallel()
	s, err := server.New(t.Context(), server.Config{Store: openStore(t), Dir: t.TempDir()})
	require.NoError(t, err)
	require.NoError(t, s.Stop(t.Context()))
	assert.ErrorContains(t, s.Start(t.Context()), "Stop has been called")
}

// Whichever comes first, nothing runs once Stop has returned and Start too:
// TestMain sees what does.
func TestStopDuringStart(t *testing.T) {
	t.Parallel()
	st := openStore(t)
	for range 5 {
		s, err := server.New(t.Context(), server.Config{Store: st, Dir: t.TempDir()})
		require.NoError(t, err)
		started := make(chan error, 1)
		go func() { started <- s.Start(t.Context()) }()
		assert.NoError(t, s.Stop(t.Context()))
		if err := <-started; err != nil {
			assert.ErrorContains(t, err, "Stop has been called")
		}
	}
}

// The parts of the service in a site of its own: under a prefix, behind a mux
// and a middleware that are not the service's.
func TestPartsUnderAPrefix(t *testing.T) {
	t.Parallel()
	log := new(logBuffer)
	st := openStore(t)
	srv, err := server.New(t.Context(), server.Config{
		Store: st, Dir: t.TempDir(), BasePath: "/media", Log: slog.New(slog.NewTextHandler(log, nil)),
		Authenticator: sessions{"ann": {account.Principal{Account: "ann", Scopes: account.Scopes(), Plan: account.DefaultPlans().ByName["self_hosted"]}, nil}},
	})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, srv.Stop(context.WithoutCancel(t.Context()))) })
	site := http.NewServeMux()
	site.Handle("/media/v1/", http.StripPrefix("/media", srv.Transcripts()))
	site.Handle("/media/docs", http.StripPrefix("/media", srv.Docs()))
	site.Handle("/media/docs/", http.StripPrefix("/media", srv.Docs()))
	site.Handle("/healthz", srv.Health())
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, _ := server.PrincipalOf(r.Context())
		_, _ = io.WriteString(w, "hello "+p.Account+" "+server.RequestID(r.Context())) // to a recorder
	})
	site.Handle("/mine", srv.Authenticate(srv.RequireScope(account.Transcripts)(page)))
	site.Handle("/open", srv.RequireScope(account.Transcripts)(page))
	site.Handle("/twice/", http.StripPrefix("/twice", srv.Authenticate(srv.Transcripts())))

	ask := func(path, session string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		r.Header.Set("X-Request-Id", "one")
		if session != "" {
			r.AddCookie(&http.Cookie{Name: "session", Value: session})
		}
		site.ServeHTTP(w, r)
		return w
	}
	assert.Equal(t, http.StatusOK, ask("/healthz", "").Code)
	assert.Equal(t, http.StatusNotFound, ask("/readyz", "").Code, "not mounted")
	assert.Equal(t, http.StatusNotFound, ask("/media/v1/other", "ann").Code)
	assert.Contains(t, ask("/media"+unknownJob, "ann").Body.String(), "NOT_FOUND")
	assert.Equal(t, http.StatusUnauthorized, ask("/media"+unknownJob, "").Code)
	assert.Equal(t, "hello ann one", ask("/mine", "ann").Body.String())
	refused := ask("/mine", "")
	assert.Equal(t, http.StatusUnauthorized, refused.Code)
	assert.Equal(t, "one", refused.Header().Get("X-Request-Id"))
	assert.JSONEq(t, `{"error":"unauthorized","requestId":"one"}`, refused.Body.String())
	assert.Equal(t, http.StatusUnauthorized, ask("/open", "ann").Code, "nobody has authenticated")

	before := strings.Count(log.String(), "msg=request")
	assert.Equal(t, http.StatusNotFound, ask("/twice"+unknownJob, "ann").Code)
	assert.Equal(t, before+1, strings.Count(log.String(), "msg=request"), "one line for each request")
	assert.Contains(t, log.String(), `route=/v1/transcript/job/{id} status=404`)

	d, err := apitest.Parse(ask("/media/docs/openapi.json", "").Body.Bytes())
	require.NoError(t, err)
	require.NotNil(t, d)
}

// stream is an open event stream.
type stream struct {
	resp  *http.Response
	lines *bufio.Scanner
}

// event is one of its events.
type event struct{ name, id, data string }

func (s *service) open(t testing.TB, id string, changes ...change) *stream {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // a missing event fails this test alone
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+jobPath(id)+"/events", nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+s.Key)
	for _, change := range changes {
		change(r)
	}
	resp, err := s.http.Do(r)
	require.NoError(t, err)
	t.Cleanup(func() { _ = resp.Body.Close() }) // a test may have closed it
	require.Equal(t, http.StatusOK, resp.StatusCode)
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	return &stream{resp, lines}
}

// next is the next event; comments are passed over. At the end it is empty.
func (s *stream) next(t testing.TB) (e event) {
	t.Helper()
	for s.lines.Scan() {
		name, value, _ := strings.Cut(s.lines.Text(), ": ")
		switch name {
		case "event":
			e.name = value
		case "id":
			e.id = value
		case "data":
			e.data = value
		case "":
			if value == "" && e.name != "" {
				return e
			}
		}
	}
	return e
}

// end asserts that nothing more comes.
func (s *stream) end(t testing.TB) {
	t.Helper()
	assert.Empty(t, s.next(t))
	assert.NoError(t, s.lines.Err())
}
