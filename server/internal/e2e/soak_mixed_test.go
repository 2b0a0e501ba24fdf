package e2e_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// mixedRate is what a machine is to bear that has nothing else to do.
var mixedRate = flag.Int("mixed-rate", 200, "requests a second of TestSoakMixed, at least 60")

// The mixed load, and the limits of two of its accounts.
const (
	mixedTime   = time.Minute
	thriftyMay  = 100 // requests in the window
	frugalMay   = 50  // transcripts in the period
	mixedPlans  = `{"defaultPlan": "wide", "plans": {"wide": %s, "thrifty": %s, "frugal": %s}}`
	mixedPlan   = `{"paid": true, "rateLimit": {"requests": %s, "windowSec": 86400}, "transcriptsPerPeriod": %s, "asrMinutesPerPeriod": null, "asrConcurrency": 4, "asrWaiting": 1000, "maxDurationSec": null, "maxUploadBytes": null, "batchItems": 500, "batchExport": true, "upload": true, "asr": true, "eventStreams": 100, "cacheTtlSec": 2592000}`
	warmVideos  = 50
	memorySlack = 48 << 20 // bytes that a process may grow by in the last two thirds
)

// TestSoakMixed puts 200 requests of all kinds a second to two processes that accept
// them for two workers, kills one of the workers, and restarts one that accepts: no
// request fails, limits are exact, nothing is lost, and no process grows.
func TestSoakMixed(t *testing.T) {
	soak(t)
	m := newMixed(t, "", "")
	m.warmUp(t)
	m.run(t)
	m.check(t)
}

// mixed is a load of requests of all kinds.
type mixed struct {
	place
	http     *http.Client
	programs []string // of the two processes of each part; "": this one
	front    *balancer
	apis     []*child
	addrs    []string
	workers  []*child
	keys     map[string]string // by account

	sent     atomic.Int64
	began    time.Time
	mu       sync.Mutex
	took     map[string][]time.Duration // by the kind of request
	statuses map[string]int             // by kind and status
	jobs     map[string]string          // ids of accepted jobs, and their accounts
	batches  []string
	saved    map[string]bool // the videos that acme was answered with or promised
	failed   []string
	memory   map[string][]int64 // resident bytes of each process, as time goes by
}

// newMixed starts one process for each part and program.
func newMixed(t *testing.T, programs ...string) *mixed {
	t.Helper()
	m := &mixed{
		place: newPlace(t, storetest.Postgres(t).Database), keys: map[string]string{}, took: map[string][]time.Duration{}, statuses: map[string]int{},
		jobs: map[string]string{}, saved: map[string]bool{}, memory: map[string][]int64{},
		http: &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 200}},
	}
	t.Cleanup(m.http.CloseIdleConnections)
	dir := t.TempDir()
	m.plans, m.told = filepath.Join(dir, "plans.json"), filepath.Join(dir, "told")
	wide := fmt.Sprintf(mixedPlan, "null", "null")
	thrifty, frugal := fmt.Sprintf(mixedPlan, strconv.Itoa(thriftyMay), "null"), fmt.Sprintf(mixedPlan, "null", strconv.Itoa(frugalMay))
	require.NoError(t, os.WriteFile(m.plans, fmt.Appendf(nil, mixedPlans, wide, thrifty, frugal), 0o600))
	m.makeKeys(t)
	m.programs = programs
	for _, m.program = range programs {
		addr := freeAddr(t)
		m.addrs = append(m.addrs, addr)
		m.apis = append(m.apis, m.as(t, server.RoleAPI).spawn(t, addr))
		m.workers = append(m.workers, m.as(t, server.RoleWorker).spawn(t, ""))
	}
	m.front = newBalancer(t, m.apis[0].url, m.apis[1].url)
	for _, b := range m.front.backends {
		require.Eventually(t, b.ready.Load, time.Minute, 10*time.Millisecond)
	}
	return m
}

func (m *mixed) makeKeys(t *testing.T) {
	t.Helper()
	file, err := os.Open(m.plans)
	require.NoError(t, err)
	defer file.Close()
	plans, err := account.ReadPlans(file)
	require.NoError(t, err)
	accounts, err := account.New(m.open(t), plans)
	require.NoError(t, err)
	for name, plan := range map[string]string{"acme": "wide", "thrifty": "thrifty", "frugal": "frugal"} {
		_, err := accounts.Set(t.Context(), name, account.Settings{Plan: plan})
		require.NoError(t, err)
		_, m.keys[name], err = accounts.CreateKey(t.Context(), account.KeyParams{Account: name, Name: "mixed", Scopes: account.Scopes()})
		require.NoError(t, err)
	}
}

// warm is a video that everybody has asked for, fresh one that nobody has.
func warm(n int64) string  { return fmt.Sprintf("w%010d", n%warmVideos) }
func fresh(n int64) string { return fmt.Sprintf("f%010d", n) }

// warmUp fills the cache, and the library of acme.
func (m *mixed) warmUp(t *testing.T) {
	t.Helper()
	for n := range int64(warmVideos) {
		m.link("warm up", "acme", warm(n), 10_000)
	}
	require.Empty(t, m.failed)
	require.Equal(t, map[string]int{"warm up 200": warmVideos}, m.statuses)
}

// run sends requests at their rate, whatever becomes of those before, while trouble
// goes on.
func (m *mixed) run(t *testing.T) {
	t.Helper()
	upload := burstsOf(t, 5*time.Second, 1)
	media, err := os.ReadFile(upload)
	require.NoError(t, err)
	m.began = time.Now()
	var crowd, trouble sync.WaitGroup
	trouble.Go(func() { m.trouble(t) })
	tick := time.NewTicker(time.Second / time.Duration(*mixedRate))
	defer tick.Stop()
	sampled, sent := 0, int64(0)
	for range tick.C {
		since := time.Since(m.began)
		if since > mixedTime {
			break
		}
		for due := int64(since.Seconds() * float64(*mixedRate)); sent < due; sent++ { // a ticker drops what nobody takes
			n := sent
			crowd.Go(func() { m.ask(n, media) })
		}
		if second := int(since.Seconds()); second > sampled {
			sampled = second
			m.sample()
		}
	}
	trouble.Wait()
	crowd.Wait()
	m.sample()
}

// trouble kills a worker, and restarts a process that accepts requests.
func (m *mixed) trouble(t *testing.T) {
	<-time.After(mixedTime / 3)
	m.workers[0].kill()
	<-time.After(mixedTime / 6)
	assert.NoError(t, m.apis[0].cmd.Process.Signal(syscall.SIGTERM))
	assert.NoError(t, m.apis[0].cmd.Wait(), "it ends in good order")
	m.program = m.programs[0]
	m.apis[0] = m.as(t, server.RoleAPI).spawn(t, m.addrs[0])
}

// sample measures how large the processes are that go through all of it.
func (m *mixed) sample() {
	for name, c := range map[string]*child{"api": m.apis[1], "worker": m.workers[1]} {
		statm, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", c.cmd.Process.Pid))
		if err != nil {
			continue // the test says so in the end
		}
		pages, _ := strconv.ParseInt(strings.Fields(string(statm))[1], 10, 64)
		m.memory[name] = append(m.memory[name], pages*int64(os.Getpagesize()))
	}
}

// ask sends the nth request.
func (m *mixed) ask(n int64, media []byte) {
	switch n % 20 {
	case 0, 1, 2, 3, 4, 5, 6:
		m.link("cached", "acme", warm(n), 0)
	case 7:
		m.link("new", "acme", fresh(n), 0)
	case 8:
		m.link("new, waited for", "acme", fresh(n), 10_000)
	case 9, 10, 11:
		m.get("library read", "acme", "/v1/library/transcripts/video_site/"+warm(n))
	case 12:
		m.get("library list", "acme", "/v1/library/transcripts?pageSize=24")
	case 13:
		m.get("search", "acme", "/v1/library/search?q="+warm(n))
	case 14:
		m.get("job", "acme", "/v1/transcript/job/"+m.anyJob())
	case 15:
		m.get("captions", "acme", "/v1/video_site/captions?videoId="+warm(n))
	case 16:
		m.get("usage", "acme", "/v1/usage")
	case 17:
		m.get("limited requests", "thrifty", "/v1/usage")
	case 18:
		m.link("limited transcripts", "frugal", fresh(n), 0)
	case 19:
		switch n / 20 % 10 {
		case 0:
			m.batch(n)
		case 1:
			m.upload(n, media)
		default:
			m.get("new captions", "acme", "/v1/video_site/captions?videoId="+fresh(n))
		}
	}
}

func (m *mixed) anyJob() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, account := range m.jobs { // any
		if account == "acme" {
			return id
		}
	}
	return "019321a0-7c11-7c3e-9a55-2f6d1f0c9b11"
}

func (m *mixed) link(kind, account, video string, wait int) {
	body := fmt.Sprintf(`{"url": "https://youtu.be/%s", "waitMs": %d}`, video, wait)
	status, answer := m.do(kind, account, http.MethodPost, "/v1/transcript", "application/json", []byte(body))
	m.mu.Lock()
	defer m.mu.Unlock()
	if account == "acme" && (status == http.StatusOK || status == http.StatusAccepted) {
		m.saved[video] = true
	}
	var job transcript.Job
	if status == http.StatusAccepted && json.Unmarshal(answer, &job) == nil {
		m.jobs[job.JobID] = account
	}
}

func (m *mixed) batch(n int64) {
	var links []string
	for i := range int64(5) {
		links = append(links, strconv.Quote("b"+fresh(n*10 + i)[1:]))
	}
	links = append(links, strconv.Quote(warm(n)))
	status, answer := m.do("batch", "acme", http.MethodPost, "/v1/batch", "application/json", []byte(`{"urls": [`+strings.Join(links, ",")+`]}`))
	var made struct{ Batch struct{ ID string } }
	if status == http.StatusAccepted && json.Unmarshal(answer, &made) == nil {
		m.mu.Lock()
		m.batches = append(m.batches, made.Batch.ID)
		for i := range int64(5) {
			m.saved["b"+fresh(n*10 + i)[1:]] = true
		}
		m.mu.Unlock()
	}
}

func (m *mixed) upload(n int64, media []byte) {
	own := bytes.Clone(media)
	copy(own[len(own)-8:], fmt.Sprintf("%08d", n)) // the last samples, so that no two are alike
	var body bytes.Buffer
	fmt.Fprintf(&body, "--x\r\nContent-Disposition: form-data; name=\"waitMs\"\r\n\r\n0\r\n--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.wav\"\r\n\r\n")
	body.Write(own)
	body.WriteString("\r\n--x--\r\n")
	status, answer := m.do("upload", "acme", http.MethodPost, "/v1/transcript", "multipart/form-data; boundary=x", body.Bytes())
	var job transcript.Job
	if status == http.StatusAccepted && json.Unmarshal(answer, &job) == nil {
		m.mu.Lock()
		m.jobs[job.JobID] = "acme"
		m.mu.Unlock()
	}
}

func (m *mixed) get(kind, account, path string) {
	m.do(kind, account, http.MethodGet, path, "", nil)
}

// do sends a request once, and notes what becomes of it.
func (m *mixed) do(kind, account, method, path, contentType string, body []byte) (status int, answer []byte) {
	m.sent.Add(1)
	began := time.Now()
	r, err := http.NewRequest(method, m.front.URL+path, bytes.NewReader(body)) //nolint:noctx // its client has a limit
	if err != nil {
		panic(err) // of the test's own making
	}
	r.Header.Set("Authorization", "Bearer "+m.keys[account])
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	resp, err := m.http.Do(r)
	if err == nil {
		status = resp.StatusCode
		answer, err = io.ReadAll(resp.Body)
		_ = resp.Body.Close() // it was read
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.took[kind] = append(m.took[kind], time.Since(began))
	m.statuses[kind+" "+strconv.Itoa(status)]++
	if kind == "new captions" && m.asksTheKilled(began) && (status == http.StatusBadGateway || status == http.StatusServiceUnavailable) {
		m.statuses["asked of the killed worker"]++
		return status, answer
	}
	if err != nil || status >= 500 {
		m.failed = append(m.failed, fmt.Sprintf("%s, sent %v after the start, took %v: %d %s %v",
			kind, began.Sub(m.began).Round(time.Millisecond), time.Since(began).Round(time.Millisecond), status, answer, err))
	}
	return status, answer
}

// asksTheKilled tells that a question was put at a time at which the worker may have taken it that
// is killed then. The answer is 502 while the worker counts as living, and 503 later. A client may
// repeat the question in both cases.
func (m *mixed) asksTheKilled(at time.Time) bool {
	before := m.began.Add(mixedTime / 3).Sub(at)
	return -time.Second < before && before < 5*time.Second
}

// check looks at what has become of all that.
func (m *mixed) check(t *testing.T) {
	t.Helper()
	for _, kind := range slices.Sorted(maps.Keys(m.took)) {
		took := m.took[kind]
		slices.Sort(took)
		t.Logf("%-20s %6d requests, p50 %8v, p99 %8v", kind, len(took), took[len(took)/2].Round(time.Millisecond), took[len(took)*99/100].Round(time.Millisecond))
	}
	t.Logf("%d requests; by status: %v", m.sent.Load(), m.statuses)
	for i, failure := range m.failed {
		if i == 20 {
			t.Errorf("%d others failed", len(m.failed)-i)
			break
		}
		t.Error("failed: ", failure)
	}
	assert.Zero(t, m.front.failed.Load())

	assert.Equal(t, thriftyMay, m.statuses["limited requests 200"], "requests of the limited window")
	assert.Positive(t, m.statuses["limited requests 429"])
	assert.Equal(t, frugalMay, m.statuses["limited transcripts 202"]+m.statuses["limited transcripts 200"], "transcripts of the limited plan")
	assert.Positive(t, m.statuses["limited transcripts 402"])
	m.checkRows(t)
	for name, sizes := range m.memory {
		early, late := slices.Max(sizes[:len(sizes)/3]), slices.Max(sizes[len(sizes)*2/3:])
		t.Logf("%s: %d MB at most in the first third, %d MB in the last", name, early>>20, late>>20)
		assert.Less(t, late, early+memorySlack, name)
	}
}

// checkRows looks for all that was accepted.
func (m *mixed) checkRows(t *testing.T) {
	t.Helper()
	tables := storetest.SQL(t, store.Options{Database: m.database, Blobs: m.blobs})
	require.Eventually(t, func() bool {
		var open int
		err := tables.QueryRowContext(t.Context(), `SELECT (SELECT count(*) FROM jobs WHERE ended_at IS NULL)
			+ (SELECT count(*) FROM batches WHERE status IN ('pending', 'processing'))
			+ (SELECT count(*) FROM river_job WHERE finalized_at IS NULL AND queue <> 'house')`).Scan(&open)
		return err == nil && open == 0
	}, 5*time.Minute, 100*time.Millisecond, "work is left")
	broken, err := dbtest.Broken(t.Context(), tables, true)
	require.NoError(t, err)
	assert.Empty(t, broken)

	rows, err := tables.QueryContext(t.Context(), "SELECT id, status FROM jobs")
	require.NoError(t, err)
	defer rows.Close()
	ended := map[string]string{}
	for rows.Next() {
		var id, status string
		require.NoError(t, rows.Scan(&id, &status))
		ended[id] = status
		assert.Equal(t, "success", status, id)
	}
	require.NoError(t, rows.Err())
	for id := range m.jobs {
		assert.Contains(t, ended, id, "a job that was accepted is lost")
	}
	told, err := os.ReadFile(m.told)
	require.NoError(t, err)
	for id := range ended {
		assert.Contains(t, string(told), id, "nobody was told of the end of a job")
	}
	for _, id := range m.batches {
		var status string
		require.NoError(t, tables.QueryRowContext(t.Context(), "SELECT status FROM batches WHERE id = $1", id).Scan(&status))
		assert.Equal(t, "completed", status, id)
	}
	for video := range m.saved {
		var n int
		require.NoError(t, tables.QueryRowContext(t.Context(), `SELECT count(*) FROM library_rows
			WHERE account = 'acme' AND external_id = $1 AND kind = 'transcript'`, video).Scan(&n))
		assert.Equal(t, 1, n, "%s is not in the library", video)
	}
	t.Logf("%d jobs ended and told of, %d accepted over HTTP; %d batches; %d videos in the library", len(ended), len(m.jobs), len(m.batches), len(m.saved))
}
