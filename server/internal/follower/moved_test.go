package follower_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/library/follow"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/follower"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// mover is a publisher that has a feed at each path, unless a test redirects the path.
type mover struct {
	*httptest.Server
	mu    sync.Mutex
	ways  map[string]way // by path
	asked []string
}

type way struct {
	status int
	to     string
}

func newMover(t *testing.T) *mover {
	t.Helper()
	m := &mover{ways: map[string]way{}}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

func (m *mover) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, r.URL.Path)
	if way, ok := m.ways[r.URL.Path]; ok {
		w.Header().Set("Location", way.to)
		w.WriteHeader(way.status)
		return
	}
	if r.Header.Get("If-None-Match") != "" {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("ETag", `"1"`)
	fmt.Fprint(w, `<feed xmlns="http://www.w3.org/2005/Atom"><title>Talks</title><entry><id>1</id></entry></feed>`)
}

// turn changes where a path leads.
func (m *mover) turn(path string, status int, to string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ways[path] = way{status, to}
}

// first is the path that a look asks for first.
func (m *mover) first(t *testing.T, look func()) string {
	t.Helper()
	m.mu.Lock()
	m.asked = nil
	m.mu.Unlock()
	look()
	m.mu.Lock()
	defer m.mu.Unlock()
	require.NotEmpty(t, m.asked)
	return m.asked[0]
}

// looks are follows, and looks at them.
type looks struct {
	*follower.Follows
	db    *db.Store
	later time.Duration
}

// newLooks makes follows that ask publishers by a client.
func newLooks(s *db.Store, log io.Writer, client func() *http.Client) *looks {
	l := &looks{db: s}
	l.Follows = follower.New(follower.Config{
		Store: s, Cluster: cluster.New(cluster.Config{}), Sites: site.Default(), Log: slog.New(slog.NewTextHandler(log, nil)),
		Client: client, Trace: func(context.Context) string { return "" },
		Times: follower.Times{Now: func(ctx context.Context) (time.Time, error) {
			now, err := s.Now(ctx)
			return now.Add(l.later), err
		}},
	})
	return l
}

// guarded makes follows that reach only the address of a publisher.
func guarded(t *testing.T, s *db.Store, m *mover) *looks {
	t.Helper()
	guard, err := egress.New(egress.Config{Allow: []string{m.Listener.Addr().String()}, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, guard.Close()) })
	return newLooks(s, io.Discard, guard.Client)
}

func (l *looks) follow(t *testing.T, address string) (id string) {
	t.Helper()
	made, err := l.Create(t.Context(), follower.Request{Account: "acme", Plan: account.WithoutLimits("p"), Wants: []follower.Want{{Kind: follow.Feed, URL: address}}})
	require.NoError(t, err)
	return made[0].Follow.ID
}

// look makes a look at each source, a day after the look before.
func (l *looks) look(t *testing.T) {
	t.Helper()
	require.NoError(t, l.Work(t.Context(), queue.Row{}, follower.Step{}))
	var turns []follower.Step
	require.NoError(t, l.db.SQL().Reader().NewRaw("SELECT account, slow, step AS number FROM follow_lines").Scan(t.Context(), &turns))
	for _, step := range turns {
		require.NoError(t, l.Work(t.Context(), queue.Row{}, step))
	}
	l.later += 25 * time.Hour
}

// TestFeedThatMoves redirects a feed. The fourth look begins at the new address if the three looks
// before were led there for good.
func TestFeedThatMoves(t *testing.T) {
	t.Parallel()
	long := "/to/" + strings.Repeat("x", 2<<10)
	for name, test := range map[string]struct {
		ways  [3]map[string]way // before each of three looks
		first string            // the path that the fourth look asks for first
		taken string            // a path that is followed by itself
	}{
		"301":                        {ways: [3]map[string]way{{"/": {301, "/to/new"}}}, first: "/to/new"},
		"308":                        {ways: [3]map[string]way{{"/": {308, "/to/new#part"}}}, first: "/to/new"},
		"two hops":                   {ways: [3]map[string]way{{"/": {301, "/b"}, "/b": {308, "/to/new"}}}, first: "/to/new"},
		"302":                        {ways: [3]map[string]way{{"/": {302, "/to/new"}}}, first: "/"},
		"307 and 301":                {ways: [3]map[string]way{{"/": {307, "/b"}, "/b": {301, "/to/new"}}}, first: "/"},
		"301 and 302":                {ways: [3]map[string]way{{"/": {301, "/b"}, "/b": {302, "/to/new"}}}, first: "/b"},
		"301, 303 and 301":           {ways: [3]map[string]way{{"/": {301, "/b"}, "/b": {303, "/c"}, "/c": {301, "/to/new"}}}, first: "/b"},
		"twice only":                 {ways: [3]map[string]way{{}, {"/": {301, "/to/new"}}}, first: "/"},
		"a temporary one between":    {ways: [3]map[string]way{{"/": {301, "/to/new"}}, {"/": {302, "/to/new"}}, {"/": {301, "/to/new"}}}, first: "/"},
		"another address between":    {ways: [3]map[string]way{{"/": {301, "/to/new"}}, {"/": {301, "/to/other"}}, {"/": {301, "/to/new"}}}, first: "/"},
		"a failed look between":      {ways: [3]map[string]way{{"/": {301, "/to/new"}}, {"/": {500, ""}}, {"/": {301, "/to/new"}}}, first: "/"},
		"a private address":          {ways: [3]map[string]way{{"/": {301, "http://127.0.0.1:9/"}}}, first: "/"},
		"a long address":             {ways: [3]map[string]way{{"/": {301, long}}}, first: "/"},
		"a feed with its own follow": {ways: [3]map[string]way{{"/": {301, "/to/taken"}}}, first: "/", taken: "/to/taken"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dbtest.Each(t, func(t *testing.T, s *db.Store) {
				m := newMover(t)
				l := guarded(t, s, m)
				id := l.follow(t, m.URL+"/")
				if test.taken != "" { // paused, so that it has no looks
					_, err := l.Pause(t.Context(), "acme", account.WithoutLimits("p"), l.follow(t, m.URL+test.taken), true)
					require.NoError(t, err)
				}
				for _, ways := range test.ways {
					for path, way := range ways {
						m.turn(path, way.status, way.to)
					}
					require.Equal(t, "/", m.first(t, func() { l.look(t) }), "the looks before begin at the given address")
				}
				assert.Equal(t, test.first, m.first(t, func() { l.look(t) }))
				f, err := l.Get(t.Context(), "acme", id)
				require.NoError(t, err)
				assert.Equal(t, m.URL+"/", f.URL, "the account sees what it gave")
			})
		})
	}
}

// TestFeedThatMovesBack has a feed that is gone from where it moved: the looks begin at the given
// address again.
func TestFeedThatMovesBack(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, s *db.Store) {
		m := newMover(t)
		l := guarded(t, s, m)
		l.follow(t, m.URL+"/")
		m.turn("/", 301, "/to/new")
		for range 3 {
			l.look(t)
		}
		m.turn("/to/new", 404, "")
		require.Equal(t, "/to/new", m.first(t, func() { l.look(t) }))
		assert.Equal(t, "/", m.first(t, func() { l.look(t) }))
	})
}

// TestFeedThatMovesToPlainHTTP redirects a feed from https to http, which is never learnt.
func TestFeedThatMovesToPlainHTTP(t *testing.T) {
	t.Parallel()
	m, secure := newMover(t), &mover{ways: map[string]way{}}
	secure.Server = httptest.NewTLSServer(secure)
	t.Cleanup(secure.Close)
	l := newLooks(dbtest.Open(t, dbtest.SQLite(t)), io.Discard, secure.Client)
	l.follow(t, secure.URL+"/")
	secure.turn("/", 301, "/b")
	secure.turn("/b", 301, m.URL+"/to/new")
	for range 3 {
		l.look(t)
	}
	assert.Equal(t, "/b", secure.first(t, func() { l.look(t) }))
}
