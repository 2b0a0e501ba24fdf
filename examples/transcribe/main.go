// Transcribe is a command line client of a transcript service: it makes text of links,
// playlists, channels and recordings.
//
//	export TRANSCRIBE_SERVER=https://transcripts.example TRANSCRIBE_KEY=tr_…
//	transcribe https://youtu.be/dQw4w9WgXcQ
//	transcribe --format srt --output talks/ first.mp3 second.mp3
//	ffmpeg -i talk.mkv -f mp3 - | transcribe - > talk.txt
//
// The text goes to standard output or --output, and all messages to standard error: on
// a terminal as a progress bar for each job or batch, elsewhere as plain lines. An
// argument is a file, a link to a content, a playlist or a channel, the id of a video
// (after --, if it begins with a dash), or - for a recording on standard input. If a
// file with the name of the argument exists, the argument means the file. Several links
// become one batch, and each playlist and each channel becomes a batch of its own.
// Recordings are sent one by one.
//
// See --help for the exit codes. An interrupt (Ctrl+C) cancels the jobs and batches
// that this call has begun, but not the one that --job continues. A hang-up cancels
// nothing.
package main

import (
	"os"

	"github.com/transcriptkit/transcriptkit/examples/internal/transcribe"
)

func main() { os.Exit(transcribe.Main()) }
