package main

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/store"
)

const plansFile = "../transcriptd/plans.json"

// administered is a website with an administrator, ada, and a user, bob.
type administered struct {
	*website
	db       string // the flag
	options  store.Options
	ada, bob *person
}

func administer(t *testing.T) *administered {
	t.Helper()
	o := storetest.SQLite(t)
	s := &administered{db: "--db=" + o.Database, options: o}
	s.website = startWebsite(t, "--sign-up", s.db, "--blobs="+filepath.Join(t.TempDir(), "blobs"), "--plans="+plansFile)
	s.ada, s.bob = s.admin(t, "ada"), s.user(t, "bob")
	return s
}

// user is somebody who has signed up.
func (s *administered) user(t *testing.T, name string) *person {
	t.Helper()
	p := newPerson(t, s.address())
	require.Equal(t, http.StatusSeeOther, p.form("sign-up", "name", name, "password", password))
	return p
}

// admin is a user to whom the command line has given the role.
func (s *administered) admin(t *testing.T, name string) *person {
	t.Helper()
	p := s.user(t, name)
	s.change(t, name, "--admin")
	return p
}

func (s *administered) change(t *testing.T, name, role string) {
	t.Helper()
	code, _, stderr := call(t, "", "users", "change", name, role, s.db)
	require.Zero(t, code, stderr)
}

// send sends a request to a page, and returns its status and what it shows.
func (p *person) send(method, path, form string, change func(*http.Request)) (int, string) {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), method, p.base+path, strings.NewReader(form))
	require.NoError(p.t, err)
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if change != nil {
		change(req)
	}
	res, err := p.Do(req)
	require.NoError(p.t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(p.t, err)
	return res.StatusCode, string(body)
}

func (p *person) see(path string) (int, string) { return p.send(http.MethodGet, path, "", nil) }

var adminPages = []string{"admin", "admin/accounts", "admin/accounts?q=b", "admin/accounts/bob", "admin/jobs", "admin/doctor", "admin/doctor?examine=yes", "admin/log"}

// adminForms are the forms that change bob, with what they need.
var adminForms = map[string]string{
	"admin/accounts":              "name=eve&password=a+few+words+in+a+row&plan=free",
	"admin/accounts/bob/plan":     "plan=free",
	"admin/accounts/bob/suspend":  "confirm=bob",
	"admin/accounts/bob/activate": "",
	"admin/accounts/bob/promote":  "",
	"admin/accounts/bob/demote":   "",
	"admin/accounts/bob/remove":   "confirm=bob",
}

// To everybody without the role, the pages of administrators are pages that do not exist, and their
// forms change nothing.
func TestAdminPagesAreThereForAdminsOnly(t *testing.T) {
	t.Parallel()
	s := administer(t)
	guest := newPerson(t, s.address())
	demoted, suspended := s.admin(t, "carl"), s.admin(t, "dora")
	for _, path := range adminPages {
		for _, p := range []*person{s.ada, demoted, suspended} {
			status, body := p.see(path)
			assert.Equal(t, http.StatusOK, status, "%s %s", path, body)
		}
	}
	s.change(t, "carl", "--no-admin")
	require.Equal(t, http.StatusSeeOther, s.ada.form("admin/accounts/dora/suspend", "confirm", "dora"))
	secret := key(t, s.accounts(t), "ada")
	before, state := storetest.Count(t, s.options, "website_deeds"), s.state(t)
	for who, p := range map[string]*person{"guest": guest, "user": s.bob, "demoted": demoted, "suspended": suspended, "key": guest, "cookie and key": s.ada} {
		with := func(r *http.Request) {
			if strings.HasSuffix(who, "key") {
				r.Header.Set("Authorization", "Bearer "+secret)
			}
		}
		for _, path := range adminPages {
			status, body := p.send(http.MethodGet, path, "", with)
			same, unknown := p.send(http.MethodGet, "nothing-here", "", with)
			assert.Equal(t, same, status, "%s: %s", who, path)
			assert.GreaterOrEqual(t, status, 400, "%s: %s", who, path)
			assert.Equal(t, strings.ReplaceAll(unknown, "/nothing-here", "/?"), strings.ReplaceAll(body, `value="/`+strings.ReplaceAll(path, "&", "&amp;"), `value="/?`), "%s: %s", who, path)
		}
		for path, form := range adminForms {
			for _, shown := range []string{"", "&shownTo=ada", "&shownTo=bob"} {
				status, body := p.send(http.MethodPost, path, form+shown, with)
				same, unknown := p.send(http.MethodPost, "nothing-here", form+shown, with)
				assert.Equal(t, same, status, "%s: %s", who, path)
				assert.GreaterOrEqual(t, status, 400, "%s: %s", who, path)
				assert.Equal(t, unknown, body, "%s: %s", who, path)
			}
		}
	}
	for path, form := range adminForms { // the administrator's browser sends the form of another site
		for name, value := range map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"} {
			status, _ := s.ada.send(http.MethodPost, path, form, func(r *http.Request) { r.Header.Set(name, value) })
			assert.Equal(t, http.StatusForbidden, status, path)
		}
		status, _ := s.ada.send(http.MethodPost, path, form+"&shownTo=carl", nil) // a page that another user has left open
		assert.Equal(t, http.StatusConflict, status, path)
		status, _ = s.ada.see(path)
		if path != "admin/accounts" {
			assert.Equal(t, http.StatusNotFound, status, path)
		}
	}
	assert.Equal(t, state, s.state(t))
	assert.Equal(t, before, storetest.Count(t, s.options, "website_deeds"))
}

// accounts are the accounts of the website's database, as the command line opens them.
func (s *administered) accounts(t *testing.T) *account.Accounts {
	t.Helper()
	file, err := os.Open(plansFile)
	require.NoError(t, err)
	defer file.Close()
	plans, err := account.ReadPlans(file)
	require.NoError(t, err)
	accounts, err := account.New(s.store, plans)
	require.NoError(t, err)
	return accounts
}

func key(t *testing.T, accounts *account.Accounts, name string) string {
	t.Helper()
	_, err := accounts.Set(t.Context(), name, account.Settings{Plan: "pro"})
	require.NoError(t, err)
	_, secret, err := accounts.CreateKey(t.Context(), account.KeyParams{Account: name, Name: "key", Scopes: account.Scopes()})
	require.NoError(t, err)
	return secret
}

// state is what the accounts are, and who signs in.
func (s *administered) state(t *testing.T) string {
	t.Helper()
	all, err := s.accounts(t).List(t.Context())
	require.NoError(t, err)
	var lines []string
	for _, a := range all {
		lines = append(lines, a.Name+" "+a.Plan+map[bool]string{true: " suspended"}[a.Suspended])
	}
	code, users, stderr := call(t, "", "users", "list", s.db)
	require.Zero(t, code, stderr)
	return strings.Join(lines, "\n") + "\n" + users
}

// Administrators make, change, suspend and remove accounts, and each change has a line in the log.
func TestAdminsChangeAccounts(t *testing.T) {
	t.Parallel()
	s := administer(t)
	made := "&name=Eve%2Bwork%40example.com&password=" + url.QueryEscape(password)
	eve := "admin/accounts/Eve+work@example.com"
	for _, step := range []struct {
		path, form string
		status     int
		says       string
	}{
		{"admin/accounts", "plan=free&name=bob&password=" + password, http.StatusConflict, "taken"},
		{"admin/accounts", "plan=free&name=BOB&password=" + password, http.StatusConflict, "taken"},
		{"admin/accounts", "plan=free&name=%E2%80%AEeve&password=" + password, http.StatusUnprocessableEntity, "letters"},
		{"admin/accounts", "plan=free&name=eve&password=short", http.StatusUnprocessableEntity, "8 characters"},
		{"admin/accounts", "plan=<b>none</b>" + made, http.StatusUnprocessableEntity, "no such plan"},
		{"admin/accounts", "plan=free" + made, http.StatusSeeOther, ""},
		{eve + "/plan", "plan=none", http.StatusUnprocessableEntity, "no such plan"},
		{eve + "/plan", "plan=pro", http.StatusSeeOther, ""},
		{eve + "/promote", "", http.StatusSeeOther, ""},
		{eve + "/suspend", "confirm=eve", http.StatusUnprocessableEntity, "not the name"},
		{eve + "/suspend", "confirm=Eve%2Bwork%40example.com", http.StatusSeeOther, ""},
		{"admin/accounts/ada/suspend", "confirm=ada", http.StatusConflict, "only administrator"}, // the other one is suspended
		{"admin/accounts/ada/demote", "", http.StatusConflict, "only administrator"},
		{"admin/accounts/ada/remove", "confirm=ada", http.StatusConflict, "only administrator"},
		{"account/remove", "password=" + password, http.StatusConflict, "only administrator"},
		{eve + "/activate", "", http.StatusSeeOther, ""},
		{eve + "/demote", "", http.StatusSeeOther, ""},
		{eve + "/remove", "confirm=", http.StatusUnprocessableEntity, "not the name"},
		{eve + "/remove", "confirm=Eve%2Bwork%40example.com", http.StatusSeeOther, ""},
		{eve + "/remove", "confirm=Eve%2Bwork%40example.com", http.StatusNotFound, ""},
		{"admin/accounts/ADA/remove", "confirm=ADA", http.StatusNotFound, ""},
	} {
		status, body := s.ada.send(http.MethodPost, step.path, step.form, nil)
		require.Equal(t, step.status, status, "%s %s: %s", step.path, step.form, body)
		assert.Contains(t, body, step.says, step.path)
	}
	_, log := s.ada.see("admin/log")
	for _, did := range []string{"made the account", "changed the plan of", "made an administrator of", "suspended", "activated", "took the role", "removed"} {
		assert.Contains(t, log, did)
	}
	assert.Equal(t, 7, storetest.Count(t, s.options, "website_deeds WHERE admin = 'ada' AND account = 'Eve+work@example.com'"))
	assert.Equal(t, 7, storetest.Count(t, s.options, "website_deeds"))
	assert.Zero(t, storetest.Count(t, s.options, "accounts WHERE id LIKE 'Eve%'"))
	assert.Zero(t, storetest.Count(t, s.options, "website_users WHERE folded LIKE 'eve%'"))
}

// An account with keys alone may have the name of a user in other letters: its removal does not
// touch the user.
func TestAdminsRemoveOneAccountOfTwoAlike(t *testing.T) {
	t.Parallel()
	s := administer(t)
	key(t, s.accounts(t), "Bob")
	status, body := s.ada.see("admin/accounts/Bob")
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, body, "only programs")
	assert.Equal(t, http.StatusConflict, s.ada.form("admin/accounts/Bob/promote"))
	require.Equal(t, http.StatusSeeOther, s.ada.form("admin/accounts/Bob/remove", "confirm", "Bob"))
	status, _ = s.bob.see("account")
	assert.Equal(t, http.StatusOK, status)
	assert.Equal(t, http.StatusNotFound, first(s.bob.see("admin")))
}

func first(status int, _ string) int { return status }

// What an administrator does to an account ends its sessions and its keys, as the command line does.
func TestAdminsEndSessions(t *testing.T) {
	t.Parallel()
	s := administer(t)
	secret := key(t, s.accounts(t), "bob")
	for _, change := range []string{"suspend", "remove"} {
		assert.Equal(t, http.StatusOK, first(s.bob.see("account")), change)
		require.Equal(t, http.StatusSeeOther, s.ada.form("admin/accounts/bob/"+change, "confirm", "bob"))
		assert.Equal(t, http.StatusSeeOther, first(s.bob.see("account")), "led to the sign-in")
		assert.Contains(t, []int{http.StatusForbidden, http.StatusUnauthorized}, s.bob.form("sign-in", "name", "bob", "password", password))
		assert.Eventually(t, func() bool {
			_, err := s.accounts(t).Verify(t.Context(), secret)
			return err != nil
		}, time.Minute, 10*time.Millisecond)
		if change == "suspend" {
			require.Equal(t, http.StatusSeeOther, s.ada.form("admin/accounts/bob/activate"))
		}
	}
}

// Two administrators who take the role from each other at once do not both succeed.
func TestAdminsCannotAllGo(t *testing.T) {
	t.Parallel()
	s := administer(t)
	carl := s.admin(t, "carl")
	for _, statement := range []string{ // a deed takes long to note, so that the two meet
		"CREATE TABLE numbers AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500) SELECT i FROM n",
		"CREATE TRIGGER slow BEFORE INSERT ON website_deeds BEGIN SELECT count(*) FROM numbers AS a, numbers AS b WHERE a.i + b.i > 0; END",
	} {
		_, err := storetest.SQL(t, s.options).ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	for range 3 {
		var both sync.WaitGroup
		both.Go(func() { s.ada.form("admin/accounts/carl/demote") })
		both.Go(func() { carl.form("admin/accounts/ada/demote") })
		both.Wait()
		require.Equal(t, 1, storetest.Count(t, s.options, "website_users WHERE admin"))
		s.change(t, "ada", "--admin")
		s.change(t, "carl", "--admin")
	}
}

// A page lists some of many accounts, and leads to the others.
func TestAdminsSeeAccountsByPages(t *testing.T) {
	t.Parallel()
	s := administer(t)
	accounts := s.accounts(t)
	for n := range 60 {
		_, err := accounts.Set(t.Context(), fmt.Sprintf("Team-%02d", n), account.Settings{})
		require.NoError(t, err)
	}
	rows := func(path string) []string {
		_, body := s.ada.see(path)
		return regexp.MustCompile(`/admin/accounts/([\w-]+)"`).FindAllString(body, -1)
	}
	assert.Len(t, rows("admin/accounts?q=tEAM"), 50)
	assert.Len(t, rows("admin/accounts?q=tEAM&after=Team-49"), 10)
	assert.Len(t, rows("admin/accounts?q=team-59"), 1)
	assert.Empty(t, rows("admin/accounts?q=%3Cb%3E"))
	_, first := s.ada.see("admin/accounts?q=team")
	assert.Contains(t, first, "/admin/accounts?after=Team-49&amp;q=team")
	assert.Contains(t, first, "60 accounts")
}
