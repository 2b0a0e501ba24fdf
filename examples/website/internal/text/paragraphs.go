package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	paragraphPause = 2.0  // seconds of silence that begin a paragraph
	fullParagraph  = 500  // bytes, after which the next sentence begins a paragraph
	longParagraph  = 1500 // bytes, after which the next line begins a paragraph
)

// paragraphsOf joins the segments of a text into paragraphs. A paragraph has one speaker, and
// lies in one chapter. Segments without text are left out.
func paragraphsOf(t *transcript.Transcript) (all []transcript.Segment) {
	chapters, ahead := t.Chapters(), false
	var last paragraph
	for _, s := range t.Segments {
		for len(chapters) > 0 && chapters[0].Start <= s.Start+s.Duration/2 {
			chapters, ahead = chapters[1:], true
		}
		if s.Text = strings.Join(strings.Fields(s.Text), " "); s.Text == "" {
			continue
		}
		if len(all) == 0 || ahead || last.endsBefore(&s) {
			all, ahead, last = append(all, transcript.Segment{Text: s.Text, Start: s.Start, Duration: s.Duration, Speaker: s.Speaker}), false, paragraph{}
		} else {
			into := &all[len(all)-1]
			into.Text += between(into.Text, s.Text) + s.Text
			into.Duration = max(into.Duration, s.End()-into.Start)
		}
		last.add(&s)
	}
	return all
}

// paragraph is what decides whether another segment continues a paragraph.
type paragraph struct {
	last   transcript.Segment // the latest segment
	end    float64            // of the recording, in seconds
	length int                // in bytes
}

func (p *paragraph) add(s *transcript.Segment) {
	p.last, p.end, p.length = *s, max(p.end, s.End()), p.length+len(s.Text)
}

// endsBefore reports whether a segment begins another paragraph.
func (p *paragraph) endsBefore(s *transcript.Segment) bool {
	return s.Speaker != p.last.Speaker || s.Start-p.end >= paragraphPause || p.length >= longParagraph ||
		p.length >= fullParagraph && endsSentence(p.last.Text)
}

// endsSentence reports whether a text ends with the mark of a sentence's end, in any script.
func endsSentence(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, "\"'”’»)]」』"))
	return unicode.Is(unicode.Sentence_Terminal, last)
}

// between returns what stands between the texts of two segments: a space, but nothing in scripts
// that have no spaces between words.
func between(before, after string) string {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	if unicode.In(last, unspaced...) && unicode.In(first, unspaced...) {
		return ""
	}
	return " "
}

// unspaced are the scripts without spaces between words, and their punctuation.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
	{R16: []unicode.Range16{{Lo: 0x3001, Hi: 0x3002, Stride: 1}, {Lo: 0xFF01, Hi: 0xFF1F, Stride: 1}}},
}
