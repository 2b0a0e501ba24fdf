package text

import (
	"encoding/json"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/bidi"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// text is a text as its page shows it.
type text struct {
	Parts    []part
	Chapters []chapter
	Voices   []voice
	Out      bool   // whether the times link to the platform's player instead of their places in the page
	Dir      string // ltr or rtl, the direction of most of the text
}

// voice is a speaker of a text.
type voice struct {
	Name  string
	Lines int
	Tone  int // the color: 1 for the first one to speak, then 2, and from tones on again from 1
}

// tones is how many colors transcript.css has for speakers.
const tones = 8

// Speakers reports whether a line names a speaker.
func (t text) Speakers() bool { return len(t.Voices) > 0 }

// part is the portion of a text that a browser lays out at once. Invisible parts cost the
// browser nothing.
type part struct {
	Chapter    *chapter // that begins here
	Paragraphs []lines
	Gaps       []gap // at the end of the part
}

// chapter is one of the platform's chapters, with the id of its heading.
type chapter struct {
	transcript.Chapter
	ID string
}

// lines are the lines of a paragraph, and the information before it.
type lines struct {
	Gaps    []gap
	Turn    bool   // whether another person begins to speak
	Speaker string // the person; empty: not known
	Tone    int    // of the person; 0: not known
	Lines   []line
}

// line is a segment. A text has thousands of them, and html/template takes microseconds for
// each value, so the markup before the words is a single value.
type line struct {
	Open template.HTML // the start of its paragraph, with its time
	Text string
}

// gap is a stretch without text, and its reason.
type gap struct {
	Start    float64 `json:"start"`
	Duration float64 `json:"duration"`
	Reason   string  `json:"reason"`
}

// End returns the end of the gap.
func (g gap) End() float64 { return g.Start + g.Duration }

// textOf builds a text from its lines with their times, in paragraphs, with chapters, speakers
// and gaps. It leaves out segments without text.
func textOf(t *transcript.Transcript, sites *site.Table) text {
	b := builder{link: linkOf(t, sites), gaps: gapsOf(t)}
	b.Out = b.link != nil
	for n, c := range t.Chapters() {
		b.Chapters = append(b.Chapters, chapter{c, "chapter-" + strconv.Itoa(n+1)})
	}
	b.ahead = b.Chapters
	for _, s := range t.Segments {
		if s.Text = strings.TrimSpace(s.Text); s.Text != "" {
			b.add(s)
		}
	}
	b.chapters(math.Inf(1))
	b.closePart(math.Inf(1))
	b.Dir = directionOf(t.Segments)
	return b.text
}

// builder is a text that is being built.
type builder struct {
	text
	link   func(seconds float64) string // nil: a time links to its place in the page
	ahead  []chapter
	gaps   []gap
	before paragraph // the latest one
	time   string    // of the previous line
	rows   int       // of the last part, estimated
}

// rowsOfPart is the approximate length of a part; transcript.css has the same number as a
// height.
const rowsOfPart = 40

func (b *builder) add(s transcript.Segment) {
	b.chapters(s.Start + s.Duration/2)
	if len(b.Parts) == 0 || b.rows >= rowsOfPart {
		b.Parts, b.rows = append(b.Parts, part{}), 0
	}
	end := &b.Parts[len(b.Parts)-1]
	told := lines{Gaps: b.gapsUpTo(s.Start), Turn: s.Speaker != b.before.last.Speaker, Speaker: s.Speaker, Tone: b.voice(s.Speaker)}
	first := len(end.Paragraphs) == 0 || told.Gaps != nil || b.before.endsBefore(&s)
	if first {
		end.Paragraphs, b.before = append(end.Paragraphs, told), paragraph{}
		b.rows += 2
	}
	into := &end.Paragraphs[len(end.Paragraphs)-1]
	into.Lines = append(into.Lines, line{Open: b.open(s.Start, !first && between(b.before.last.Text, s.Text) != ""), Text: s.Text})
	b.before.add(&s)
	b.rows += 1 + utf8.RuneCountInString(s.Text)/70
}

// voice counts a line of a speaker and returns the speaker's tone; 0 if it is not known who speaks.
func (b *builder) voice(name string) int {
	if name == "" {
		return 0
	}
	n := slices.IndexFunc(b.Voices, func(v voice) bool { return v.Name == name })
	if n < 0 {
		n, b.Voices = len(b.Voices), append(b.Voices, voice{Name: name, Tone: len(b.Voices)%tones + 1})
	}
	b.Voices[n].Lines++
	return b.Voices[n].Tone
}

// chapters begins the chapters of a line at a time. A line belongs to the chapter that contains
// the line's middle.
func (b *builder) chapters(middle float64) {
	for len(b.ahead) > 0 && b.ahead[0].Start <= middle {
		b.closePart(b.ahead[0].Start)
		b.Parts, b.rows = append(b.Parts, part{Chapter: &b.ahead[0]}), 2
		b.ahead = b.ahead[1:]
	}
}

// closePart adds the gaps that begin before the next part.
func (b *builder) closePart(next float64) {
	gaps := b.gapsUpTo(next)
	if len(gaps) > 0 && len(b.Parts) == 0 {
		b.Parts = append(b.Parts, part{})
	}
	if len(gaps) > 0 {
		b.Parts[len(b.Parts)-1].Gaps = gaps
	}
}

// gapsUpTo removes and returns the gaps that begin by then.
func (b *builder) gapsUpTo(seconds float64) (gaps []gap) {
	for len(b.gaps) > 0 && b.gaps[0].Start <= seconds {
		gaps, b.gaps = append(gaps, b.gaps[0]), b.gaps[1:]
	}
	return gaps
}

// open returns the start of a line: a paragraph that #t=SECONDS leads to, and its time as a
// link. It consists of numbers and of the platform table's link. A line that continues a row is
// apart from the words before it.
func (b *builder) open(start float64, apart bool) template.HTML {
	at := strconv.FormatFloat(start, 'f', -1, 64)
	id, link, before := ` id="t=`+at+`"`, "#t="+at, ""
	if at == b.time {
		id = "" // the first line with that time has the id
	}
	b.time = at
	if b.link != nil {
		link = template.HTMLEscapeString(b.link(start)) + `" target="_blank`
	}
	if apart {
		before = "\n"
	}
	return template.HTML(before + `<p` + id + `><a href="` + link + `">` + web.Clock(start) + `</a> <span>`) //nolint:gosec // see above
}

// linkOf returns a function that links to a moment in the platform's player; nil if there is no
// such link.
func linkOf(t *transcript.Transcript, sites *site.Table) func(float64) string {
	known, ok := sites.Site(t.Platform)
	if _, err := sites.Content(t.Platform, t.ExternalID); !ok || known.At == "" || err != nil {
		return nil
	}
	return func(seconds float64) string {
		link, _ := sites.At(t.Platform, t.ExternalID, int(seconds)) // the id was checked above
		return link
	}
}

// gapsOf returns the gaps in the metadata, in the order of time.
func gapsOf(t *transcript.Transcript) (gaps []gap) {
	told, err := json.Marshal(t.Metadata["gaps"])
	if err != nil || json.Unmarshal(told, &gaps) != nil {
		return nil // any other value means that there are none
	}
	return gaps
}

// directionOf returns the direction of most of a text, judged by a part of it.
func directionOf(segments []transcript.Segment) string {
	right, left := 0, 0
	for _, s := range segments {
		for _, r := range s.Text {
			switch c, _ := bidi.LookupRune(r); c.Class() {
			case bidi.R, bidi.AL:
				right++
			case bidi.L:
				left++
			}
		}
		if right+left > 2000 {
			break
		}
	}
	if right > left {
		return "rtl"
	}
	return "ltr"
}
