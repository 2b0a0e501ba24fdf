package enginetest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/sitetest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// ListCheck is a test for list sources. Run tests a source that reads site.
type ListCheck struct {
	Name string
	Run  func(t T, source engine.ListSource, site *Site)
}

// ListSource runs every check of [ListSourceChecks] as a subtest, against a source for a [Site]
// at base, which host can reach. It logs the number of conditions.
func ListSource(t *testing.T, source func(host engine.Host, base string) engine.ListSource) {
	t.Helper()
	site := NewSite(t)
	s := source(site.Host(t), site.URL)
	for _, c := range ListSourceChecks() {
		t.Run(c.Name, func(t *testing.T) { c.Run(t, s, site) })
	}
	t.Logf("enginetest: %d conditions of lists", len(listConditions()))
}

// ListSourceChecks returns the tests that [ListSource] runs.
func ListSourceChecks() []ListCheck {
	return []ListCheck{
		{"reads a list", readsList},
		{"reads no more than needed", readsNoMore},
		{"reads on from an offset", readsOn},
		{"knows an empty list", knowsEmptyList},
		{"a list that cannot be read is never short", neverShort},
		{"names its platforms", namesListPlatforms},
		{"lists stop when told", listsStop},
	}
}

func entryIDs(page engine.ListPage) (all []string) {
	for _, e := range page.Entries {
		all = append(all, e.ID)
	}
	return all
}

func readsList(t T, source engine.ListSource, site *Site) {
	l, want := site.list("one page")
	page, err := source.List(t.Context(), l, 0, 501)
	require.NoError(t, err)
	assert.Equal(t, want.Entries, entryIDs(page), "what was removed stays")
	assert.True(t, page.Last)
	assert.Equal(t, *want.Title, page.Title)
	for _, e := range page.Entries {
		assert.Contains(t, e.URL, e.ID)
	}
}

func readsNoMore(t T, source engine.ListSource, site *Site) {
	for _, n := range []int{20, 100, 101, 501} {
		l, many := site.list("many pages")
		site.takePages()
		got := all(t, source, l, 0, n)
		assert.Equal(t, many.Entries[:n], got, n)
		needed := (n + sitetest.PlaylistPage - 1) / sitetest.PlaylistPage
		requested := site.takePages()
		// A source repeats a request whose connection breaks, which a busy machine may do once.
		assert.LessOrEqual(t, len(requested), needed+1, "pages for %d entries: %q", n, requested)
		different := slices.Compact(slices.Sorted(slices.Values(requested)))
		assert.LessOrEqual(t, len(different), needed, "pages for %d entries: %q", n, requested)
	}
}

func readsOn(t T, source engine.ListSource, site *Site) {
	l, many := site.list("many pages")
	assert.Equal(t, many.Entries[95:105], all(t, source, l, 95, 10))
	l, end := site.list("one page")
	page, err := source.List(t.Context(), l, len(end.Entries), 10)
	require.NoError(t, err)
	assert.Empty(t, page.Entries)
	assert.True(t, page.Last)
}

// all reads n entries from an offset on, in as many parts as the source returns.
func all(t T, source engine.ListSource, l engine.List, offset, n int) (ids []string) {
	t.Helper()
	for len(ids) < n {
		page, err := source.List(t.Context(), l, offset+len(ids), n-len(ids))
		require.NoError(t, err)
		require.LessOrEqual(t, len(page.Entries), n-len(ids), "more than was asked for")
		ids = append(ids, entryIDs(page)...)
		if page.Last {
			break
		}
		require.NotEmpty(t, page.Entries, "neither an entry nor the end")
	}
	return ids
}

func knowsEmptyList(t T, source engine.ListSource, site *Site) {
	l, _ := site.list("an empty list")
	page, err := source.List(t.Context(), l, 0, 501)
	require.NoError(t, err)
	assert.Empty(t, page.Entries)
	assert.True(t, page.Last)
}

func neverShort(t T, source engine.ListSource, site *Site) {
	places := make(chan struct{}, atOnce)
	var checks sync.WaitGroup
	for _, c := range listConditions() {
		if len(c.Codes) == 0 {
			continue
		}
		places <- struct{}{}
		checks.Go(func() {
			defer func() { <-places }()
			ctx, cancel := context.WithTimeout(t.Context(), enough)
			defer cancel()
			l, _ := site.list(c.Name)
			page, err := source.List(ctx, l, 0, 501)
			var e *transcript.Error
			switch {
			case err == nil:
				t.Errorf("%s: no error and %d entries, want %v", c.Name, len(page.Entries), c.Codes)
			case !errors.As(err, &e):
				t.Errorf("%s: an error without a code of the API: %v", c.Name, err)
			case !slices.Contains(c.Codes, e.Code):
				t.Errorf("%s: %s, want %v: %v", c.Name, e.Code, c.Codes, err)
			case e.Code == transcript.IPBlocked && e.RetryAfter <= 0:
				t.Errorf("%s: IP_BLOCKED does not say when to ask again", c.Name)
			}
			assert.Empty(t, page.Entries, "%s: entries together with an error", c.Name)
		})
	}
	checks.Wait()
	assert.Zero(t, site.reached.Load(), "connections to a private address")
}

func namesListPlatforms(t T, source engine.ListSource, _ *Site) {
	assert.True(t, source.Lists(transcript.VideoSite))
	assert.False(t, source.Lists("no_such_site"), "a platform that is none")
}

func listsStop(t T, source engine.ListSource, site *Site) {
	stopped := errors.New("stopped")
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(stopped)
	l, _ := site.list("one page")
	_, err := source.List(ended, l, 0, 10)
	assert.True(t, errors.Is(err, stopped) || errors.Is(err, context.Canceled), "the context had ended before the call: %v", err)
}
