// Package format writes transcripts, as text and as the JSON of the API.
//
//	text := format.AppendText(nil, t.Segments, true)
//
// Every function appends to the caller's buffer and returns it, as append does.
// The segments of a transcript are what is large in an answer; they are rendered
// once (AppendSegments), kept, and put into every later answer as they are.
package format
