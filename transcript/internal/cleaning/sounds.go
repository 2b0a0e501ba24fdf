package cleaning

import (
	"strings"
	"unicode"

	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	// notes frame what is sung.
	notes = "♩♪♫♬"
	// aside is the most words of a sound in round brackets. More is speech.
	aside = 5
)

// DropSounds is DropSounds of package caption.
func DropSounds(segments []transcript.Segment) []transcript.Segment {
	return rewrite(segments, func(s *transcript.Segment) bool { return strings.ContainsAny(s.Text, "[("+notes) }, dropSounds)
}

// wordGap bounds, in bytes, how far behind a word the next one is looked for.
const wordGap = 256

// span is a stretch of a text, in bytes.
type span struct{ from, to int }

func dropSounds(s *transcript.Segment) {
	text := s.Text
	var dropped []span
	at := 0
	for line := range strings.SplitSeq(text, "\n") {
		for _, d := range soundsOf(line) {
			dropped = append(dropped, span{at + d.from, at + d.to})
		}
		at += len(line) + 1
	}
	if dropped == nil {
		return
	}
	s.Text = foldLines(cut(text, 0, dropped))
	at = 0
	words := s.Words[:0]
	for _, w := range s.Words {
		near := text[at:min(len(text), at+len(w.Text)+wordGap)]
		if i := strings.Index(near, w.Text); i >= 0 {
			from := at + i
			at = from + len(w.Text)
			for len(dropped) > 0 && dropped[0].to <= from {
				dropped = dropped[1:]
			}
			w.Text = strings.TrimSpace(cut(w.Text, from, dropped))
		}
		if w.Text != "" {
			words = append(words, w)
		}
	}
	s.Words = words
}

// cut returns what is left of a part of a text that begins at from.
func cut(part string, from int, dropped []span) string {
	var b strings.Builder
	at := 0
	for _, d := range dropped {
		if d.from-from >= len(part) {
			break
		}
		d.from, d.to = max(d.from-from, at), min(d.to-from, len(part))
		if d.from < d.to {
			b.WriteString(part[at:d.from])
			at = d.to
		}
	}
	b.WriteString(part[at:])
	return b.String()
}

// soundsOf finds the sounds of a line, in order.
func soundsOf(line string) (sounds []span) {
	whole := []span{{0, len(line)}}
	if isAside(line) {
		return whole
	}
	last := strings.LastIndexByte(line, ']') // an opening bracket after it is not closed
	for at, r := range line {
		switch {
		case len(sounds) > 0 && at < sounds[len(sounds)-1].to:
		case r == '[' && at < last:
			sounds = append(sounds, span{at, at + strings.IndexByte(line[at:], ']') + 1})
		case strings.ContainsRune(notes, r):
			sounds = append(sounds, span{at, at + len(string(r))})
		}
	}
	if sounds == nil {
		return nil
	}
	if left := cut(line, 0, sounds); isAside(left) || !strings.ContainsFunc(left, isSpoken) {
		return whole
	}
	return sounds
}

func isSpoken(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// isAside reports whether a line is a sound in round brackets.
func isAside(line string) bool {
	line = strings.TrimSpace(strings.TrimLeft(line, "-–— "))
	inside, ok := strings.CutPrefix(line, "(")
	if !ok {
		return false
	}
	inside, ok = strings.CutSuffix(inside, ")")
	return ok && !strings.ContainsAny(inside, "()") && len(strings.Fields(inside)) <= aside
}
