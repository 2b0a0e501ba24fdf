// Package whisper recognizes speech with whisper.cpp, in some hundred languages, offline.
// [CLI] runs the program whisper-cli, which loads the model for each call. [Server] uses
// a running whisper-server, which keeps the model loaded.
//
//	cli, err := whisper.NewCLI(host, whisper.CLIOptions{Model: "/var/lib/models/ggml-base.en.bin"})
//	heard, err := cli.Recognize(ctx, audio, engine.RecognizeOptions{})
//
// Calls are independent: text from an earlier call, or from an earlier half minute of
// the same recording, does not influence recognition, because one error would then
// repeat to the end. A prompt influences every half minute. The package does not cut
// long recordings and does not skip silence; package speech does. It downloads nothing;
// package server/engine/models installs the program and models.
package whisper

import (
	"time"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	// shortest is the shortest audio in which whisper.cpp hears anything.
	shortest = 100 * time.Millisecond
	// window is the length of audio that whisper works on at once. It pads shorter audio.
	window = 30 * time.Second
	// maxOutput limits the JSON of one call in bytes: ten hours of speech.
	maxOutput = 64 << 20
)

// patience limits the time of one call: the largest model on a small machine needs some ten
// times the length of the audio.
func patience(length time.Duration) time.Duration { return 10*time.Minute + 20*length }

func unreadable(err error) error {
	return transcript.Errorf(transcript.Internal, "The recording cannot be read.").Because(err)
}

// unknownLanguage is the error for a language that the recognizer does not know.
func unknownLanguage(engine, tag string) *transcript.Error {
	tag = clip.Text(tag)
	return transcript.Errorf(transcript.NotImplemented, "%s does not recognize the language %q.", engine, tag).
		With("language", tag).With("engine", engine)
}

// finished reports to Progress that all audio is done.
func finished(opts engine.RecognizeOptions, length time.Duration) {
	if opts.Progress != nil {
		opts.Progress(length)
	}
}
