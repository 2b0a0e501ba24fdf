package e2e_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/account"
)

// TestSoakLargeBodies sends 600 bodies of 8 MB in a minute by one key: the process stays
// far below 1 GB, and another account waits no second longer.
func TestSoakLargeBodies(t *testing.T) {
	soak(t)
	s := newPlace(t, storetest.SQLite(t).Database)
	accounts, err := account.New(s.open(t), account.DefaultPlans())
	require.NoError(t, err)
	key := func(of string) string {
		_, err := accounts.Set(t.Context(), of, account.Settings{})
		require.NoError(t, err)
		_, key, err := accounts.CreateKey(t.Context(), account.KeyParams{Account: of, Name: of, Scopes: []account.Scope{account.Transcripts, account.Batches}})
		require.NoError(t, err)
		return key
	}
	greedy, other := key("greedy"), key("other")
	c := s.spawn(t, "127.0.0.1:0")
	send := func(method, path, key string, body io.Reader) (int, error) {
		r, err := http.NewRequestWithContext(t.Context(), method, c.url+path, body)
		if err != nil {
			return 0, err
		}
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			return 0, err
		}
		return resp.StatusCode, resp.Body.Close()
	}
	const bodies, each = 600, 100 * time.Millisecond
	body := `{"maxItems":-1,"urls":["https://www.youtube.com/watch?v=aaaaaaaaaaa"]}` + strings.Repeat(" ", 8_000_000)
	var sent sync.WaitGroup
	var longest time.Duration
	tick := time.NewTicker(each)
	defer tick.Stop()
	for n := range bodies {
		sent.Go(func() {
			// A refusal may come as the end of a connection that is still written to.
			if status, err := send(http.MethodPost, "/v1/batch", greedy, strings.NewReader(body)); err == nil {
				assert.Contains(t, []int{http.StatusUnprocessableEntity, http.StatusTooManyRequests}, status)
			}
		})
		<-tick.C
		if n%5 == 0 {
			began := time.Now()
			status, err := send(http.MethodGet, "/v1/usage", other, nil)
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, status)
			longest = max(longest, time.Since(began))
		}
	}
	sent.Wait()
	c.mustLive(t)
	peak := c.peakMemory(t)
	t.Logf("the process took %d MB at most, the other account waited %v at most", peak>>10, longest)
	assert.Less(t, peak, 1<<20, "kB")
	assert.Less(t, longest, time.Second)
}
