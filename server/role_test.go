package server_test

import (
	"context"
	"hash/crc32"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// starter starts a service, in one process or in several.
type starter func(testing.TB, ...func(*server.Config)) *service

// everyWay runs a test on a server that does everything, and on one that accepts
// requests for another one, which works. With -short it runs a row of a table in one of the two ways,
// which the name of the row chooses.
func everyWay(t *testing.T, name string, test func(*testing.T, starter)) {
	t.Helper()
	ways := map[string]starter{
		"all": start,
		"api and worker": func(t testing.TB, configure ...func(*server.Config)) *service {
			s := startAPI(t, configure...)
			s.startWorker(t)
			return s.service
		},
	}
	if testing.Short() && name != "" {
		delete(ways, []string{"all", "api and worker"}[crc32.ChecksumIEEE([]byte(name))%2])
	}
	for way, start := range ways {
		t.Run(filepath.Join(way, name), func(t *testing.T) {
			t.Parallel()
			test(t, start)
		})
	}
}

// cluster is a server that accepts requests, and what its workers are made from.
type cluster struct {
	*service
	config server.Config
}

// startAPI starts a server that does no work.
func startAPI(t testing.TB, configure ...func(*server.Config)) *cluster {
	t.Helper()
	c := new(cluster)
	asAPI := func(config *server.Config) {
		c.config = *config
		config.Role = server.RoleAPI
		config.Engine = func(engine.Host) (engine.Engine, error) {
			t.Error("a process that accepts requests makes no engine")
			return engine.Engine{}, nil
		}
		config.Dir = "/nowhere" // it makes no files
	}
	c.service = startIn(t, storetest.Postgres(t), t.TempDir(), append(configure, asAPI)...)
	return c
}

// startWorker starts a worker whose engine does what the service's Engine is told,
// and returns a function that stops it, as the end of the test does.
func (c *cluster) startWorker(t testing.TB, change ...func(*engine.Engine)) (stop func()) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	config := c.config
	config.Role = server.RoleWorker
	var err error
	config.Store, err = store.Open(ctx, store.Options{Database: c.options.Database, Blobs: c.blobs, OpenBucket: c.options.OpenBucket})
	require.NoError(t, err)
	config.Accounts = nil
	config.Authenticator = nil
	config.Engine = func(host engine.Host) (engine.Engine, error) {
		e, err := c.config.Engine(host)
		for _, f := range change {
			f(&e)
		}
		return e, err
	}
	worker, err := server.New(ctx, config)
	require.NoError(t, err)
	require.NoError(t, worker.Start(ctx))
	stopped := false
	stop = func() {
		if !stopped {
			stopped = true
			assert.NoError(t, worker.Stop(ctx))
			assert.NoError(t, config.Store.Close())
		}
	}
	t.Cleanup(stop)
	return stop
}

// speaking has a worker recognize these languages, and call its recognizer by a name.
func speaking(name string, languages ...string) func(*engine.Engine) {
	return func(e *engine.Engine) {
		e.Recognizer = polyglot{e.Recognizer, engine.RecognizerInfo{Name: name, Languages: languages}}
	}
}

type polyglot struct {
	engine.Recognizer
	info engine.RecognizerInfo
}

func (p polyglot) Info() engine.RecognizerInfo { return p.info }

func (p polyglot) Recognize(ctx context.Context, a engine.Audio, o engine.RecognizeOptions) (engine.Recognition, error) {
	heard, err := p.Recognizer.Recognize(ctx, a, o)
	heard.Language = o.Language
	for i := range heard.Segments {
		heard.Segments[i].Text += " by " + p.info.Name
	}
	return heard, err
}

// mute has a worker recognize nothing.
func mute(e *engine.Engine) { e.Recognizer = nil }

func TestRolesAreChecked(t *testing.T) {
	t.Parallel()
	for _, role := range []server.Role{server.RoleAPI, server.RoleWorker, "boss"} {
		s, err := store.Open(t.Context(), storetest.SQLite(t))
		require.NoError(t, err)
		_, err = server.New(t.Context(), server.Config{Store: s, Role: role})
		var wrong *server.ConfigError
		require.ErrorAs(t, err, &wrong, role)
		assert.Equal(t, "Role", wrong.Member)
		require.NoError(t, s.Close())
	}
}

// One process accepts what another one works on.
func TestAPIAndWorker(t *testing.T) {
	t.Parallel()
	s := startAPI(t)
	s.startWorker(t)
	assert.Contains(t, s.log.String(), "blobs are kept in a local folder")

	uploaded := s.upload(t, "an upload")
	require.Equal(t, http.StatusOK, uploaded.StatusCode, uploaded.body)
	assert.Contains(t, uploaded.body, "hello world")
	linked := s.postJSON(t, `{"url":"`+video+`","waitMs":10000}`)
	require.Equal(t, http.StatusOK, linked.StatusCode, linked.body)
	assert.Contains(t, linked.body, "hello world")

	id, release := s.heldJob(t, "another upload")
	defer release()
	cancelled := s.do(t, http.MethodPost, "/v1/transcript/job/"+id+"/cancel", nil)
	require.Equal(t, http.StatusAccepted, cancelled.StatusCode, cancelled.body)
	assert.Equal(t, "cancelled", s.ended(t, id)["status"])
	require.Eventually(t, func() bool { return len(files(t, s.blobs)) == 0 }, time.Minute, 10*time.Millisecond, "audio was left behind")
}

// A process that accepts requests says at once what no worker can do, and learns
// within seconds of one that can.
func TestWhatWorkersCanDo(t *testing.T) {
	t.Parallel()
	s := startAPI(t)
	s.startWorker(t, mute)
	unheard := s.postForm(t, []part{field("waitMs", "0"), file("nobody hears it")})
	require.Equal(t, http.StatusServiceUnavailable, unheard.StatusCode, unheard.body)
	assert.Equal(t, "NOT_IMPLEMENTED", unheard.failure(t)["code"])
	assert.Equal(t, "NOT_IMPLEMENTED", s.info(t, video).object(t)["asr"].(map[string]any)["reason"])
	assert.Equal(t, map[string]any{
		"store": "ok", "disk": "ok", "blobs": "ok", "workers": "ok", "captions": "ok", "discovery": "ok", "audio": "ok", "media": "ok", "asr": noEngine,
	}, s.get(t, "/readyz").object(t)["checks"])

	s.startWorker(t, speaking("anna", "de", "it"))
	german := func() *answer {
		return s.postForm(t, []part{field("waitMs", "10000"), field("language", "fr,de"), file("auf deutsch")})
	}
	require.Eventually(t, func() bool { return german().StatusCode == http.StatusOK }, time.Minute, 50*time.Millisecond)
	assert.Equal(t, "de", german().object(t)["language"])
	require.Eventually(t, func() bool { return s.get(t, "/readyz").object(t)["status"] == "ready" }, time.Minute, 50*time.Millisecond)

	s.startWorker(t, speaking("bob", "en"))
	var refused map[string]any
	require.Eventually(t, func() bool {
		a := s.postForm(t, []part{field("language", "fr"), file("en français")})
		require.Equal(t, http.StatusServiceUnavailable, a.StatusCode, a.body)
		refused = a.failure(t)["details"].(map[string]any)
		return len(refused["known"].([]any)) == 3
	}, time.Minute, 50*time.Millisecond)
	assert.ElementsMatch(t, []any{"de", "it", "en"}, refused["known"])
	assert.Equal(t, []any{"fr"}, refused["languages"])
}

// The last process that could ask the video site ends when it is still counted on.
func TestLastDiscovererEnds(t *testing.T) {
	t.Parallel()
	s := startAPI(t)
	s.setVideoSite()
	s.startWorker(t, func(e *engine.Engine) { e.Discovery = nil })
	stop := s.startWorker(t)
	require.Eventually(t, func() bool { return s.get(t, discoveries[0]).StatusCode == http.StatusOK }, time.Minute, 50*time.Millisecond)
	stop()
	a := s.get(t, discoveries[0])
	require.Equal(t, http.StatusServiceUnavailable, a.StatusCode, a.body)
	assert.Equal(t, "NOT_IMPLEMENTED", a.failure(t)["code"])
}

// Every step goes to a process that can do it, whoever else is idle.
func TestWorkGoesToWhoCanDoIt(t *testing.T) {
	t.Parallel()
	s := startAPI(t)
	s.Engine.SetTracks() // all must be recognized
	s.startWorker(t, mute)
	s.startWorker(t, speaking("anna", "de"))
	s.startWorker(t, speaking("bob", "en"))
	s.startWorker(t, func(e *engine.Engine) { *e = engine.Engine{} })
	require.Eventually(t, func() bool { // until all are known
		a := s.postForm(t, []part{field("language", "xx"), file("?")})
		known, _ := a.failure(t)["details"].(map[string]any)["known"].([]any)
		return len(known) == 2
	}, time.Minute, 50*time.Millisecond)
	jobs := map[string]string{}
	for _, list := range []string{"asr-de", "asr-en"} {
		for _, clip := range []string{"AAAAAAAAAAA", "BBBBBBBBBBB", "CCCCCCCCCCC"} {
			a := s.postJSON(t, `{"url":"`+clip+`","language":"`+list+`","waitMs":0}`)
			require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
			jobs[a.object(t)["jobId"].(string)] = list
		}
	}
	by := map[string]string{"asr-de": "hello world by anna", "asr-en": "hello world by bob"}
	for id, list := range jobs {
		job := s.ended(t, id)
		require.Equal(t, "success", job["status"], job)
		segments := job["transcript"].(map[string]any)["segments"].([]any)
		assert.Equal(t, by[list], segments[0].(map[string]any)["text"])
		assert.Equal(t, 1.0, job["attempt"])
	}
}

// Without workers jobs are accepted and wait; what must be asked at once is refused
// at once.
func TestNoWorkers(t *testing.T) {
	t.Parallel()
	s := startAPI(t)
	ready := s.get(t, "/readyz")
	require.Equal(t, http.StatusOK, ready.StatusCode)
	assert.Equal(t, map[string]any{
		"status": "degraded", "checks": map[string]any{"store": "ok", "disk": "ok", "blobs": "ok", "workers": noWorkers},
	}, ready.object(t))
	for _, a := range []*answer{s.captions(t, ""), s.info(t, video)} {
		require.Equal(t, http.StatusServiceUnavailable, a.StatusCode, a.body)
		assert.Equal(t, "SERVICE_UNAVAILABLE", a.failure(t)["code"])
		assert.Equal(t, "5", a.Header.Get("Retry-After"))
	}
	upload, link := s.job(t, "an upload"), s.postJSON(t, `{"url":"`+video+`","waitMs":0}`)
	require.Equal(t, http.StatusAccepted, link.StatusCode, link.body)

	stop := s.startWorker(t)
	for _, id := range []string{upload, link.object(t)["jobId"].(string)} {
		assert.Equal(t, "success", s.ended(t, id)["status"])
	}
	require.Eventually(t, func() bool { return s.get(t, "/readyz").object(t)["status"] == "ready" }, time.Minute, 50*time.Millisecond)
	stop()
	require.Eventually(t, func() bool { return s.get(t, "/readyz").object(t)["status"] == "degraded" }, time.Minute, 50*time.Millisecond)
	assert.Equal(t, http.StatusOK, s.captions(t, "").StatusCode, "what is known needs no worker")
}

// Equal questions at the same time are asked once, whichever process they came to.
func TestEqualQuestionsAreAskedOnce(t *testing.T) {
	t.Parallel()
	s := startAPI(t)
	s.startWorker(t)
	release := s.Engine.HoldCaptions()
	answers := make(chan *answer, 5)
	for range cap(answers) {
		go func() {
			a, err := s.send(t, http.MethodGet, "/v1/video_site/captions?videoId="+video, nil)
			assert.NoError(t, err)
			answers <- a
		}()
	}
	require.Eventually(t, func() bool { return s.Engine.CaptionReads(transcript.VideoSite) > 0 }, time.Minute, time.Millisecond)
	released := time.Now()
	release()
	for range cap(answers) {
		assert.Equal(t, http.StatusOK, (<-answers).StatusCode)
	}
	// A request that comes late on a busy machine may find the question answered, and ask again.
	var asked int
	require.NoError(t, storetest.SQL(t, s.options).QueryRowContext(t.Context(),
		`SELECT count(*) FROM lookups WHERE asked_at < $1`, released).Scan(&asked))
	assert.Equal(t, 1, asked, "questions while the first one was under way")
	assert.Less(t, s.Engine.CaptionReads(transcript.VideoSite), cap(answers))
}

// A worker that stops in the middle of a question leaves it to the next one.
func TestWorkerStopsWhileItAsks(t *testing.T) {
	t.Parallel()
	s := startAPI(t)
	stop := s.startWorker(t)
	release := s.Engine.HoldCaptions()
	defer release()
	answered := make(chan *answer, 1)
	go func() {
		a, err := s.send(t, http.MethodGet, "/v1/video_site/captions?videoId="+video, nil)
		assert.NoError(t, err)
		answered <- a
	}()
	require.Eventually(t, func() bool { return s.Engine.CaptionReads(transcript.VideoSite) > 0 }, time.Minute, time.Millisecond)
	s.startWorker(t)
	stop()
	release()
	a := <-answered
	assert.Equal(t, http.StatusOK, a.StatusCode, a.body)
}

// A question of a worker that is taken for dead is asked by another one.
func TestWorkerDiesWhileItAsks(t *testing.T) {
	t.Parallel()
	s := startAPI(t, func(c *server.Config) { server.SettingsOf(c).LookupBudget = time.Minute })
	s.startWorker(t)
	release := s.Engine.HoldCaptions()
	defer release()
	answered := make(chan *answer, 1)
	go func() {
		a, err := s.send(t, http.MethodGet, "/v1/transcript/info?url="+video, nil)
		assert.NoError(t, err)
		answered <- a
	}()
	reads := func(n int) func() bool {
		return func() bool { return s.Engine.CaptionReads(transcript.VideoSite) >= n }
	}
	require.Eventually(t, reads(1), time.Minute, time.Millisecond)
	_, err := storetest.SQL(t, s.options).ExecContext(t.Context(), `DELETE FROM processes`)
	require.NoError(t, err)
	s.startWorker(t)
	require.Eventually(t, reads(2), time.Minute, time.Millisecond)
	release()
	a := <-answered
	assert.Equal(t, http.StatusOK, a.StatusCode, a.body)
	require.Eventually(t, func() bool { return storetest.Count(t, s.options, "lookups WHERE ended_at IS NULL") == 0 }, time.Minute, 10*time.Millisecond)
}

// A process of a version before says nothing, and may be able to do anything; what a
// newer one says is read as far as it is known. One that has been silent for long is
// none.
func TestWorkersOfOtherVersions(t *testing.T) {
	t.Parallel()
	s := startAPI(t)
	db := storetest.SQL(t, s.options)
	says := func(abilities any, beat string) {
		_, err := db.ExecContext(t.Context(), `DELETE FROM processes`)
		require.NoError(t, err)
		_, err = db.ExecContext(t.Context(), `INSERT INTO processes (id, beats, beat_at, abilities) VALUES ('p', 1, `+beat+`, $1)`, abilities)
		require.NoError(t, err)
	}
	checks := func(want map[string]any) {
		t.Helper()
		require.Eventually(t, func() bool {
			return assert.ObjectsAreEqual(want, s.get(t, "/readyz").object(t)["checks"])
		}, time.Minute, 50*time.Millisecond)
	}
	says(nil, "CURRENT_TIMESTAMP + interval '1 hour'") // it goes on beating
	checks(map[string]any{"store": "ok", "disk": "ok", "blobs": "ok", "workers": "ok", "captions": "ok", "discovery": "ok", "audio": "ok", "media": "ok", "asr": "ok"})
	a := s.postForm(t, []part{field("waitMs", "0"), field("language", "xx"), file("who knows?")})
	assert.Equal(t, http.StatusAccepted, a.StatusCode, a.body)

	says(`{"captions":["video_site","hologram_site"],"media":true,"recognizer":{"name":"n","languages":["de"],"mood":"good"},"smell":1}`,
		"CURRENT_TIMESTAMP + interval '1 hour'")
	checks(map[string]any{"store": "ok", "disk": "ok", "blobs": "ok", "workers": "ok", "captions": "ok", "discovery": noEngine, "audio": noEngine, "media": "ok", "asr": "ok"})
	a = s.postForm(t, []part{field("waitMs", "0"), field("language", "xx"), file("nobody")})
	require.Equal(t, http.StatusServiceUnavailable, a.StatusCode, a.body)
	assert.Equal(t, []any{"de"}, a.failure(t)["details"].(map[string]any)["known"])

	says(nil, "CURRENT_TIMESTAMP - interval '31 seconds'")
	checks(map[string]any{"store": "ok", "disk": "ok", "blobs": "ok", "workers": noWorkers})
}
