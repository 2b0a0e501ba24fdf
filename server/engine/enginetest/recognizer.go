package enginetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	// soon is how long a call may last after its context has ended.
	soon = 5 * time.Second
	// noLanguage is a tag for private use: no recognizer knows it.
	noLanguage = "qaa"
)

// RecognizerChecks returns the tests that [Recognizer] runs.
func RecognizerChecks() []Check {
	return []Check{
		{"describes itself", describesItself},
		{"is fit", isFit},
		{"hears the samples", hearsSamples},
		{"hears nothing in silence", hearsNothing},
		{"knows its languages", knowsLanguages},
		{"refuses other languages", refusesLanguages},
		{"heeds prompts", heedsPrompts},
		{"tells speakers", tellsSpeakers},
		{"reports progress", reportsProgress},
		{"serves many at once", servesMany},
		{"stops when told", stops},
		{"fails with a code", failsWithCode},
	}
}

func describesItself(t T, r engine.Recognizer, _ []Sample) {
	info := r.Info()
	assert.NotEmpty(t, info.Name, "Info().Name")
	assert.Regexp(t, `^([0-9a-f]{64})?$`, info.ModelSHA256, "Info().ModelSHA256")
	assert.GreaterOrEqual(t, info.MaxChunk, time.Duration(0), "Info().MaxChunk")
	assert.GreaterOrEqual(t, info.Chunk, time.Duration(0), "Info().Chunk")
	assert.True(t, info.Detects || len(info.Languages) > 0, "a recognizer that does not detect recognizes Languages[0]")
	assert.Equal(t, info, r.Info(), "Info never changes")
}

func isFit(t T, r engine.Recognizer, _ []Sample) { checksTwice(t, r) }

// checksTwice requires that an engine that can check itself can work.
func checksTwice(t T, e any) {
	checker, ok := e.(engine.Checker)
	if !ok {
		return
	}
	require.NoError(t, checker.Check(t.Context()))
	require.NoError(t, checker.Check(t.Context()), "the second time")
}

func hearsSamples(t T, r engine.Recognizer, samples []Sample) {
	for _, s := range samples {
		audio := s.audio(t)
		heard, err := r.Recognize(t.Context(), audio, engine.RecognizeOptions{Language: s.Language})
		require.NoError(t, err, s.Path)
		s.judge(t, audio, heard)
		assert.True(t, heard.By == nil || heard.By.Name != "", "Recognition.By has no name")
		assert.True(t, r.Info().Speakers || !namesSomebody(heard), "it tells no speakers, and does: %v", heard.Segments)
	}
}

func hearsNothing(t T, r engine.Recognizer, _ []Sample) {
	for _, length := range []time.Duration{0, 10 * time.Millisecond, 3 * time.Second} {
		heard, err := r.Recognize(t.Context(), silence(t, length), engine.RecognizeOptions{})
		require.NoError(t, err, "%v of silence", length)
		assert.Empty(t, heard.Segments, "%v of silence", length)
	}
}

func knowsLanguages(t T, r engine.Recognizer, _ []Sample) {
	info := r.Info()
	audio := silence(t, 100*time.Millisecond)
	for _, tag := range info.Languages[:min(3, len(info.Languages))] {
		_, err := r.Recognize(t.Context(), audio, engine.RecognizeOptions{Language: tag})
		assert.NoError(t, err, "language %q", tag)
	}
}

func refusesLanguages(t T, r engine.Recognizer, samples []Sample) {
	info := r.Info()
	if info.Languages == nil || slices.Contains(info.Languages, noLanguage) {
		return
	}
	_, err := r.Recognize(t.Context(), samples[0].audio(t), engine.RecognizeOptions{Language: noLanguage})
	require.ErrorIs(t, err, transcript.NotImplemented)
	var e *transcript.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, noLanguage, e.Details["language"], "details.language")
	assert.Equal(t, info.Name, e.Details["engine"], "details.engine")
}

// prompts returns prompts that a program could mistake for an option or a file. The last one
// has the greatest length, in characters of four bytes each.
func prompts() []string {
	return []string{"Kubernetes, Grafana", "--help", "-", "/etc/passwd", "@/etc/passwd", strings.Repeat("\U00020000", 800)}
}

func heedsPrompts(t T, r engine.Recognizer, samples []Sample) {
	if !r.Info().Prompts {
		ignoresPrompts(t, r)
		return
	}
	sample, audio, heeded := samples[0], samples[0].audio(t), false
	for _, prompt := range prompts() {
		heard, err := r.Recognize(t.Context(), audio, engine.RecognizeOptions{Language: sample.Language, Prompt: prompt})
		require.NoError(t, err, "the prompt %q", prompt)
		sample.judge(t, audio, heard)
		heeded = heeded || heard.Prompted
	}
	assert.True(t, heeded, "Prompted by none of the prompts")
	heard, err := r.Recognize(t.Context(), audio, engine.RecognizeOptions{Language: sample.Language})
	require.NoError(t, err)
	assert.False(t, heard.Prompted, "Prompted without a prompt")
	hidesPrompts(t, r)
}

// ignoresPrompts requires that a prompt changes nothing.
func ignoresPrompts(t T, r engine.Recognizer) {
	audio := silence(t, 100*time.Millisecond)
	_, without := r.Recognize(t.Context(), audio, engine.RecognizeOptions{})
	heard, with := r.Recognize(t.Context(), audio, engine.RecognizeOptions{Prompt: "--help"})
	assert.Equal(t, without == nil, with == nil, "with a prompt, which it does not take: %v", with)
	assert.False(t, heard.Prompted, "Prompted by a prompt that it does not take")
}

// hidesPrompts requires that no error shows a prompt.
func hidesPrompts(t T, r engine.Recognizer) {
	const secret = "Xanthippe"
	missing := engine.Audio{Path: filepath.Join(t.TempDir(), "missing.wav"), Duration: time.Second}
	_, err := r.Recognize(t.Context(), missing, engine.RecognizeOptions{Prompt: secret})
	for ; err != nil; err = errors.Unwrap(err) {
		assert.NotContains(t, fmt.Sprintf("%+v", err), secret, "an error shows the prompt")
	}
}

func reportsProgress(t T, r engine.Recognizer, samples []Sample) {
	audio := samples[0].audio(t)
	var mu sync.Mutex
	var reports []time.Duration
	_, err := r.Recognize(t.Context(), audio, engine.RecognizeOptions{
		Language: samples[0].Language,
		Progress: func(done time.Duration) {
			mu.Lock()
			defer mu.Unlock()
			reports = append(reports, done)
		},
	})
	require.NoError(t, err)
	mu.Lock()
	defer mu.Unlock()
	require.NotEmpty(t, reports, "no progress was reported")
	assert.True(t, slices.IsSorted(reports), "progress goes back: %v", reports)
	assert.GreaterOrEqual(t, reports[0], time.Duration(0))
	assert.LessOrEqual(t, reports[len(reports)-1], audio.Duration, "progress exceeds the audio")
}

func servesMany(t T, r engine.Recognizer, samples []Sample) {
	const calls = 3
	sample, audio := samples[0], samples[0].audio(t)
	heard := make([]engine.Recognition, calls)
	errs := make([]error, calls)
	var wg sync.WaitGroup
	for i := range calls {
		wg.Go(func() {
			heard[i], errs[i] = r.Recognize(t.Context(), audio, engine.RecognizeOptions{Language: sample.Language})
		})
	}
	wg.Wait()
	for i := range calls {
		require.NoError(t, errs[i])
		sample.judge(t, audio, heard[i])
	}
}

func stops(t T, r engine.Recognizer, samples []Sample) {
	audio := samples[0].audio(t)
	stopsWhenTold(t, "Recognize", func(ctx context.Context) error {
		_, err := r.Recognize(ctx, audio, engine.RecognizeOptions{Language: samples[0].Language})
		return err
	})
}

// stopsWhenTold requires that a call with a context that has ended returns soon, with the context's
// error.
func stopsWhenTold(t T, name string, call func(context.Context) error) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	err := endsSoon(ended, t, name, call)
	require.ErrorIs(t, err, context.Canceled, "the context had ended before the call")

	short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := endsSoon(short, t, name, call); err != nil { // a fast engine has finished
		require.ErrorIs(t, err, context.DeadlineExceeded, "the context ended during the call")
	}
}

// endsSoon fails if a call continues clearly longer than ctx.
func endsSoon(ctx context.Context, t T, name string, call func(context.Context) error) error {
	done := make(chan error, 1)
	go func() { done <- call(ctx) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(soon):
		t.Errorf("%s goes on %v after its context has ended", name, soon)
		t.FailNow()
		return nil
	}
}

func failsWithCode(t T, r engine.Recognizer, _ []Sample) {
	failsOnFiles(t, func(audio engine.Audio) error {
		_, err := r.Recognize(t.Context(), audio, engine.RecognizeOptions{})
		return err
	})
}

// failsOnFiles requires an error with a code for files that are no recordings.
func failsOnFiles(t T, call func(engine.Audio) error) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text.wav")
	require.NoError(t, os.WriteFile(text, []byte("this is no recording, and long enough to have a header"), 0o600))
	for _, path := range []string{filepath.Join(dir, "missing.wav"), text} {
		err := call(engine.Audio{Path: path, Duration: time.Second})
		var e *transcript.Error
		require.ErrorAs(t, err, &e, "%s: an error carries a code of the API", filepath.Base(path))
		assert.Contains(t, transcript.Codes(), e.Code, filepath.Base(path))
		assert.NotEmpty(t, e.Message, filepath.Base(path))
	}
}

func silence(t T, length time.Duration) engine.Audio {
	path := filepath.Join(t.TempDir(), "silence.wav")
	require.NoError(t, speechtest.WriteFile(path, make([]byte, 2*int64(length.Seconds()*16000))))
	return engine.Audio{Path: path, Duration: length}
}
