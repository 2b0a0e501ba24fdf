package ytdlp

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/engine/internal/refusal"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/trackid"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The program's messages about tracks that the platform withholds without a token.
var (
	namedMissing   = regexp.MustCompile(`Subtitles for these languages are missing: ([^\s.,]+(?:, [^\s.,]+)*)`)
	unnamedMissing = regexp.MustCompile(`Automatic captions for (\d+) languages? (?:are|is) missing`)
)

// denied returns an error if pick, after it took none of the listed tracks, takes a track that
// the platform withholds. The program names the languages of withheld manual tracks, and counts
// withheld automatic tracks. A single automatic track is in the spoken language, if the program
// knows that language. unlisted reports that the platform withholds tracks of unknown
// languages.
func (m *media) denied(pick func([]transcript.Track) (int, bool)) (unlisted bool, err error) {
	var missing []transcript.Track
	for _, complaint := range complaints(m.exit.Stderr).warnings {
		text := strings.Join(strings.Fields(complaint), " ")
		if named := namedMissing.FindStringSubmatch(text); named != nil {
			for key := range strings.SplitSeq(named[1], ", ") {
				missing = append(missing, missingTrack(key, transcript.TrackManual))
			}
		}
		unnamed := unnamedMissing.FindStringSubmatch(text)
		switch spoken := m.spokenLanguage(); {
		case unnamed == nil:
		case unnamed[1] == "1" && spoken != "":
			missing = append(missing, missingTrack(spoken, transcript.TrackAuto))
		default:
			unlisted = true
		}
	}
	if len(missing) == 0 {
		return unlisted, nil
	}
	if n, wanted := pick(missing); wanted && n >= 0 && n < len(missing) {
		return unlisted, refusal.CaptionToken.Because(errors.New("ytdlp: withheld: " + strconv.Quote(missing[n].ID)))
	}
	return unlisted, nil
}

// missingTrack returns a track with a known key and no other data.
func missingTrack(key string, kind transcript.TrackKind) transcript.Track {
	lang, rest := trackid.Split(key)
	return transcript.Track{ID: trackid.New(lang, kind, rest), Lang: lang, Kind: kind}
}
