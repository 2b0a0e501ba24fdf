// Package format writes transcripts: as plain text, and as the JSON of the API.
//
//	text := format.AppendText(nil, t.Segments, true) // [00:01:05] And so it began.
//
// Every function appends to a buffer that the caller may use again. The
// segments, nearly all of a transcript, are rendered by hand, once:
// [AppendSegments] makes the array that a server keeps, and [AppendTranscript],
// [AppendResult], [AppendJob], [AppendEvent] and [AppendCaptionReport] put it back
// into a fresh head.
//
// The package reads nothing: [encoding/json] decodes what it writes into the
// types of package transcript.
package format
