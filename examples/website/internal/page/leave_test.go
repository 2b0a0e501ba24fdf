package page_test

import (
	"archive/zip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/server/account"
)

const ownPassword = "correct horse battery"

// newMember is a site whose visitor has signed up as ada.
func newMember(t *testing.T) *site {
	t.Helper()
	s := newSite(t, visitor.Guest)
	require.Equal(t, http.StatusSeeOther, s.post(t, "/sign-up", "name", "ada", "password", ownPassword).status)
	return s
}

// Users take everything with them, and remove their account by themselves.
func TestUsersLeave(t *testing.T) {
	t.Parallel()
	s := newMember(t)
	require.Equal(t, http.StatusSeeOther, s.post(t, "/transcripts", "links", "dQw4w9WgXcQ").status)
	a := s.get(t, "/account/export")
	require.Equal(t, http.StatusOK, a.status, a.body)
	assert.Equal(t, `attachment; filename="account.zip"`, a.header.Get("Content-Disposition"))
	file, err := zip.NewReader(strings.NewReader(a.body), int64(len(a.body)))
	require.NoError(t, err)
	r, err := file.Open("rows/accounts.jsonl")
	require.NoError(t, err)
	row, err := io.ReadAll(r)
	require.NoError(t, err)
	assert.Contains(t, string(row), `"id":"ada"`)

	a = s.post(t, "/account/remove", "password", "another password")
	assert.Equal(t, http.StatusUnauthorized, a.status)
	assert.Contains(t, a.body, "The name or the password is wrong.")
	assert.Equal(t, http.StatusOK, s.get(t, "/account").status)

	a = s.post(t, "/account/remove", "password", ownPassword)
	require.Equal(t, http.StatusSeeOther, a.status, a.body)
	require.Equal(t, "/removed", a.header.Get("Location"))
	assert.Contains(t, s.get(t, "/removed").body, "Your texts, recordings, keys and shared links are gone.")
	_, err = s.Accounts.Account(t.Context(), "ada")
	require.ErrorIs(t, err, account.ErrNotFound)
	assert.Equal(t, "/sign-in?next=%2Faccount", s.get(t, "/account").header.Get("Location"))
	assert.Equal(t, http.StatusUnauthorized, s.post(t, "/sign-in", "name", "ada", "password", ownPassword).status)
	_, err = s.Accounts.Account(t.Context(), "ada")
	assert.ErrorIs(t, err, account.ErrNotFound, "a sign-in does not make the account again")
}

// A removal that fails half-way says so, and ends the access all the same.
func TestUsersLeaveInPart(t *testing.T) {
	t.Parallel()
	s := newMember(t)
	s.change(t, func(o *web.Options) {
		o.Remove = func(context.Context, string) error { return errors.New("the database is away") }
	})
	a := s.post(t, "/account/remove", "password", ownPassword)
	require.Equal(t, "/removed?part=1", a.header.Get("Location"), a.body)
	assert.Contains(t, s.get(t, "/removed?part=1").body, "Ask the operator of this website to remove the rest.")
	assert.Equal(t, http.StatusSeeOther, s.get(t, "/account").status)
}

// An account has one export at a time, and one is written at a time. One that fails is a page.
func TestExportsOfUsers(t *testing.T) {
	t.Parallel()
	s := newMember(t)
	begun, free := make(chan struct{}), make(chan struct{})
	s.change(t, func(o *web.Options) {
		o.Export = func(context.Context, string, io.Writer) error {
			close(begun)
			<-free
			return errors.New("the disk is full")
		}
	})
	var res *http.Response
	var err error
	var first sync.WaitGroup
	first.Go(func() { res, err = s.browser.Get(s.base + "/account/export") })
	<-begun
	a := s.get(t, "/account/export")
	assert.Equal(t, http.StatusServiceUnavailable, a.status)
	assert.Equal(t, "30", a.header.Get("Retry-After"))
	assert.Contains(t, a.body, "Your file is on its way already.")
	jar, failed := cookiejar.New(nil)
	require.NoError(t, failed)
	other := &site{base: s.base, browser: &http.Client{Jar: jar, Transport: s.browser.Transport, CheckRedirect: s.browser.CheckRedirect}}
	require.Equal(t, http.StatusSeeOther, other.post(t, "/sign-up", "name", "bob", "password", ownPassword).status)
	a = other.get(t, "/account/export")
	assert.Equal(t, http.StatusServiceUnavailable, a.status)
	assert.Contains(t, a.body, "The file of another user is being made.")
	close(free)
	first.Wait()
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	assert.Equal(t, http.StatusInternalServerError, res.StatusCode)
	assert.Empty(t, res.Header.Get("Content-Disposition"))
}

// The only user of a site has no account to export or to remove.
func TestOnlyUserStays(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	assert.Equal(t, http.StatusNotFound, s.get(t, "/account/export").status)
	assert.Equal(t, http.StatusNotFound, s.post(t, "/account/remove").status)
}
