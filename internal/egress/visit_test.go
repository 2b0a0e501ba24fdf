package egress_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const nobody = "127.0.0.1:1" // the port of a service that has died out

// newPublic serves a site with the name public.test, and redirects /again to /.
func newPublic(t *testing.T) (s *site, link string) {
	t.Helper()
	s = newSite(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/again" {
			w.Header().Set("Connection", "close")
			http.Redirect(w, r, "/", http.StatusFound)
			return
		}
		fmt.Fprint(w, "hello")
	})
	return s, fmt.Sprintf("http://public.test:%d/", s.at.Port())
}

// seen makes a guard for a public site.
func seen(t *testing.T, s *site, c egress.Config) *egress.Guard {
	t.Helper()
	g, _ := newGuard(t, c)
	g.UseResolver(newNames(map[string][]string{"public.test": {"127.0.0.1"}}).resolver())
	g.Pretend(s.at)
	return g
}

func TestVisitKeepsToItsExit(t *testing.T) {
	t.Parallel()
	public, link := newPublic(t)
	first, asked := newSocks(t)
	second, alsoAsked := newSocks(t)
	g := seen(t, public, egress.Config{Proxies: []*url.URL{first, second}})
	exits := g.Exits()
	require.Len(t, exits, 2)
	assert.Equal(t, "proxy-1 proxy-2", exits[0].Name()+" "+exits[1].Name())
	assert.True(t, exits[0].Serves(egress.Sound, transcript.PhotoSite))
	assert.Nil(t, egress.ExitOf(t.Context()))

	for n, exit := range []*egress.Exit{exits[0], exits[0], exits[1], exits[0]} {
		before := len(asked.list()) + len(alsoAsked.list())
		visiting, done := g.Visit(t.Context(), exit)
		assert.Same(t, exit, egress.ExitOf(visiting))
		for range 2 { // the second request takes the kept connection
			r, err := http.NewRequestWithContext(visiting, http.MethodGet, link+"again", nil)
			require.NoError(t, err)
			answer, err := g.Client().Do(r)
			require.NoError(t, err)
			require.NoError(t, answer.Body.Close())
		}
		pass, err := g.Open(visiting, "job", 0)
		require.NoError(t, err)
		_, body, err := get(t, behind(t, pass, nil), link)
		require.NoError(t, err)
		assert.Equal(t, "hello", body)
		done()
		require.ErrorIs(t, context.Cause(visiting), egress.ErrClosed)
		require.ErrorIs(t, context.Cause(pass.Context()), egress.ErrClosed)
		require.NoError(t, pass.Close())
		require.Nil(t, egress.ExitFailed(visiting))
		assert.Greater(t, len(asked.list())+len(alsoAsked.list()), before, "visit %d has connections of its own", n)
	}
	byFirst, bySecond := len(asked.list()), len(alsoAsked.list())
	assert.Equal(t, 3*bySecond, byFirst, "each visit connects as often, by its exit alone")
}

func TestVisitWhoseExitFails(t *testing.T) {
	t.Parallel()
	public, link := newPublic(t)
	socks, asked := newSocks(t)
	dead := &url.URL{Scheme: "http", User: url.UserPassword("me", "se:cret"), Host: nobody}
	g := seen(t, public, egress.Config{Proxies: []*url.URL{dead, socks}})
	visiting, done := g.Visit(t.Context(), g.Exits()[0])
	defer done()
	ask := func(ctx context.Context, link string) error {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, link, nil)
		require.NoError(t, err)
		answer, err := g.Client().Do(r)
		if err == nil {
			err = answer.Body.Close()
		}
		return err
	}
	require.Nil(t, egress.ExitFailed(visiting))
	err := ask(visiting, link)
	var failure *egress.ExitError
	require.ErrorAs(t, err, &failure)
	assert.Equal(t, "proxy-1", failure.Exit)
	assert.NotContains(t, err.Error(), "cret")
	require.Same(t, failure, egress.ExitFailed(visiting))

	require.ErrorContains(t, ask(visiting, strings.Replace(link, "public", "absent", 1)), "no such host")
	require.Nil(t, egress.ExitFailed(visiting), "a name without an address is no fault of the exit")

	pass := open(t, g, "other", 0)
	_, _, err = get(t, behind(t, pass, nil), link)
	require.NoError(t, err, "outside a visit the next exit is tried")
	before := len(asked.list())
	inside, err := g.Open(visiting, "job", 0)
	require.NoError(t, err)
	status, _, err := get(t, behind(t, inside, nil), link)
	require.NoError(t, err)
	assert.Equal(t, http.StatusBadGateway, status)
	require.NotNil(t, egress.ExitFailed(visiting), "also by a connection of a program")
	require.NoError(t, inside.Close())
	assert.Len(t, asked.list(), before)

	given, cancel := context.WithCancel(t.Context())
	cancel()
	left, leave := g.Visit(given, g.Exits()[0])
	defer leave()
	require.ErrorIs(t, ask(left, link), context.Canceled)
	require.Nil(t, egress.ExitFailed(left), "the caller has given up")
}

func TestVisitWithoutPool(t *testing.T) {
	t.Parallel()
	public, link := newPublic(t)
	g := seen(t, public, egress.Config{})
	exits := g.Exits()
	require.Len(t, exits, 1)
	assert.Equal(t, "direct", exits[0].Name())
	visiting, done := g.Visit(t.Context(), exits[0])
	r, err := http.NewRequestWithContext(visiting, http.MethodGet, link, nil)
	require.NoError(t, err)
	answer, err := g.Client().Do(r)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	done()
	done()
	_, err = g.Client().Do(r) //nolint:bodyclose // there is no answer
	require.Error(t, err, "the visit has ended")
	require.False(t, errors.Is(err, egress.ErrRefused)) //nolint:testifylint // the sentinel itself is under test
}
