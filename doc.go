// Package transcriptkit makes timestamped transcripts of public video and audio, by
// link or by upload.
//
// This package has only documentation. Import the packages that you need:
//
//   - [github.com/transcriptkit/transcriptkit/client]: the SDK for a running service.
//   - github.com/transcriptkit/transcriptkit/server: the service, as http.Handlers that
//     you can mount one by one, with an engine of your choice.
//   - github.com/transcriptkit/transcriptkit/transcript: the types that the client and
//     the server share.
//   - [github.com/transcriptkit/transcriptkit/library/follow] and
//     [github.com/transcriptkit/transcriptkit/library/webhook]: the types of follows and webhooks.
//   - github.com/transcriptkit/transcriptkit/transcript/format: writes transcripts as
//     text, subtitles, Markdown and JSON.
//   - github.com/transcriptkit/transcriptkit/transcript/chunk: cuts transcripts into
//     chunks for a language model.
//   - github.com/transcriptkit/transcriptkit/transcript/caption: reads caption files.
//   - github.com/transcriptkit/transcriptkit/transcript/site: recognizes links to
//     content.
//
// The programs under examples/ are complete: transcriptd is the reference service,
// transcribe is a command line client, website is a website for the service, and embed
// is a program that mounts the transcript handlers in its own site.
package transcriptkit
