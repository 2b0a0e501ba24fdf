package enginetest_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// sound is a recognizer that keeps every promise: it hears "hello world" in
// whatever is not silent.
type sound struct{}

func (sound) Info() engine.RecognizerInfo {
	return engine.RecognizerInfo{Name: "sound", Languages: []string{"en"}}
}

func (s sound) Recognize(ctx context.Context, audio engine.Audio, opts engine.RecognizeOptions) (engine.Recognition, error) {
	if ctx.Err() != nil {
		return engine.Recognition{}, ctx.Err()
	}
	if opts.Language != "" && opts.Language != "en" {
		return engine.Recognition{}, transcript.Errorf(transcript.NotImplemented, "no").With("language", opts.Language).With("engine", "sound")
	}
	rec, err := speech.Open(audio.Path)
	if err != nil {
		return engine.Recognition{}, transcript.Errorf(transcript.Internal, "unreadable").Because(err)
	}
	defer rec.Close()
	plan, err := recognition.NewPlan(ctx, rec, recognition.Lengths{})
	if err != nil || len(plan.Speech()) == 0 {
		return engine.Recognition{}, err
	}
	if opts.Progress != nil {
		opts.Progress(rec.Duration() / 2)
		opts.Progress(rec.Duration())
	}
	return engine.Recognition{Language: "en", Segments: []transcript.Segment{
		{Text: "hello", Start: 0, Duration: 0.2, Words: []transcript.Word{{Text: "hello", Start: 0, End: 0.2, Confidence: 0.5}}},
		{Text: "world", Start: 0.3, Duration: 0.2},
	}}, nil
}

// broken is a sound recognizer but for one promise.
type broken struct {
	sound
	info      func() engine.RecognizerInfo
	check     func() error
	recognize func(ctx context.Context, audio engine.Audio, opts engine.RecognizeOptions) (engine.Recognition, error)
}

func (b broken) Info() engine.RecognizerInfo {
	if b.info != nil {
		return b.info()
	}
	return b.sound.Info()
}

func (b broken) Check(context.Context) error {
	if b.check != nil {
		return b.check()
	}
	return nil
}

func (b broken) Recognize(ctx context.Context, audio engine.Audio, opts engine.RecognizeOptions) (engine.Recognition, error) {
	if b.recognize != nil {
		return b.recognize(ctx, audio, opts)
	}
	return b.sound.Recognize(ctx, audio, opts)
}

// heard is a recognizer that changes what the sound one heard.
func heard(change func(*engine.Recognition)) broken {
	return broken{recognize: func(ctx context.Context, audio engine.Audio, opts engine.RecognizeOptions) (engine.Recognition, error) {
		r, err := sound{}.Recognize(ctx, audio, opts)
		if len(r.Segments) > 0 {
			change(&r)
		}
		return r, err
	}}
}

// prompted is a recognizer that takes prompts, and changes what it heard by them.
func prompted(change func(prompt string, r *engine.Recognition) error) broken {
	return broken{
		info: func() engine.RecognizerInfo {
			return engine.RecognizerInfo{Name: "sound", Languages: []string{"en"}, Prompts: true}
		},
		recognize: func(ctx context.Context, audio engine.Audio, opts engine.RecognizeOptions) (engine.Recognition, error) {
			r, err := sound{}.Recognize(ctx, audio, opts)
			r.Prompted = opts.Prompt != "" && len(r.Segments) > 0
			return r, cmp.Or(change(opts.Prompt, &r), err)
		},
	}
}

// failure is a recognizer that changes the sound one's errors.
func failure(change func(error) error) broken {
	return broken{recognize: func(ctx context.Context, audio engine.Audio, opts engine.RecognizeOptions) (engine.Recognition, error) {
		r, err := sound{}.Recognize(ctx, audio, opts)
		if err != nil && ctx.Err() == nil {
			err = change(err)
		}
		return r, err
	}}
}

// progress is a recognizer that reports these parts of the audio.
func progress(parts ...float64) broken {
	return broken{recognize: func(ctx context.Context, audio engine.Audio, opts engine.RecognizeOptions) (engine.Recognition, error) {
		if report := opts.Progress; report != nil {
			opts.Progress = nil
			for _, p := range parts {
				report(time.Duration(p * float64(audio.Duration)))
			}
		}
		return sound{}.Recognize(ctx, audio, opts)
	}}
}

// recorder is a T that notes the failure instead of failing.
type recorder struct {
	testing.TB
	failures []string
	mu       sync.Mutex
}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) FailNow() { runtime.Goexit() }

// failing runs the suite and returns the checks that failed.
func failing(t *testing.T, r engine.Recognizer, samples ...enginetest.Sample) []string {
	t.Helper()
	return failingOf(t, enginetest.RecognizerChecks(), r, samples...)
}

// failingOf is failing for some of the checks.
func failingOf(t *testing.T, checks []enginetest.Check, r engine.Recognizer, samples ...enginetest.Sample) []string {
	t.Helper()
	var names []string
	for _, c := range checks {
		if fails(t, func(rec enginetest.T) { c.Run(rec, r, samples) }) {
			names = append(names, c.Name)
		}
	}
	return names
}

// fails reports whether a check fails.
func fails(t *testing.T, check func(enginetest.T)) bool {
	t.Helper()
	rec := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		check(rec)
	}()
	<-done
	return len(rec.failures) > 0
}

func sample(t *testing.T) enginetest.Sample {
	t.Helper()
	pcm := make([]byte, 32000)
	for i := range pcm {
		pcm[i] = byte(i % 31)
	}
	path := filepath.Join(t.TempDir(), "hello.wav")
	require.NoError(t, speechtest.WriteFile(path, pcm))
	return enginetest.Sample{Path: path, Language: "en", Text: "Hello, world!"}
}

func TestSoundRecognizerPasses(t *testing.T) {
	t.Parallel()
	enginetest.Recognizer(t, sound{}, sample(t))
	enginetest.Recognizer(t, prompted(func(string, *engine.Recognition) error { return nil }), sample(t))
	enginetest.Recognizer(t, broken{}, sample(t))
}

func TestBrokenRecognizersFail(t *testing.T) {
	t.Parallel()
	word := func(w transcript.Word) broken {
		return heard(func(r *engine.Recognition) { r.Segments[0].Words = []transcript.Word{w} })
	}
	both := []string{"hears the samples", "serves many at once"}
	var calls sync.Map
	tests := []struct {
		name string
		r    engine.Recognizer
		want []string
	}{
		{"no name", broken{info: func() engine.RecognizerInfo { return engine.RecognizerInfo{Languages: []string{"en"}} }}, []string{"describes itself", "refuses other languages"}},
		{"a hash that is none", broken{info: func() engine.RecognizerInfo {
			return engine.RecognizerInfo{Name: "sound", ModelSHA256: "5A", Languages: []string{"en"}}
		}}, []string{"describes itself"}},
		{"no language", broken{info: func() engine.RecognizerInfo { return engine.RecognizerInfo{Name: "sound"} }}, []string{"describes itself"}},
		{"not fit", broken{check: func() error { return errors.New("no model") }}, []string{"is fit"}},
		{"fit once", broken{check: func() error {
			if _, again := calls.LoadOrStore("check", true); again {
				return errors.New("busy")
			}
			return nil
		}}, []string{"is fit"}},
		{"hears wrong", heard(func(r *engine.Recognition) { r.Segments[0].Text = "hullo" }), both},
		{"no text", heard(func(r *engine.Recognition) {
			r.Segments = append(r.Segments, transcript.Segment{Text: " ", Start: 0.6})
		}), both},
		{"unsorted", heard(func(r *engine.Recognition) { r.Segments[0].Start = 0.4 }), both},
		{"ends after the audio", heard(func(r *engine.Recognition) { r.Segments[1].Duration = 1 }), both},
		{"starts before it", heard(func(r *engine.Recognition) { r.Segments[0].Start = -0.1 }), both},
		{"negative length", heard(func(r *engine.Recognition) { r.Segments[1].Duration = -0.1 }), both},
		{"confidence of a segment", heard(func(r *engine.Recognition) { c := 1.1; r.Segments[0].Confidence = &c }), both},
		{"confidence of a word", word(transcript.Word{Text: "hello", End: 1, Confidence: 1.1}), both},
		{"word outside", word(transcript.Word{Text: "hello", Start: 0.5, End: 1.5}), both},
		{"empty word", word(transcript.Word{Text: "", Start: 0.5, End: 0.6}), both},
		{"other language", heard(func(r *engine.Recognition) { r.Language = "fi" }), both},
		{"invents text in silence", broken{recognize: func(ctx context.Context, audio engine.Audio, opts engine.RecognizeOptions) (engine.Recognition, error) {
			r, err := sound{}.Recognize(ctx, audio, opts)
			if err == nil && len(r.Segments) == 0 {
				r.Segments = []transcript.Segment{{Text: "thanks for watching", Duration: 0.01}}
			}
			return r, err
		}}, []string{"hears nothing in silence"}},
		{"silence is an error", broken{recognize: func(ctx context.Context, audio engine.Audio, opts engine.RecognizeOptions) (engine.Recognition, error) {
			r, err := sound{}.Recognize(ctx, audio, opts)
			if err == nil && len(r.Segments) == 0 {
				err = transcript.Errorf(transcript.Internal, "no speech")
			}
			return r, err
		}}, []string{"hears nothing in silence", "knows its languages"}},
		{"does not know its own language", broken{info: func() engine.RecognizerInfo {
			return engine.RecognizerInfo{Name: "sound", Languages: []string{"en", "fi"}}
		}}, []string{"knows its languages"}},
		{"takes any language", broken{recognize: func(ctx context.Context, audio engine.Audio, opts engine.RecognizeOptions) (engine.Recognition, error) {
			opts.Language = ""
			return sound{}.Recognize(ctx, audio, opts)
		}}, []string{"refuses other languages"}},
		{"refuses without details", failure(func(err error) error {
			var e *transcript.Error
			if errors.As(err, &e) {
				e.Details = nil
			}
			return err
		}), []string{"refuses other languages"}},
		{"errors without code", failure(func(error) error { return errors.New("oops") }), []string{"refuses other languages", "fails with a code"}},
		{"errors with a code of its own", failure(func(err error) error {
			if errors.Is(err, transcript.NotImplemented) {
				return err
			}
			return transcript.Errorf("OOPS", "oops")
		}), []string{"fails with a code"}},
		{"swallows errors", failure(func(error) error { return nil }), []string{"refuses other languages", "fails with a code"}},
		{"heeds no prompt", prompted(func(_ string, r *engine.Recognition) error { r.Prompted = false; return nil }), []string{"heeds prompts"}},
		{"prompted by nothing", prompted(func(_ string, r *engine.Recognition) error { r.Prompted = true; return nil }), []string{"heeds prompts"}},
		{"takes a prompt for an option", prompted(func(prompt string, r *engine.Recognition) error {
			if strings.HasPrefix(prompt, "-") {
				r.Segments = nil
			}
			return nil
		}), []string{"heeds prompts"}},
		{"shows a prompt", prompted(func(prompt string, r *engine.Recognition) error {
			if r.Segments == nil && prompt != "" {
				return transcript.Errorf(transcript.Internal, "failed").Because(errors.New(prompt))
			}
			return nil
		}), []string{"heeds prompts"}},
		{"prompted without taking prompts", broken{recognize: func(ctx context.Context, audio engine.Audio, opts engine.RecognizeOptions) (engine.Recognition, error) {
			r, err := sound{}.Recognize(ctx, audio, opts)
			r.Prompted = opts.Prompt != ""
			return r, err
		}}, []string{"heeds prompts"}},
		{"fails with a prompt", broken{recognize: func(ctx context.Context, audio engine.Audio, opts engine.RecognizeOptions) (engine.Recognition, error) {
			if opts.Prompt != "" {
				return engine.Recognition{}, transcript.Errorf(transcript.Internal, "a prompt")
			}
			return sound{}.Recognize(ctx, audio, opts)
		}}, []string{"heeds prompts"}},
		{"no progress", progress(), []string{"reports progress"}},
		{"progress goes back", progress(0.5, 0.4), []string{"reports progress"}},
		{"progress exceeds the audio", progress(0.5, 1.1), []string{"reports progress"}},
		{"negative progress", progress(-0.1, 1), []string{"reports progress"}},
		{"does not stop", broken{recognize: func(ctx context.Context, audio engine.Audio, opts engine.RecognizeOptions) (engine.Recognition, error) {
			return sound{}.Recognize(context.WithoutCancel(ctx), audio, opts)
		}}, []string{"stops when told"}},
		{"stops with another error", broken{recognize: func(ctx context.Context, audio engine.Audio, opts engine.RecognizeOptions) (engine.Recognition, error) {
			r, err := sound{}.Recognize(ctx, audio, opts)
			if ctx.Err() != nil {
				err = io.ErrUnexpectedEOF
			}
			return r, err
		}}, []string{"stops when told"}},
		{"stops too late", broken{recognize: func(ctx context.Context, audio engine.Audio, opts engine.RecognizeOptions) (engine.Recognition, error) {
			if _, hasDeadline := ctx.Deadline(); hasDeadline && ctx.Err() == nil {
				<-t.Context().Done() // the end of the test
			}
			return sound{}.Recognize(ctx, audio, opts)
		}}, []string{"stops when told"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, failing(t, tt.r, sample(t)))
		})
	}
}

// A recognizer that fails when it is called while another call runs is found out.
func TestRecognizerOneAtATimeFails(t *testing.T) {
	t.Parallel()
	checks := slices.DeleteFunc(enginetest.RecognizerChecks(), func(c enginetest.Check) bool { return c.Name != "serves many at once" })
	busy, second := make(chan struct{}, 1), make(chan struct{})
	came := sync.OnceFunc(func() { close(second) })
	r := broken{recognize: func(ctx context.Context, audio engine.Audio, opts engine.RecognizeOptions) (engine.Recognition, error) {
		select {
		case busy <- struct{}{}:
			<-second // the first call ends after another has come
			return sound{}.Recognize(ctx, audio, opts)
		default:
		}
		came()
		return engine.Recognition{}, transcript.Errorf(transcript.Internal, "busy")
	}}
	assert.Equal(t, []string{"serves many at once"}, failingOf(t, checks, r, sample(t)))
}

func TestHostRunsPrograms(t *testing.T) {
	t.Parallel()
	host := enginetest.Host(t)
	exit, err := host.Programs.Run(t.Context(), engine.Command{Program: "sh", Args: []string{"-c", "echo here"}})
	require.NoError(t, err)
	assert.Equal(t, "here\n", string(exit.Stdout))
	st, err := os.Stat(host.Dir)
	require.NoError(t, err)
	assert.True(t, st.IsDir())
}

func TestEveryCheckIsNamed(t *testing.T) {
	t.Parallel()
	var names []string
	for _, c := range enginetest.RecognizerChecks() {
		names = append(names, c.Name)
	}
	assert.Len(t, slices.Compact(slices.Sorted(slices.Values(names))), len(names))
}
