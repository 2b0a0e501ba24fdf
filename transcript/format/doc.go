// Package format writes transcripts: as plain text, as SubRip and WebVTT files, as
// Markdown, as a page, as a document for word processors, and as the JSON of the API.
//
//	text := format.AppendText(nil, t.Segments, true) // [00:01:05] And so it began.
//	err := format.WriteSRT(file, t.Segments)
//
// The Append functions append to a buffer that the caller may reuse. The Write
// functions write the same text to an [io.Writer], a piece at a time.
//
// To read caption files, use package caption. To read the JSON, use encoding/json with
// the types of package transcript.
package format
