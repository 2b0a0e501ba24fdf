package e2e_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// backupRate is how many requests the load sends a second.
const backupRate = 20

const backupPlans = `{"defaultPlan": "wide", "plans": {"wide": {"paid": true, "rateLimit": {"requests": null, "windowSec": 60}, "transcriptsPerPeriod": null,
	"asrMinutesPerPeriod": null, "asrConcurrency": 4, "asrWaiting": 1000, "maxDurationSec": null, "maxUploadBytes": null, "batchItems": 500, "batchExport": true,
	"upload": true, "asr": true, "eventStreams": 100, "cacheTtlSec": 2592000, "maxKeepMediaSec": null, "maxKeptMediaBytes": null}}}`

// backupLoad sends requests of all kinds that change something, and keeps a ledger of what was
// accepted.
type backupLoad struct {
	place
	key      string
	services []*client.Client
	urls     []string
	media    []byte

	mu     sync.Mutex
	now    ledger
	said   map[string]string // by job: the text of an upload
	failed []string
	took   []time.Duration
}

// ledger is what the service has accepted.
type ledger struct {
	links   map[string]linkEntry   // by video
	uploads map[string]uploadEntry // by job
	parts   map[string]uploadEntry // by upload
}

type linkEntry struct {
	edits             int // the last correction
	deleting, deleted bool
}

type uploadEntry struct {
	externalID     string // "": the job has not ended
	kept, deleting bool
}

func newBackupLoad(t *testing.T, s place, processes int) *backupLoad {
	t.Helper()
	s.plans = filepath.Join(t.TempDir(), "plans.json")
	require.NoError(t, os.WriteFile(s.plans, []byte(backupPlans), 0o600))
	l := &backupLoad{place: s, said: map[string]string{}, now: ledger{map[string]linkEntry{}, map[string]uploadEntry{}, map[string]uploadEntry{}}}
	plans, err := account.ReadPlans(strings.NewReader(backupPlans))
	require.NoError(t, err)
	opened := s.open(t)
	accounts, err := account.New(opened, plans)
	require.NoError(t, err)
	_, err = accounts.Set(t.Context(), "acme", account.Settings{})
	require.NoError(t, err)
	_, l.key, err = accounts.CreateKey(t.Context(), account.KeyParams{Account: "acme", Name: "load", Scopes: account.Scopes()})
	require.NoError(t, err)
	l.media, err = os.ReadFile(burstsOf(t, 2*time.Second, 1))
	require.NoError(t, err)
	for range processes {
		c := s.spawn(t, "127.0.0.1:0")
		l.urls, l.services = append(l.urls, c.url), append(l.services, newClient(t, c.url, l.key))
	}
	return l
}

// start sends requests until stop is called.
func (l *backupLoad) start(t *testing.T) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var running, requests sync.WaitGroup
	running.Go(func() {
		tick := time.NewTicker(time.Second / backupRate)
		defer tick.Stop()
		for n := 0; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				requests.Go(func() { l.ask(n) })
			}
		}
	})
	return func() { cancel(); running.Wait(); requests.Wait() }
}

// ask sends the nth request.
func (l *backupLoad) ask(n int) {
	began := time.Now()
	var err error
	ctx, c, url := context.Background(), l.services[n%len(l.services)], l.urls[n%len(l.urls)]
	switch n % 40 {
	case 7:
		err = l.upload(ctx, c, n)
	case 9, 29:
		err = l.begin(ctx, url, n)
	case 3, 13, 17, 23, 33, 37:
		err = l.edit(ctx, url, n)
	case 5, 15, 25, 35:
		err = l.remove(ctx, url)
	case 19, 39:
		if n%60 == 19 { // some recordings stay
			err = l.removeRecording(ctx, url)
		}
	default:
		err = l.link(ctx, c, n)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.took = append(l.took, time.Since(began))
	if err != nil && !isGone(err) {
		l.failed = append(l.failed, err.Error())
	}
}

// change changes the ledger.
func (l *backupLoad) change(fn func(now *ledger)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fn(&l.now)
}

// ledger returns a copy of the ledger.
func (l *backupLoad) ledger() ledger {
	l.mu.Lock()
	defer l.mu.Unlock()
	return ledger{maps.Clone(l.now.links), maps.Clone(l.now.uploads), maps.Clone(l.now.parts)}
}

// sent is how many requests have been answered.
func (l *backupLoad) sent() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.took)
}

func (l *backupLoad) link(ctx context.Context, c *client.Client, n int) error {
	id, wait := fmt.Sprintf("l%010d", n), time.Duration(n%2)*10*time.Second
	_, _, err := c.Transcripts.Submit(ctx, transcript.Request{Source: transcript.ID(transcript.VideoSite, id), Wait: &wait})
	if err == nil {
		l.change(func(now *ledger) { now.links[id] = linkEntry{} })
	}
	return err
}

// pick claims a link that nothing changes.
func (l *backupLoad) pick(claim func(*linkEntry)) (id string, entry linkEntry) {
	l.change(func(now *ledger) {
		for id, entry = range now.links { // any
			if !entry.deleting {
				claim(&entry)
				now.links[id] = entry
				return
			}
		}
		id = ""
	})
	return id, entry
}

func (l *backupLoad) edit(ctx context.Context, url string, n int) error {
	id, _ := l.pick(func(*linkEntry) {})
	if id == "" {
		return nil
	}
	body := fmt.Appendf(nil, `{"segments": [{"index": 0, "text": "%s %d"}]}`, id, n)
	_, err := l.send(ctx, http.MethodPatch, url+savedTexts+"video_site/"+id, body, "Content-Type", "application/json", "If-Match", "*")
	if err == nil {
		l.change(func(now *ledger) {
			entry := now.links[id]
			entry.edits = max(entry.edits, n)
			now.links[id] = entry
		})
	}
	return err
}

func (l *backupLoad) remove(ctx context.Context, url string) error {
	id, _ := l.pick(func(e *linkEntry) { e.deleting = true })
	if id == "" {
		return nil
	}
	_, err := l.send(ctx, http.MethodDelete, url+savedTexts+"video_site/"+id, nil)
	if err == nil {
		l.change(func(now *ledger) { now.links[id] = linkEntry{deleting: true, deleted: true} })
	}
	return err
}

// upload sends a recording like no other, and waits for its text.
func (l *backupLoad) upload(ctx context.Context, c *client.Client, n int) error {
	own := bytes.Clone(l.media)
	copy(own[len(own)-8:], fmt.Sprintf("%08d", n))
	source := transcript.Media("a.wav", int64(len(own)), func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(own)), nil })
	_, job, err := c.Transcripts.Submit(ctx, transcript.Request{Source: source, Wait: new(time.Duration(0)), KeepMedia: 24 * time.Hour})
	if err != nil {
		return err
	}
	l.change(func(now *ledger) { now.uploads[job.JobID] = uploadEntry{} })
	got, err := c.Jobs.Wait(ctx, job.JobID)
	if err != nil {
		return err
	}
	l.change(func(now *ledger) {
		now.uploads[job.JobID] = uploadEntry{externalID: got.Transcript.ExternalID, kept: true}
		l.said[job.JobID] = saidIn(got.Transcript.Segments)
	})
	return nil
}

func (l *backupLoad) removeRecording(ctx context.Context, url string) error {
	var externalID string
	l.change(func(now *ledger) {
		for id, entry := range now.uploads { // any
			if entry.kept && !entry.deleting {
				entry.deleting, externalID = true, entry.externalID
				now.uploads[id] = entry
				return
			}
		}
	})
	if externalID == "" {
		return nil
	}
	_, err := l.send(ctx, http.MethodDelete, url+savedTexts+"upload/"+externalID+"/media", nil)
	return err
}

// begin sends the first part of a file. An account may have 32 such uploads, so it ends another one.
func (l *backupLoad) begin(ctx context.Context, url string, n int) error {
	var other string
	l.change(func(now *ledger) {
		live := 0
		for id, entry := range now.parts { // any
			if !entry.deleting {
				live, other = live+1, id
			}
		}
		if live < 20 {
			other = ""
			return
		}
		now.parts[other] = uploadEntry{deleting: true}
	})
	if other != "" {
		if _, err := l.send(ctx, http.MethodDelete, url+"/v1/transcript/uploads/"+other, nil); err != nil {
			return err
		}
	}
	body := bytes.Repeat(fmt.Appendf(nil, "%08d", n), 200_000) // more than one part
	location, err := l.send(ctx, http.MethodPost, url+"/v1/transcript", body, "Content-Type", "audio/wav", "Upload-Complete", "?0")
	if err == nil {
		l.change(func(now *ledger) { now.parts[path.Base(location)] = uploadEntry{} })
	}
	return err
}

// savedTexts begins the paths of the texts of a library.
const savedTexts = "/v1/library/transcripts/"

// refusal is an answer without success.
type refusal struct {
	status int
	said   string
}

func (r *refusal) Error() string { return fmt.Sprintf("%d %s", r.status, r.said) }

// send sends a request with pairs of header fields and values.
func (l *backupLoad) send(ctx context.Context, method, url string, body []byte, header ...string) (location string, err error) {
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header.Set("Authorization", "Bearer "+l.key)
	for pair := range slices.Chunk(header, 2) {
		r.Header.Set(pair[0], pair[1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode/100 != 2 {
		err = &refusal{resp.StatusCode, method + " " + url + ": " + string(said)}
	}
	return resp.Header.Get("Location"), err
}

// report fails the test for each request that failed.
func (l *backupLoad) report(t *testing.T) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	slices.Sort(l.took)
	t.Logf("%d requests, p50 %v, p99 %v; %d links, %d uploads accepted", len(l.took), l.took[len(l.took)/2].Round(time.Millisecond),
		l.took[len(l.took)*99/100].Round(time.Millisecond), len(l.now.links), len(l.now.uploads))
	assert.Empty(t, l.failed)
}

// mustSay compares the text of a job in a copy with the text that the service has.
func (l *backupLoad) mustSay(t *testing.T, job string, segments []transcript.Segment) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if said, ended := l.said[job]; ended {
		assert.Equal(t, said, saidIn(segments), "job %s", job)
	}
}

func saidIn(segments []transcript.Segment) string {
	var all []string
	for _, s := range segments {
		all = append(all, s.Text)
	}
	return strings.Join(all, " ")
}

// isGone reports that a request was about something that another request has deleted, or that is
// still on its way.
func isGone(err error) bool {
	var coded *client.Error
	if errors.As(err, &coded) {
		return coded.Code == transcript.NoTranscript || coded.Code == transcript.NotFound
	}
	var refused *refusal
	return errors.As(err, &refused) && (refused.status == http.StatusNotFound || refused.status == http.StatusConflict)
}

// column reads texts of a database as a set.
func column(t *testing.T, o store.Options, query string) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	eachRow(t, o, query, func(scan func(...any) error) error {
		var s string
		err := scan(&s)
		all[s] = true
		return err
	})
	return all
}

// textsOf are the texts of the library, by their external ids.
func textsOf(t *testing.T, o store.Options) map[string]string {
	t.Helper()
	all := map[string]string{}
	eachRow(t, o, "SELECT l.external_id, x.segments FROM library_rows AS l JOIN texts AS x ON x.transcript_id = l.transcript_id", func(scan func(...any) error) error {
		var id string
		var packed []byte
		if err := scan(&id, &packed); err != nil {
			return err
		}
		plain, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			return err
		}
		var segments []transcript.Segment
		err = json.NewDecoder(plain).Decode(&segments)
		all[id] = saidIn(segments)
		return err
	})
	return all
}

// eachRow reads the rows of a query.
func eachRow(t *testing.T, o store.Options, query string, each func(scan func(...any) error) error) {
	t.Helper()
	rows, err := storetest.SQL(t, o).QueryContext(t.Context(), query)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		require.NoError(t, each(rows.Scan))
	}
	require.NoError(t, rows.Err())
}
