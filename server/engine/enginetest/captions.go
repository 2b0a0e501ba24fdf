package enginetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/sitetest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	// patience limits the wait for a site that stops in the middle of an answer, and enough the
	// wait for any other answer.
	patience = 3 * time.Second
	enough   = 90 * time.Second
	// atOnce is how many contents are requested at the same time.
	atOnce = 4
)

// CaptionCheck is a test for caption sources. Run tests a source that reads site.
type CaptionCheck struct {
	Name string
	Run  func(t T, source engine.CaptionSource, site *Site)
}

// CaptionSource runs every check of [CaptionSourceChecks] as a subtest, against a source for a
// [Site] at base, which host can reach. It logs the number of conditions.
func CaptionSource(t *testing.T, source func(host engine.Host, base string) engine.CaptionSource) {
	t.Helper()
	site := NewSite(t)
	s := source(site.Host(t), site.URL)
	for _, c := range CaptionSourceChecks() {
		t.Run(c.Name, func(t *testing.T) { c.Run(t, s, site) })
	}
	t.Logf("enginetest: %d conditions", len(site.conditions))
}

// CaptionSourceChecks returns the tests that [CaptionSource] runs.
func CaptionSourceChecks() []CaptionCheck {
	return []CaptionCheck{
		{"blocked is never empty", blockedIsNeverEmpty},
		{"tells conditions apart", tellsApart},
		{"reads the tracks", readsTracks},
		{"knows when there are none", knowsNone},
		{"reads none that is not picked", readsNothing},
		{"names its origin", namesOrigin},
		{"captions stop when told", captionsStop},
	}
}

func blockedIsNeverEmpty(t T, source engine.CaptionSource, site *Site) {
	meets(t, source, site, func(c Condition) bool { return c.Blocks })
}

func tellsApart(t T, source engine.CaptionSource, site *Site) {
	meets(t, source, site, func(c Condition) bool { return !c.Blocks })
	assert.Zero(t, site.reached.Load(), "connections to a private address")
}

// meets asks for the contents of the selected conditions and judges each result.
func meets(t T, source engine.CaptionSource, site *Site, which func(Condition) bool) {
	t.Helper()
	places := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for _, c := range site.conditions {
		if !which(c) {
			continue
		}
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			within := enough
			if c.Silent {
				within = patience
			}
			ctx, cancel := context.WithTimeout(t.Context(), within)
			defer cancel()
			found, err, ended := captionsOf(ctx, source, site.Content(c.Name), pickLang("en"))
			for _, complaint := range c.judge(found, err, ended) {
				t.Errorf("%s: %s", c.Name, complaint)
			}
		})
	}
	all.Wait()
}

// judge returns the faults in a source's result for a condition.
func (c Condition) judge(found engine.Captions, err error, ended bool) (complaints []string) {
	complain := func(format string, args ...any) { complaints = append(complaints, fmt.Sprintf(format, args...)) }
	var e *transcript.Error
	switch {
	case !ended:
		complain("goes on %v after its context has ended", soon)
	case err == nil && (c.Avoidable || c.at == page) && len(found.Tracks) == siteTracks:
		// The source found all tracks in another way.
	case err == nil && len(c.Codes) > 0:
		complain("no error and %d tracks, want %v", len(found.Tracks), c.Codes)
	case err == nil:
		if len(found.Tracks) != c.Tracks {
			complain("%d tracks, want %d", len(found.Tracks), c.Tracks)
		}
	case c.Silent && errors.Is(err, context.DeadlineExceeded):
	case !errors.As(err, &e):
		complain("an error without a code of the API: %v", err)
	case !slices.Contains(c.Codes, e.Code):
		complain("%s, want %v: %v", e.Code, c.Codes, err)
	case e.Message == "":
		complain("an error without a message: %v", err)
	case e.Code == transcript.IPBlocked && e.RetryAfter <= 0:
		complain("IP_BLOCKED does not say when to ask again")
	}
	if err != nil && (found.Track != nil || len(found.Segments) > 0) {
		complain("text together with an error")
	}
	return complaints
}

func readsTracks(t T, source engine.CaptionSource, site *Site) {
	content := site.Content(CaptionTracks)
	for lang, lines := range sitetest.Texts() {
		picked := 0
		var offered []transcript.Track
		found, err := source.Captions(t.Context(), content, func(tracks []transcript.Track) (int, bool) {
			picked++
			offered = slices.Clone(tracks)
			return pickLang(lang)(tracks)
		})
		require.NoError(t, err, lang)
		assert.Equal(t, 1, picked, "calls of pick")
		assert.Equal(t, offered, found.Tracks, "what was offered is what was found")
		assert.Equal(t, []string{"de manual", "en auto", "en manual"}, kinds(found.Tracks))
		assert.Len(t, slices.Compact(slices.Sorted(slices.Values(ids(found.Tracks)))), len(found.Tracks), "ids: %v", ids(found.Tracks))
		require.NotNil(t, found.Track, lang)
		assert.Equal(t, lang+" manual", found.Track.Lang+" "+string(found.Track.Kind))
		var times []float64
		var text []string
		for _, s := range found.Segments {
			times, text = append(times, s.Start, s.End()), append(text, s.Text)
		}
		assert.Equal(t, lines, text)
		assert.InDeltaSlice(t, []float64{0.5, 2, 2, 3.5}, times, 0.01, "times")
		assert.Equal(t, "A talk", found.Metadata.Title)
		assert.InDelta(t, 4, found.Metadata.Duration, 0.01)
	}
}

func knowsNone(t T, source engine.CaptionSource, site *Site) {
	found, err := source.Captions(t.Context(), site.Content(NoCaptions), func([]transcript.Track) (int, bool) {
		t.Errorf("there is nothing to pick")
		return 0, false
	})
	require.NoError(t, err)
	assert.Empty(t, found.Tracks)
	assert.Nil(t, found.Track)
	assert.Empty(t, found.Segments)
}

func readsNothing(t T, source engine.CaptionSource, site *Site) {
	// The track could not be read, but pick did not choose it.
	content := site.Content("500 (" + string(track) + ")")
	found, err := source.Captions(t.Context(), content, func([]transcript.Track) (int, bool) { return 0, false })
	require.NoError(t, err)
	assert.Len(t, found.Tracks, 3)
	assert.Nil(t, found.Track)
	assert.Empty(t, found.Segments)
}

func namesOrigin(t T, source engine.CaptionSource, _ *Site) {
	origin, ok := source.Origin(transcript.VideoSite)
	assert.True(t, ok)
	assert.Contains(t, []transcript.Origin{transcript.OriginCaptionAPI, transcript.OriginDownloader, transcript.OriginManual}, origin)
	_, ok = source.Origin("no_such_site")
	assert.False(t, ok, "a platform that is none")
}

func captionsStop(t T, source engine.CaptionSource, site *Site) {
	stopped := errors.New("stopped")
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(stopped)
	_, err, soonEnough := captionsOf(ended, source, site.Content(CaptionTracks), pickLang("en"))
	assert.True(t, soonEnough, "goes on after its context has ended")
	assert.True(t, errors.Is(err, stopped) || errors.Is(err, context.Canceled), "the context had ended before the call: %v", err)
}

// captionsOf asks a source for captions. ended is false if the call continues clearly longer
// than ctx.
func captionsOf(ctx context.Context, source engine.CaptionSource, c engine.Content, pick func([]transcript.Track) (int, bool)) (found engine.Captions, err error, ended bool) { //nolint:revive // the error is a result like the others here
	type result struct {
		found engine.Captions
		err   error
	}
	done := make(chan result, 1)
	go func() {
		found, err := source.Captions(ctx, c, pick)
		done <- result{found, err}
	}()
	select {
	case r := <-done:
		return r.found, r.err, true
	case <-ctx.Done():
	}
	select {
	case r := <-done:
		return r.found, r.err, true
	case <-time.After(soon):
		return engine.Captions{}, nil, false
	}
}

// pickLang picks the manual track in a language.
func pickLang(lang string) func([]transcript.Track) (int, bool) {
	return func(tracks []transcript.Track) (int, bool) {
		n := slices.IndexFunc(tracks, func(t transcript.Track) bool { return t.Lang == lang && t.Kind == transcript.TrackManual })
		return max(n, 0), n >= 0
	}
}

func kinds(tracks []transcript.Track) (all []string) {
	for _, t := range tracks {
		all = append(all, strings.Join([]string{t.Lang, string(t.Kind)}, " "))
	}
	slices.Sort(all)
	return all
}

func ids(tracks []transcript.Track) (all []string) {
	for _, t := range tracks {
		all = append(all, t.ID)
	}
	return all
}
