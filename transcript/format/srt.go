package format

import (
	"io"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// AppendSRT appends segs as SubRip subtitles and returns the
// extended buffer; it allocates only what the buffer lacks.
//
// The segments are sorted by start. What a cue becomes:
//
//   - Cues do not overlap: each ends where the next one starts, if not before.
//     One that is shorter than 0.2 s is made so long where that leaves no
//     overlap. Segments that start together follow one another and share their
//     time. Every cue lasts at least 1 ms, so the starts of a heap of segments
//     that has less time than that move.
//   - A cue has at most two lines of at most 42 columns. A character (a grapheme
//     cluster) takes one, a wide one (of East Asia, or an emoji) two. Text that has
//     such lines keeps its line breaks. Other text is broken anew at its spaces, and
//     in scripts without spaces where UAX 14 allows it, into the fewest cues and
//     then into lines of like length; they share the segment's time by characters.
//     A word of more than 42 columns is broken between any two characters. Where
//     there was no space, lines that are joined by one gain it.
//   - White space is folded as in [AppendText], bytes that are no text and control
//     characters become U+FFFD, and a segment without text is left out.
//   - SubRip has no escapes. Where a reader would take text for its syntax a space
//     stands in between: "-- >", "< i>", "{ \an8}", "{y :i}", "\ N", "&amp ;".
//   - SubRip has no speakers. They are left out, so that the text stays the text.
//
// The file has no byte order mark, and is empty when there is no text.
func AppendSRT(dst []byte, segs []transcript.Segment) []byte {
	return appendCues(dst, newCues(segs, srt))
}

// WriteSRT writes what [AppendSRT] appends, some 32 KiB at a time. The error is
// that of w.
func WriteSRT(w io.Writer, segs []transcript.Segment) error {
	return writeCues(w, nil, newCues(segs, srt))
}
