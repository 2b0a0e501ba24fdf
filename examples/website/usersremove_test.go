package main

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest" // databases that the test starts by itself
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// person is a browser at a website.
type person struct {
	*http.Client
	t    *testing.T
	base string
}

func newPerson(t *testing.T, base string) *person {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	return &person{&http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, t, base}
}

// form sends names and values in turn, and returns the status.
func (p *person) form(path string, fields ...string) int {
	p.t.Helper()
	form := url.Values{}
	for n := 0; n < len(fields); n += 2 {
		form.Add(fields[n], fields[n+1])
	}
	res, err := p.PostForm(p.base+path, form) //nolint:noctx // it is short
	require.NoError(p.t, err)
	_, _ = io.Copy(io.Discard, res.Body) // the status says enough
	require.NoError(p.t, res.Body.Close())
	return res.StatusCode
}

// TestUsersRemoveWithTheAccount removes a user and the account by one command while the website runs.
// The command fails half-way, and is repeated. Afterwards no table tells of the user.
func TestUsersRemoveWithTheAccount(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db, blobs := "--db="+o.Database, "--blobs="+filepath.Join(t.TempDir(), "blobs")
		s := startWebsite(t, "--sign-up", db, blobs)
		const password = "correct horse battery"
		ada, bob := newPerson(t, s.address()), newPerson(t, s.address())
		for name, p := range map[string]*person{"Ada.Lovelace": ada, "bob": bob} {
			require.Equal(t, http.StatusSeeOther, p.form("sign-up", "name", name, "password", password))
			require.Equal(t, http.StatusUnauthorized, newPerson(t, s.address()).form("sign-in", "name", name, "password", "something else"))
			require.Equal(t, http.StatusCreated, p.form("keys", "id", fmt.Sprintf("0191b0a4-0000-7000-8000-%012d", len(name)), "name", "a key", "scope", string(account.Transcripts), "days", "30"))
		}
		require.NotEmpty(t, storetest.Dump(t, o).With("ovelace"))
		remove := func(input string, args ...string) (int, string) {
			code, _, stderr := call(t, input, append([]string{"users", "remove", db, blobs}, args...)...)
			return code, stderr
		}

		code, said := remove("ada.lovelace\n", "ada.lovelace", "--account")
		assert.Equal(t, 1, code, "the account is Ada.Lovelace")
		assert.Contains(t, said, "nothing was removed")
		assert.Equal(t, http.StatusSeeOther, newPerson(t, s.address()).form("sign-in", "name", "ada.lovelace", "password", password))

		mend := storetest.RefuseDeletes(t, o, "keys")
		code, said = remove("", "ada.lovelace", "--account", "--yes")
		assert.Equal(t, 1, code)
		assert.Contains(t, said, "the account is suspended: the same command goes on")
		assert.Equal(t, http.StatusUnauthorized, newPerson(t, s.address()).form("sign-in", "name", "ada.lovelace", "password", password))
		mend()
		code, said = remove("Ada.Lovelace\n", "Ada.Lovelace", "--account")
		require.Zero(t, code, said)
		assert.Contains(t, said, "Removed account Ada.Lovelace: 1 key.")
		assert.Eventually(t, func() bool { // a step that has just ended stays in the queue for a moment
			return maps.Equal(map[string]int{"removals": 1}, storetest.Dump(t, o).With("ovelace"))
		}, time.Minute, 10*time.Millisecond)
		assert.Equal(t, 1, storetest.Count(t, o, "website_sessions WHERE data <> ''"), "that of bob")
		assert.Equal(t, http.StatusSeeOther, ada.form("keys"), "she is led to the sign-in")
		assert.Equal(t, http.StatusCreated, bob.form("keys", "id", "0191b0a4-0000-7000-8000-000000000009", "name", "another", "scope", string(account.Transcripts), "days", "30"))

		code, said = remove("", "Ada.Lovelace", "--account")
		require.Zero(t, code, said)
		code, said = remove("", "nobody", "--account")
		assert.Equal(t, 1, code)
		assert.Contains(t, said, "no such user, and no such account")
		assert.Equal(t, http.StatusSeeOther, newPerson(t, s.address()).form("sign-up", "name", "ada.lovelace", "password", password), "the name is free")
	})
}
