// Package whisper recognizes speech with whisper.cpp, in some hundred languages,
// offline: through its program, [CLI], which loads the model for each call, or
// through its server, [Server], which keeps it loaded.
//
//	cli, err := whisper.NewCLI(host, whisper.CLIOptions{Model: "/var/lib/models/ggml-base.en.bin"})
//	heard, err := cli.Recognize(ctx, audio, engine.RecognizeOptions{})
//
// Every call stands alone: neither what was heard in an earlier one nor in an
// earlier half minute of the same recording guides what is heard next, because
// that is how one error is repeated to the end. A prompt guides all of them. It does not cut long recordings
// and does not skip silence; package speech does. Nothing is downloaded here: package
// server/engine/models gets the program and models for it.
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
	// window is the length of audio that whisper works on at once; it pads what is shorter.
	window = 30 * time.Second
	// maxOutput bounds the JSON of one call in bytes: ten hours of speech.
	maxOutput = 64 << 20
)

// patience is how long one call may take: the largest model on a small machine
// needs some ten times the length of the audio.
func patience(length time.Duration) time.Duration { return 10*time.Minute + 20*length }

func unreadable(err error) error {
	return transcript.Errorf(transcript.Internal, "The recording cannot be read.").Because(err)
}

// unknownLanguage refuses a language.
func unknownLanguage(engine, tag string) *transcript.Error {
	tag = clip.Text(tag)
	return transcript.Errorf(transcript.NotImplemented, "%s does not recognize the language %q.", engine, tag).
		With("language", tag).With("engine", engine)
}

// finished reports whether all of the audio is done.
func finished(opts engine.RecognizeOptions, length time.Duration) {
	if opts.Progress != nil {
		opts.Progress(length)
	}
}
