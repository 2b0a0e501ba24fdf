package server_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/follower"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// TestSoakRemoval removes accounts while their clients ask for everything, and while another account
// shares their links. On PostgreSQL two processes serve the clients.
func TestSoakRemoval(t *testing.T) {
	if !*soakFlag {
		t.Skip("takes minutes: make soak")
	}
	storetest.Each(t, func(t *testing.T, o store.Options) { removeUnderLoad(t, o, 9) }) // each adds one of at most 10 webhooks to the account that stays
}

func removeUnderLoad(t *testing.T, o store.Options, accounts int) {
	w := newTown(t, o)
	for n := range accounts {
		w.remove(t, fmt.Sprintf("leaver-%d", n))
		require.False(t, t.Failed(), "account %d", n)
	}
	t.Logf("%d accounts removed: %d answers to them, %d of these refusals; %d rows were written after a removal, %d answers to the account that stays",
		accounts, w.answers.Load(), w.refusals.Load(), w.late, w.stayed.Load())
}

// town is a service with an account that stays, while other accounts are removed.
type town struct {
	options  store.Options
	services []*service            // processes on one database
	plain    map[*service]*service // the same, for requests that the API's document does not have
	receiver *hookReceiver
	feed     *publisher
	number   atomic.Int64 // each link and recording has another one
	shared   atomic.Int64 // the number of the link that the account which stays has asked for last

	answers, refusals, stayed atomic.Int64
	late                      int
}

func newTown(t *testing.T, o store.Options) *town {
	w := &town{options: o, plain: map[*service]*service{}, receiver: newHookReceiver(t), feed: newPublisher(t, "aaaaaaaaaa1")}
	dir, processes := t.TempDir(), 1
	if storetest.IsPostgres(o) {
		processes = 2
	}
	for range processes {
		s := startIn(t, o, dir, func(c *server.Config) {
			c.Egress.Allow = []string{w.receiver.address, w.feed.address}
			server.SettingsOf(c).Follows = follower.Times{Step: 20 * time.Millisecond, Every: 50 * time.Millisecond, Wait: 50 * time.Millisecond, FailAfter: time.Hour}
		})
		s.Engine.SetTracks(servertest.Track{Lang: "en", Name: "English", Text: "Everybody says this."})
		w.services, w.plain[s] = append(w.services, s), s.plain(t)
	}
	return w
}

// remove removes an account with a name under load, and looks for what is left.
func (w *town) remove(t *testing.T, name string) {
	s := w.services[0]
	key := s.NewKey(t, name)
	leaving := &load{town: w, key: key, name: name}
	home := &stayer{load: &load{town: w, key: s.Key, name: servertest.Account, stays: true}}
	w.feed.publish(fmt.Sprintf("f%010d", w.number.Add(1)))
	home.start(t, map[string]errand{"the account that stays": home.visit})
	leaving.start(t, errands)
	leaving.warm(t)
	home.warm(t)

	var free []func()
	for _, s := range w.services { // so that work runs when the removal begins
		free = append(free, s.Engine.Hold(), s.Engine.HoldCaptions())
	}
	late := rand.IntN(2) == 0 // workers write their results after the removal
	w.awaitWork(t, name)
	leaving.begun.Store(true)
	if !late {
		release(free)
	}
	remover := w.services[rand.IntN(len(w.services))]
	_, err := remover.RemoveAccount(t.Context(), name)
	require.NoError(t, err)
	leaving.over.Store(new(time.Now()))
	release(free)
	leaving.running.Wait()
	home.end()
	w.settle(t)
	received := w.receiver.of(name)

	for _, rows := range storetest.Dump(t, w.options).With(name) {
		w.late += rows
	}
	w.late-- // the mark
	require.NoError(t, server.GoOnWithRemovals(t.Context(), s.Server.Server, time.Now()))
	w.nothingOf(t, leaving)
	home.hasEverything(t)
	w.settle(t)
	assert.Equal(t, received, w.receiver.of(name), "a webhook is called after the removal")
	w.again(t, name, key)
}

func release(free []func()) {
	for _, f := range free {
		f()
	}
}

// awaitWork waits until work of an account runs.
func (w *town) awaitWork(t *testing.T, name string) {
	t.Helper()
	require.Eventually(t, func() bool {
		return storetest.Count(t, w.options, "jobs WHERE ended_at IS NULL AND account = '"+name+"'") > 0
	}, time.Minute, 5*time.Millisecond)
}

// settle waits until nothing is at work, and holds the tables to their laws.
func (w *town) settle(t *testing.T) {
	t.Helper()
	var broken []string
	tables := storetest.SQL(t, w.options)
	if !assert.Eventually(t, func() (ended bool) {
		var err error
		broken, err = dbtest.Broken(t.Context(), tables, true)
		return err == nil && len(broken) == 0 && storetest.Count(t, w.options, "webhook_deliveries WHERE status = 'pending'") == 0 &&
			storetest.Count(t, w.options, "river_job WHERE state = 'running' AND kind <> 'follows'") == 0 // the processes look for news each 20 ms
	}, time.Minute, 20*time.Millisecond) {
		t.Log(broken, storetest.Query(t, w.options, "SELECT id, kind, state, args FROM river_job WHERE finalized_at IS NULL").Rows)
	}
}

// nothingOf looks for the name of a removed account, and for the ids of what it had, in all tables
// and in all files.
func (w *town) nothingOf(t *testing.T, gone *load) {
	t.Helper()
	all := storetest.Dump(t, w.options)
	assert.Equal(t, map[string]int{"removals": 1}, all.With(gone.name))
	shared := map[string]bool{}
	for _, id := range storetest.Query(t, w.options, "SELECT id FROM transcripts WHERE owner = ''").Rows {
		shared[id] = true
	}
	for name, table := range all {
		switch name {
		case "river_job": // steps that have ended stay there for an hour, with ids alone
		default:
			for _, row := range table.Rows {
				for _, id := range uuids.FindAllString(row, -1) {
					_, seen := gone.seen.Load(id)
					assert.False(t, seen && !shared[id], "%s has an id of %s: %s", name, gone.name, row)
				}
			}
		}
	}
	for _, path := range files(t, w.services[0].blobs) {
		assert.NotEmpty(t, all.With(filepath.Base(path)), "a file of no row")
	}
}

// again makes an account of the same name: no process remembers anything of the one before.
func (w *town) again(t *testing.T, name, before string) {
	t.Helper()
	key := w.services[0].NewKey(t, name)
	for _, s := range w.services {
		assert.Contains(t, []int{http.StatusUnauthorized, http.StatusTooManyRequests}, s.get(t, "/v1/usage", as(before)).StatusCode, "the key of the removed account")
		for path, list := range map[string]string{
			"/v1/library/transcripts": "transcripts", "/v1/library/search?q=everybody": "items", "/v1/batch": "batches", "/v1/follows": "follows", "/v1/webhooks": "webhooks",
		} {
			a := s.get(t, path, as(key))
			require.Equal(t, http.StatusOK, a.StatusCode, a.body)
			assert.Empty(t, a.object(t)[list], path)
		}
		assert.NotRegexp(t, `"used":[1-9]`, s.get(t, "/v1/usage", as(key)).body)
	}
}

// load is the clients of an account.
type load struct {
	town  *town
	name  string
	key   string
	stays bool

	running sync.WaitGroup
	askers  []*asker
	begun   atomic.Bool               // the removal has begun
	over    atomic.Pointer[time.Time] // when the removal ended
	stop    atomic.Bool               // of an account that stays
	seen    sync.Map                  // ids in the answers
}

// errand is what a client does again and again.
type errand func(v *asker)

// asker is a client that does an errand again and again.
type asker struct {
	*load
	t    *testing.T
	what string
	done atomic.Int64 // errands
}

func (l *load) start(t *testing.T, all map[string]errand) {
	for what, run := range all {
		v := &asker{load: l, t: t, what: what}
		l.askers = append(l.askers, v)
		l.running.Go(func() {
			for !l.stop.Load() && !t.Failed() {
				run(v)
				v.done.Add(1)
				<-time.After(10 * time.Millisecond) // so that no client takes the machine for itself
			}
		})
	}
}

// end ends the clients of an account that stays.
func (l *load) end() {
	l.stop.Store(true)
	l.running.Wait()
}

// warm waits until each client has done an errand.
func (l *load) warm(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool {
		return t.Failed() || !slices.ContainsFunc(l.askers, func(v *asker) bool { return v.done.Load() == 0 })
	}, time.Minute, 5*time.Millisecond)
}

// uuids are the ids of what the service has made.
var uuids = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// ask sends a request to one of the processes. It ends the goroutine of the client when the account is gone, as
// FailNow ends that of a test.
func (v *asker) ask(method, path, body string, changes ...change) *answer {
	s := v.town.services[rand.IntN(len(v.town.services))]
	if path == "/mcp" || strings.HasPrefix(path, "/v1/audio/") { // the API's document does not have it
		s = v.town.plain[s]
	}
	return v.judge(s, method, path, time.Now(), func() (*answer, error) {
		return s.send(v.t, method, path, strings.NewReader(body), append([]change{as(v.key)}, changes...)...)
	})
}

// judge holds an answer to what the account may expect.
func (v *asker) judge(s *service, method, path string, began time.Time, send func() (*answer, error)) *answer {
	a, err := send()
	busy := func() bool {
		return err == nil && a.StatusCode == http.StatusServiceUnavailable && a.Header.Get("Retry-After") != ""
	}
	for method != http.MethodPatch && busy() { // a busy machine: a client comes again
		<-time.After(50 * time.Millisecond)
		a, err = send()
	}
	if !assert.NoError(v.t, err, "%s %s", method, path) {
		runtime.Goexit()
	}
	what := fmt.Sprintf("%s: %s %s: %d %s", v.what, method, path, a.StatusCode, a.body)
	if v.stays {
		v.town.stayed.Add(1)
		if !assert.Less(v.t, a.StatusCode, 300, "%s\n%s", what, linesOf(s, a)) {
			runtime.Goexit()
		}
		return a
	}
	v.town.answers.Add(1)
	over := v.over.Load()
	gone := a.StatusCode == http.StatusUnauthorized || over != nil && a.StatusCode == http.StatusTooManyRequests // after many refusals
	switch {
	case a.StatusCode >= http.StatusInternalServerError && !busy() || strings.Contains(a.body, "INTERNAL"):
		assert.Fail(v.t, "a fault of the service", "%s\n%s", what, linesOf(s, a))
	case over != nil && began.After(over.Add(time.Second)) && !gone && (method != http.MethodGet || a.StatusCode != http.StatusNotFound): // a process remembers a key for a second
		assert.Fail(v.t, "the account is gone", what)
	case !v.begun.Load() && !busy() && a.StatusCode >= http.StatusBadRequest && a.StatusCode != http.StatusNotFound && a.StatusCode != http.StatusConflict:
		assert.Fail(v.t, "the account is there", what)
	}
	if a.StatusCode >= http.StatusBadRequest {
		v.town.refusals.Add(1)
		<-time.After(10 * time.Millisecond) // as a client that was refused does
	}
	if gone || v.t.Failed() {
		runtime.Goexit()
	}
	for _, id := range uuids.FindAllString(a.body+a.Header.Get("Location"), -1) {
		v.seen.Store(id, true)
	}
	return a
}

// linesOf are the lines of the log about an answer.
func linesOf(s *service, a *answer) string {
	var lines []string
	if s.log == nil {
		return ""
	}
	for line := range strings.Lines(s.log.String()) {
		if strings.Contains(line, a.Header.Get("X-Request-Id")) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// hookReceiver counts the calls of webhooks by account.
type hookReceiver struct {
	address string
	mu      sync.Mutex
	calls   map[string]int
}

func newHookReceiver(t *testing.T) *hookReceiver {
	r := &hookReceiver{calls: map[string]int{}}
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		_, _ = io.Copy(io.Discard, q.Body) // what does not arrive is sent again
		r.mu.Lock()
		defer r.mu.Unlock()
		r.calls[strings.TrimPrefix(q.URL.Path, "/")]++
	}))
	t.Cleanup(s.Close)
	r.address = s.Listener.Addr().String()
	return r
}

func (r *hookReceiver) of(account string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.calls[account]
}
