package follower_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/library/follow"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/follower"
)

// TestAddressOfAPrivateFeedIsNotLogged follows feeds that fail, under addresses that hold a secret.
// The log names their hosts alone.
func TestAddressOfAPrivateFeedIsNotLogged(t *testing.T) {
	t.Parallel()
	publisher := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(publisher.Close)
	closed := httptest.NewServer(nil)
	closed.Close()
	s := dbtest.Open(t, dbtest.SQLite(t))
	var log bytes.Buffer
	fs := newLooks(s, &log, func() *http.Client { return http.DefaultClient })
	made, err := fs.Create(t.Context(), follower.Request{Account: "acme", Plan: account.WithoutLimits("p"), Wants: []follower.Want{
		{Kind: follow.Feed, URL: publisher.URL + "/canary42?token=canary42"},
		{Kind: follow.Feed, URL: closed.URL + "/canary42?token=canary42"},
	}})
	require.NoError(t, err)
	for range 4 {
		fs.look(t)
	}
	for _, m := range made {
		f, err := fs.Get(t.Context(), "acme", m.Follow.ID)
		require.NoError(t, err)
		assert.Equal(t, follow.Failing, f.Status)
		require.NotNil(t, f.LastError)
		assert.NotContains(t, f.LastError.Message, "canary42")
	}
	assert.Contains(t, log.String(), "a followed address has failed for days")
	assert.Contains(t, log.String(), "host="+publisher.Listener.Addr().String())
	assert.NotContains(t, log.String(), "canary42")
}
