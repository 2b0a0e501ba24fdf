package ytdlp_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// What a newer version answers beside a complaint: the pictures that show the places
// of a recording are there whatever becomes of the recording.
const (
	pictures   = `{"format_id": "sb0", "protocol": "mhtml", "acodec": "none", "vcodec": "none", "url": "https://i.example/sb"}`
	sound      = `{"format_id": "140", "protocol": "https", "acodec": "mp4a.40.2", "vcodec": "none", "url": "https://r1.example/play"}`
	onlyStills = "WARNING: Only images are available for download. use --list-formats to see them\nWARNING: Requested format is not available\n"
)

// Answers of version 2026.08.19, in short: what was left out is not "there is
// nothing".
func TestAnswersOfANewVersion(t *testing.T) {
	t.Parallel()
	const (
		withheld = "WARNING: [youtube] x: There are missing subtitles languages because a PO token was not provided. " +
			"Subtitles for these languages are missing: de. Automatic captions for 1 languages are missing.\n"
		tracks   = `"subtitles": {"en": [{"url": "http://x/", "ext": "vtt"}]}`
		noTarget = "WARNING: [other] The extractor is attempting impersonation, but no impersonate target is available.\n"
	)
	for name, test := range map[string]struct {
		info, stderr string
		captions     transcript.Code // "" for none
		audio        transcript.Code
	}{
		"a bot check": {`"formats": [` + pictures + `]`,
			"WARNING: [youtube] Sign in to confirm you’re not a bot.\n" + onlyStills, transcript.IPBlocked, transcript.IPBlocked},
		"formats without an address": {`"formats": [` + pictures + `]`, onlyStills, transcript.UpstreamFailed, transcript.UpstreamFailed},
		"the same, with tracks":      {`"formats": [` + pictures + `], ` + tracks, onlyStills, "", transcript.UpstreamFailed},
		"no runtime, with tracks": {`"formats": [` + pictures + `], ` + tracks,
			"WARNING: [youtube] No supported JavaScript runtime could be found.\n" + onlyStills, "", transcript.ConfigError},
		"no runtime, and no tracks": {`"format_id": "140", "acodec": "mp4a.40.2", "formats": [` + pictures + `, ` + sound + `]`,
			"WARNING: [youtube] No supported JavaScript runtime could be found.\n", transcript.ConfigError, ""},
		"nothing to imitate a browser, and no tracks": {`"extractor": "other", "format_id": "0", "acodec": "aac", "formats": [` + sound + `]`, noTarget, "", ""},
		"nothing to imitate a browser, and no page": {`"extractor": "other", "format_id": "0", "acodec": "aac", "formats": [` + sound + `]`,
			noTarget + "WARNING: [other] Unable to download webpage: HTTP Error 403: Forbidden\n", transcript.IPBlocked, ""},
		"nothing to imitate a browser, and nothing to play": {`"extractor": "other", "formats": [` + pictures + `]`, noTarget + onlyStills, transcript.ConfigError, transcript.ConfigError},
		"withheld tracks":                   {`"format_id": "140", "formats": [` + sound + `]`, withheld, transcript.POTokenRequired, ""},
		"withheld tracks, nothing to play":  {`"formats": [` + pictures + `]`, withheld + onlyStills, transcript.POTokenRequired, transcript.UpstreamFailed},
		"withheld tracks behind a block":    {`"formats": [` + pictures + `]`, withheld + "WARNING: Too Many Requests\n" + onlyStills, transcript.IPBlocked, transcript.IPBlocked},
		"withheld tracks beside others":     {`"format_id": "140", "formats": [` + sound + `], ` + tracks, withheld, "", ""},
		"a token for the media of a player": {`"format_id": "140", "formats": [` + sound + `]`, "WARNING: [youtube] x: ios client https formats require a GVS PO Token which was not provided.\n", "", ""},
		"no sound": {`"format_id": "137", "acodec": "none", "vcodec": "avc1", "formats": [{"protocol": "https", "acodec": "none", "vcodec": "avc1"}]`,
			"", "", transcript.Unavailable},
		"no sound, as it was left out": {`"format_id": "137", "acodec": "none", "vcodec": "avc1", "formats": [{"protocol": "https", "acodec": "none", "vcodec": "avc1"}]`,
			"WARNING: [youtube] x: n challenge solving failed: Some formats may be missing.\n", "", transcript.ConfigError},
		"only by another protocol": {`"formats": [` + pictures + `, {"protocol": "rtmp"}]`, "WARNING: Requested format is not available\n", "", transcript.Unavailable},
		"a page that was missing beside": {`"format_id": "140", "acodec": "none", "vcodec": "avc1", "formats": [` + sound + `]`,
			"WARNING: [youtube] Unable to download player: HTTP Error 404: Not Found\n", "", transcript.Unavailable},
		"that alone": {`"formats": [` + pictures + `]`, "WARNING: Unable to download player: HTTP Error 404: Not Found\n" + onlyStills, transcript.UpstreamFailed, transcript.UpstreamFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := fake{info: `{"id": "x", ` + test.info + `}`, stderr: test.stderr, pages: test.captions == "", load: hasSound}.start(t)
			_, err := b.Captions(t.Context(), b.content("x"), func([]transcript.Track) (int, bool) { return 0, false })
			_, audio := b.Audio(t.Context(), b.content("x"), t.TempDir(), engine.AudioOptions{})
			for i, want := range []transcript.Code{test.captions, test.audio} {
				err := []error{err, audio}[i]
				if want == "" {
					require.NoError(t, err)
					continue
				}
				coded(t, err, want)
			}
		})
	}
}

// An error that tells of what came of it hides no block that came before.
func TestCausesOfErrors(t *testing.T) {
	t.Parallel()
	for warning, code := range map[string]transcript.Code{
		"[youtube] x: Unable to download API page: HTTP Error 429: Too Many Requests": transcript.IPBlocked,
		"[youtube] Sign in to confirm your age":                                       transcript.LoginRequired,
		"[youtube] No supported JavaScript runtime could be found.":                   transcript.UpstreamFailed,
		"[youtube] x: Unable to download player: HTTP Error 404: Not Found":           transcript.UpstreamFailed,
	} {
		for _, says := range []string{"Failed to extract any player response", "An extractor error has occurred. (caused by KeyError('x'))"} {
			_, err := fake{info: "null", code: 1, stderr: "WARNING: " + warning + "\nERROR: [youtube] x: " + says + "\n"}.start(t).captions(t, "x", "en")
			coded(t, err, code)
		}
	}
}

// What a source has not found may be there; what the platform says is gone is not.
func TestNothingFoundIsNoProof(t *testing.T) {
	t.Parallel()
	for says, proven := range map[string]bool{
		"Video unavailable. This video has been removed by the uploader": true,
		"Private video. Sign in if you've been granted access":           true,
		"Unable to download webpage: HTTP Error 404: Not Found":          true,
		"Unsupported URL: http://":                                       true, // and so a fault, as it leads elsewhere
		"No suitable extractor found for URL":                            false,
		"[microblog] x: No video could be found in this tweet":           false,
		"[youtube] x: This content isn't available.":                     false,
	} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			_, err := fake{info: "null", code: 1, stderr: "ERROR: " + says + "\n"}.start(t).captions(t, "x", "en")
			require.Error(t, err)
			assert.Equal(t, proven, !errors.Is(err, engine.ErrNothingFound), "%v", err)
		})
	}
}

// A limit that is said to last for an hour is not asked about after half a minute.
func TestLongBlocks(t *testing.T) {
	t.Parallel()
	for says, seconds := range map[string]int{
		"This content isn't available, try again later":                          600,
		"The current session has been rate-limited by YouTube for up to an hour": 600,
		"HTTP Error 429: Too Many Requests":                                      30,
	} {
		_, err := fake{info: "null", code: 1, stderr: "ERROR: [youtube] x: " + says + "\n"}.start(t).captions(t, "x", "en")
		assert.Equal(t, seconds, coded(t, err, transcript.IPBlocked).RetryAfter, says)
	}
}

// The log has all that the program warns of in a run, each once, whatever becomes of
// the run.
func TestComplaintsAreLogged(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("WARNING: the same again\n", 50)
	for i := range 50 {
		many += "WARNING: " + strings.Repeat("x", 900) + string(rune('a'+i%26)) + strings.Repeat("y", i) + "\n"
	}
	b := fake{
		pages:  true,
		info:   `{"id": "x", "format_id": "140", "formats": [` + sound + `]}`,
		stderr: "WARNING: ffmpeg-location /nonexistent does not exist! Continuing without ffmpeg\nWARNING: [youtube] first\n         and more\nERROR: second\n" + many,
	}.start(t)
	_, err := b.captions(t, "x", "en")
	require.NoError(t, err)
	logged := b.log.String()
	assert.Contains(t, logged, "content=x")
	assert.Contains(t, logged, "[youtube] first and more")
	assert.Equal(t, 1, strings.Count(logged, "the same again"))
	assert.Equal(t, 1, strings.Count(logged, "second"))
	assert.NotContains(t, logged, "ffmpeg-location", "that is what it is told to do")
	assert.Less(t, len(logged), 15000)
	assert.Equal(t, 1, strings.Count(logged, "\n"))
}
