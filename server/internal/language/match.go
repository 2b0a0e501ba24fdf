package language

import (
	"math"
	"strings"

	xlanguage "golang.org/x/text/language"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// MatchTrack returns the index of the track that answers a wanted language tag: the exact
// tag made by people, the exact tag made by a machine, the same primary language made by
// people, the same made by a machine; never another script, never a forced track. ok is
// false if no track matches.
//
// Tags with the same meaning are equal, even if they are written differently: iw and he,
// no and nb, sh and sr-Latn. If several tracks have the same primary language, a wanted
// region prefers a track without a region ("en-US" takes "en" before "en-GB"), and a
// wanted tag without script and region prefers a track in its likely script ("zh" takes
// Hans before Hant). The order of the tracks decides between the others.
//
// Tags of unknown languages ("", "und", "en-orig", "a.en") match only themselves, in any
// case.
func MatchTrack(want string, tracks []transcript.Track) (n int, ok bool) {
	for i, t := range tracks {
		if t.Kind == transcript.TrackManual && strings.EqualFold(t.Lang, want) {
			return i, true // no other track can be better, so the common case needs no parsing
		}
	}
	wanted := parseLocale(want)
	best := math.MaxInt
	for i, t := range tracks {
		if rank, match := rankTrack(wanted, t); match && rank < best {
			n, best = i, rank
		}
	}
	return n, best < math.MaxInt
}

// The ranks of MatchTrack, the best first. Between two ranks of the same language there
// is room for the finer order of [locale.distance].
const (
	rankExactManual = 0
	rankExactAuto   = 1
	rankSameManual  = 2
	rankSameAuto    = rankSameManual + maxDistance + 1
	maxDistance     = 1
)

func rankTrack(wanted locale, t transcript.Track) (rank int, ok bool) {
	exact, same := rankExactManual, rankSameManual
	switch t.Kind {
	case transcript.TrackManual:
	case transcript.TrackAuto:
		exact, same = rankExactAuto, rankSameAuto
	default:
		return 0, false
	}
	track := parseLocale(t.Lang)
	if wanted.equal(track) {
		return exact, true
	}
	distance, ok := wanted.distance(track)
	return same + distance, ok
}

// canonical makes tags with the same meaning equal: deprecated codes (iw, in, mo), legacy
// codes (sh) and the macro languages that stand for their main language (no for nb, zh
// for cmn).
const canonical = xlanguage.Deprecated | xlanguage.Legacy | xlanguage.Macro

// locale is a language tag, parsed for matching.
type locale struct {
	text  string
	known bool // tag and what follows hold
	tag   xlanguage.Tag

	base      xlanguage.Base
	script    xlanguage.Script // the likely script if the tag names none
	hasScript bool             // the tag names the script
	hasRegion bool
}

func parseLocale(text string) locale {
	l := locale{text: text}
	tag, err := canonical.Parse(text)
	if err != nil {
		return l
	}
	base, confidence := tag.Base()
	if confidence != xlanguage.Exact {
		return l // und: the base is a guess
	}
	script, scriptConfidence := tag.Script()
	_, regionConfidence := tag.Region()
	l.known, l.tag, l.base, l.script = true, tag, base, script
	l.hasScript = scriptConfidence == xlanguage.Exact
	l.hasRegion = regionConfidence == xlanguage.Exact
	return l
}

func (l locale) equal(track locale) bool {
	if l.known && track.known {
		return l.tag == track.tag
	}
	return strings.EqualFold(l.text, track.text)
}

// distance is how far a track is from the wanted l, 0 to maxDistance; ok is
// false for another primary language or script.
func (l locale) distance(track locale) (distance int, ok bool) {
	if !l.known || !track.known || l.base != track.base {
		return 0, false
	}
	if l.script != track.script {
		anyScript := !l.hasScript && !l.hasRegion
		return maxDistance, anyScript
	}
	if l.hasRegion && track.hasRegion {
		return maxDistance, true
	}
	return 0, true
}
