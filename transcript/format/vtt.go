package format

import (
	"io"
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript"
)

const vttHead = "WEBVTT\n"

// AppendVTT appends segs as a WebVTT file and returns the extended buffer. It allocates
// only if the buffer is too small. The cues are those of [AppendSRT], with two
// differences: "&", "<" and ">" are written as character references and count as one
// character each, and a cue of a known speaker has a voice tag, "<v Ada>". Without
// segments, the file has only the signature.
func AppendVTT(dst []byte, segs []transcript.Segment) []byte {
	return appendCues(append(dst, vttHead...), newCues(segs, vtt))
}

// WriteVTT writes what [AppendVTT] appends, in pieces of about 32 KiB. It returns the
// error of w.
func WriteVTT(w io.Writer, segs []transcript.Segment) error {
	return writeCues(w, []byte(vttHead), newCues(segs, vtt))
}

// appendVoice appends the tag of a speaker, if there is one. A name that ends with "--"
// must not form an arrow with the end of the tag, because an arrow ends the cue.
func appendVoice(dst []byte, speaker string) []byte {
	if !hasText(speaker) {
		return dst
	}
	dst = append(dst, "<v "...)
	from := len(dst)
	dst, clean := appendClean(dst, strings.TrimSpace(speaker), vtt)
	text := dst[from:]
	join(text)
	if clean.special {
		to := len(dst)
		dst = appendEscaped(dst, text)
		dst = dst[:from+copy(dst[from:], dst[to:])]
	}
	if dst[len(dst)-1] == '-' {
		dst = append(dst, ' ') // readers trim it
	}
	return append(dst, '>')
}

// appendEscaped appends text with references for characters that begin or end WebVTT
// syntax.
func appendEscaped[T string | []byte](dst []byte, text T) []byte {
	done := 0 // the text before is in dst
	for i := range len(text) {
		c := text[i]
		if class[c]&escaped == 0 {
			continue
		}
		dst = append(dst, text[done:i]...)
		done = i + 1
		switch c {
		case '&':
			dst = append(dst, "&amp;"...)
		case '<':
			dst = append(dst, "&lt;"...)
		case '>':
			dst = append(dst, "&gt;"...)
		}
	}
	return append(dst, text[done:]...)
}
