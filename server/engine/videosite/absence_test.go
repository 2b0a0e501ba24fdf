package videosite_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine/internal/absencetest"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/player"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/refusal"
	"github.com/transcriptkit/transcriptkit/server/engine/videosite"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Each row of the table of proof has a case here that only this row refuses.
func TestWhatProvesNone(t *testing.T) {
	t.Parallel()
	const none = `{"playabilityStatus":{"status":"OK"},"videoDetails":{"videoId":"` + id + `"}}`
	page := func(answer string) string {
		return goodKey + `<script>var ytInitialPlayerResponse = ` + answer + `;var meta = document.createElement('meta');</script>`
	}
	of := func(names ...string) (list []videosite.Player) {
		for _, name := range names {
			p := videosite.Player{Name: name, Version: "1", Captions: name != "SILENT"}
			if name == videosite.InPage {
				p.Version = ""
			}
			list = append(list, p)
		}
		return list
	}
	android := of("ANDROID")
	for name, test := range map[string]struct {
		page, player string
		players      []videosite.Player
		code         transcript.Code // empty: it is proven
	}{
		"the player alone":           {goodKey, none, nil, ""},
		"both":                       {page(none), none, nil, ""},
		"an empty list":              {goodKey, played("", ""), nil, ""},
		"a page that cannot be read": {page(`{"playabilityStatus":`), none, nil, ""},
		"a page with null":           {goodKey + `<script>var ytInitialPlayerResponse = null;</script>`, none, nil, ""},
		"the page alone":             {page(none), `{}`, of(videosite.InPage), ""},
		"the page after a player that is outdated": {page(none),
			`{"playabilityStatus":{"status":"ERROR","reason":"This video is unavailable","errorScreen":{"playerErrorMessageRenderer":{"subreason":{"simpleText":"Watch on the latest version"}}}}}`, nil, ""},

		// No player before has withheld captions.
		"the page after a player that wants a token":      {page(none), played(track("en", "", "/api/timedtext?exp=xpe"), ""), nil, transcript.POTokenRequired},
		"the page after a player with an empty answer":    {page(none), " ", nil, transcript.POTokenRequired},
		"a second player after one that the page refutes": {page(played(track("en", "", "/api/timedtext?exp=xpe"), "")), none, of("ANDROID", "IOS"), transcript.POTokenRequired},

		// The player names the captions of every video.
		"a silent player":                     {goodKey, none, of("SILENT", videosite.InPage), transcript.UpstreamFailed},
		"a silent player beside a silent one": {goodKey, none, append(of("SILENT", "SILENT"), of(videosite.InPage)...), transcript.UpstreamFailed},

		// The player plays this video and lists no track.
		"captions of another shape": {goodKey, `{"playabilityStatus":{"status":"OK"},"videoDetails":{"videoId":"` + id + `"},"captions":{"captionsV2":{}}}`, nil, transcript.UpstreamFailed},
		"a list of another shape":   {goodKey, `{"playabilityStatus":{"status":"OK"},"videoDetails":{"videoId":"` + id + `"},"captions":{"playerCaptionsTracklistRenderer":[]}}`, nil, transcript.UpstreamFailed},
		"another video":             {goodKey, `{"playabilityStatus":{"status":"OK"},"videoDetails":{"videoId":"other"}}`, nil, transcript.IPBlocked},
		"a captcha":                 {goodKey, `{"playabilityStatus":{"status":"UNPLAYABLE","errorScreen":{"playerCaptchaViewModel":{}}}}`, nil, transcript.IPBlocked},
		"a bot check":               {goodKey, `{"playabilityStatus":{"status":"LOGIN_REQUIRED","reason":"not a bot"}}`, nil, transcript.IPBlocked},
		"a stream":                  {goodKey, played("", `,"isLive":true`), nil, transcript.Unavailable},
		"a stream to come":          {goodKey, played("", `,"isUpcoming":true`), nil, transcript.Unavailable},

		// The player in the page says the same.
		"a page with a bot check":      {page(`{"playabilityStatus":{"status":"LOGIN_REQUIRED","reason":"Sign in to confirm you’re not a bot"}}`), none, nil, transcript.IPBlocked},
		"a page of another video":      {page(`{"playabilityStatus":{"status":"OK"},"videoDetails":{"videoId":"other"}}`), none, nil, transcript.IPBlocked},
		"a page with tracks":           {page(played(track("en", "", "/api/timedtext"), "")), none, android, transcript.UpstreamFailed},
		"a page with addressless ones": {page(played(track("en", "", ""), "")), none, android, transcript.UpstreamFailed},
		"a page with a token":          {page(played(track("en", "", "/api/timedtext?exp=xpv"), "")), none, android, transcript.POTokenRequired},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &site{page: text(test.page), player: text(test.player)}
			found, err := s.ask(t, videosite.Options{Players: test.players})
			if test.code == "" {
				require.NoError(t, err)
				assert.Empty(t, found.Tracks)
				return
			}
			coded(t, err, test.code)
		})
	}
}

// The site may show one player tracks that it hides from another.
func TestTracksOfThePageAlone(t *testing.T) {
	t.Parallel()
	s := &site{
		page:   text(goodKey + `<script>var ytInitialPlayerResponse = ` + played(track("en", "", "/api/timedtext"), "") + `;</script>`),
		player: text(played("", "")),
	}
	found, err := s.ask(t, videosite.Options{})
	require.NoError(t, err)
	require.Len(t, found.Tracks, 1)
	assert.Equal(t, "hello & welcome", found.Segments[0].Text)
}

// What the page says does not matter where the player names tracks.
func TestPageThatRefusesBesideTracks(t *testing.T) {
	t.Parallel()
	s := &site{page: text(goodKey + `<script>ytInitialPlayerResponse = {"playabilityStatus":{"status":"LOGIN_REQUIRED","reason":"not a bot"}};</script>`)}
	found, err := s.ask(t, videosite.Options{})
	require.NoError(t, err)
	assert.Len(t, found.Tracks, 1)
}

// Each row of the table is needed: evidence that lacks only this proves nothing.
func TestProof(t *testing.T) {
	t.Parallel()
	const (
		none    = `{"playabilityStatus":{"status":"OK"},"videoDetails":{"videoId":"` + id + `"}}`
		refused = `{"playabilityStatus":{"status":"LOGIN_REQUIRED","reason":"not a bot"}}`
	)
	carries := videosite.Player{Name: "A", Captions: true}
	token := transcript.Errorf(transcript.POTokenRequired, "%s", refusal.CaptionToken.Message)
	outdated := player.Outdated(nil)
	absencetest.EachRow(t, videosite.Proof, videosite.EvidenceOf(carries, id, none, none, outdated), map[string]videosite.Evidence{
		"no player before has withheld captions":                videosite.EvidenceOf(carries, id, none, none, token),
		"the player names the captions of every video":          videosite.EvidenceOf(videosite.Player{Name: "A"}, id, none, none, nil),
		"the player plays this video and lists no track":        videosite.EvidenceOf(carries, id, refused, none, nil),
		"the player in the page, if it is there, says the same": videosite.EvidenceOf(carries, id, none, refused, nil),
	})
}
