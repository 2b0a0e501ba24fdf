package server_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
)

// serving matches a stack that runs code of the server around requests or of a resource.
var serving = regexp.MustCompile(`transcriptkit/server(/internal/(edge|api))?\.\(`)

// goroutines are the stacks of those that run code of the server. A test that is not
// parallel has the process for itself.
func goroutines() (of []string) {
	stacks := make([]byte, 4<<20)
	for stack := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
		if serving.MatchString(stack) {
			of = append(of, stack)
		}
	}
	return of
}

// What a request has started has ended before it is answered: the beat of its key,
// the watch of its job.
func TestNothingRunsAfterAnAnswer(t *testing.T) { // not parallel: it looks at all goroutines of the process
	s := start(t)
	id, release := s.heldJob(t, "talk")
	before := len(goroutines())
	for range 20 {
		a := s.postForm(t, []part{field("waitMs", "0"), file("talk")}, header("Idempotency-Key", "k"))
		require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
	}
	stream := s.open(t, id)
	require.Equal(t, "job.snapshot", stream.next(t).name)
	release()
	for stream.next(t).name != "job.completed" {
	}
	require.Eventually(t, func() bool { return len(goroutines()) <= before }, time.Minute, time.Millisecond)
}

// While the database takes no writes, a key cannot be released. That is tried again,
// but not beyond Stop: then the store may be closed.
func TestNothingRunsAfterStop(t *testing.T) { // not parallel: it looks at all goroutines of the process
	s := start(t)
	ann := account.Principal{Account: "ann", Scopes: account.Scopes(), Plan: account.DefaultPlans().ByName["self_hosted"]}
	srv, err := server.New(t.Context(), server.Config{Store: s.Store, Dir: t.TempDir(), Authenticator: sessions{"ann": {ann, nil}}})
	require.NoError(t, err)
	unlock := s.lockDatabase(t)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, unknownJob+"/cancel", nil)
	r.Header.Set("Cookie", "session=ann")
	r.Header.Set("Idempotency-Key", "k")
	w := httptest.NewRecorder()
	srv.Handler().ServeHTTP(w, r)
	require.Equal(t, http.StatusServiceUnavailable, w.Code, w.Body)
	retries := func() bool { return strings.Contains(strings.Join(goroutines(), "\n"), "leases") }
	require.Eventually(t, retries, time.Minute, time.Millisecond, "the key is to be released")
	require.NoError(t, srv.Stop(t.Context()))
	assert.False(t, retries())
	unlock()
}
