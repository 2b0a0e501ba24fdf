// Package format writes transcripts: as plain text, as SubRip and WebVTT files, as
// Markdown, and as the JSON of the API.
//
//	text := format.AppendText(nil, t.Segments, true) // [00:01:05] And so it began.
//	err := format.WriteSRT(file, t.Segments)
//
// The Append functions add to a buffer that the caller may use again. Those named
// Write write the same to an [io.Writer], a piece at a time.
//
// The package reads nothing: package caption reads files of cues, and
// [encoding/json] decodes the JSON into the types of package transcript.
package format
