package visitor_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest" // databases that the test starts by itself
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/store"
)

func TestSignUpInAndOut(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o store.Options) {
		s := newSite(t, o)
		ada := s.browser(t)
		a := ada.form("/sign-up", "name", "Ada", "password", password, "next", "/library?q=x")
		require.Equal(t, http.StatusSeeOther, a.StatusCode, a.body)
		assert.Equal(t, "/library?q=x", a.Header.Get("Location"))
		set := a.Header.Get("Set-Cookie")
		assert.Regexp(t, `^session=[^;]{40,}; Path=/; .*HttpOnly; SameSite=Lax$`, set)
		assert.Equal(t, "no-store", a.Header.Get("Cache-Control"))
		token := ada.cookie("session").Value
		assert.Zero(t, storetest.Count(t, o, "website_sessions WHERE token = '"+token+"' OR data LIKE '%"+token+"%'"), "the table opens no session")

		page := ada.get("/account")
		assert.Contains(t, page.body, "Ada")
		assert.Equal(t, "no-store", page.Header.Get("Cache-Control"))
		assert.Equal(t, http.StatusOK, ada.get("/web/v1/usage").StatusCode)

		// At another process they are the same, and out at both once they sign out at one.
		elsewhere := ada.at(s.second(t, o))
		assert.True(t, elsewhere.known())
		a = ada.form("/sign-out")
		assert.Equal(t, http.StatusSeeOther, a.StatusCode)
		assert.Nil(t, ada.cookie("session"))
		assert.False(t, ada.known())
		assert.False(t, elsewhere.known(), "the cookie that was kept opens nothing")

		for _, wrong := range [][2]string{{"Ada", "wrong horse"}, {"nobody", password}, {"", ""}, {"Ada", strings.Repeat("x", 2000)}, {"a'; --", password}} {
			a := ada.form("/sign-in", "name", wrong[0], "password", wrong[1])
			assert.Equal(t, http.StatusUnauthorized, a.StatusCode, wrong[0])
			assert.Contains(t, a.body, "The name or the password is wrong.", wrong[0])
			assert.Empty(t, a.Header.Values("Set-Cookie"), wrong[0])
		}
		require.Equal(t, http.StatusSeeOther, ada.form("/sign-in", "name", "ada", "password", password).StatusCode, "in letters of any size")
		assert.True(t, ada.known())
		assert.NotEqual(t, token, ada.cookie("session").Value)
		assert.Equal(t, 1, storetest.Count(t, o, "website_users WHERE password LIKE '$argon2id$v=19$m=%'"))
	})
}

func TestNamesAndPasswordsThatNobodyMayHave(t *testing.T) {
	t.Parallel()
	s := onSQLite(t)
	_, err := s.Accounts.Set(t.Context(), "acme-robots", account.Settings{})
	require.NoError(t, err)
	s.signedUp(t, "ada")
	for name, status := range map[string]int{
		"ada": http.StatusConflict, "ADA": http.StatusConflict, // somebody is
		"acme-robots": http.StatusConflict, // somebody has keys of it
		"":            http.StatusUnprocessableEntity, "guest:1": http.StatusUnprocessableEntity, "-x": http.StatusUnprocessableEntity,
		strings.Repeat("x", 65): http.StatusUnprocessableEntity, "a b": http.StatusUnprocessableEntity,
	} {
		b := s.browser(t)
		assert.Equal(t, status, b.form("/sign-up", "name", name, "password", "a password of "+name).StatusCode, name)
		assert.False(t, b.known(), name)
	}
	for _, bad := range []string{"", "1234567", strings.Repeat("x", 1001), "\xff\xff\xff\xff\xff\xff\xff\xff"} {
		b := s.browser(t)
		assert.Equal(t, http.StatusUnprocessableEntity, b.form("/sign-up", "name", "bob", "password", bad).StatusCode, bad)
	}
}

func TestOnlyPagesOfTheSiteAreGoneTo(t *testing.T) {
	t.Parallel()
	s := onSQLite(t)
	b := s.signedUp(t, "ada")
	for next, to := range map[string]string{
		"/library?view=starred": "/library?view=starred", "/transcripts/video_site/a%2Fb": "/transcripts/video_site/a%2Fb", "": "/",
		"https://evil.example/": "/", "//evil.example/": "/", "/\\evil.example": "/", "/%5Cevil.example": "/", "/%2Fevil.example": "/",
		"javascript:alert(1)": "/", "evil.example": "/", "/\t/evil.example": "/", "/%09/evil.example": "/", "/sign-in": "/", "@evil.example": "/", "///evil.example": "/",
	} {
		a := b.get("/sign-in?next=" + strings.NewReplacer("%", "%25", "?", "%3F", "\\", "%5C", "\t", "%09", "&", "%26").Replace(next))
		require.Equal(t, http.StatusSeeOther, a.StatusCode, next)
		got := a.Header.Get("Location")
		assert.True(t, got == to || next == "///evil.example" && got == "/evil.example", "%s leads to %s", next, got)
	}
}

// Whoever plants a cookie in a browser shares no session with who signs in there.
func TestPlantedSessionsAreNotTaken(t *testing.T) {
	t.Parallel()
	s := onSQLite(t)
	ada, eve := s.signedUp(t, "ada"), s.signedUp(t, "eve")
	require.Equal(t, http.StatusSeeOther, ada.form("/sign-out").StatusCode)
	for _, planted := range []string{eve.cookie("session").Value, strings.Repeat("A", 43), "x"} {
		ada.setCookie("session", planted)
		require.Equal(t, http.StatusSeeOther, ada.form("/sign-in", "name", "ada", "password", password).StatusCode)
		assert.NotEqual(t, planted, ada.cookie("session").Value)
		assert.Contains(t, ada.get("/account").body, "<strong dir=\"auto\">ada</strong>")
		thief := s.browser(t)
		thief.setCookie("session", planted)
		assert.False(t, thief.known())
	}
}

func TestAnotherPasswordEndsOtherSessions(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, o store.Options) {
		s := newSite(t, o)
		ada := s.signedUp(t, "ada")
		phone := s.browser(t)
		require.Equal(t, http.StatusSeeOther, phone.form("/sign-in", "name", "ada", "password", password).StatusCode)

		assert.Equal(t, http.StatusUnauthorized, ada.form("/account/password", "password", "not this one", "next", "another password", "again", "another password").StatusCode)
		assert.Equal(t, http.StatusUnprocessableEntity, ada.form("/account/password", "password", password, "next", "another password", "again", "one more").StatusCode)
		assert.Equal(t, http.StatusUnprocessableEntity, ada.form("/account/password", "password", password, "next", "short", "again", "short").StatusCode)
		require.True(t, phone.known())

		before := ada.cookie("session").Value
		require.Equal(t, http.StatusSeeOther, ada.form("/account/password", "password", password, "next", "another password", "again", "another password").StatusCode)
		assert.True(t, ada.known())
		assert.NotEqual(t, before, ada.cookie("session").Value)
		assert.False(t, phone.known())
		assert.Equal(t, http.StatusUnauthorized, phone.form("/sign-in", "name", "ada", "password", password).StatusCode)
		require.Equal(t, http.StatusSeeOther, phone.form("/sign-in", "name", "ada", "password", "another password").StatusCode)

		require.Equal(t, http.StatusSeeOther, phone.form("/account/sessions").StatusCode)
		assert.True(t, phone.known())
		assert.False(t, ada.known())
	})
}

// A user who is removed, or whose account is suspended, is out with the next request,
// and whoever gets the name afterwards has none of their sessions.
func TestTheSessionOfWhoMayNotIsOver(t *testing.T) {
	t.Parallel()
	s := onSQLite(t)
	ada, bob := s.signedUp(t, "ada"), s.signedUp(t, "bob")
	yes, no := true, false
	_, err := s.Accounts.Set(t.Context(), "bob", account.Settings{Suspended: &yes})
	require.NoError(t, err)
	assert.False(t, bob.known())
	assert.Equal(t, http.StatusUnauthorized, bob.get("/web/v1/usage").StatusCode)
	assert.Equal(t, http.StatusForbidden, bob.form("/sign-in", "name", "bob", "password", password).StatusCode)
	_, err = s.Accounts.Set(t.Context(), "bob", account.Settings{Suspended: &no})
	require.NoError(t, err)
	assert.Equal(t, http.StatusSeeOther, bob.form("/sign-in", "name", "bob", "password", password).StatusCode)

	require.NoError(t, s.visitors.RemoveUser(t.Context(), "ADA"))
	assert.False(t, ada.known())
	assert.Equal(t, http.StatusUnauthorized, ada.get("/web/v1/usage").StatusCode)
	assert.Equal(t, http.StatusConflict, s.browser(t).form("/sign-up", "name", "ada", "password", password).StatusCode, "the account is there, with what they saved")
	_, err = s.visitors.AddUser(t.Context(), "ada", password)
	require.NoError(t, err)
	assert.False(t, ada.known())
	require.ErrorIs(t, s.visitors.RemoveUser(t.Context(), "nobody"), visitor.ErrNoUser)
	require.ErrorIs(t, s.visitors.SetPassword(t.Context(), "nobody", password), visitor.ErrNoUser)
}

func TestTriesAreCounted(t *testing.T) {
	t.Parallel()
	var now atomic.Pointer[time.Time]
	now.Store(&noon)
	s := onSQLite(t, func(o *visitor.Options) { o.Now = func() time.Time { return *now.Load() } })
	s.signedUp(t, "ada")
	b := s.browser(t)
	for n := range 20 { // ten from a network that is known, ten as a stranger's
		name := []string{"ada", "ADA"}[n%2]
		require.Equal(t, http.StatusUnauthorized, b.form("/sign-in", "name", name, "password", "wrong password").StatusCode)
	}
	a := b.form("/sign-in", "name", "ada", "password", password)
	require.Equal(t, http.StatusTooManyRequests, a.StatusCode, "also with the right one")
	assert.Equal(t, "900", a.Header.Get("Retry-After"))
	assert.Contains(t, a.body, "Try again in 15 minutes")
	now.Store(new(noon.Add(15 * time.Minute)))
	assert.Equal(t, http.StatusSeeOther, b.form("/sign-in", "name", "ada", "password", password).StatusCode)
}

// Who tries wrong passwords keeps nobody else out.
func TestTriesKeepNobodyElseOut(t *testing.T) {
	t.Parallel()
	s := onSQLite(t, func(o *visitor.Options) { o.TrustedProxies = loopbacks })
	s.signedUp(t, "ada")
	try := func(address, password string) int {
		form := url.Values{"name": {"ada"}, "password": {password}}.Encode()
		return s.browser(t).do(http.MethodPost, "/sign-in", "application/x-www-form-urlencoded", form, with("X-Forwarded-For", address)).StatusCode
	}
	for range 10 {
		assert.Equal(t, http.StatusUnauthorized, try("192.0.2.1", "wrong password"))
	}
	assert.Equal(t, http.StatusTooManyRequests, try("192.0.2.1", password))
	assert.Equal(t, http.StatusSeeOther, try("192.0.2.2", password))
}

func TestStrangersMakeAccountsWhereTheyMay(t *testing.T) {
	t.Parallel()
	closed := onSQLite(t, func(o *visitor.Options) { o.SignUp = false })
	b := closed.browser(t)
	assert.NotContains(t, b.get("/sign-up").body, "<form method=\"post\" action=\"/sign-up\"")
	assert.Equal(t, http.StatusForbidden, b.form("/sign-up", "name", "ada", "password", password).StatusCode)
	_, err := closed.visitors.AddUser(t.Context(), "ada", password)
	require.NoError(t, err)
	assert.Equal(t, http.StatusSeeOther, b.form("/sign-in", "name", "ada", "password", password).StatusCode)
	all, err := closed.visitors.Users(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 1)
	assert.Equal(t, "ada", all[0].Name)
}

// Who has no paid plan has no keys, but uses the website within the plan.
func TestPlansWithoutKeysArePlans(t *testing.T) {
	t.Parallel()
	s := onSQLite(t)
	ada := s.signedUp(t, "ada")
	_, err := s.Accounts.Set(t.Context(), "ada", account.Settings{Plan: "free"})
	require.NoError(t, err)
	assert.Equal(t, http.StatusAccepted, ada.extract(video(0)).StatusCode)
	a := ada.get("/web/v1/usage")
	assert.Equal(t, http.StatusOK, a.StatusCode, a.body)
}

func TestSingleUser(t *testing.T) {
	t.Parallel()
	s := onSQLite(t, func(o *visitor.Options) { o.SingleUser = true })
	b := s.browser(t)
	assert.Equal(t, http.StatusOK, b.get("/web/v1/usage").StatusCode)
	assert.Equal(t, http.StatusAccepted, b.extract(video(0)).StatusCode)
	assert.NotContains(t, b.get("/").body, "/sign-in")
	assert.Equal(t, http.StatusSeeOther, b.get("/sign-in").StatusCode)
	assert.Equal(t, http.StatusNotFound, b.get("/account").StatusCode)
	for path, status := range map[string]int{"/sign-up": http.StatusForbidden, "/sign-in": http.StatusForbidden, "/account/password": http.StatusNotFound, "/account/sessions": http.StatusNotFound} {
		a := b.form(path, "name", "ada", "password", password, "next", password, "again", password)
		assert.Equal(t, status, a.StatusCode, path)
		assert.Empty(t, a.Header.Get("Set-Cookie"), path)
	}
	assert.Equal(t, http.StatusUnauthorized, b.get("/v1/usage").StatusCode, "from outside it takes a key")
	all, err := s.visitors.Users(context.WithoutCancel(t.Context()))
	require.NoError(t, err)
	assert.Empty(t, all)
	assert.NotRegexp(t, `session|guest`, b.get("/").Header.Get("Set-Cookie"))
}
