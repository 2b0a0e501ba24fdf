package server_test

import (
	"context"
	"database/sql"
	"maps"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// startOn is start on a database of the test's choice.
func startOn(t *testing.T, o store.Options, change ...func(*server.Config)) *service {
	t.Helper()
	s := &service{log: new(logBuffer)}
	s.Server = servertest.New(t,
		servertest.ConfigureStore(func(c *store.Options) { *c = o }),
		servertest.Configure(func(c *server.Config) {
			c.Sites = sites(t)
			for _, f := range change {
				f(c)
			}
		}))
	s.http = httpClient(t, s.URL)
	return s
}

// impatient is the service for requests that wait for the database for a moment.
func (s *service) impatient(t *testing.T) *service {
	t.Helper()
	return s.by(t, func(r *http.Request) *http.Request {
		return r.WithContext(db.Patient(r.Context(), 100*time.Millisecond))
	})
}

// soon is what an answer takes at most while the database is away, also on a busy
// machine. A connection that is silent would take many minutes.
const soon = 3 * time.Minute

// everyRoute sends a request to every route that asks the database, all at once,
// but for the one to skip.
func (s *service) everyRoute(t *testing.T, id, skip string, check func(name string, a *answer, took time.Duration)) {
	t.Helper()
	body, contentType := form(t, field("waitMs", "0"), file("more"))
	var all sync.WaitGroup
	for name, send := range map[string]func() (*answer, error){
		"read":   func() (*answer, error) { return s.send(t, "GET", "/v1/transcript/job/"+id, nil) },
		"stream": func() (*answer, error) { return s.send(t, "GET", "/v1/transcript/job/"+id+"/events", nil) },
		"info": func() (*answer, error) {
			return s.send(t, "GET", "/v1/transcript/info?platform=video_site&externalId=aaaaaaaaaaa", nil)
		},
		"captions": func() (*answer, error) { return s.send(t, "GET", "/v1/video_site/captions?videoId=aaaaaaaaaaa", nil) },
		"usage":    func() (*answer, error) { return s.send(t, "GET", "/v1/usage", nil) },
		"cancel":   func() (*answer, error) { return s.send(t, "POST", "/v1/transcript/job/"+id+"/cancel", nil) },
		"link": func() (*answer, error) {
			return s.send(t, "POST", "/v1/transcript", strings.NewReader(`{"url":"https://video.example/watch?v=aaaaaaaaaaa","waitMs":0}`),
				header("Content-Type", "application/json"), header("Idempotency-Key", "k"))
		},
		"upload": func() (*answer, error) {
			return s.send(t, "POST", "/v1/transcript", strings.NewReader(string(body)), header("Content-Type", contentType))
		},
	} {
		if name == skip {
			continue
		}
		all.Go(func() {
			began := time.Now()
			a, err := send()
			if assert.NoError(t, err, name) {
				check(name, a, time.Since(began))
			}
		})
	}
	all.Wait()
}

func (s *service) requireUnavailable(t *testing.T, id string) {
	t.Helper()
	s.everyRoute(t, id, "", func(name string, a *answer, took time.Duration) {
		assert.Equal(t, http.StatusServiceUnavailable, a.StatusCode, "%s: %s", name, a.body)
		assert.Contains(t, a.body, `"code":"SERVICE_UNAVAILABLE"`, name)
		assert.Equal(t, "2", a.Header.Get("Retry-After"), name)
		assert.Less(t, took, soon, name)
	})
	s.walkUnavailable(t)
	began := time.Now()
	ready := s.get(t, "/readyz")
	assert.Less(t, time.Since(began), soon)
	assert.Equal(t, http.StatusServiceUnavailable, ready.StatusCode, ready.body)
	assert.Equal(t, "unavailable: see to it that the database runs, and that it can be reached and written to", ready.object(t)["checks"].(map[string]any)["store"])
	assert.Equal(t, http.StatusOK, s.get(t, "/healthz").StatusCode)
}

// walkUnavailable asks every route that needs a credential, all at once.
func (s *service) walkUnavailable(t *testing.T) {
	t.Helper()
	var all sync.WaitGroup
	for _, rt := range server.Routes(s.Server.Server) {
		if scopeOf(t, rt.Pattern) == open {
			continue
		}
		thing, _ := thingOf(t, rt)
		with := asks[rt.Operation]
		all.Go(func() {
			a, err := s.send(t, rt.Method, pathOf(rt, thing.unknown)+with.query, strings.NewReader(with.body),
				header("Content-Type", with.contentType), func(r *http.Request) { maps.Copy(r.Header, with.header) })
			if assert.NoError(t, err, rt.Operation) {
				assert.Equal(t, http.StatusServiceUnavailable, a.StatusCode, "%s: %s", rt.Operation, a.body)
				if rt.Method != http.MethodHead { // which has no body
					assert.Contains(t, a.body, `"code":"SERVICE_UNAVAILABLE"`, rt.Operation)
				}
			}
		})
	}
	all.Wait()
}

func TestDatabaseIsAway(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]func(*storetest.Line){"gone": (*storetest.Line).Cut, "silent": (*storetest.Line).Silence} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			line, o := storetest.Behind(t, storetest.Postgres(t))
			s := startOn(t, o)
			id, release := s.heldJob(t, "talk")
			away(line)
			s.impatient(t).requireUnavailable(t, id)
			release() // a result, and nowhere to write it
			line.Mend()
			require.Eventually(t, func() bool { return s.get(t, "/readyz").StatusCode == http.StatusOK }, time.Minute, 50*time.Millisecond)
			assert.Equal(t, "success", s.ended(t, id)["status"])
			assert.Eventually(t, func() bool {
				return s.postJSON(t, `{"url":"https://video.example/watch?v=aaaaaaaaaaa","waitMs":0}`,
					header("Idempotency-Key", "k")).StatusCode == http.StatusAccepted
			}, time.Minute, 100*time.Millisecond, "the key of a refused request is free")
		})
	}
}

// A request whose job was written before the database left is that job's, once the
// database is back.
func TestDatabaseLeavesDuringTheWait(t *testing.T) {
	t.Parallel()
	line, o := storetest.Behind(t, storetest.Postgres(t))
	// The wait ends when the database has left, however slow the machine is.
	left, leave := context.WithCancel(t.Context())
	s := startOn(t, o, func(c *server.Config) {
		server.SettingsOf(c).Timeout = func(ctx context.Context, _ time.Duration) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			context.AfterFunc(left, cancel)
			return ctx, cancel
		}
	})
	release := s.Engine.Hold()
	defer release()
	parts, key := []part{field("waitMs", "10000"), file("a")}, header("Idempotency-Key", "k")
	answered := s.inBackground(t, parts, key)
	id := s.acceptedJob(t, "a")
	line.Cut()
	leave()
	first := <-answered
	require.NotNil(t, first)
	require.Equal(t, http.StatusServiceUnavailable, first.StatusCode, first.body)
	line.Mend()
	require.Eventually(t, func() bool {
		again := s.postForm(t, parts, key)
		return again.StatusCode == http.StatusAccepted && again.Header.Get("Idempotency-Replayed") == "true" &&
			again.object(t)["jobId"] == id
	}, time.Minute, 100*time.Millisecond)
}

// A backup program that locks the file, for one: what is stored is still read.
func TestSQLiteIsLocked(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, release := s.heldJob(t, "talk")
	defer release()
	unlock := s.lockDatabase(t)
	s.impatient(t).everyRoute(t, id, "stream", func(name string, a *answer, took time.Duration) { // which reads, and stays
		assert.Less(t, took, soon, name)
		if name == "link" || name == "upload" || name == "cancel" {
			assert.Equal(t, http.StatusServiceUnavailable, a.StatusCode, "%s: %s", name, a.body)
			assert.Equal(t, "2", a.Header.Get("Retry-After"), name)
		}
	})
	ready := s.get(t, "/readyz")
	assert.Equal(t, http.StatusServiceUnavailable, ready.StatusCode, "no work is taken: %s", ready.body)
	unlock()
	assert.Equal(t, http.StatusOK, s.get(t, "/readyz").StatusCode)
	release()
	assert.Equal(t, "success", s.ended(t, id)["status"])
}

// lockDatabase holds the SQLite file as another program does that writes to it.
func (s *service) lockDatabase(t *testing.T) (unlock func()) {
	t.Helper()
	other, err := sql.Open("sqlite", filepath.Join(s.dir, "test.db"))
	require.NoError(t, err)
	other.SetMaxOpenConns(1)
	_, err = other.Exec("PRAGMA busy_timeout = 60000") // a transaction of the service may be under way
	require.NoError(t, err)
	_, err = other.Exec("BEGIN EXCLUSIVE")
	require.NoError(t, err)
	unlock = sync.OnceFunc(func() {
		_, err := other.Exec("ROLLBACK")
		assert.NoError(t, err)
		assert.NoError(t, other.Close())
	})
	t.Cleanup(unlock)
	return unlock
}
