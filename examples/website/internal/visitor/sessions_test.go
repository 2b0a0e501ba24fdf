package visitor_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest" // databases that the test starts by itself
	"github.com/transcriptkit/transcriptkit/server/store"
)

// A session lives until it is ended, is not used, or is too old; and one that has ended
// does not come back with a request that was under way.
func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o store.Options) {
		v := newSite(t, o).visitors
		sessions, now := v.SessionStore(), time.Now()
		keep := func(token string, until time.Time) {
			t.Helper()
			require.NoError(t, sessions.CommitCtx(t.Context(), token, []byte("data of "+token), until))
		}
		found := func(token string) bool {
			t.Helper()
			data, ok, err := sessions.FindCtx(t.Context(), token)
			require.NoError(t, err)
			if ok {
				assert.Equal(t, "data of "+token, string(data))
			}
			return ok
		}
		assert.False(t, found("none"))
		require.NoError(t, sessions.DeleteCtx(t.Context(), "none"))
		for _, token := range []string{"a", "b", "c"} {
			keep(token, now.Add(time.Hour))
			keep(token, now.Add(2*time.Hour)) // changed
			assert.True(t, found(token))
		}
		require.NoError(t, sessions.DeleteCtx(t.Context(), "a"))
		assert.False(t, found("a"))
		keep("a", now.Add(time.Hour))
		assert.False(t, found("a"), "a request that was under way")

		require.NoError(t, v.UsedAt(t.Context(), "b", now.Add(-visitor.SessionIdle-time.Minute)))
		assert.False(t, found("b"), "not used")
		require.NoError(t, v.UsedAt(t.Context(), "c", now.Add(-visitor.SessionNoted-time.Minute)))
		assert.True(t, found("c"))
		before := storetest.Count(t, o, "website_sessions WHERE token = 'c' AND used_at < "+strconv.FormatInt(now.Unix(), 10))
		assert.Zero(t, before, "its use is noted")
		keep("d", now.Add(-time.Minute))
		assert.False(t, found("d"), "too old")
	})
}
