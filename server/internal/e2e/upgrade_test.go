package e2e_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/internal/test/installed"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/library/webhook"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// TestUpgradeFromTheLastVersion ends the last version with work in every state, and starts this
// version on its database.
func TestUpgradeFromTheLastVersion(t *testing.T) {
	full(t)
	t.Parallel()
	old := installed.LastVersion(t, installed.E2E)
	storetest.Each(t, func(t *testing.T, o store.Options) {
		w := newUnfinished(t, withoutTables(t, o))
		w.program, w.key = old, lastKey(t, w.database)
		running := w.begin(t)
		w.program = ""
		w.end(t, running)
	})
}

// TestSoakDowngrade goes the way back, without a migration.
func TestSoakDowngrade(t *testing.T) {
	soak(t)
	old := installed.LastVersion(t, installed.E2E)
	storetest.Each(t, func(t *testing.T, o store.Options) {
		w := newUnfinished(t, o.Database)
		w.key = w.makeKey(t)
		running := w.begin(t)
		w.program = old
		w.end(t, running)
	})
}

// withoutTables names a database in which no version has made tables.
func withoutTables(t *testing.T, o store.Options) string {
	t.Helper()
	if !storetest.IsPostgres(o) {
		return "sqlite:" + filepath.Join(t.TempDir(), "service.db")
	}
	_, err := storetest.SQL(t, o).ExecContext(t.Context(), "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
	require.NoError(t, err)
	return o.Database
}

// lastKey makes tables, an account and a key with the last version.
func lastKey(t *testing.T, database string) string {
	t.Helper()
	var key []byte
	for _, command := range []string{"accounts set acme", "keys create --account acme --name test --scopes transcripts,batches"} {
		cmd := exec.CommandContext(t.Context(), installed.LastVersion(t, installed.Transcriptd), append(strings.Fields(command), "--db", database)...)
		var err error
		key, err = cmd.Output()
		require.NoError(t, err, command)
	}
	return strings.TrimSpace(string(key))
}

// unfinished is work in every state.
type unfinished struct {
	place
	key, addr string
	rows      beside
	site      *lateSite
	hooked    *hooked
	feeds     *publisher

	recordings map[string]string // of jobs, by their ids
	linked     string            // the job of the site's recording
	failed     string            // a job that has failed
	once       string            // the job of an idempotency key
	paused     string            // the path of an upload that has half of a recording
	half       string            // that recording
	batch      string
	webhook    string
	shared     string // the link of a text
}

// lateSite answers requests for its recording with 503 until it is ready.
type lateSite struct {
	recording string
	ready     atomic.Bool
	refused   atomic.Int32
}

func (s *lateSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.ready.Load() {
		s.refused.Add(1)
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	http.ServeFile(w, r, s.recording)
}

func newUnfinished(t *testing.T, database string) *unfinished {
	t.Helper()
	w := &unfinished{
		place: newPlace(t, database), addr: freeAddr(t), recordings: map[string]string{},
		site: &lateSite{recording: burstsOf(t, 20*time.Second, 10)}, hooked: newHooked(t), feeds: newPublisher(t, 1),
	}
	w.reads, w.every, w.follows = "100ms", time.Second, filepath.Join(t.TempDir(), "clock")
	w.allow = strings.TrimPrefix(w.hooked.URL, "http://") + " " + strings.TrimPrefix(w.feeds.URL, "http://")
	w.clock(t, 0)
	return w
}

// clock sets the clock of follows and webhooks.
func (w *unfinished) clock(t *testing.T, off time.Duration) {
	t.Helper()
	next := w.follows + ".next"
	require.NoError(t, os.WriteFile(next, strconv.AppendInt(nil, int64(off/time.Second), 10), 0o600))
	require.NoError(t, os.Rename(next, w.follows))
}

// upload sends a recording as a whole.
func (w *unfinished) upload(t *testing.T, c *client.Client, path string) {
	t.Helper()
	w.recordings[submit(t, c, path).JobID] = path
}

// begin starts a service and brings work into every state.
func (w *unfinished) begin(t *testing.T) *child {
	t.Helper()
	site := httptest.NewServer(w.site)
	t.Cleanup(site.Close)
	w.direct = strings.TrimPrefix(site.URL, "http://")
	running := w.spawn(t, w.addr)
	w.rows = beside{storetest.SQL(t, store.Options{Database: w.database})}
	c := newClient(t, running.url, w.key)
	ctx, atOnce := t.Context(), new(time.Duration)
	link := func(video string, o ...client.RequestOption) *transcript.Job {
		_, job, err := c.Transcripts.Submit(ctx, transcript.Request{Source: transcript.URL("https://youtu.be/" + video), Wait: atOnce}, o...)
		require.NoError(t, err)
		return job
	}

	hook, err := c.Webhooks.Create(ctx, webhook.Params{URL: w.hooked.URL + "/down"})
	require.NoError(t, err)
	w.webhook = hook.Webhook.ID
	_, _, err = c.Follows.Create(ctx, client.FollowParams{Feed: w.feeds.address(0)})
	require.NoError(t, err)
	w.correct(t, c)
	w.failed = submit(t, c, noRecording(t)).JobID
	_, err = c.Jobs.Wait(ctx, w.failed)
	require.ErrorIs(t, err, transcript.UploadInvalid)
	w.once = link("once0000001", client.WithIdempotencyKey("once")).JobID
	w.pause(t, c)
	_, job, err := c.Transcripts.Submit(ctx, transcript.Request{Source: transcript.URL(site.URL + "/talk.wav"), Wait: atOnce})
	require.NoError(t, err)
	w.linked = job.JobID
	for n := range uint64(2) { // one is recognized, and the other waits
		w.upload(t, c, burstsOf(t, 2*time.Minute, n))
	}
	made, err := c.Batches.Create(ctx, client.BatchParams{URLs: batchLinks(0, 80), Language: []string{"en"}})
	require.NoError(t, err)
	w.batch = made.ID

	for _, state := range []string{
		"asr_places WHERE state = 'running'", "asr_places WHERE state <> 'running'", "chunks WHERE done", "batch_items WHERE status = 'success'",
		"jobs WHERE last_error IS NOT NULL", "uploads WHERE NOT complete", "webhook_deliveries WHERE status = 'pending' AND attempts > 0",
		"follow_sources WHERE looked_at IS NOT NULL", "jobs WHERE status = 'failed'", "jobs WHERE status = 'success'", "river_job WHERE state = 'running'",
	} {
		require.Eventually(t, func() bool { return w.rows.count(t, "SELECT count(*) FROM "+state) > 0 }, time.Minute, 10*time.Millisecond, state)
	}
	require.Positive(t, w.rows.count(t, "SELECT count(*) FROM batch_items WHERE status = 'pending'"), "the batch has ended")
	return running
}

// noRecording is a file that no program plays.
func noRecording(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "noise.wav")
	require.NoError(t, os.WriteFile(path, bytes.Repeat([]byte("no sound "), 1000), 0o600))
	return path
}

// pause sends half of a recording.
func (w *unfinished) pause(t *testing.T, c *client.Client) {
	t.Helper()
	w.half = burstsOf(t, 20*time.Second, 20)
	file, err := os.ReadFile(w.half)
	require.NoError(t, err)
	answer := w.request(t, http.MethodPost, "/v1/transcript", file[:len(file)/2], map[string]string{"Upload-Complete": "?0", "Content-Type": "audio/wav"}, nil)
	require.Equal(t, http.StatusCreated, answer.StatusCode)
	w.paused = answer.Header.Get("Location")
}

// resume sends the rest.
func (w *unfinished) resume(t *testing.T) {
	t.Helper()
	file, err := os.ReadFile(w.half)
	require.NoError(t, err)
	answer := w.request(t, http.MethodHead, w.paused, nil, nil, nil)
	require.Equal(t, strconv.Itoa(len(file)/2), answer.Header.Get("Upload-Offset"))
	answer = w.request(t, http.MethodPatch, w.paused, file[len(file)/2:], map[string]string{
		"Upload-Complete": "?1", "Upload-Offset": strconv.Itoa(len(file) / 2), "Content-Type": "application/partial-upload",
	}, nil)
	require.Equal(t, http.StatusAccepted, answer.StatusCode)
	w.recordings[answer.Header.Get("Location")[len("/v1/transcript/job/"):]] = w.half
}

// request sends a request, and reads the answer as JSON into out unless out is nil.
func (w *unfinished) request(t *testing.T, method, path string, body []byte, headers map[string]string, out any) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://"+w.addr+path, bytes.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+w.key)
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	if out != nil {
		require.Less(t, answer.StatusCode, 300, "%s %s", method, path)
		require.NoError(t, json.NewDecoder(answer.Body).Decode(out))
	}
	return answer
}

// end ends the service, starts the next one, and lets all work end.
func (w *unfinished) end(t *testing.T, running *child) {
	t.Helper()
	require.NoError(t, running.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, running.cmd.Wait(), "it ends in good order")
	w.site.ready.Store(true)
	w.hooked.down.Store(false)
	w.feeds.published.Store(true)
	w.clock(t, time.Hour) // all that waits for a time is due
	next := w.spawn(t, w.addr)
	if strings.HasPrefix(w.database, "sqlite:") {
		dbtest.RequireSound(t, w.database)
	}
	c := newClient(t, next.url, w.key)
	ctx := t.Context()

	w.resume(t)
	_, job, err := c.Transcripts.Submit(ctx, transcript.Request{Source: transcript.URL("https://youtu.be/once0000001"), Wait: new(time.Duration)}, client.WithIdempotencyKey("once"))
	require.NoError(t, err)
	assert.Equal(t, w.once, job.JobID, "the answer to a repeated request")
	made, err := c.Batches.Wait(ctx, w.batch)
	require.NoError(t, err)
	assert.Equal(t, batch.Counts{Total: 80, Success: 80}, made.Counts)
	w.readTexts(t, c)
	w.readOld(t, c)

	ids := w.rows.texts(t, "SELECT id FROM jobs UNION ALL SELECT id FROM batches")
	w.rows.await(t, "SELECT count(*) FROM transcripts WHERE external_id = '"+newItem(0)+"'", 1)
	w.rows.await(t, "SELECT count(*) FROM webhook_deliveries WHERE status = 'pending'", 0)
	assert.Zero(t, w.hooked.missing("/down", ids), "ends that the account was not told of")
	var broken []string
	assert.Eventually(t, func() bool {
		broken, err = dbtest.Broken(ctx, w.rows.DB, true)
		return err == nil && len(broken) == 0
	}, time.Minute, 50*time.Millisecond)
	assert.Empty(t, broken)
	next.mustLive(t)
}
