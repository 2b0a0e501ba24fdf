package server_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/resumable"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// halfSent sends the first half of a body, and the second half when the answer is asked for.
func (s *service) halfSent(t *testing.T, method, path, body string, changes ...change) (answered func() *answer) {
	t.Helper()
	half := len(body) / 2
	arriving, sender := io.Pipe()
	answers := make(chan *answer, 1)
	go func() {
		a, err := s.send(t, method, path, arriving, changes...)
		assert.NoError(t, err)
		answers <- a
	}()
	_, err := io.WriteString(sender, body[:half])
	require.NoError(t, err)
	return func() *answer {
		_, _ = io.WriteString(sender, body[half:]) // a request that is answered early reads no rest
		_ = sender.Close()                         // a pipe closes always
		return <-answers
	}
}

// Uploads that end after the removal of their account are refused, and leave nothing.
func TestUploadsThatEndAfterTheRemoval(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := startIn(t, o, t.TempDir())
		by := as(s.NewKey(t, leaver))
		data, contentType := form(t, field("waitMs", "0"), file(wav(strings.Repeat("a whole recording", 1000))))
		whole := s.halfSent(t, http.MethodPost, "/v1/transcript", string(data), by, header("Content-Type", contentType), header("Idempotency-Key", "one"))
		path := s.begin(t, "the ", by)
		part := s.halfSent(t, http.MethodPatch, path, "rest of the file", by, header("Content-Type", resumable.Partial), header(resumable.Offset, "4"), complete(true))
		require.Eventually(t, func() bool { // both requests were let in, and read their bodies
			return storetest.Count(t, o, "idempotency_keys") == 1 && storetest.Count(t, o, "uploads WHERE turn > 1") == 1
		}, time.Minute, 5*time.Millisecond)
		_, err := s.RemoveAccount(t.Context(), leaver)
		require.NoError(t, err)

		a := whole()
		assert.Equal(t, http.StatusPaymentRequired, a.StatusCode, a.body)
		assert.Contains(t, a.body, "The account is removed.")
		a = part()
		assert.Equal(t, "STATE_CONFLICT", a.failure(t)["code"], "%s: %s", a.body, s.log.String())
		assert.Equal(t, map[string]int{"removals": 1}, storetest.Dump(t, o).With(leaver))
		assert.Empty(t, files(t, s.blobs))
	})
}

// The call of a webhook that is under way ends, and leaves nothing. There is no second call.
func TestWebhookIsCalledDuringTheRemoval(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		called, free := make(chan struct{}, 10), make(chan struct{})
		var calls atomic.Int32
		receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			calls.Add(1)
			called <- struct{}{}
			<-free
			w.WriteHeader(http.StatusInternalServerError) // a reason to call again
		}))
		t.Cleanup(receiver.Close)
		s := startIn(t, o, t.TempDir(), func(c *server.Config) { c.Egress.Allow = []string{receiver.Listener.Addr().String()} })
		by := as(s.NewKey(t, leaver))
		webhook, _ := s.newWebhook(t, `{"url":"`+receiver.URL+`/"}`, by)
		s.testEvent(t, webhook, by)
		<-called
		_, err := s.RemoveAccount(t.Context(), leaver)
		require.NoError(t, err)
		close(free)
		require.Eventually(t, func() bool {
			return storetest.Count(t, o, "river_job WHERE state IN ('running', 'available', 'scheduled', 'retryable') AND kind = 'webhook'") == 0
		}, time.Minute, 20*time.Millisecond)
		assert.Equal(t, map[string]int{"removals": 1}, storetest.Dump(t, o).With(leaver))
		assert.EqualValues(t, 1, calls.Load())
		assert.NotContains(t, s.log.String(), "level=ERROR")
	})
}
