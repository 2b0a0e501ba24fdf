package e2e_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/library/webhook"
	"github.com/transcriptkit/transcriptkit/server/internal/delivery"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// quickWebhooks delivers by the clock of quickFollows.
func quickWebhooks(clock string) delivery.Times {
	return delivery.Times{Look: 200 * time.Millisecond, Timeout: 5 * time.Second, Window: time.Millisecond, Now: quickFollows(clock).Now}
}

// hooked is the server of an account. Each path is a receiver, which behaves as its name says.
type hooked struct {
	*httptest.Server
	private string      // where the redirects lead
	down    atomic.Bool // the receiver "down" is away

	mu  sync.Mutex
	ids map[string]map[string]int // how often each job and batch was told, by the path
	of  map[string]string         // the id of the event for each webhook-id
	bad []string
}

func newHooked(t *testing.T) *hooked {
	t.Helper()
	h := &hooked{ids: map[string]map[string]int{}, of: map[string]string{}}
	h.Server = httptest.NewServer(h)
	t.Cleanup(h.CloseClientConnections) // before Close, which waits for them
	t.Cleanup(h.Close)
	h.down.Store(true)
	return h
}

func (h *hooked) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the service was killed
	}
	switch path := r.URL.Path; path {
	case "/down":
		if h.down.Load() {
			panic(http.ErrAbortHandler)
		}
	case "/refusing":
		w.WriteHeader(http.StatusForbidden)
		return
	case "/redirecting":
		http.Redirect(w, r, h.private, http.StatusTemporaryRedirect)
		return
	case "/silent":
		<-r.Context().Done()
		return
	case "/slow":
		<-time.After(50 * time.Millisecond)
	}
	h.note(r, body)
}

// note keeps what a receiver has accepted.
func (h *hooked) note(r *http.Request, body []byte) {
	var e webhook.Event
	err := json.Unmarshal(body, &e)
	if e.Type == webhook.Test { // which the service sends by itself
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	subject, id := e.Data.JobID+e.Data.BatchID, r.Header.Get("Webhook-Id")
	if known := h.of[id]; err != nil || subject == "" || id == "" || known != "" && known != subject {
		h.bad = append(h.bad, id+" "+string(body))
	}
	h.of[id] = subject
	if h.ids[r.URL.Path] == nil {
		h.ids[r.URL.Path] = map[string]int{}
	}
	h.ids[r.URL.Path][subject]++
}

// missing are those of the ids that a receiver has not accepted.
func (h *hooked) missing(path string, ids []string) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range ids {
		if h.ids[path][id] == 0 {
			n++
		}
	}
	return n
}

// TestWebhooksAcrossKills is the small form of TestSoakWebhooks.
func TestWebhooksAcrossKills(t *testing.T) {
	full(t)
	t.Parallel()
	webhooksAcrossKills(t, storetest.SQLite(t).Database, 60, 3)
}

var soakEnds = flag.Int("ends", 10_000, "how many jobs end in TestSoakWebhooks; it kills the service once for each hundred")

// TestSoakWebhooks ends 10,000 jobs of batches while it kills the service 100 times with kill -9. The
// receivers are up, slow, down for a day, silent, refusing, redirecting, and on private addresses. Each
// receiver that is up in the end is told of each end, and no private address gets a request.
func TestSoakWebhooks(t *testing.T) {
	soak(t)
	storetest.Each(t, func(t *testing.T, o store.Options) { webhooksAcrossKills(t, o.Database, *soakEnds, *soakEnds/100) })
}

func webhooksAcrossKills(t *testing.T, database string, ends, kills int) {
	t.Helper()
	began := time.Now()
	h := newHooked(t)
	var reached atomic.Int32
	private := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(private.Close)
	h.private = private.URL
	s := newPlace(t, database)
	s.reads, s.allow, s.every = "1ms", strings.TrimPrefix(h.URL, "http://"), time.Minute
	s.follows = filepath.Join(t.TempDir(), "clock")
	jump := func(off time.Duration) {
		t.Helper()
		next := s.follows + ".next"
		require.NoError(t, os.WriteFile(next, strconv.AppendInt(nil, int64(off/time.Second), 10), 0o600))
		require.NoError(t, os.Rename(next, s.follows))
	}
	jump(0)
	s.plans = filepath.Join(t.TempDir(), "plans.json")
	require.NoError(t, os.WriteFile(s.plans, []byte(`{"defaultPlan": "self_hosted", "plans": {"self_hosted": {"paid": true, "rateLimit": null,
		"transcriptsPerPeriod": null, "asrMinutesPerPeriod": null, "asrConcurrency": null, "asrWaiting": null, "maxDurationSec": null,
		"maxUploadBytes": null, "batchItems": null, "follows": null, "followItemsPerDay": null, "cacheTtlSec": null, "eventStreams": null}}}`), 0o600))
	key := s.makeKey(t)
	rows := beside{storetest.SQL(t, store.Options{Database: database})}
	addr := freeAddr(t)
	running := s.spawn(t, addr)
	c := newClient(t, running.url, key)

	receivers := []string{"/up", "/slow", "/down", "/silent", "/refusing", "/redirecting"}
	for _, path := range receivers {
		_, err := c.Webhooks.Create(t.Context(), webhook.Params{URL: h.URL + path})
		require.NoError(t, err)
	}
	_, err := c.Webhooks.Create(t.Context(), webhook.Params{URL: private.URL})
	require.ErrorContains(t, err, "public address")
	_, err = c.Webhooks.Create(t.Context(), webhook.Params{URL: "http://localhost/named"})
	require.NoError(t, err)
	moved, err := c.Webhooks.Create(t.Context(), webhook.Params{URL: h.URL + "/moved"})
	require.NoError(t, err)
	// As when a name leads to another address later.
	_, err = rows.ExecContext(t.Context(), "UPDATE webhook_endpoints SET url = '"+private.URL+"' WHERE id = '"+moved.Webhook.ID+"'")
	require.NoError(t, err)

	const inBatch = 500
	made := 0
	for n := range kills {
		for made < ends && made*kills <= n*ends {
			var links []string
			for ; len(links) < inBatch && made < ends; made++ {
				links = append(links, fmt.Sprintf("https://youtu.be/tell%07d", made))
			}
			_, err = c.Batches.Create(t.Context(), client.BatchParams{URLs: links})
			require.NoError(t, err)
		}
		<-time.After(200*time.Millisecond + rand.N(600*time.Millisecond)) // the work goes on meanwhile
		running.kill()
		running = s.spawn(t, addr)
	}
	batches := (ends + inBatch - 1) / inBatch
	rows.await(t, "SELECT count(*) FROM jobs WHERE status = 'success'", ends)
	rows.await(t, "SELECT count(*) FROM batches WHERE status = 'completed'", batches)
	ended := time.Since(began)
	ids := rows.texts(t, "SELECT id FROM jobs UNION ALL SELECT id FROM batches")
	require.Len(t, ids, ends+batches)
	told := func(path string) {
		t.Helper()
		require.Eventually(t, func() bool { return h.missing(path, ids) == 0 }, 15*time.Minute, 100*time.Millisecond, "%s: %d are missing", path, h.missing(path, ids))
	}
	told("/up")
	told("/slow")
	settled := time.Since(began)
	assert.Equal(t, len(ids), h.missing("/down", ids))
	for hour := time.Hour; hour <= 24*time.Hour; hour += 6 * time.Hour {
		jump(hour)
		<-time.After(500 * time.Millisecond) // attempts that fail
	}
	h.down.Store(false)
	jump(25 * time.Hour)
	told("/down")

	rows.await(t, "SELECT count(*) FROM webhook_deliveries WHERE type <> 'test'", len(ids)*(len(receivers)+2))
	pending := "SELECT count(*) FROM webhook_deliveries AS d JOIN webhook_endpoints AS w ON w.id = d.endpoint_id WHERE d.status = 'pending' AND w.url LIKE '%"
	for _, path := range []string{"/up", "/slow", "/down"} {
		rows.await(t, pending+path+"'", 0)
	}
	assert.Zero(t, reached.Load(), "requests to a private address")
	h.mu.Lock()
	defer h.mu.Unlock()
	assert.Empty(t, h.bad)
	requests := 0
	for _, path := range []string{"/up", "/slow", "/down"} {
		for _, n := range h.ids[path] {
			requests += n
		}
	}
	t.Logf("%d ends, %d kills: ended after %v, told who was up after %v, and who was down a day after %v; %d deliveries to 3 receivers in %d requests",
		len(ids), kills, ended.Round(time.Second), settled.Round(time.Second), time.Since(began).Round(time.Second), 3*len(ids), requests)
}

// texts are the answers of the database to a question.
func (b beside) texts(t *testing.T, query string) (all []string) {
	t.Helper()
	found, err := b.QueryContext(t.Context(), query)
	require.NoError(t, err)
	defer found.Close()
	for found.Next() {
		var text string
		require.NoError(t, found.Scan(&text))
		all = append(all, text)
	}
	require.NoError(t, found.Err())
	return all
}
