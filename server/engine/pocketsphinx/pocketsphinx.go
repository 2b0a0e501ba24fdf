// Package pocketsphinx recognizes English speech with PocketSphinx: offline,
// small, installed from the distribution, and of low quality on real recordings.
//
//	recognizer := pocketsphinx.New(host)
//	heard, err := recognizer.Recognize(ctx, audio, engine.RecognizeOptions{})
//
// It needs the program pocketsphinx_continuous and its US English model: the Debian packages
// pocketsphinx and pocketsphinx-en-us. The package does not cut long recordings and does not
// skip silence; package speech does.
package pocketsphinx

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	name    = "pocketsphinx"
	program = "pocketsphinx_continuous"
)

// Recognizer implements [engine.Recognizer] and [engine.Checker]. Safe for
// concurrent use: each call runs a program of its own.
type Recognizer struct {
	host engine.Host
	fit  atomic.Bool // a trial has succeeded
}

var (
	_ engine.Recognizer = (*Recognizer)(nil)
	_ engine.Checker    = (*Recognizer)(nil)
)

// New returns a recognizer that runs its program on host, whose Programs must not be
// nil. [Recognizer.Check] checks whether the program is installed.
func New(host engine.Host) *Recognizer { return &Recognizer{host: host} }

// Info describes the recognizer. It accepts "en" and every tag of English, and
// recognizes all of them as US English.
func (r *Recognizer) Info() engine.RecognizerInfo {
	return engine.RecognizerInfo{
		Name:      name,
		Model:     "en-us",
		Quality:   "low: English only, and of real speech every second or third word is wrong",
		Languages: []string{"en"},
	}
}

// Check proves that the program and its model work, by recognizing a tenth of a second of
// silence. After one success it only looks for the program. The error is a CONFIG_ERROR that
// names the packages to install, or the context's error.
func (r *Recognizer) Check(ctx context.Context) error {
	if _, err := r.host.Programs.Look(program); err != nil {
		return notInstalled(err)
	}
	if r.fit.Load() {
		return nil
	}
	const trial = speech.SampleRate / 10
	silence := io.LimitReader(zeros{}, 2*trial)
	if _, err := r.run(ctx, &feed{pcm: silence, total: trial}); err != nil {
		return err
	}
	r.fit.Store(true)
	return nil
}

// Recognize runs the program on the whole audio. Its segments have words with times and
// confidence, and are at most 8 s or 80 characters long.
//
// Errors: A language other than English is NOT_IMPLEMENTED. A missing program or model is
// CONFIG_ERROR. A recording that cannot be read, and a failing program, are INTERNAL. Otherwise
// the error is the context's.
func (r *Recognizer) Recognize(ctx context.Context, audio engine.Audio, opts engine.RecognizeOptions) (engine.Recognition, error) {
	language := opts.Language
	if language == "" {
		language = "en"
	}
	if !english(language) {
		language = clip.Text(language)
		return engine.Recognition{}, transcript.Errorf(transcript.NotImplemented,
			"%s recognizes English only, not %q.", name, language).
			With("language", language).With("engine", name)
	}
	rec, err := speech.Open(audio.Path)
	if err != nil {
		return engine.Recognition{}, transcript.Errorf(transcript.Internal, "The recording cannot be read.").Because(err)
	}
	defer func() { _ = rec.Close() }() // it was only read

	words, err := r.run(ctx, &feed{
		pcm:      rec.PCM(0, rec.Samples()),
		total:    rec.Samples(),
		progress: opts.Progress,
	})
	if err != nil {
		return engine.Recognition{}, err
	}
	return engine.Recognition{Segments: speech.Segments(words), Language: language}, nil
}

// english reports whether tag is a tag of English: "en", "en-GB", "EN_us".
func english(tag string) bool {
	primary, _, _ := strings.Cut(strings.ReplaceAll(tag, "_", "-"), "-")
	return strings.EqualFold(primary, "en")
}

// run feeds the program and returns the heard words that lie inside the audio.
func (r *Recognizer) run(ctx context.Context, in *feed) ([]transcript.Word, error) {
	length := in.duration()
	heard := &parser{end: length.Seconds()}
	log := &faults{}
	patience := 5*time.Minute + 10*length // a busy machine needs about as long as the audio
	exit, err := r.host.Programs.Run(ctx, engine.Command{
		Program: program,
		Args:    []string{"-infile", "/dev/stdin", "-time", "yes"},
		Stdin:   in,
		Stdout:  heard,
		Stderr:  log,
		Limits:  engine.Limits{Wall: patience, CPU: patience},
	})
	switch {
	case err != nil:
		return nil, runError(ctx, err)
	case exit.Code != 0:
		return nil, exitError(exit, log)
	case !in.finished():
		return nil, failed(fmt.Errorf("it ended after %d of %d samples: %s", in.fed(), in.total, log))
	}
	words := heard.finish()
	in.report(length)
	return words, nil
}
