package ytdlp_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/absencetest"
	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// playersCase is what a program that asks several players has said of a content.
type playersCase struct {
	Name   string          `json:"name"`
	Want   transcript.Code `json:"want,omitempty"` // of the error; empty: there is none
	Tracks int             `json:"tracks,omitempty"`
	Plain  programAnswer   `json:"plain"` // by itself
	Alone  programAnswer   `json:"alone"` // when it asks the player of the pages alone
}

// programAnswer is what the program leaves behind.
type programAnswer struct {
	Stderr string            `json:"stderr"`
	Code   int               `json:"code"`
	Info   json.RawMessage   `json:"info"`
	Pages  map[string]string `json:"pages,omitempty"`
}

const talk = "talk0000001"

func playersCases(t *testing.T) []playersCase {
	t.Helper()
	return recorded(t).Cases
}

// recorded returns what a release has answered when it was recorded.
func recorded(t *testing.T) (all players) {
	t.Helper()
	data, err := os.ReadFile("testdata/players/answers.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &all))
	return all
}

// start returns a downloader whose program answers as in the case, and how the program was asked.
func (c playersCase) start(t *testing.T) (b *bench, ways func() []string) {
	t.Helper()
	var asked []string
	b = fake{version: recorded(t).Release, answer: func(run engine.Command) (string, string, int) {
		how, says := "plain", c.Plain
		if slices.Contains(run.Args, "--write-pages") {
			how, says = "alone", c.Alone
		}
		asked = append(asked, how)
		for name, page := range says.Pages {
			assert.NoError(t, os.WriteFile(filepath.Join(run.Dir, name), []byte(page), 0o600))
		}
		return string(says.Info) + "\n", says.Stderr, says.Code
	}}.start(t)
	return b, func() []string { return asked }
}

// A player that is refused beside one that shows the content is no proof that there are
// no captions, whether the program tells of it by the pages that it keeps, or by its
// complaints. Without these pages nothing is proof.
func TestSecondPlayer(t *testing.T) {
	t.Parallel()
	const onlyInPages = "tracks without an address"
	for _, c := range playersCases(t) {
		for _, pages := range []bool{true, false} {
			test := c
			if !pages {
				if test.Name == onlyInPages {
					continue
				}
				test.Alone.Pages = nil
			}
			t.Run(test.Name+"/pages="+strconv.FormatBool(pages), func(t *testing.T) {
				t.Parallel()
				switch {
				case pages || test.Want != "" || test.Tracks > 0:
				case test.Name == "no runtime, none":
					test.Want = transcript.ConfigError // a program with a runtime may tell more
				default:
					test.Want = transcript.UpstreamFailed
				}
				b, _ := test.start(t)
				found, err := b.Captions(t.Context(), b.content(talk), func([]transcript.Track) (int, bool) { return 0, false })
				assert.Len(t, found.Tracks, test.Tracks)
				b.clean(t)
				if test.Want != "" {
					coded(t, err, test.Want)
					return
				}
				require.NoError(t, err)
			})
		}
	}
}

// All players are asked only where the player of the pages neither has captions nor proves that
// there are none, and where the site has not refused the page itself.
func TestSecondLooks(t *testing.T) {
	t.Parallel()
	want := map[string][]string{
		"no tracks":                   {"alone"},
		"no runtime, none":            {"alone"},
		"no runtime, tracks":          {"alone"},
		"tracks of the second player": {"alone"},
		"429 of the API":              {"alone"},
		"another video":               {"alone"},
		"bot check":                   {"alone", "plain"},
		"captcha":                     {"alone", "plain"},
		"500 of the API":              {"alone", "plain"},
		"tracks that want a token":    {"alone", "plain"},
	}
	for _, test := range playersCases(t) {
		ways, ok := want[test.Name]
		if !ok {
			continue
		}
		delete(want, test.Name)
		b, asked := test.start(t)
		_, err := b.captions(t, talk, "xx")
		assert.Equal(t, test.Want == "", err == nil, "%s: %v", test.Name, err)
		assert.Equal(t, ways, asked(), test.Name)
	}
	assert.Empty(t, want, "cases that are not there")
}

// Discovery says that a video has no captions where Captions would.
func TestSecondPlayerOfDescribedVideos(t *testing.T) {
	t.Parallel()
	want := map[string]transcript.TrackStatus{
		"no tracks": transcript.TracksEmpty, "bot check beside formats": transcript.TracksFailed, "unplayable without a reason": transcript.TracksFailed,
		"tracks without an address": transcript.TracksFailed, "tracks of the second player": transcript.TracksOK,
	}
	for _, test := range playersCases(t) {
		status, ok := want[test.Name]
		if !ok {
			continue
		}
		delete(want, test.Name)
		b, _ := test.start(t)
		found, err := b.Videos(t.Context(), []engine.Content{b.content(talk)})
		require.NoError(t, err, test.Name)
		require.Len(t, found, 1)
		assert.Equal(t, status, found[0].TrackMetadataStatus, test.Name)
		assert.Equal(t, status == transcript.TracksFailed, found[0].CaptionAvailable == nil, test.Name)
		b.clean(t)
	}
	assert.Empty(t, want, "cases that are not there")
}

// What the program tells when it is verbose stays out of the log: its proxy has a password.
func TestVerboseLookIsNotLogged(t *testing.T) {
	t.Parallel()
	test := playersCase{
		Plain: programAnswer{Info: json.RawMessage(`{"id": "x", "extractor": "youtube", "format_id": "140", "formats": [` + sound + `]}`), Stderr: "WARNING: first\n"},
		Alone: programAnswer{
			Info:   json.RawMessage(`{"id": "x", "extractor": "youtube", "formats": [` + pictures + `]}`),
			Stderr: "[debug] Proxy map: {'all': 'http://job:secret@127.0.0.1:1'}\nWARNING: first\n[debug] secret\n[youtube] secret\nWARNING: second\n  File \"secret\"\n",
		},
	}
	b, _ := test.start(t)
	_, err := b.captions(t, talk, "en")
	coded(t, err, transcript.UpstreamFailed) // no page was kept
	logged := b.log.String()
	assert.NotContains(t, logged, "secret")
	assert.Equal(t, 1, strings.Count(logged, "first"), logged)
	assert.Contains(t, logged, "second")
}

// Captions that the platform withholds beside others are there, for whoever wants them.
func TestWithheldBesideOthers(t *testing.T) {
	t.Parallel()
	const (
		withheld = "WARNING: [youtube] x: There are missing subtitles languages because a PO token was not provided."
		german   = withheld + " Subtitles for these languages are missing: de, pt-BR."
		one      = " Automatic captions for 1 languages are missing."
	)
	info := func(more string) string {
		return `{"id": "x", "extractor": "youtube", "format_id": "140", "formats": [` + sound + `]` + more +
			`, "automatic_captions": {"en": [{"ext": "json3", "url": "https://x/?lang=en", "name": "English"}]}}`
	}
	for name, test := range map[string]struct {
		stderr, more, lang string
		code               transcript.Code
		unlisted           bool
	}{
		"named":                        {german, "", "de", transcript.POTokenRequired, false},
		"the last one named":           {german, "", "pt-BR", transcript.POTokenRequired, false},
		"not named":                    {german, "", "fr", "", false},
		"automatic, of any language":   {withheld + one, "", "fr", "", true},
		"automatic, as it is spoken":   {withheld + one, `, "language": "it"`, "it", transcript.POTokenRequired, false},
		"automatic, not in that":       {withheld + one, `, "language": "it"`, "fr", "", false},
		"both":                         {german + one, "", "de", transcript.POTokenRequired, true},
		"broken over lines":            {"WARNING: [youtube] x: Subtitles for these\n         languages are missing: de.", "", "de", transcript.POTokenRequired, false},
		"nothing is withheld":          {"", "", "de", "", false},
		"nobody wants what is missing": {german, "", "", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := fake{info: info(test.more), stderr: test.stderr + "\n"}.start(t)
			found, err := b.captions(t, "x", test.lang)
			assert.Len(t, found.Tracks, 1, "what was learned")
			assert.Equal(t, test.unlisted, found.Unlisted)
			assert.Nil(t, found.Track)
			if test.code != "" {
				coded(t, err, test.code)
				return
			}
			require.NoError(t, err)
		})
	}
	b := fake{info: info(""), stderr: german + "\n", load: `echo '{"events":[{"tStartMs":0,"dDurationMs":900,"segs":[{"utf8":"hello"}]}]}' >text.track.json3`}.start(t)
	found, err := b.captions(t, "x", "en")
	require.NoError(t, err)
	assert.NotNil(t, found.Track, "what is there is read")
}

// Each row of the tables is needed: evidence that lacks only this proves nothing.
func TestProof(t *testing.T) {
	t.Parallel()
	const (
		plays  = `{"id": "x", "format_id": "140", "formats": [` + sound + `]}`
		stills = `{"id": "x", "formats": [` + pictures + `]}`
		none   = `{"playabilityStatus":{"status":"OK"},"videoDetails":{"videoId":"x"}}`
		robot  = `{"playabilityStatus":{"status":"LOGIN_REQUIRED","reason":"not a bot"}}`
		other  = "WARNING: [youtube] Skipping player responses from web clients (got player responses for video \"y\" instead of \"x\")\n"
	)
	unknown := errors.New("an unknown release")
	absencetest.EachRow(t, ytdlp.ProofByPage, ytdlp.EvidenceOf(stills, "", []string{none, "<html>"}, nil), map[string]ytdlp.Evidence{
		"the release of the program is tested":                 ytdlp.EvidenceOf(stills, "", []string{none}, unknown),
		"the program reports nothing that may hide captions":   ytdlp.EvidenceOf(stills, other, []string{none}, nil),
		"an answer of the site's own player was kept and read": ytdlp.EvidenceOf(stills, "", []string{"<html>"}, nil),
		"each answer says that the video has no captions":      ytdlp.EvidenceOf(stills, "", []string{none, robot}, nil),
	})
	absencetest.EachRow(t, ytdlp.ProofElsewhere, ytdlp.EvidenceOf(plays, "", nil, nil), map[string]ytdlp.Evidence{
		"the release of the program is tested":               ytdlp.EvidenceOf(plays, "", nil, unknown),
		"the program finds something to play":                ytdlp.EvidenceOf(stills, "", nil, nil),
		"the program reports nothing that may hide captions": ytdlp.EvidenceOf(plays, other, nil, nil),
	})
}
