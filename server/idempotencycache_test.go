package server_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// cachedBody asks for a link whose transcript startCached has put into the cache.
const cachedBody = `{"platform":"video_site","externalId":"` + video + `","waitMs":10000}`

// startCached starts a service whose account has the transcript of a link.
func startCached(t *testing.T) *service {
	t.Helper()
	s := start(t)
	s.Engine.SetTracks(servertest.Track{Lang: "en", Text: "hello"})
	a := s.postJSON(t, cachedBody)
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	return s
}

// withKey is a request with an idempotency key.
func withKey(name string) change { return header("Idempotency-Key", name) }

// TestKeysOfCachedAnswers sends keys with requests that the cache could answer: what an
// earlier request with the same key did comes before the cache.
func TestKeysOfCachedAnswers(t *testing.T) {
	t.Parallel()
	s := startCached(t)
	first := s.postJSON(t, cachedBody, withKey("k"))
	require.Equal(t, http.StatusOK, first.StatusCode, first.body)
	assert.Empty(t, first.Header.Get("Idempotency-Replayed"))
	again := s.postJSON(t, `{"waitMs":10000,"language":"en","externalId":"`+video+`","platform":"video_site"}`, withKey("k"))
	require.Equal(t, http.StatusOK, again.StatusCode, again.body)
	assert.Equal(t, "true", again.Header.Get("Idempotency-Replayed"))
	assert.Equal(t, first.object(t), again.object(t))
	other := s.postJSON(t, `{"platform":"video_site","externalId":"`+video+`","format":"text"}`, withKey("k"))
	require.Equal(t, http.StatusConflict, other.StatusCode, other.body)
	assert.Equal(t, "IDEMPOTENCY_CONFLICT", other.failure(t)["code"])

	running := s.keyState(t, "running").Held
	require.NotNil(t, running)
	a := s.postJSON(t, cachedBody, withKey("running"))
	require.Equal(t, http.StatusConflict, a.StatusCode, a.body)
	assert.Equal(t, "IDEMPOTENCY_IN_PROGRESS", a.failure(t)["code"])
	requireLease(t, a)
	s.silence(t, "running", db.KeyLease+time.Second)
	a = s.postJSON(t, cachedBody, withKey("running"))
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	assert.Empty(t, a.Header.Get("Idempotency-Replayed"), "the request before has left nothing")
	_, err := db.Of(s.Store).Idempotency.Settle(t.Context(), *running, db.Answer{})
	require.ErrorIs(t, err, db.ErrKeyLost)

	made := s.keyState(t, "made").Held
	require.NotNil(t, made)
	const someJob = "019321a0-7c11-7c3e-9a55-2f6d1f0c9b11"
	made.Fingerprint = s.keyState(t, "k").Fingerprint
	require.NoError(t, db.Of(s.Store).InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		return tx.Idempotency.Record(ctx, made, db.Answer{Kind: db.JobAnswer, ID: someJob}, true)
	}))
	a = s.postJSON(t, cachedBody, withKey("made"))
	require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
	assert.Equal(t, "true", a.Header.Get("Idempotency-Replayed"))
	assert.Equal(t, someJob, a.object(t)["jobId"])
}

// TestKeysOfCachedAnswersAtTheSameTime sends one key many times at once: one request is
// the first, and all have its answer.
func TestKeysOfCachedAnswersAtTheSameTime(t *testing.T) {
	t.Parallel()
	s := startCached(t)
	answers := make([]*answer, 16)
	var sent sync.WaitGroup
	for i := range answers {
		sent.Go(func() { answers[i] = s.postJSON(t, cachedBody, withKey("k")) })
	}
	sent.Wait()
	firsts := 0
	for _, a := range answers {
		require.Equal(t, http.StatusOK, a.StatusCode, a.body)
		assert.Equal(t, answers[0].object(t), a.object(t))
		if a.Header.Get("Idempotency-Replayed") == "" {
			firsts++
		}
	}
	assert.Equal(t, 1, firsts)
}

// TestKeyOfAnOwnTextIsFreeAfterItsEnd deletes a text that is an account's alone: a
// repetition is a new request, and not the answer about a deleted text.
func TestKeyOfAnOwnTextIsFreeAfterItsEnd(t *testing.T) {
	t.Parallel()
	s := startCached(t)
	_, err := s.PutTranscript(t.Context(), servertest.Account, corrected("en", "my own"))
	require.NoError(t, err)
	for _, replayed := range []string{"", "true"} {
		a := s.postJSON(t, cachedBody, withKey("k"))
		require.Equal(t, http.StatusOK, a.StatusCode, a.body)
		require.Contains(t, a.body, "my own")
		assert.Equal(t, replayed, a.Header.Get("Idempotency-Replayed"))
	}
	path := "/v1/library/transcripts/video_site/" + video
	require.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, path, nil).StatusCode)
	a := s.postJSON(t, cachedBody, withKey("k"))
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	assert.Empty(t, a.Header.Get("Idempotency-Replayed"))
	assert.NotContains(t, a.body, "my own")
}

// quietTries is how often a test repeats a request whose statements it counts. The service's own
// work may send statements at the same time.
const quietTries = 20

// TestKeyedHitWritesOnce counts what a request with a key asks of the database if the cache
// answers: it begins no transaction, takes no lock, and writes once. Then each statement
// fails, in each way.
func TestKeyedHitWritesOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		c := newTraveller(t, o)
		c.await(c.job(c.link(0, "en")), "success")
		c.link(0, "en") // also notes that the API key is in use
		var writes []string
		for range quietTries {
			c.faults.Arm(0, dbtest.NoFault)
			a := c.link(0, "en")
			writes = slices.DeleteFunc(c.faults.Disarm(), func(statement string) bool { return !writing.MatchString(statement) })
			require.Equal(t, http.StatusOK, a.StatusCode, a.body)
			if len(writes) == 1 {
				break
			}
		}
		require.Len(t, writes, 1, "%q", writes)
		assert.Contains(t, writes[0], "idempotency_keys")
		c.sweep(journeys["a text that is there"], 1<<30)
	})
}

// TestKeyedHitIsRecordedBeforeItIsSent lets the one write of a keyed request fail that the cache
// answers. The client gets no answer, and a repetition finds the key either free or answered.
func TestKeyedHitIsRecordedBeforeItIsSent(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		c := newTraveller(t, o)
		c.await(c.job(c.link(0, "en")), "success")
		c.link(0, "en") // also notes that the API key is in use
		isRecord := func(statement string) bool { return strings.Contains(statement, "INSERT INTO idempotency_keys") }
		ask := func(key, text string) *answer { return c.postJSON(t, text, withKey(key)) }
		same, other := body(t, videoOf(0), wish{"waitMs", 0}), body(t, videoOf(0), wish{"format", "text"})
		// failRecord makes the record of a new key fail, and returns the key and its answer.
		failRecord := func(as dbtest.Fault) (key string, a *answer) {
			for try := range quietTries {
				c.faults.Arm(0, dbtest.NoFault)
				c.link(0, "en")
				at := slices.IndexFunc(c.faults.Disarm(), isRecord)
				c.faults.Arm(at+1, as)
				key = fmt.Sprint(as, try)
				a = ask(key, same)
				if said := c.faults.Disarm(); at >= 0 && at < len(said) && isRecord(said[at]) {
					return key, a
				}
			}
			require.Fail(t, "the record was never where it was before")
			return key, a
		}
		for _, as := range []dbtest.Fault{dbtest.Refused, dbtest.Lost} {
			key, failed := failRecord(as)
			require.Equal(t, http.StatusServiceUnavailable, failed.StatusCode, "%v: %s", as, failed.body)
			if as == dbtest.Refused { // the key is free
				again := ask(key, other)
				require.Equal(t, http.StatusOK, again.StatusCode, again.body)
				require.Empty(t, again.Header.Get("Idempotency-Replayed"))
				continue
			}
			again := ask(key, same)
			require.Equal(t, http.StatusOK, again.StatusCode, again.body)
			require.Equal(t, "true", again.Header.Get("Idempotency-Replayed"))
			require.Equal(t, http.StatusConflict, ask(key, other).StatusCode)
		}
	})
}

// TestDeletionBetweenReadAndRecord deletes a text after the cache was read for a request with a
// key, and before the key is taken. A repetition gets the answer of the request.
func TestDeletionBetweenReadAndRecord(t *testing.T) {
	t.Parallel()
	for name, own := range map[string]bool{"a text that all share": false, "a text of the account alone": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newTraveller(t, storetest.Postgres(t)) // SQLite has one connection that writes
			require.Equal(t, http.StatusOK, c.postJSON(t, cachedBody).StatusCode)
			if own {
				_, err := c.PutTranscript(t.Context(), servertest.Account, corrected("en", "my own"))
				require.NoError(t, err)
			}
			var deleted sync.Once
			c.faults.Before(func(statement string) {
				if strings.Contains(statement, "INSERT INTO idempotency_keys") {
					deleted.Do(func() {
						a := c.do(t, http.MethodDelete, "/v1/library/transcripts/video_site/"+video, nil)
						assert.Equal(t, http.StatusNoContent, a.StatusCode, a.body)
					})
				}
			})
			first := c.postJSON(t, cachedBody, withKey("k"))
			again := c.postJSON(t, cachedBody, withKey("k"))
			require.Equal(t, "true", again.Header.Get("Idempotency-Replayed"))
			require.Equal(t, first.StatusCode, again.StatusCode, "%s\n%s", first.body, again.body)
			require.Contains(t, []int{http.StatusOK, http.StatusAccepted}, first.StatusCode)
			require.NotContains(t, first.body, "my own", "the account had deleted the text before it took the key")
		})
	}
}

// writing matches statements that write, lock, or begin or end a transaction. Windows of
// requests count for themselves.
var writing = regexp.MustCompile(`(?i)^\s*(begin|commit|update|delete|insert into "?(idem|lib|job))|pg_advisory|FOR (NO KEY )?UPDATE`)
