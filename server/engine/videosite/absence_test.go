package videosite_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine/videosite"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// There are no captions only where the player that is asked says so and the player in the
// page does not say anything else.
func TestWhatProvesNone(t *testing.T) {
	t.Parallel()
	const none = `{"playabilityStatus":{"status":"OK"},"videoDetails":{"videoId":"` + id + `"}}`
	page := func(answer string) string {
		return goodKey + `<script>var ytInitialPlayerResponse = ` + answer + `;var meta = document.createElement('meta');</script>`
	}
	for name, test := range map[string]struct {
		page, player string
		code         transcript.Code // empty: it is proven
	}{
		"the player alone":             {goodKey, none, ""},
		"both":                         {page(none), none, ""},
		"an empty list":                {goodKey, played("", ""), ""},
		"a page that cannot be read":   {page(`{"playabilityStatus":`), none, ""},
		"a page with null":             {goodKey + `<script>var ytInitialPlayerResponse = null;</script>`, none, ""},
		"captions of another shape":    {goodKey, `{"playabilityStatus":{"status":"OK"},"videoDetails":{"videoId":"` + id + `"},"captions":{"captionsV2":{}}}`, transcript.UpstreamFailed},
		"a list of another shape":      {goodKey, `{"playabilityStatus":{"status":"OK"},"videoDetails":{"videoId":"` + id + `"},"captions":{"playerCaptionsTracklistRenderer":[]}}`, transcript.UpstreamFailed},
		"a page with a bot check":      {page(`{"playabilityStatus":{"status":"LOGIN_REQUIRED","reason":"Sign in to confirm you’re not a bot"}}`), none, transcript.IPBlocked},
		"a page of another video":      {page(`{"playabilityStatus":{"status":"OK"},"videoDetails":{"videoId":"other"}}`), none, transcript.UpstreamFailed},
		"a page with tracks":           {page(played(track("en", "", "/api/timedtext"), "")), none, transcript.UpstreamFailed},
		"a page with addressless ones": {page(played(track("en", "", ""), "")), none, transcript.UpstreamFailed},
		"a page with a token":          {page(played(track("en", "", "/api/timedtext?exp=xpv"), "")), none, transcript.POTokenRequired},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &site{page: text(test.page), player: text(test.player)}
			found, err := s.ask(t, videosite.Options{})
			assert.Empty(t, found.Tracks)
			if test.code == "" {
				require.NoError(t, err)
				return
			}
			coded(t, err, test.code)
		})
	}
}

// What the page says does not matter where the player names tracks.
func TestPageThatRefusesBesideTracks(t *testing.T) {
	t.Parallel()
	s := &site{page: text(goodKey + `<script>ytInitialPlayerResponse = {"playabilityStatus":{"status":"LOGIN_REQUIRED","reason":"not a bot"}};</script>`)}
	found, err := s.ask(t, videosite.Options{})
	require.NoError(t, err)
	assert.Len(t, found.Tracks, 1)
}
