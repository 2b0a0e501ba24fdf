package enginetest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/sitetest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// honest is a caption source that keeps every promise, without looking at the
// site: it knows what each content is about.
type honest struct {
	site *enginetest.Site
	// tell, when set, changes what it makes of a condition.
	tell func(c enginetest.Condition, found *engine.Captions, err error) error
	// before, when set, comes before everything else.
	before func(ctx context.Context, c engine.Content) error
	picks  int // how often pick is called, besides the once
	origin transcript.Origin
}

func (h honest) Origin(p transcript.Platform) (transcript.Origin, bool) {
	if h.origin != "" {
		return h.origin, true
	}
	return transcript.OriginCaptionAPI, p == transcript.VideoSite
}

func (h honest) Captions(ctx context.Context, content engine.Content, pick func([]transcript.Track) (int, bool)) (engine.Captions, error) {
	if h.before != nil {
		if err := h.before(ctx, content); err != nil {
			return engine.Captions{}, err
		}
	}
	if ctx.Err() != nil {
		return engine.Captions{}, context.Cause(ctx)
	}
	all := enginetest.Conditions()
	condition := all[slices.IndexFunc(all, func(c enginetest.Condition) bool { return h.site.Content(c.Name) == content })]
	found, err := h.answer(condition, pick)
	if h.tell != nil {
		err = h.tell(condition, &found, err)
	}
	return found, err
}

func (h honest) answer(c enginetest.Condition, pick func([]transcript.Track) (int, bool)) (engine.Captions, error) {
	found := engine.Captions{Metadata: transcript.Metadata{Title: "A talk", Duration: 4}}
	atTrack := strings.HasSuffix(c.Name, "(track)")
	if len(c.Codes) > 0 && !atTrack {
		return found, coded(c.Codes[0])
	}
	if len(c.Codes) == 0 && c.Tracks == 0 {
		return found, nil
	}
	found.Tracks = []transcript.Track{
		{ID: "en.manual", Lang: "en", Kind: transcript.TrackManual},
		{ID: "de.manual", Lang: "de", Kind: transcript.TrackManual},
		{ID: "en.asr", Lang: "en", Kind: transcript.TrackAuto},
	}
	for range h.picks {
		pick(found.Tracks)
	}
	n, ok := pick(found.Tracks)
	if !ok {
		return found, nil
	}
	if atTrack {
		return found, coded(c.Codes[0])
	}
	lines := sitetest.Texts()[found.Tracks[n].Lang]
	found.Track = &found.Tracks[n]
	found.Segments = []transcript.Segment{{Text: lines[0], Start: 0.5, Duration: 1.5}, {Text: lines[1], Start: 2, Duration: 1.5}}
	return found, nil
}

func coded(code transcript.Code) *transcript.Error {
	e := transcript.Errorf(code, "as the site says")
	if code == transcript.IPBlocked {
		e.RetryAfter = 30
	}
	return e
}

// failingSource runs the suite and returns the checks that failed, and their
// complaints.
func failingSource(t *testing.T, h honest) (names, complaints []string) {
	t.Helper()
	for _, c := range enginetest.CaptionSourceChecks() {
		rec := &recorder{TB: t}
		done := make(chan struct{})
		go func() {
			defer close(done)
			c.Run(rec, h, h.site)
		}()
		<-done
		if len(rec.failures) > 0 {
			names = append(names, c.Name)
			complaints = append(complaints, rec.failures...)
		}
	}
	return names, complaints
}

func TestHonestSourcePasses(t *testing.T) {
	t.Parallel()
	names, complaints := failingSource(t, honest{site: enginetest.NewSite(t)})
	assert.Empty(t, names, "%v", complaints)
}

// A source that gets one condition wrong fails, whichever it is.
func TestEachConditionCounts(t *testing.T) {
	t.Parallel()
	site := enginetest.NewSite(t)
	for _, wrong := range enginetest.Conditions() {
		t.Run(wrong.Name, func(t *testing.T) {
			t.Parallel()
			names, complaints := failingSource(t, honest{site: site, tell: func(c enginetest.Condition, found *engine.Captions, err error) error {
				switch {
				case c.Name != wrong.Name:
					return err
				case err != nil:
					*found = engine.Captions{} // "there are no captions"
					return nil                 //nolint:nilerr // this is what is wrong with it
				case c.Tracks > 0 && found.Track == nil:
					return nil // nobody picked one
				}
				return coded(transcript.IPBlocked)
			}})
			check := "tells conditions apart"
			if wrong.Blocks {
				check = "blocked is never empty"
			}
			assert.Contains(t, names, check)
			assert.True(t, slices.ContainsFunc(complaints, func(s string) bool { return strings.HasPrefix(s, wrong.Name+": ") }), "%v", complaints)
		})
	}
}

// A source that finds all there is without the page need not care for the page;
// one that finds less has not seen it all.
func TestSourceWithoutThePage(t *testing.T) {
	t.Parallel()
	without := func(tracks int) honest {
		return honest{site: enginetest.NewSite(t), tell: func(c enginetest.Condition, found *engine.Captions, err error) error {
			if strings.HasSuffix(c.Name, "(page)") {
				found.Tracks = make([]transcript.Track, tracks)
				return nil //nolint:nilerr // as if it had never seen that
			}
			return err
		}}
	}
	names, complaints := failingSource(t, without(3))
	assert.Empty(t, names, "%v", complaints)
	names, _ = failingSource(t, without(2))
	assert.Equal(t, []string{"blocked is never empty", "tells conditions apart"}, names)
}

func TestDishonestSourcesFail(t *testing.T) {
	t.Parallel()
	const blocked, apart, reads, none, unpicked = "blocked is never empty", "tells conditions apart",
		"reads the tracks", "knows when there are none", "reads none that is not picked"
	onError := func(change func(e *transcript.Error) error) honest {
		return honest{tell: func(_ enginetest.Condition, _ *engine.Captions, err error) error {
			var e *transcript.Error
			if errors.As(err, &e) {
				return change(e)
			}
			return err
		}}
	}
	onTracks := func(change func(found *engine.Captions)) honest {
		return honest{tell: func(_ enginetest.Condition, found *engine.Captions, err error) error {
			if err == nil && found.Track != nil {
				change(found)
			}
			return err
		}}
	}
	stop := "captions stop when told"
	tests := []struct {
		name   string
		source honest
		want   []string
	}{
		{"takes everything for empty", onError(func(*transcript.Error) error { return nil }), []string{blocked, apart}},
		{"takes everything for no transcript", onError(func(*transcript.Error) error { return coded(transcript.NoTranscript) }), []string{blocked, apart}},
		{"takes every block for a fault", onError(func(*transcript.Error) error { return coded(transcript.UpstreamFailed) }), []string{blocked, apart}},
		{"does not say when to ask again", onError(func(e *transcript.Error) error { e.RetryAfter = 0; return e }), []string{blocked}},
		{"has no words", onError(func(e *transcript.Error) error { e.Message = ""; return e }), []string{blocked, apart}},
		{"has no codes", onError(func(*transcript.Error) error { return errors.New("oops") }), []string{blocked, apart}},
		{"reads on after an error", honest{tell: func(_ enginetest.Condition, found *engine.Captions, err error) error {
			if err != nil {
				found.Segments = []transcript.Segment{{Text: "Before you continue"}}
			}
			return err
		}}, []string{blocked, apart}},
		{"misses a track", onTracks(func(f *engine.Captions) { f.Tracks = f.Tracks[:2] }), []string{apart, reads}},
		{"gives two tracks one id", onTracks(func(f *engine.Captions) { f.Tracks[2].ID = f.Tracks[0].ID }), []string{reads}},
		{"reads the other track", onTracks(func(f *engine.Captions) { f.Track = &f.Tracks[2] }), []string{reads}},
		{"decodes twice too often", onTracks(func(f *engine.Captions) { f.Segments[1].Text += "&amp;" }), []string{reads}},
		{"counts in milliseconds", onTracks(func(f *engine.Captions) { f.Segments[1].Start *= 1000 }), []string{reads}},
		{"says nothing of the content", onTracks(func(f *engine.Captions) { f.Metadata = transcript.Metadata{} }), []string{reads}},
		{"picks twice", honest{picks: 1}, []string{reads}},
		{"picks from nothing", honest{before: func(context.Context, engine.Content) error { return nil }, tell: func(c enginetest.Condition, f *engine.Captions, err error) error {
			if c.Name == enginetest.NoCaptions {
				f.Segments = []transcript.Segment{{Text: "?"}}
			}
			return err
		}}, []string{none}},
		{"reads what is not picked", honest{tell: func(_ enginetest.Condition, f *engine.Captions, err error) error {
			if err == nil && len(f.Tracks) > 0 && f.Track == nil {
				f.Track = &f.Tracks[0]
			}
			return err
		}}, []string{unpicked}},
		{"has an origin of its own", honest{origin: "somewhere"}, []string{"names its origin"}},
		{"hides why it stopped", honest{before: func(ctx context.Context, _ engine.Content) error {
			if ctx.Err() != nil {
				return io.ErrUnexpectedEOF
			}
			return nil
		}}, []string{stop}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.source.site = enginetest.NewSite(t)
			names, complaints := failingSource(t, tt.source)
			assert.Equal(t, tt.want, names, "%v", complaints)
		})
	}
}

// A source that goes where a page leads it is found out, although it tells the
// right code.
func TestPrivateAddressIsWatched(t *testing.T) {
	t.Parallel()
	client := new(http.Client) // without a guard
	site := enginetest.NewSite(t)
	names, complaints := failingSource(t, honest{site: site, before: func(ctx context.Context, c engine.Content) error {
		if c != site.Content("redirect to a private address (page)") {
			return nil
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL, nil)
		if err != nil {
			return err
		}
		if resp, err := client.Do(req); err == nil {
			_ = resp.Body.Close() // the target closes its connections, so there is none
		}
		return nil
	}})
	assert.Equal(t, []string{"tells conditions apart"}, names, "%v", complaints)
}

// A source that does not come back is not waited for.
func TestSourceThatNeverEnds(t *testing.T) {
	t.Parallel()
	site := enginetest.NewSite(t)
	names, _ := failingSource(t, honest{site: site, before: func(ctx context.Context, c engine.Content) error {
		if c == site.Content("slow body (page)") {
			<-t.Context().Done() // the end of the test
		}
		return nil
	}})
	assert.Equal(t, []string{"tells conditions apart"}, names)
}

func TestSiteAnswersAsItsPlayer(t *testing.T) {
	t.Parallel()
	site := enginetest.NewSite(t)
	client := site.Host(t).HTTP
	content := site.Content(enginetest.CaptionTracks)
	for format, want := range map[string]string{
		"":      `<text start="0.5" dur="1.5">hallo Welt</text>`,
		"vtt":   "00:00:02.000 --> 00:00:03.500\nwie geht’s &amp; steht’s\n",
		"json3": `"tStartMs":2000`,
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, site.URL+"/api/timedtext?lang=de&v="+content.ExternalID+"&fmt="+format, nil)
		require.NoError(t, err)
		resp, err := client.Do(req)
		require.NoError(t, err)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		assert.Contains(t, string(body), want)
	}
	for _, path := range []string{"/", "/watch?v=nobody", "/watch?v=content-999", "/api/timedtext?lang=fi&v=" + content.ExternalID} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, site.URL+path, nil)
		require.NoError(t, err)
		resp, err := client.Do(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		assert.Equal(t, http.StatusNotFound, resp.StatusCode, path)
	}
	assert.Panics(t, func() { site.Content("no such condition") })
}

func TestEveryConditionIsNamed(t *testing.T) {
	t.Parallel()
	var names []string
	for _, c := range enginetest.Conditions() {
		names = append(names, c.Name)
		for _, code := range c.Codes {
			assert.Contains(t, transcript.Codes(), code, c.Name)
		}
		assert.False(t, c.Blocks && len(c.Codes) == 0, c.Name)
	}
	assert.Len(t, slices.Compact(slices.Sorted(slices.Values(names))), len(names))
	assert.Equal(t, "blocked is never empty", enginetest.CaptionSourceChecks()[0].Name)
}
