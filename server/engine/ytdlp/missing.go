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

// What the program says of tracks that the platform gives with a token only.
var (
	namedMissing   = regexp.MustCompile(`Subtitles for these languages are missing: ([^\s.,]+(?:, [^\s.,]+)*)`)
	unnamedMissing = regexp.MustCompile(`Automatic captions for (\d+) languages? (?:are|is) missing`)
)

// denied returns an error if pick, which took none of the listed tracks, takes one that the
// platform withholds. The program names the languages of withheld tracks that people made.
// It counts the automatic ones: a single one is in the language that is spoken, if that is
// known. unlisted reports that there are withheld tracks in languages that are not known.
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

// missingTrack is a track of which the program tells the key alone.
func missingTrack(key string, kind transcript.TrackKind) transcript.Track {
	lang, rest := trackid.Split(key)
	return transcript.Track{ID: trackid.New(lang, kind, rest), Lang: lang, Kind: kind}
}
