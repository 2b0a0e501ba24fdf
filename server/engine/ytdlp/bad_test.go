package ytdlp_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/sitetest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// What goes wrong with a page is an error, never "no captions".
func TestBadPages(t *testing.T) {
	t.Parallel()
	manyRuns(t)
	b := newBench(t, "")
	tests := []struct {
		id   string
		code transcript.Code
	}{
		{sitetest.Status(401), transcript.LoginRequired},
		{sitetest.Status(403), transcript.IPBlocked},
		{sitetest.Status(404), transcript.Unavailable},
		{sitetest.Status(410), transcript.Unavailable},
		{sitetest.Status(429), transcript.IPBlocked},
		{sitetest.Status(451), transcript.Unavailable},
		{sitetest.Status(500), transcript.UpstreamFailed},
		{sitetest.NoMedia, transcript.Unavailable},
		{sitetest.TwoVideos, transcript.Unavailable},
		{sitetest.Endless, transcript.UpstreamFailed},
	}
	for _, tt := range tests {
		t.Run(tt.id, func(t *testing.T) {
			t.Parallel()
			found, err := b.captions(t, tt.id, "en")
			e := coded(t, err, tt.code)
			assert.Nil(t, found.Tracks, "not known")
			assert.Equal(t, 1, b.site.Requests(sitetest.Watch(tt.id)), "asked once")
			if tt.code == transcript.IPBlocked {
				assert.Equal(t, 30, e.RetryAfter)
			}
		})
	}
}

// What goes wrong with a track is an error, with what was learned before it.
func TestBadTracks(t *testing.T) {
	t.Parallel()
	manyRuns(t)
	b := newBench(t, "")
	tests := []struct {
		id   string
		code transcript.Code
	}{
		{sitetest.EmptyTrack, transcript.POTokenRequired},
		{sitetest.WebTrack, transcript.UpstreamFailed},
		{sitetest.CutTrack, transcript.UpstreamFailed},
		{sitetest.LostTrack, transcript.UpstreamFailed},
		{sitetest.GoneTrack, transcript.UpstreamFailed},
		{sitetest.BusyTrack, transcript.IPBlocked},
	}
	for _, tt := range tests {
		t.Run(tt.id, func(t *testing.T) {
			t.Parallel()
			found, err := b.captions(t, tt.id, "en")
			coded(t, err, tt.code)
			assert.Len(t, found.Tracks, 1)
			assert.NotEmpty(t, found.Metadata.Title)
			assert.Nil(t, found.Track)
		})
	}
}

func TestBadMedia(t *testing.T) {
	t.Parallel()
	manyRuns(t)
	b := newBench(t, "")
	for _, id := range []string{sitetest.CutMedia, sitetest.GoneMedia} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			path, err := b.Audio(t.Context(), b.content(id), t.TempDir(), engine.AudioOptions{})
			coded(t, err, transcript.UpstreamFailed)
			assert.Empty(t, path)
		})
	}
}

func TestNoTracks(t *testing.T) {
	t.Parallel()
	b := newBench(t, "")
	found, err := b.captions(t, sitetest.NoTracks, "en")
	require.NoError(t, err)
	assert.Empty(t, found.Tracks)
	assert.NotEmpty(t, found.Metadata.Title)
}

// Without a network, or with a name that does not exist, the error speaks of this machine and of
// the host, and not of the platform.
func TestHostThatCannotBeLookedUp(t *testing.T) {
	t.Parallel()
	manyRuns(t)
	b := newBench(t, "")
	c := engine.Content{Platform: transcript.VideoSite, ExternalID: "aaaaaaaaaaa", URL: "https://nowhere.invalid/watch?v=aaaaaaaaaaa"}
	_, err := b.Captions(t.Context(), c, func([]transcript.Track) (int, bool) { return 0, false })
	e := coded(t, err, transcript.UpstreamFailed)
	assert.Equal(t, "This machine cannot reach nowhere.invalid. "+engine.CureNetwork, e.Message)
	assert.Equal(t, engine.CureNetwork, e.Cure)

	_, err = b.Audio(t.Context(), c, t.TempDir(), engine.AudioOptions{MaxBytes: 1 << 20})
	e = coded(t, err, transcript.UpstreamFailed)
	assert.Contains(t, e.Message, "This machine cannot reach nowhere.invalid.")

	list := engine.List{Platform: transcript.VideoSite, Kind: engine.PlaylistList, ID: "PL1", URL: "https://nowhere.invalid/playlist?list=PL1"}
	_, err = b.List(t.Context(), list, 0, 10)
	e = coded(t, err, transcript.UpstreamFailed)
	assert.Contains(t, e.Message, "This machine cannot reach nowhere.invalid.")
}
