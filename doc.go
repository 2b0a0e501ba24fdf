// Package transcriptkit turns public video and audio, by link or by upload,
// into timestamped transcripts.
//
// This package holds documentation only. Import what you need:
//
//   - [github.com/transcriptkit/transcriptkit/client]: the SDK for a running service.
//   - [github.com/transcriptkit/transcriptkit/server]: the service itself, as
//     composable http.Handlers over a pluggable engine.
//   - [github.com/transcriptkit/transcriptkit/transcript]: the domain types that
//     both sides share, without any I/O.
//   - [github.com/transcriptkit/transcriptkit/library/follow] and
//     [github.com/transcriptkit/transcriptkit/library/webhook]: the types of follows and webhooks.
//   - [github.com/transcriptkit/transcriptkit/transcript/format]: transcripts as text and JSON.
//   - [github.com/transcriptkit/transcriptkit/transcript/chunk]: transcripts in pieces for a language model.
//   - [github.com/transcriptkit/transcriptkit/transcript/caption]: a reader of caption files.
//   - [github.com/transcriptkit/transcriptkit/transcript/site]: which link is what.
//
// The programs under examples/ are complete: transcriptd is the reference
// service, transcribe a command line client, embed a host program that mounts
// the transcript handlers inside its own site.
package transcriptkit
