package server_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// inBackground posts a form; its answer comes through the channel.
func (s *service) inBackground(t *testing.T, parts []part, changes ...change) <-chan *answer {
	t.Helper()
	body, contentType := form(t, parts...)
	answered := make(chan *answer, 1)
	changes = append([]change{header("Content-Type", contentType)}, changes...)
	go func() {
		defer close(answered)
		a, err := s.send(t, http.MethodPost, "/v1/transcript", bytes.NewReader(body), changes...)
		if assert.NoError(t, err) {
			answered <- a
		}
	}()
	return answered
}

// acceptedJob is the job of a form whose sender waits: whoever sends the same
// joins it.
func (s *service) acceptedJob(t *testing.T, content string) (id string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.NoError(t, s.Engine.Await(ctx, 1))
	return s.job(t, content)
}

func TestReplay(t *testing.T) {
	t.Parallel()
	s := start(t)
	parts := []part{file("a"), field("waitMs", "10000")}
	key := header("Idempotency-Key", "an upload")
	first := s.postForm(t, parts, key)
	require.Equal(t, http.StatusOK, first.StatusCode, first.body)
	assert.Empty(t, first.Header.Get("Idempotency-Replayed"))
	again := s.postForm(t, []part{parts[1], parts[0], field("format", "json")}, key) // in another order, with a default
	require.Equal(t, http.StatusOK, again.StatusCode, again.body)
	assert.Equal(t, "true", again.Header.Get("Idempotency-Replayed"))
	assert.Equal(t, first.object(t), again.object(t))

	cached := header("Idempotency-Key", "from the cache")
	for _, replayed := range []string{"", "true"} {
		a := s.postForm(t, parts, cached)
		require.Equal(t, http.StatusOK, a.StatusCode)
		assert.Equal(t, replayed, a.Header.Get("Idempotency-Replayed"))
		assert.Equal(t, true, a.object(t)["cached"])
	}
	s.nothingLeft(t)
	assert.Equal(t, 1, s.Engine.Recognitions())
}

// A replayed 202 names the same job, also when that has ended.
func TestReplayOfAJob(t *testing.T) {
	t.Parallel()
	s := start(t)
	release := s.Engine.Hold()
	parts := []part{field("waitMs", "0"), file("a")}
	key := header("Idempotency-Key", "k")
	first := s.postForm(t, parts, key)
	require.Equal(t, http.StatusAccepted, first.StatusCode)
	check := func() {
		again := s.postForm(t, parts, key)
		require.Equal(t, http.StatusAccepted, again.StatusCode, again.body)
		assert.Equal(t, "true", again.Header.Get("Idempotency-Replayed"))
		assert.Equal(t, first.object(t)["jobId"], again.object(t)["jobId"])
		assert.Equal(t, first.Header.Get("Location"), again.Header.Get("Location"))
		assert.Equal(t, "2", again.Header.Get("Retry-After"))
	}
	check()
	release()
	s.ended(t, first.object(t)["jobId"].(string))
	check()
	s.nothingLeft(t)
}

func TestKeyOfAnotherRequest(t *testing.T) {
	t.Parallel()
	s := start(t)
	key := header("Idempotency-Key", "k")
	require.Equal(t, http.StatusOK, s.postForm(t, []part{file("a"), field("waitMs", "10000")}, key).StatusCode)
	for name, parts := range map[string][]part{
		"another file":   {file("b"), field("waitMs", "10000")},
		"another wish":   {file("a"), field("waitMs", "10000"), field("format", "text")},
		"another wait":   {file("a")},
		"other language": {file("a"), field("waitMs", "10000"), field("language", "en")},
		"a time to keep": {file("a"), field("waitMs", "10000"), field("keepMediaSec", "60")},
	} {
		a := s.postForm(t, parts, key)
		require.Equal(t, http.StatusConflict, a.StatusCode, "%s: %s", name, a.body)
		assert.Equal(t, "IDEMPOTENCY_CONFLICT", a.failure(t)["code"], name)
	}
	// Keys are each account's own.
	a := s.postForm(t, []part{file("b")}, key, as(s.NewKey(t, "globex")))
	assert.Equal(t, http.StatusOK, a.StatusCode, a.body)
	s.nothingLeft(t)
}

// While the first request still sends its file, the key is taken.
func TestKeyInUse(t *testing.T) {
	t.Parallel()
	s := start(t)
	key := header("Idempotency-Key", "k")
	// More than all buffers on the way hold: when half of it is sent, it is read.
	content := strings.Repeat("media", 24<<20/5)
	body, contentType := form(t, file(content), field("waitMs", "10000"))
	rest, sending := io.Pipe()
	answered := make(chan *answer, 1)
	go func() {
		defer close(answered)
		a, err := s.send(t, http.MethodPost, "/v1/transcript", rest, header("Content-Type", contentType), key)
		if assert.NoError(t, err) {
			answered <- a
		}
	}()
	_, err := sending.Write(body[:len(body)/2])
	require.NoError(t, err)
	a := s.upload(t, "a", key)
	require.Equal(t, http.StatusConflict, a.StatusCode, a.body)
	assert.Equal(t, "IDEMPOTENCY_IN_PROGRESS", a.failure(t)["code"])
	requireLease(t, a)
	assert.Equal(t, a.Header.Get("Retry-After"), fmt.Sprint(a.failure(t)["retryAfter"]))
	_, err = sending.Write(body[len(body)/2:])
	require.NoError(t, err)
	require.NoError(t, sending.Close())
	first := <-answered
	require.NotNil(t, first)
	assert.Equal(t, http.StatusOK, first.StatusCode)
}

// The answer of a process that died while its client waited: the job that it had
// written is told from then on.
func TestKeyOfADeadProcess(t *testing.T) {
	t.Parallel()
	s := start(t)
	parts := []part{field("waitMs", "0"), file("a")}
	first := s.postForm(t, parts, header("Idempotency-Key", "done"))
	require.Equal(t, http.StatusAccepted, first.StatusCode, first.body)
	id := first.object(t)["jobId"].(string)
	fingerprint := s.keyState(t, "done").Fingerprint

	// dies leaves a key as a process does that has died so long ago.
	dies := func(key string, ago time.Duration, wrote bool) {
		held := s.keyState(t, key).Held
		require.NotNil(t, held)
		if wrote {
			require.NoError(t, db.Of(s.Store).InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
				held.Fingerprint = fingerprint
				return tx.Idempotency.Record(ctx, held, db.Answer{Kind: db.JobAnswer, ID: id}, false)
			}))
		}
		s.silence(t, key, ago)
	}
	post := func(key string) *answer { return s.postForm(t, parts, header("Idempotency-Key", key)) }
	dies("just now", db.KeyLease-5*time.Second, true)
	a := post("just now")
	assert.Equal(t, "IDEMPOTENCY_IN_PROGRESS", a.failure(t)["code"])
	left, err := strconv.Atoi(a.Header.Get("Retry-After"))
	require.NoError(t, err)
	assert.InDelta(t, 4, left, 2, "what is left of its lease")
	dies("a while ago", db.KeyLease+time.Second, true)
	a = post("a while ago")
	require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
	assert.Equal(t, "true", a.Header.Get("Idempotency-Replayed"))
	assert.Equal(t, id, a.object(t)["jobId"])
	dies("before it wrote", db.KeyLease-5*time.Second, false)
	assert.Equal(t, "IDEMPOTENCY_IN_PROGRESS", post("before it wrote").failure(t)["code"])
	dies("long before", db.KeyLease+time.Second, false)
	a = post("long before")
	require.Less(t, a.StatusCode, 300, a.body)
	assert.Empty(t, a.Header.Get("Idempotency-Replayed"))
}

// keyState takes a key of POST /v1/transcript as another process does, or tells who
// has it.
func (s *service) keyState(t *testing.T, key string) db.KeyState {
	t.Helper()
	k := db.IdempotencyKey{Account: servertest.Account, Method: http.MethodPost, Route: "/v1/transcript", Key: key}
	state, err := db.Of(s.Store).Idempotency.Take(t.Context(), k, nil)
	require.NoError(t, err)
	return state
}

// silence sets the last beat of a key to a time that was so long ago.
func (s *service) silence(t *testing.T, key string, ago time.Duration) {
	t.Helper()
	_, err := storetest.SQL(t, s.options).ExecContext(t.Context(), fmt.Sprintf("UPDATE idempotency_keys SET beat_at = '%s' WHERE key = '%s'",
		time.Now().UTC().Add(-ago).Format("2006-01-02 15:04:05.999999-07:00"), key))
	require.NoError(t, err)
}

// requireLease requires that a repetition is asked to wait for the end of a lease.
func requireLease(t *testing.T, a *answer) {
	t.Helper()
	left, err := strconv.Atoi(a.Header.Get("Retry-After"))
	require.NoError(t, err)
	require.Positive(t, left)
	require.LessOrEqual(t, left, int(db.KeyLease.Seconds()))
}

// TestKeyOfAServiceThatWasKilled is an upload whose service dies before it has read the
// file, or while its sender waits for the job. The next service on the file is another
// process: the key is not held any more.
func TestKeyOfAServiceThatWasKilled(t *testing.T) {
	t.Parallel()
	s := start(t)
	release := s.Engine.Hold()
	defer release()
	first := s.postForm(t, []part{field("waitMs", "0"), file("a")}, header("Idempotency-Key", "first"))
	require.Equal(t, http.StatusAccepted, first.StatusCode, first.body)
	id := first.object(t)["jobId"].(string)
	require.NotNil(t, s.keyState(t, "reads").Held)
	waits, fingerprint := s.keyState(t, "waits").Held, s.keyState(t, "first").Fingerprint
	require.NotNil(t, waits)
	require.NoError(t, db.Of(s.Store).InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		waits.Fingerprint = fingerprint
		return tx.Idempotency.Record(ctx, waits, db.Answer{Kind: db.JobAnswer, ID: id}, false)
	}))
	require.NoError(t, s.Restart(t.Context()))

	for key, replayed := range map[string]string{"reads": "", "waits": "true"} {
		a := s.postForm(t, []part{field("waitMs", "0"), file("a")}, header("Idempotency-Key", key))
		require.Equal(t, http.StatusAccepted, a.StatusCode, "%s: %s", key, a.body)
		assert.Equal(t, replayed, a.Header.Get("Idempotency-Replayed"), key)
		assert.Equal(t, id, a.object(t)["jobId"], key)
	}
}

// A process that was taken for dead while its client waits gives the answer that
// has been given in its place.
func TestKeyOfOneWhoWasTakenForDead(t *testing.T) {
	t.Parallel()
	s := start(t)
	release := s.Engine.Hold()
	parts := []part{field("waitMs", "10000"), file("a")}
	answered := s.inBackground(t, parts, header("Idempotency-Key", "k"))
	id := s.acceptedJob(t, "a")
	var state db.KeyState
	require.Eventually(t, func() bool { // it may beat in between
		s.silence(t, "k", db.KeyLease+time.Second)
		state = s.keyState(t, "k")
		return state.Answer != nil
	}, time.Minute, time.Millisecond, "given by another process")
	require.Equal(t, db.Answer{Kind: db.JobAnswer, ID: id}, *state.Answer)
	release()
	first := <-answered
	require.NotNil(t, first)
	require.Equal(t, http.StatusAccepted, first.StatusCode, first.body)
	assert.Equal(t, id, first.object(t)["jobId"])
}

// Whoever waits for a job that is canceled learns of it, and the key is free.
func TestCanceledWhileWaiting(t *testing.T) {
	t.Parallel()
	s := start(t)
	release := s.Engine.Hold()
	key := header("Idempotency-Key", "k")
	parts := []part{field("waitMs", "10000"), file("a")}
	answered := s.inBackground(t, parts, key)
	id := s.acceptedJob(t, "a")
	require.Equal(t, http.StatusAccepted, s.do(t, http.MethodPost, "/v1/transcript/job/"+id+"/cancel", nil).StatusCode)
	a := <-answered
	require.NotNil(t, a)
	require.Equal(t, http.StatusConflict, a.StatusCode, a.body)
	assert.Equal(t, "STATE_CONFLICT", a.failure(t)["code"])
	release()
	a = s.postForm(t, parts, key)
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	assert.Empty(t, a.Header.Get("Idempotency-Replayed"))
}

// A failure is not remembered: the key serves the next attempt.
func TestKeyIsFreeAfterAFailure(t *testing.T) {
	t.Parallel()
	s := start(t)
	key := header("Idempotency-Key", "k")
	s.Engine.FailMedia(transcript.Errorf(transcript.UploadInvalid, "Not media."))
	parts := []part{file("a"), field("waitMs", "10000")}
	require.Equal(t, http.StatusUnprocessableEntity, s.postForm(t, parts, key).StatusCode)
	require.Equal(t, http.StatusUnprocessableEntity, s.postForm(t, []part{file("a"), field("format", "x")}, key).StatusCode)
	require.Equal(t, http.StatusBadRequest, s.postForm(t, []part{field("x", "y")}, key).StatusCode)
	s.Engine.FailMedia(nil)
	a := s.postForm(t, parts, key)
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	assert.Empty(t, a.Header.Get("Idempotency-Replayed"))
}

// Of failures a 404 is remembered: what is not there will not be.
func TestReplayOfWhatIsNotThere(t *testing.T) {
	t.Parallel()
	s := start(t)
	key := header("Idempotency-Key", "k")
	parts := []part{file("a"), field("waitMs", "10000")}
	s.Engine.FailMedia(transcript.Errorf(transcript.Unavailable, "It has been removed."))
	first := s.postForm(t, parts, key)
	require.Equal(t, http.StatusNotFound, first.StatusCode, first.body)
	s.Engine.FailMedia(nil)
	again := s.postForm(t, parts, key)
	require.Equal(t, http.StatusNotFound, again.StatusCode, again.body)
	assert.Equal(t, "true", again.Header.Get("Idempotency-Replayed"))
	assert.Equal(t, "UNAVAILABLE", again.failure(t)["code"])
	assert.Equal(t, "It has been removed.", again.failure(t)["message"])
	s.nothingLeft(t)
}

// TestReplayOfANewerVersion has an answer of a kind that came later: it must not be
// taken for one that is gone.
func TestReplayOfANewerVersion(t *testing.T) {
	t.Parallel()
	s := start(t)
	held := s.keyState(t, "k").Held
	require.NotNil(t, held)
	_, err := db.Of(s.Store).Idempotency.Settle(t.Context(), *held, db.Answer{Kind: "newer", ID: "1"})
	require.NoError(t, err)
	a := s.postForm(t, []part{file("a")}, header("Idempotency-Key", "k"))
	require.Equal(t, http.StatusInternalServerError, a.StatusCode, a.body)
}

func TestReplayOfACancel(t *testing.T) {
	t.Parallel()
	s := start(t)
	release := s.Engine.Hold()
	defer release()
	one, two := s.job(t, "a"), s.job(t, "b")
	key := header("Idempotency-Key", "k")
	cancel := func(id string) *answer { return s.do(t, http.MethodPost, "/v1/transcript/job/"+id+"/cancel", nil, key) }
	first := cancel(one)
	require.Equal(t, http.StatusAccepted, first.StatusCode, first.body)
	s.ended(t, one)
	again := cancel(one)
	require.Equal(t, http.StatusAccepted, again.StatusCode, "where a cancel without the key is a 409")
	assert.Equal(t, "true", again.Header.Get("Idempotency-Replayed"))
	assert.Equal(t, "cancelled", again.object(t)["status"])
	other := cancel(two)
	require.Equal(t, http.StatusConflict, other.StatusCode)
	assert.Equal(t, "IDEMPOTENCY_CONFLICT", other.failure(t)["code"])
	// A key is one route's own.
	assert.Equal(t, http.StatusAccepted, s.postForm(t, []part{file("c"), field("waitMs", "0")}, key).StatusCode)
}

// Every POST takes keys.
func TestKeysThatAreNone(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, change := range map[string]change{
		"empty":    header("Idempotency-Key", ""),
		"too long": header("Idempotency-Key", strings.Repeat("k", 256)),
		"no ASCII": header("Idempotency-Key", "ключ"),
		"a tab":    header("Idempotency-Key", "a\tb"),
		"two":      func(r *http.Request) { r.Header["Idempotency-Key"] = []string{"a", "a"} },
	} {
		answers := map[string]*answer{"an upload": s.upload(t, "a", change)}
		for _, o := range s.operations(t) {
			if o.method == http.MethodPost && !strings.HasSuffix(o.path, "/restore") { // which is done once by its If-Match
				answers[o.path] = s.do(t, http.MethodPost, o.at(""), nil, change)
			}
		}
		require.Greater(t, len(answers), 2)
		for path, a := range answers {
			require.Equal(t, http.StatusBadRequest, a.StatusCode, "%s of %s", name, path)
			assert.Equal(t, []string{"Idempotency-Key"}, a.issuePaths(t), "%s of %s", name, path)
		}
		assert.Equal(t, http.StatusNotFound, s.get(t, unknownJob, change).StatusCode, "a GET does not look at it")
	}
	longest := header("Idempotency-Key", strings.Repeat("~", 255))
	assert.Equal(t, http.StatusOK, s.postForm(t, []part{file("a"), field("waitMs", "10000")}, longest).StatusCode)
}

// Who goes away in the middle of the wait finds the job under the same key.
func TestSenderGoesAway(t *testing.T) {
	t.Parallel()
	s := start(t)
	release := s.Engine.Hold()
	parts := []part{file("a"), field("waitMs", "10000")}
	body, contentType := form(t, parts...)
	ctx, leave := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	key := header("Idempotency-Key", "k")
	go func() {
		_, err := s.send(t, http.MethodPost, "/v1/transcript", bytes.NewReader(body), header("Content-Type", contentType), key,
			func(r *http.Request) { *r = *r.WithContext(ctx) })
		gone <- err
	}()
	require.NoError(t, s.Engine.Await(t.Context(), 1))
	leave()
	require.ErrorIs(t, <-gone, context.Canceled)
	var again *answer
	require.Eventually(t, func() bool { // as soon as the service has seen it go
		again = s.postForm(t, parts, key)
		return again.StatusCode == http.StatusAccepted
	}, time.Minute, 10*time.Millisecond)
	assert.Equal(t, "true", again.Header.Get("Idempotency-Replayed"))
	id := again.object(t)["jobId"].(string)
	release()
	assert.Equal(t, "success", s.ended(t, id)["status"])
	assert.Equal(t, 1, s.Engine.Recognitions())
}
