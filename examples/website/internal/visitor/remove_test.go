package visitor_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest" // databases that the test starts by itself
	"github.com/transcriptkit/transcriptkit/server/store"
)

// No table of the website tells of a user who was removed, and the others stay signed in.
func TestRemovedUserLeavesNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o store.Options) {
		s := newSite(t, o)
		for _, name := range []string{"Ada_L", "adaXl", "ada"} { // in a pattern of SQL, _ stands for any letter
			s.signedUp(t, name)
			require.Equal(t, http.StatusUnauthorized, s.browser(t).form("/sign-in", "name", name, "password", "not that one").StatusCode)
		}
		before := storetest.Dump(t, o)
		require.Len(t, before.With("ada_l"), 3, "users, known browsers, and tries")
		require.Equal(t, 3, storetest.Count(t, o, "website_sessions WHERE data <> ''"))

		require.NoError(t, s.visitors.RemoveUser(t.Context(), "ADA_L"))
		after := storetest.Dump(t, o)
		assert.Empty(t, after.With("ada_l"))
		assert.Equal(t, 2, storetest.Count(t, o, "website_sessions WHERE data <> ''"))
		for _, name := range []string{"adaxl", "ada "} {
			assert.Equal(t, before.With(name), after.With(name), name)
		}
		assert.ErrorIs(t, s.visitors.RemoveUser(t.Context(), "ada_l"), visitor.ErrNoUser)
	})
}

// A removal that fails half-way is repeated, although the user has gone already.
func TestRemovalOfAUserIsRepeated(t *testing.T) {
	t.Parallel()
	s := onSQLite(t)
	s.signedUp(t, "ada")
	mend := s.refuse(t, "UPDATE", "website_sessions")
	require.ErrorContains(t, s.visitors.RemoveUser(t.Context(), "ada"), "refused")
	mend()
	require.ErrorIs(t, s.visitors.RemoveUser(t.Context(), "ada"), visitor.ErrNoUser)
	assert.Zero(t, storetest.Count(t, s.options, "website_sessions WHERE data <> ''"))
}

// A user who is removed with the account while the password is checked does not get in, and the
// account is not made again.
func TestSignInDuringARemoval(t *testing.T) {
	t.Parallel()
	s := onSQLite(t)
	s.signedUp(t, "ada")
	s.exec(t, `CREATE TRIGGER removal AFTER UPDATE ON website_counts WHEN NEW.used < OLD.used
		BEGIN DELETE FROM website_users; DELETE FROM accounts WHERE id = 'ada'; END`) // the password was right
	a := s.browser(t).form("/sign-in", "name", "ada", "password", password)
	assert.Equal(t, http.StatusUnauthorized, a.StatusCode, a.body)
	assert.Zero(t, storetest.Count(t, s.options, "accounts WHERE id = 'ada'"))
}

// A request that a user has begun before the removal is refused like that of a stranger.
func TestRequestOfARemovedUser(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o store.Options) {
		s := newSite(t, o)
		b := s.signedUp(t, "ada")
		var refused bool
		s.before = func() { // the session is found, and the API has not asked for the account yet
			s.before = nil
			_, err := s.RemoveAccount(t.Context(), "ada")
			refused = assert.NoError(t, err)
		}
		a := b.get("/web/v1/library/transcripts")
		require.True(t, refused)
		assert.Equal(t, http.StatusUnauthorized, a.StatusCode, a.body)
	})
}
