package visitor_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest" // databases that the test starts by itself
	"github.com/transcriptkit/transcriptkit/server/store"
)

// refuse has SQLite refuse a kind of change ("INSERT") of a table, until mend is called.
func (s *site) refuse(t *testing.T, change, table string) (mend func()) {
	t.Helper()
	s.exec(t, "CREATE TRIGGER refused BEFORE "+change+" ON "+table+" BEGIN SELECT RAISE(ABORT, 'refused'); END")
	return func() { s.exec(t, "DROP TRIGGER refused") }
}

func (s *site) exec(t *testing.T, statement string) {
	t.Helper()
	_, err := storetest.SQL(t, s.options).ExecContext(t.Context(), statement)
	require.NoError(t, err)
}

// Whose sign-up fails half-way signs up again, or in, and nobody else takes the name.
func TestSignUpFailsHalfWay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ change, table, again string }{
		{"INSERT", "website_users", "/sign-up"}, {"INSERT", "accounts", "/sign-up"}, {"INSERT", "accounts", "/sign-in"}, {"INSERT", "website_sessions", "/sign-up"},
	} {
		s := onSQLite(t)
		b := s.browser(t)
		mend := s.refuse(t, c.change, c.table)
		a := b.form("/sign-up", "name", "ada", "password", password)
		assert.Equal(t, http.StatusServiceUnavailable, a.StatusCode, "%v: %s", c, a.body)
		assert.Equal(t, "2", a.Header.Get("Retry-After"), c)
		assert.Empty(t, a.Header.Get("Set-Cookie"), c)
		mend()
		if c.table != "website_users" {
			assert.Equal(t, http.StatusConflict, s.browser(t).form("/sign-up", "name", "ada", "password", "another password").StatusCode, c)
		}
		require.Equal(t, http.StatusSeeOther, b.form(c.again, "name", "ada", "password", password).StatusCode, c)
		assert.Equal(t, http.StatusAccepted, b.extract(video(0)).StatusCode, c)
		assert.Equal(t, http.StatusOK, b.get("/web/v1/library/transcripts").StatusCode, c)
	}
}

// Who sends the form twice is let in twice.
func TestSignUpTwice(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o store.Options) {
		s := newSite(t, o)
		done := make(chan answer, 2)
		for range 2 {
			b := s.browser(t)
			go func() { done <- b.form("/sign-up", "name", "ada", "password", password) }()
		}
		for range 2 {
			a := <-done
			assert.Equal(t, http.StatusSeeOther, a.StatusCode, a.body)
		}
		assert.Equal(t, 1, storetest.Count(t, o, "website_users"))
		assert.Equal(t, http.StatusConflict, s.browser(t).form("/sign-up", "name", "ada", "password", "another password").StatusCode)
	})
}

// Where a password cannot be changed the old one is good, and so is the session.
func TestAnotherPasswordFailsHalfWay(t *testing.T) {
	t.Parallel()
	s := onSQLite(t)
	b := s.signedUp(t, "ada")
	for _, at := range [][2]string{{"INSERT", "website_sessions"}, {"UPDATE", "website_users"}} {
		mend := s.refuse(t, at[0], at[1])
		a := b.form("/account/password", "password", password, "next", "another password", "again", "another password")
		assert.Equal(t, http.StatusServiceUnavailable, a.StatusCode, at)
		assert.Equal(t, http.StatusServiceUnavailable, b.form("/account/sessions").StatusCode, at)
		mend()
		assert.True(t, b.known(), at)
		assert.Equal(t, http.StatusSeeOther, s.browser(t).form("/sign-in", "name", "ada", "password", password).StatusCode, at)
	}
	require.Equal(t, http.StatusSeeOther, b.form("/account/password", "password", password, "next", "another password", "again", "another password").StatusCode)
	assert.True(t, b.known())
}

// A guest who could not be kept has taken nothing.
func TestGuestFailsHalfWay(t *testing.T) {
	t.Parallel()
	s := onSQLite(t)
	b := s.browser(t)
	mend := s.refuse(t, "INSERT", "website_guests")
	a := b.extract(video(0))
	assert.Equal(t, http.StatusServiceUnavailable, a.StatusCode, a.body)
	assert.Empty(t, a.Header.Get("Set-Cookie"))
	assert.Zero(t, storetest.Count(t, s.options, "website_counts"))
	assert.Zero(t, storetest.Count(t, s.options, "jobs"))
	mend()
	mend = s.refuse(t, "INSERT", "jobs")
	assert.GreaterOrEqual(t, b.extract(video(0)).StatusCode, http.StatusInternalServerError)
	assert.Zero(t, storetest.Count(t, s.options, "website_counts WHERE used > 0"), "it is given back")
	mend()
	jobOf(t, b.extract(video(0)))
}

// A newer version of the website has changed the tables, and this one still runs.
func TestNewerTables(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o store.Options) {
		s := newSite(t, o)
		ada := s.signedUp(t, "ada")
		for _, table := range []string{"users", "sessions", "guests", "counts", "secrets"} {
			s.exec(t, "ALTER TABLE website_"+table+" ADD COLUMN newer TEXT")
		}
		s.exec(t, "INSERT INTO website_goose_db_version (version_id, is_applied) VALUES (9, TRUE)")
		ada = ada.at(s.second(t, o)) // one that was started since
		assert.True(t, ada.known())
		for _, fields := range [][]string{
			{"/account/password", "password", password, "next", "another password", "again", "another password"},
			{"/account/sessions"}, {"/sign-out"}, {"/sign-in", "name", "ada", "password", "another password"},
		} {
			assert.Equal(t, http.StatusSeeOther, ada.form(fields[0], fields[1:]...).StatusCode, fields[0])
		}
		assert.True(t, ada.known())
		s.signedUp(t, "bob")
		guest := s.browser(t)
		guest.ended(jobOf(t, guest.extract(video(0))))
		all, err := s.visitors.Users(t.Context())
		require.NoError(t, err)
		assert.Len(t, all, 2)
		api, err := web.InProcess(s.Handler())
		require.NoError(t, err)
		require.NoError(t, s.visitors.Sweep(t.Context(), api, time.Now().Add(32*24*time.Hour)))
		assert.Zero(t, storetest.Count(t, o, "website_guests"))
	})
}

// What is no session of this program is none, and does not keep anybody out.
func TestSessionsOfAnotherProgram(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o store.Options) {
		s := newSite(t, o)
		ada := s.signedUp(t, "ada")
		for _, data := range []string{"%%%", "AAAA", "bm8gc2Vzc2lvbg=="} {
			s.exec(t, "UPDATE website_sessions SET data = '"+data+"'")
			assert.False(t, ada.known(), data)
			assert.Equal(t, http.StatusOK, ada.get("/").StatusCode, data)
			require.Equal(t, http.StatusSeeOther, ada.form("/sign-in", "name", "ada", "password", password).StatusCode, data)
			assert.True(t, ada.known(), data)
		}
		// And where the table is none of this program either, nobody gets in by it.
		s.exec(t, "ALTER TABLE website_sessions RENAME TO website_sessions_elsewhere")
		assert.Equal(t, http.StatusServiceUnavailable, ada.get("/").StatusCode)
		assert.Equal(t, http.StatusServiceUnavailable, ada.get("/web/v1/usage").StatusCode)
		assert.Equal(t, http.StatusOK, s.browser(t).get("/").StatusCode)
		s.exec(t, "ALTER TABLE website_sessions_elsewhere RENAME TO website_sessions")
		assert.True(t, ada.known())
	})
}

// An API that says of a row that it is gone, and lists it again, does not hold the sweep up.
func TestSweepOfARowThatStays(t *testing.T) {
	t.Parallel()
	s := onSQLite(t)
	guest := s.browser(t)
	guest.ended(jobOf(t, guest.extract(video(0))))
	api, err := web.InProcess(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodDelete {
			r.URL.Path = "/v1/library/transcripts/video_site/" + video(99)
		}
		s.Handler().ServeHTTP(w, r)
	}))
	require.NoError(t, err)
	require.ErrorContains(t, s.visitors.Sweep(t.Context(), api, time.Now().Add(32*24*time.Hour)), "still listed")
	assert.Equal(t, 1, storetest.Count(t, s.options, "website_guests"))
}
