package caption

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"slices"

	"golang.org/x/text/encoding/unicode"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// ReadAny reads a caption file of any format: see [Any]. If there is an error, the File
// is empty.
func ReadAny(r io.Reader, o ...Option) (File, error) {
	l := new(looks)
	return readAll(Any(r, append(slices.Clone(o), withLooks(l))...), l)
}

// Any detects the format of a caption file by calling [Detect] with its first KiB, and
// reads the file like the reader of that format. If the format is unknown, the error is
// a [*FormatError] without a format.
//
// Any reads WebVTT more leniently than browsers: also in UTF-16, and with times in the
// form of [SRT] ("0:0:1.5", "00:00:01,500"). In a line of a cue without times, "-->" is
// text.
func Any(r io.Reader, o ...Option) iter.Seq2[transcript.Segment, error] {
	return func(yield func(transcript.Segment, error) bool) {
		l := newLines(r)
		head := l.peek(sniffed)
		format, ok := Detect(head)
		if err := l.err; !ok && err != nil && err != io.EOF {
			yield(transcript.Segment{}, fmt.Errorf("caption: %w", err))
			return
		}
		if !ok {
			yield(transcript.Segment{}, &FormatError{Head: string(head[:min(len(head), 32)])})
			return
		}
		file := l.rest()
		if order, ok := utf16Order(head); ok && format == FormatWebVTT { // the others do it themselves
			file = fromUTF16(file, order)
		}
		format.read(file, o)(yield)
	}
}

// read reads a file of the format.
func (f Format) read(r io.Reader, o []Option) iter.Seq2[transcript.Segment, error] {
	switch f {
	case FormatSRT:
		return SRT(r, o...)
	case FormatSBV:
		return SBV(r, o...)
	case FormatASS:
		return ASS(r, o...)
	case FormatTTML:
		return TTML(r)
	case FormatSRV1:
		return SRV1(r)
	case FormatSRV3:
		return walkSRV3(r, optionsOf(o).looks)
	case FormatJSON3:
		return walkJSON3(r, optionsOf(o).looks)
	case FormatPodcast:
		return Podcast(r)
	case FormatWhisper:
		return Whisper(r)
	}
	return walkWebVTT(r, true, optionsOf(o))
}

// Detect returns the format of a file by its beginning: 1 KiB is enough. It looks for
// the signature of WebVTT, the root element of XML, keys of the JSON formats, the first
// timing line of SubRip or SBV, and the first section of ASS, in UTF-8, UTF-16 or any other encoding that contains
// ASCII. If it finds none of them, format is empty and ok is false. For an srv2 file it
// returns [FormatSRV3], because [SRV3] reads srv2 too.
func Detect(head []byte) (format Format, ok bool) {
	if order, ok := utf16Order(head); ok {
		head = head[:len(head)&^1]
		head, _ = unicode.UTF16(order, unicode.UseBOM).NewDecoder().Bytes(head) // it makes text of anything
	}
	head = bytes.TrimPrefix(head, []byte(byteOrderMark))
	if rest, ok := bytes.CutPrefix(head, []byte(signature)); ok {
		if len(rest) == 0 || isSpace(rest[0]) {
			return FormatWebVTT, true
		}
	}
	rest := bytes.TrimLeft(head, " \t\r\n")
	switch {
	case len(rest) == 0:
		return "", false
	case rest[0] == '<':
		if format, ok := detectXML(rest); ok {
			return format, true
		}
	case rest[0] == '{':
		if format, ok := detectJSON(rest); ok {
			return format, true
		}
	}
	if !isWebPage(rest) {
		return detectLines(rest)
	}
	return "", false
}

// detectJSON finds the format by keys. Whisper writes the whole text before the segments.
func detectJSON(head []byte) (Format, bool) {
	has := func(key string) bool { return bytes.Contains(head, []byte(`"`+key+`"`)) }
	switch {
	case has("wireMagic"), has("events"):
		return FormatJSON3, true
	case has("segments") && (has("startTime") || has("endTime") || has("body")):
		return FormatPodcast, true
	case has("segments"), has("transcription"), has("systeminfo") && has("model"), has("task") && has("transcribe"),
		bytes.HasPrefix(bytes.TrimLeft(head[1:], " \t\r\n"), []byte(`"text"`)):
		return FormatWhisper, true
	}
	return "", false
}

// detectLines finds the format by the first timing line or event.
func detectLines(head []byte) (Format, bool) {
	for line := range bytes.FieldsFuncSeq(head, isLineEnd) {
		if _, v := timingLine(line, bytes.Contains(line, arrow)); v == goodTiming {
			return FormatSRT, true
		}
		if _, v := markedTimes(line, ",;"); v == goodTiming {
			return FormatSBV, true
		}
		if isScript(line) {
			return FormatASS, true
		}
	}
	return "", false
}

// isWebPage reports whether a file begins as a page of HTML does. One may have a
// timing line in it, as an example or in a script.
func isWebPage(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte(byteOrderMark)), " \t\r\n")
	if len(head) == 0 || head[0] != '<' {
		return false
	}
	const doctype = "<!doctype html"
	if len(head) >= len(doctype) && bytes.EqualFold(head[:len(doctype)], []byte(doctype)) {
		return true
	}
	name := rootTag(head)
	if i := bytes.IndexAny(name, " \t\r\n/"); i >= 0 {
		name = name[:i]
	}
	switch string(bytes.ToLower(name)) {
	case "html", "head", "body", "meta", "title", "link", "script", "style", "div", "table", "p", "pre", "center":
		return true
	}
	return false
}

// detectXML finds the format by the root element.
func detectXML(b []byte) (Format, bool) {
	tag := rootTag(b)
	name, attr := tag, []byte(nil)
	if i := bytes.IndexAny(tag, " \t\r\n/"); i >= 0 {
		name, attr = tag[:i], tag[i:]
	}
	if _, local, prefixed := bytes.Cut(name, []byte(":")); prefixed {
		name = local
	}
	switch string(name) {
	case "tt":
		return FormatTTML, true
	case "transcript":
		return FormatSRV1, true
	case "timedtext":
		attr = bytes.ReplaceAll(bytes.Join(bytes.Fields(attr), nil), []byte(`'`), []byte(`"`))
		if bytes.Contains(attr, []byte(`format="3"`)) || !bytes.Contains(attr, []byte(`format=`)) { // without one it is srv2
			return FormatSRV3, true
		}
	}
	return "", false
}

// rootTag returns what is in the first tag of an XML file, after declarations,
// comments and the document type.
func rootTag(b []byte) []byte {
	for {
		b = bytes.TrimLeft(b, " \t\r\n")
		end := []byte(">")
		switch {
		case bytes.HasPrefix(b, []byte("<!--")):
			end = []byte("-->")
		case bytes.HasPrefix(b, []byte("<!")):
			if i := bytes.IndexAny(b, "[>"); i >= 0 && b[i] == '[' { // declarations within the document type
				_, b, _ = bytes.Cut(b, []byte("]"))
			}
		case bytes.HasPrefix(b, []byte("<?")):
		case bytes.HasPrefix(b, []byte("<")):
			tag, _, _ := bytes.Cut(b[1:], end)
			return tag
		default:
			return nil
		}
		_, b, _ = bytes.Cut(b, end)
	}
}

func isLineEnd(r rune) bool { return r == '\n' || r == '\r' }
