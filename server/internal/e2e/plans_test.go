package e2e_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// offering is the place for children with a plans file: one plan, on which makeKey puts
// the account. The members are JSON.
func (s place) offering(t *testing.T, members string) place {
	t.Helper()
	s.plans = filepath.Join(t.TempDir(), "plans.json")
	plan := `{"paid": true, "upload": true, "maxUploadBytes": null, "asr": true, "asrConcurrency": null, "asrWaiting": null, "maxDurationSec": null, ` + members + `}`
	require.NoError(t, os.WriteFile(s.plans, []byte(`{"defaultPlan": "self_hosted", "plans": {"self_hosted": `+plan+`}}`), 0o600))
	return s
}

// crowd has many requests on their way at the same time.
func crowd(t *testing.T) *http.Client {
	t.Helper()
	transport := http.DefaultTransport.(*http.Transport).Clone() // it is one
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// post sends JSON; body "" sends none. Nil: there was no answer.
func post(t *testing.T, web *http.Client, url, key, body string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if !assert.NoError(t, err) {
		return nil
	}
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	resp, err := web.Do(r)
	if err != nil {
		return nil
	}
	_ = resp.Body.Close() // its header is enough
	return resp
}

// longHour is the seconds of a window that does not end within the next minutes: an
// hour, or 70 minutes where that is about to end.
func longHour() int64 {
	const hour, margin = 3600, 300
	if time.Now().Unix()%hour < hour-margin {
		return hour
	}
	return hour + 600
}

// TestWindowOfManyProcesses: of 400 requests at once to two processes, those that fit
// into the window are accepted, and each has its own number.
func TestWindowOfManyProcesses(t *testing.T) {
	t.Parallel()
	s := newPlace(t, storetest.Postgres(t).Database).
		offering(t, fmt.Sprintf(`"transcriptsPerPeriod": null, "rateLimit": {"requests": 100, "windowSec": %d}`, longHour()))
	key := s.makeKey(t)
	processes := []*child{s.as(t, server.RoleAPI).spawn(t, "127.0.0.1:0"), s.as(t, server.RoleAPI).spawn(t, "127.0.0.1:0")}
	web, answers := crowd(t), make([]*http.Response, 400)
	var sent sync.WaitGroup
	begin := make(chan struct{})
	for i := range answers {
		sent.Go(func() {
			<-begin
			answers[i] = post(t, web, processes[i%2].url+"/v1/transcript/job/019321a0-7c11-7c3e-9a55-2f6d1f0c9b11/cancel", key, "")
		})
	}
	close(begin)
	sent.Wait()

	var remaining []int
	for _, a := range answers {
		require.NotNil(t, a, "no answer")
		assert.Equal(t, "100", a.Header.Get("X-RateLimit-Limit"))
		left, err := strconv.Atoi(a.Header.Get("X-RateLimit-Remaining"))
		require.NoError(t, err)
		if a.StatusCode == http.StatusTooManyRequests {
			assert.Zero(t, left)
			continue
		}
		require.Equal(t, http.StatusNotFound, a.StatusCode)
		remaining = append(remaining, left)
	}
	slices.Sort(remaining)
	require.Len(t, remaining, 100)
	for i, n := range remaining {
		require.Equal(t, i, n, "each number once")
	}
}

// TestKillUnderAnAllowance kills a process that accepts requests in the middle of them:
// what is set aside is at every moment what the running claims hold, no more is given
// than there is, and in the end nothing is set aside.
func TestKillUnderAnAllowance(t *testing.T) {
	full(t)
	t.Parallel()
	const allowance = 60
	s := newPlace(t, storetest.Postgres(t).Database).
		offering(t, fmt.Sprintf(`"transcriptsPerPeriod": %d, "rateLimit": null`, allowance))
	key := s.makeKey(t)
	victim, survivor := s.as(t, server.RoleAPI).spawn(t, "127.0.0.1:0"), s.as(t, server.RoleAPI).spawn(t, "127.0.0.1:0")
	web, next := crowd(t), make(chan int)
	var accepted, refused, lost atomic.Int32
	var senders sync.WaitGroup
	for range 16 {
		senders.Go(func() {
			for n := range next {
				to := []*child{victim, survivor}[n%2]
				body := fmt.Sprintf(`{"url": "https://youtu.be/v%d", "waitMs": 0}`, 1_000_000_000+n)
				switch a := post(t, web, to.url+"/v1/transcript", key, body); {
				case a == nil:
					lost.Add(1)
				case a.StatusCode == http.StatusPaymentRequired:
					refused.Add(1)
				case assert.Equal(t, http.StatusAccepted, a.StatusCode):
					accepted.Add(1)
				}
			}
		})
	}
	for n := range 2 * allowance {
		if n == allowance/2 {
			victim.kill()
		}
		next <- n
	}
	close(next)
	senders.Wait()
	b := s.balance(t)
	t.Logf("%d accepted, %d refused, %d without an answer: %+v", accepted.Load(), refused.Load(), lost.Load(), b)
	assert.Equal(t, allowance, b.Reserved, "nobody works yet, and all of the allowance is wanted")
	assert.GreaterOrEqual(t, b.Running, int(accepted.Load()))
	assert.NotZero(t, lost.Load(), "the process was killed too late")
	assert.NotZero(t, refused.Load())

	s.as(t, server.RoleWorker).spawn(t, "")
	require.Eventually(t, func() bool { return s.balance(t).Running == 0 }, time.Minute, 20*time.Millisecond)
	assert.Equal(t, balance{Used: allowance, Succeeded: allowance}, s.balance(t))
}

// balance is what stands in the books, at one moment.
type balance struct{ Used, Reserved, Held, Running, Succeeded int }

// balance reads the books, and checks that what is set aside is what running claims
// hold.
func (s place) balance(t *testing.T) (b balance) {
	t.Helper()
	err := storetest.SQL(t, store.Options{Database: s.database}).QueryRowContext(t.Context(), `SELECT
		(SELECT sum(used_transcripts) FROM usage), (SELECT sum(reserved_transcripts) FROM usage),
		(SELECT coalesce(sum(reserved_transcripts), 0) FROM jobs WHERE status IN ('pending', 'processing')),
		(SELECT count(*) FROM jobs WHERE status IN ('pending', 'processing')),
		(SELECT count(*) FROM jobs WHERE status = 'success')`).
		Scan(&b.Used, &b.Reserved, &b.Held, &b.Running, &b.Succeeded)
	require.NoError(t, err)
	assert.Equal(t, b.Held, b.Reserved)
	b.Held = 0 // it is said
	return b
}
