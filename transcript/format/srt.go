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
//   - Cues do not overlap: each ends where the next one starts, if not before. A cue
//     that is shorter than 0.2 s is made so long if no overlap comes of it. Segments
//     with the same start follow one another and share their time. Every cue lasts at
//     least 1 ms. If many segments share less time than that, their starts move.
//   - A cue has at most two lines of at most 42 columns. A character (a grapheme
//     cluster) takes one column, a wide character (of East Asia, or an emoji) two.
//     Text with such lines keeps its line breaks. Other text gets new line breaks at
//     its spaces, and in scripts without spaces at the places of UAX 14. It becomes as
//     few cues as possible, with lines of similar length. The cues share the segment's
//     time by characters. A word of more than 42 columns is broken between any two
//     characters. Lines that are joined get a space between them.
//   - White space is folded as in [AppendText], bytes that are no text and control
//     characters become U+FFFD, and a segment without text is left out.
//   - SubRip has no escapes. A space keeps a reader from taking text for syntax:
//     "-- >", "< i>", "{ \an8}", "{y :i}", "\ N", "&amp ;".
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
