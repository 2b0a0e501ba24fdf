package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// all are the events until the stream ends.
func (s *stream) all(t testing.TB) (events []event) {
	t.Helper()
	for {
		e := s.next(t)
		if e == (event{}) {
			require.NoError(t, s.lines.Err())
			return events
		}
		events = append(events, e)
	}
}

func (e event) object(t testing.TB) map[string]any {
	t.Helper()
	var o map[string]any
	require.NoError(t, json.Unmarshal([]byte(e.data), &o), e.data)
	return o
}

// names are the names and ids of events, without the progress and the early segments
// between two transitions.
func names(events []event) (out []string) {
	for _, e := range events {
		if e.id != "" || e.name != "job.progress" && e.name != "job.segments" {
			out = append(out, strings.TrimSuffix(e.name+" "+e.id, " "))
		}
	}
	return out
}

func TestStream(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, release := s.heldJob(t, "a file")
	stream := s.open(t, id)
	assert.Equal(t, "text/event-stream", stream.resp.Header.Get("Content-Type"))
	assert.Equal(t, "no-store", stream.resp.Header.Get("Cache-Control"))
	assert.Equal(t, "no", stream.resp.Header.Get("X-Accel-Buffering"))
	snapshot := stream.next(t)
	assert.Equal(t, "job.snapshot", snapshot.name)
	assert.Empty(t, snapshot.id)
	assert.Equal(t, "asr_running", snapshot.object(t)["stage"])
	assert.NotContains(t, snapshot.object(t), "transcript")
	at := int(snapshot.object(t)["sequence"].(float64))
	release()
	events := stream.all(t)
	assert.Equal(t, []string{fmt.Sprintf("job.progress %d", at+1), fmt.Sprintf("job.completed %d", at+2)}, names(events))
	done := events[len(events)-1].object(t)
	assert.Equal(t, "success", done["status"])
	assert.IsType(t, map[string]any{}, done["transcript"])

	// A job that has ended: its state, its end, and no more.
	after := s.open(t, id).all(t)
	assert.Equal(t, []string{"job.snapshot", fmt.Sprintf("job.completed %d", at+2)}, names(after))
}

// A stream goes on after the Last-Event-ID, or begins with a snapshot where
// that is of no use.
func TestStreamResumes(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.job(t, "a file")
	last := int(s.ended(t, id)["sequence"].(float64))
	require.Greater(t, last, 3)
	end := fmt.Sprintf("job.completed %d", last)
	var after2 []string
	for i := 3; i < last; i++ {
		after2 = append(after2, fmt.Sprintf("job.progress %d", i))
	}
	for lastID, want := range map[string][]string{
		"2":                    append(after2, end),
		fmt.Sprint(last - 1):   {end},
		fmt.Sprint(last + 1):   {"job.snapshot", end},
		"0":                    {"job.snapshot", end},
		"-1":                   {"job.snapshot", end},
		"mine-1":               {"job.snapshot", end},
		"1.5":                  {"job.snapshot", end},
		"99999999999999999999": {"job.snapshot", end},
		"":                     {"job.snapshot", end},
		"1000":                 {"job.snapshot", end},
	} {
		assert.Equal(t, want, names(s.open(t, id, header("Last-Event-ID", lastID)).all(t)), "after %q", lastID)
	}
	a := s.get(t, jobPath(id)+"/events", header("Last-Event-ID", fmt.Sprint(last)))
	assert.Equal(t, http.StatusNoContent, a.StatusCode, "nothing more will come")
	assert.Empty(t, a.body)
}

func TestStreamsOfJobsThatEndOtherwise(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, release := s.heldJob(t, "a file")
	stream := s.open(t, id)
	require.Equal(t, "job.snapshot", stream.next(t).name)
	require.Equal(t, http.StatusAccepted, s.do(t, http.MethodPost, jobPath(id)+"/cancel", nil).StatusCode)
	events := stream.all(t)
	assert.Equal(t, "job.cancelled", events[len(events)-1].name)
	assert.Equal(t, "cancelled", events[len(events)-1].object(t)["status"])
	release()

	s.Engine.FailMedia(transcript.Errorf(transcript.UploadInvalid, "The file is not media."))
	events = s.open(t, s.job(t, "another file")).all(t)
	failed := events[len(events)-1]
	assert.Equal(t, "job.failed", failed.name)
	assert.NotEmpty(t, failed.id)
	assert.Equal(t, "UPLOAD_INVALID", failed.object(t)["error"].(map[string]any)["code"])
}

// Between two transitions there are reports without an id.
func TestStreamReportsProgress(t *testing.T) {
	t.Parallel()
	s := start(t)
	watched, reported := make(chan struct{}), make(chan struct{})
	s.Engine.SetRecognize(func(ctx context.Context, _ int, a engine.Audio, o engine.RecognizeOptions) (engine.Recognition, error) {
		select {
		case <-watched: // the snapshot would tell of an earlier report
		case <-ctx.Done():
		}
		o.Progress(a.Duration / 4)
		select {
		case <-reported:
		case <-ctx.Done():
		}
		return engine.Recognition{Language: "en"}, ctx.Err()
	})
	stream := s.open(t, s.job(t, "a file"))
	require.Equal(t, "job.snapshot", stream.next(t).name)
	close(watched)
	for {
		e := stream.next(t)
		require.NotEmpty(t, e.name, "the stream ended without a report")
		if e.name != "job.progress" || e.id != "" {
			continue
		}
		progress := e.object(t)["progress"].(map[string]any)
		assert.InDelta(t, 0.25, progress["fraction"], 0.01)
		assert.InDelta(t, 10.0, progress["totalSec"], 0.01)
		assert.Equal(t, "asr_running", e.object(t)["stage"])
		break
	}
	close(reported)
	events := stream.all(t)
	assert.Equal(t, "job.completed", events[len(events)-1].name)
}

// The text of a finished chunk is an event without an id. A new connection gets all text that
// is there, in one event after the snapshot or after the transitions it asks for.
func TestStreamBringsWordsEarly(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Engine.SetMedia(servertest.Media{Duration: time.Minute})
	next := make(chan struct{})
	s.Engine.SetRecognize(func(ctx context.Context, _ int, a engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
		if !strings.HasSuffix(a.Path, "-00000.wav") {
			select {
			case <-next:
			case <-ctx.Done():
			}
		}
		return servertest.Heard("hello world", a.Duration), ctx.Err()
	})
	id := s.job(t, "a file")
	live := s.open(t, id)
	early := func(stream *stream) (told []string, e event) {
		for e.name != "job.segments" {
			e = stream.next(t)
			require.NotEmpty(t, e.name, "the stream ended without words")
			told = append(told, strings.TrimSuffix(e.name+" "+e.id, " "))
		}
		return told, e
	}
	_, first := early(live)
	assert.Empty(t, first.id)
	data := first.object(t)
	assert.Equal(t, id, data["jobId"])
	assert.InDelta(t, 0, data["from"], 0)
	require.Len(t, data["segments"], 1)
	segment := data["segments"].([]any)[0].(map[string]any)
	assert.Equal(t, "hello world", segment["text"])
	assert.NotContains(t, segment, "words")

	told, again := early(s.open(t, id))
	assert.Equal(t, []string{"job.snapshot", "job.segments"}, told)
	assert.Equal(t, first.data, again.data)
	told, again = early(s.open(t, id, header("Last-Event-ID", "2")))
	assert.Equal(t, []string{"job.progress 3", "job.progress 4", "job.segments"}, told)
	assert.Equal(t, first.data, again.data)

	close(next)
	events := live.all(t)
	assert.Equal(t, "job.completed", events[len(events)-1].name)
	for _, e := range events {
		if e.name == "job.segments" {
			assert.InDelta(t, 1, e.object(t)["from"], 0)
			break
		}
	}
	for _, e := range s.open(t, id).all(t) {
		assert.NotEqual(t, "job.segments", e.name, "the job has its transcript")
	}
}

// An event of more than 256 KiB goes without its transcript.
func TestStreamOfALongTranscript(t *testing.T) {
	t.Parallel()
	s := start(t)
	for words, whole := range map[int]bool{3_000: true, 6_000: false} {
		var text strings.Builder
		for n := range words { // no two of them the same: a loop would be dropped
			fmt.Fprintf(&text, "%s%05d ", strings.Repeat("o", 55), n)
		}
		s.Engine.Say(text.String())
		id := s.job(t, fmt.Sprint(words))
		events := s.open(t, id).all(t)
		done := events[len(events)-1]
		require.Equal(t, "job.completed", done.name)
		if whole {
			assert.Greater(t, len(done.data), 100<<10)
			assert.Contains(t, done.object(t), "transcript")
			continue
		}
		assert.Less(t, len(done.data), 2000)
		assert.NotContains(t, done.object(t), "transcript")
		ref := done.object(t)["transcriptRef"]
		assert.Equal(t, ref, s.get(t, jobPath(id)).object(t)["transcript"].(map[string]any)["id"])
	}
}

func TestStreamsOfAnAccountAreLimited(t *testing.T) {
	t.Parallel()
	s := start(t, onPlan(func(p *account.Plan) { p.EventStreams = 2 }))
	id, release := s.heldJob(t, "a file")
	defer release()
	s.open(t, id)
	second := s.open(t, id)
	a := s.get(t, jobPath(id)+"/events")
	require.Equal(t, http.StatusTooManyRequests, a.StatusCode)
	assert.Equal(t, "rate_limited", a.slug(t))
	assert.Equal(t, "5", a.Header.Get("Retry-After"))

	stranger := as(s.NewKey(t, "globex"))
	a = s.get(t, jobPath(id)+"/events", stranger)
	assert.Equal(t, http.StatusNotFound, a.StatusCode, "another account has its own")
	require.NoError(t, second.resp.Body.Close())
	require.Eventually(t, func() bool {
		a, err := s.send(t, http.MethodGet, jobPath("7")+"/events", nil)
		return err == nil && a.StatusCode == http.StatusNotFound && s.mayOpen(t, id)
	}, time.Minute, 10*time.Millisecond, "a place is free when a client has gone")
}

// A plan that says nothing of streams permits none.
func TestNoStreams(t *testing.T) {
	t.Parallel()
	s := start(t, onPlan(func(p *account.Plan) { p.EventStreams = 0 }))
	id, release := s.heldJob(t, "a file")
	defer release()
	assert.Equal(t, http.StatusTooManyRequests, s.get(t, jobPath(id)+"/events").StatusCode)
	assert.Equal(t, http.StatusTooManyRequests, s.get(t, unknownJob+"/events").StatusCode, "told before the job is looked for")
}

// The plan of a service of one's own permits 20.
func TestStreamsOfTheDefaultPlan(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, release := s.heldJob(t, "a file")
	defer release()
	for range 20 {
		s.open(t, id)
	}
	assert.Equal(t, http.StatusTooManyRequests, s.get(t, jobPath(id)+"/events").StatusCode)
}

// mayOpen reports whether a stream of the job can be opened.
func (s *service) mayOpen(t testing.TB, id string) bool {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+jobPath(id)+"/events", nil)
	if err != nil {
		return false
	}
	r.Header.Set("Authorization", "Bearer "+s.Key)
	resp, err := s.http.Do(r)
	if err != nil {
		return false
	}
	return resp.Body.Close() == nil && resp.StatusCode == http.StatusOK
}

// admitted lets f run within a request, and tells it how to ask whether a stream of
// that request may go on.
func (s *service) admitted(t *testing.T, changes []change, f func(mayStay func() bool)) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
	for _, change := range changes {
		change(r)
	}
	let := false
	s.Authenticate(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		let = true
		f(func() bool { return server.MayStay(r.Context()) })
	})).ServeHTTP(httptest.NewRecorder(), r)
	require.True(t, let)
}

func TestWhoMayStay(t *testing.T) {
	t.Parallel()
	s := start(t)
	ctx := t.Context()
	yes, no := true, false
	soon := func(want bool, mayStay func() bool) {
		t.Helper()
		require.Eventually(t, func() bool { return mayStay() == want }, time.Minute, 20*time.Millisecond)
	}
	s.admitted(t, []change{as(s.Key)}, func(mayStay func() bool) {
		require.True(t, mayStay())
		_, err := s.Accounts.Set(ctx, servertest.Account, account.Settings{Suspended: &yes})
		require.NoError(t, err)
		soon(false, mayStay)
		_, err = s.Accounts.Set(ctx, servertest.Account, account.Settings{Suspended: &no})
		require.NoError(t, err)
		soon(true, mayStay)
		require.NoError(t, s.Accounts.Revoke(ctx, s.Key[:11]))
		soon(false, mayStay)
	})
	expiring := s.expiringKey(t)
	s.admitted(t, []change{as(expiring)}, func(mayStay func() bool) {
		require.True(t, mayStay())
		s.expire(t, expiring)
		soon(false, mayStay)
	})
}

// An embedder's own sessions are asked again too.
func TestWhoMayStayWithASession(t *testing.T) {
	t.Parallel()
	ann := account.Principal{Account: "ann", Scopes: account.Scopes()}
	all := sessions{}
	s := start(t, func(c *server.Config) { c.Authenticator = all })
	for name, c := range map[string]struct {
		then visitor
		stay bool
	}{
		"the same":       {visitor{ann, nil}, true},
		"logged out":     {visitor{err: server.ErrInvalidCredential}, false},
		"gone":           {visitor{err: server.ErrNoCredential}, false},
		"another":        {visitor{account.Principal{Account: "bob", Scopes: account.Scopes()}, nil}, false},
		"without scope":  {visitor{account.Principal{Account: "ann", Scopes: []account.Scope{account.Batches}}, nil}, false},
		"to pay":         {visitor{ann, account.Plan{}.UpgradeRequired("Your trial has ended.")}, false},
		"not known":      {visitor{err: errors.New("the session store is gone")}, true},
		"database away":  {visitor{err: fmt.Errorf("sessions: %w", db.ErrUnavailable)}, true},
		"too many":       {visitor{err: transcript.Errorf(transcript.RateLimited, "Slowly.")}, true},
		"a nil failure":  {visitor{ann, (*transcript.Error)(nil)}, true},
		"no failure":     {visitor{ann, &transcript.Error{Code: transcript.Forbidden, Status: 7}}, true},
		"not configured": {visitor{ann, transcript.Errorf(transcript.ConfigError, "No plan.")}, true},
	} {
		all["ann"] = visitor{ann, nil}
		s.admitted(t, []change{header("Cookie", "session=ann")}, func(mayStay func() bool) {
			all["ann"] = c.then
			assert.Equal(t, c.stay, mayStay(), name)
		})
	}
}
