package ffmpeg

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// track is an audio track as the file describes it.
type track struct {
	language string // a tag; empty: not known
	title    string // empty: none
	standard bool   // the file marks it as the default
	// aside tells how far a track is from the main one: 2 for a commentary, 1 for a
	// description of the picture or a mix for people who hear badly.
	aside    int
	channels int
	layout   string
	rate     int  // samples a second; 0: not known
	grows    bool // one channel becomes two on the way
	// end is where the track ends on the media clock according to the file's header; 0 if the
	// header does not tell.
	end seconds
}

// longestTitle is how many characters of a title are kept.
const longestTitle = 200

var (
	commentary  = regexp.MustCompile(`(?i)\b(director'?s )?comment(ary|aries|aire|aires)?\b|kommentar|comentario|commento`)
	description = regexp.MustCompile(`(?i)audio.?descri|descriptive|audiodeskription|visually impaired|hard of hearing|hearing impaired`)
	// programName matches what programs write as the name of a track.
	programName = regexp.MustCompile(`(?i)handler|media|^(mono|stereo|surround)$`)
)

func (p *probed) track(s probedStream) track {
	t := track{
		language: languageOf(s.Tags.Language), standard: s.Disposition.Default != 0,
		channels: s.Channels, layout: s.Layout, rate: int(s.Rate), end: p.end(s),
	}
	t.title = s.Tags.Title
	if t.title == "" && !programName.MatchString(s.Tags.Handler) {
		t.title = s.Tags.Handler
	}
	t.title = clip.Line(t.title, longestTitle)
	switch {
	case s.Disposition.Comment != 0, commentary.MatchString(t.title):
		t.aside = 2
	case s.Disposition.HearingImpaired != 0, s.Disposition.VisualImpaired != 0, description.MatchString(t.title):
		t.aside = 1
	}
	return t
}

// languageOf returns the tag of a language, as BCP 47 has it: "de" for "ger". It is empty
// for what names no single language.
func languageOf(tag string) string {
	t, err := language.Parse(tag)
	if err != nil {
		return ""
	}
	base, confidence := t.Base()
	if confidence == language.No {
		return ""
	}
	switch b := base.String(); {
	case b == "und", b == "mul", b == "zxx", b == "mis", len(b) == 3 && b >= "qaa" && b <= "qtz":
		return ""
	}
	return t.String()
}

// speaks reports whether a track is in a language, by the primary subtag. A tag that is
// written differently is the same language: iw is he.
func (t track) speaks(tag string) bool {
	if tag == "" || t.language == "" {
		return false
	}
	wanted := languageOf(tag)
	if wanted == "" {
		return strings.EqualFold(t.language, tag)
	}
	a, _ := language.Make(wanted).Base()
	b, _ := language.Make(t.language).Base()
	return a == b
}

// order returns the numbers of the tracks to decode, from 0, the best first: the named track
// alone; else those in the wanted language, before all that are no commentary, before the
// default, before the others. A track gives way to the next one if it is silent.
func order(tracks []track, o engine.NormalizeOptions) ([]int, error) {
	switch {
	case len(tracks) == 0:
		return nil, invalid("The file has no audio stream.")
	case o.Track < 0 || o.Track > len(tracks):
		return nil, invalid("The file has no audio track %d: it has %s.", o.Track, list(tracks))
	case o.Track > 0:
		return []int{o.Track - 1}, nil
	}
	numbers := make([]int, len(tracks))
	for i := range numbers {
		numbers[i] = i
	}
	rank := func(n int) (r [3]int) {
		t := tracks[n]
		if !t.speaks(o.Language) {
			r[0] = 1
		}
		r[1] = t.aside
		if !t.standard {
			r[2] = 1
		}
		return r
	}
	slices.SortStableFunc(numbers, func(a, b int) int {
		x, y := rank(a), rank(b)
		return slices.Compare(x[:], y[:])
	})
	return numbers, nil
}

// best returns the number of the best track, from 0, of at least one.
func best(tracks []track) int {
	numbers, err := order(tracks, engine.NormalizeOptions{})
	if err != nil {
		return 0 // only without tracks
	}
	return numbers[0]
}

// list names the tracks in a message, at most 20 of them.
func list(tracks []track) string {
	const most = 20
	names := make([]string, 0, most)
	for i, t := range tracks[:min(most, len(tracks))] {
		name := fmt.Sprintf("%d (%s", i+1, cmp.Or(t.language, "language unknown"))
		if t.title != "" {
			name += ", " + clip.To(t.title, 40)
		}
		names = append(names, name+")")
	}
	more := ""
	if len(tracks) > most {
		more = fmt.Sprintf(" and %d more", len(tracks)-most)
	}
	return strings.Join(names, ", ") + more
}

// described returns what the result says about the tracks, nil for a single one. used is the
// number of the track that was decoded, from 0.
func described(tracks []track, used int) []transcript.AudioTrack {
	if len(tracks) < 2 {
		return nil
	}
	all := make([]transcript.AudioTrack, len(tracks))
	for i, t := range tracks {
		all[i] = transcript.AudioTrack{Index: i + 1, Default: t.standard, Used: i == used}
		if t.language != "" {
			all[i].Language = &t.language
		}
		if t.title != "" {
			all[i].Title = &t.title
		}
	}
	return all
}
