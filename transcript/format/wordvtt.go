package format

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// AppendWordVTT appends segs as a WebVTT file with the times of words, and returns the
// extended buffer. The cues are those of [AppendVTT]. In a segment with Words, the time
// of each word is written before the word, as in "<00:00:01.000>", if the time is
// within the cue and later than the previous time. Players use these times to highlight
// the words that have been spoken. If a long segment is divided into several cues, each
// cue begins when its first word is spoken. If the Words of a segment are not the words
// of its text, the segment is written without their times.
func AppendWordVTT(dst []byte, segs []transcript.Segment) []byte {
	c := newCues(wordPieces(segs), vtt)
	dst = append(dst, vttHead...)
	for len(c.segs) > 0 {
		words, from := c.segs[0].Words, len(dst)
		dst = c.appendSegment(dst)
		if len(words) > 0 {
			dst = append(dst[:from], withTimes(dst[from:], words)...)
		}
	}
	return dst
}

// mostOfPiece is the largest number of characters in a piece of a segment: as many as always fit
// into a cue.
const mostOfPiece = 2 * (lineLength - 4)

// wordPieces cuts long segments with words into pieces for one cue each. If the words of a
// segment do not match its text, the segment loses its words.
func wordPieces(segs []transcript.Segment) []transcript.Segment {
	pieces := make([]transcript.Segment, 0, len(segs))
	for _, s := range segs {
		places, ok := placesOf(s)
		if !ok {
			s.Words = nil
			pieces = append(pieces, s)
			continue
		}
		pieces = appendPieces(pieces, s, places)
	}
	return pieces
}

// placesOf returns where each word of a segment begins in the text. ok is false if the segment has
// no words, or if the text does not contain them in this order.
func placesOf(s transcript.Segment) (places []int, ok bool) {
	at := 0
	for _, w := range s.Words {
		i := strings.Index(s.Text[at:], w.Text)
		if i < 0 || !hasText(w.Text) || strings.ContainsAny(s.Text[at:at+i], "&<>") { // a word could look like a part of a reference
			return nil, false
		}
		places = append(places, at+i)
		at += i + len(w.Text)
	}
	return places, len(places) > 0
}

// appendPieces appends the pieces of a segment; places are the places of its words. Each piece
// begins with a word, except the first, which begins with the start of the text.
func appendPieces(pieces []transcript.Segment, s transcript.Segment, places []int) []transcript.Segment {
	first, from := 0, 0
	for i := 1; i <= len(places); i++ {
		to := len(s.Text)
		if i < len(places) {
			if to = places[i]; utf8.RuneCountInString(s.Text[from:wordEnd(s, places, i)]) <= mostOfPiece {
				continue
			}
		}
		piece := s
		piece.Text, piece.Words = s.Text[from:to], s.Words[first:i]
		begin, end := s.Start, s.End()
		if first > 0 {
			begin = s.Words[first].Start
		}
		if i < len(places) {
			end = min(s.Words[i-1].End, s.Words[i].Start)
		}
		piece.Start, piece.Duration = begin, max(end-begin, 0)
		pieces = append(pieces, piece)
		first, from = i, to
	}
	return pieces
}

// wordEnd is where the text of a word ends, including the text up to the next word.
func wordEnd(s transcript.Segment, places []int, i int) int {
	if i+1 < len(places) {
		return places[i+1]
	}
	return len(s.Text)
}

// withTimes puts the times of words into the cues of a segment. If a cue has a word in another
// form, the segment gets no times from this word on.
func withTimes(cues []byte, words []transcript.Word) []byte {
	timed := make([]byte, 0, 2*len(cues))
	var last, end int64
	for line := range bytes.SplitAfterSeq(cues, []byte("\n")) {
		if from, to, ok := timesOf(line); ok {
			last, end = from, to
			timed = append(timed, line...)
			continue
		}
		at := 0
		if bytes.HasPrefix(line, []byte("<v ")) {
			at = bytes.IndexByte(line, '>') + 1
		}
		timed = append(timed, line[:at]...)
		for len(words) > 0 {
			clean, _ := appendClean(nil, strings.TrimSpace(words[0].Text), vtt)
			word := appendEscaped(nil, clean)
			i := bytes.Index(line[at:], word)
			if i < 0 {
				break
			}
			timed = append(timed, line[at:at+i]...)
			if ms := wire.Milliseconds(words[0].Start); last < ms && ms < end {
				timed = append(appendClock(append(timed, '<'), ms, '.'), '>')
				last = ms
			}
			at += i + len(word)
			timed, words = append(timed, word...), words[1:]
		}
		timed = append(timed, line[at:]...)
	}
	return timed
}

// timesOf reads the line of the times of a cue. No text of a cue is such a line, because ">" is
// written as a reference there.
func timesOf(line []byte) (from, to int64, ok bool) {
	before, after, ok := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(" --> "))
	if !ok {
		return 0, 0, false
	}
	return clockOf(before), clockOf(after), true
}

// clockOf reads a time that appendClock has written, in milliseconds.
func clockOf(written []byte) (ms int64) {
	digits := bytes.Map(func(r rune) rune {
		if r < '0' || '9' < r {
			return -1
		}
		return r
	}, written)
	n := len(digits)
	for i, d := range digits {
		place := int64(d - '0')
		switch n - i {
		case 7, 5: // tens of minutes, tens of seconds
			ms = ms*6 + place
		default:
			ms = ms*10 + place
		}
	}
	return ms
}
