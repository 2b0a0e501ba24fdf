package format

import (
	"io"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// AppendSRT appends segs as SubRip subtitles and returns the extended buffer. It
// allocates only if the buffer is too small.
//
// The segments become cues, sorted by start, by these rules:
//
//   - Cues do not overlap: each ends at the latest when the next one starts. A cue that
//     is shorter than 0.2 s is extended to 0.2 s if it then overlaps with no other cue.
//     Segments with the same start follow one another and share their time. Every cue
//     lasts at least 1 ms. If many segments share less time than that, their starts
//     move.
//   - A cue has at most two lines of at most 42 columns. A character (a grapheme
//     cluster) takes one column, a wide character (of East Asia, or an emoji) two. Text
//     that already has such lines keeps its line breaks. Other text gets new line
//     breaks at its spaces, or where UAX 14 permits breaks in scripts without spaces.
//     It is divided into as few cues as possible, with lines of similar length. The
//     cues share the segment's time by characters. A word of more than 42 columns is
//     broken between any two characters. Lines that are joined get a space between
//     them.
//   - White space is folded as in [AppendText]. Invalid UTF-8 and control characters
//     become U+FFFD. A segment without text is left out.
//   - SubRip has no escapes. AppendSRT inserts a space where a reader would mistake
//     text for syntax: "-- >", "< i>", "{ \an8}", "{y :i}", "\ N", "&amp ;".
//   - SubRip has no speakers, so AppendSRT leaves them out. See [NameSpeakers].
//
// The file has no byte order mark. It is empty if there is no text.
func AppendSRT(dst []byte, segs []transcript.Segment) []byte {
	return appendCues(dst, newCues(segs, srt))
}

// WriteSRT writes what [AppendSRT] appends, in pieces of about 32 KiB. It returns the
// error of w.
func WriteSRT(w io.Writer, segs []transcript.Segment) error {
	return writeCues(w, nil, newCues(segs, srt))
}
