package page

import (
	"strings"

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
	for _, s := range t.Segments {
		for len(chapters) > 0 && chapters[0].Start <= s.Start+s.Duration/2 {
			chapters, ahead = chapters[1:], true
		}
		if s.Text = strings.Join(strings.Fields(s.Text), " "); s.Text == "" {
			continue
		}
		if len(all) == 0 || ahead || beginsParagraph(&all[len(all)-1], &s) {
			all, ahead = append(all, transcript.Segment{Text: s.Text, Start: s.Start, Duration: s.Duration, Speaker: s.Speaker}), false
			continue
		}
		last := &all[len(all)-1]
		last.Text += " " + s.Text
		last.Duration = max(last.Duration, s.End()-last.Start)
	}
	return all
}

// beginsParagraph reports whether a segment does not continue a paragraph.
func beginsParagraph(before, s *transcript.Segment) bool {
	return s.Speaker != before.Speaker || s.Start-before.End() >= paragraphPause || len(before.Text) >= longParagraph ||
		len(before.Text) >= fullParagraph && strings.ContainsAny(before.Text[len(before.Text)-1:], ".?!")
}
