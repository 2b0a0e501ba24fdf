package pocketsphinx_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
	"github.com/transcriptkit/transcriptkit/server/engine/pocketsphinx"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const sentence = "Nobody is speaking."

func TestConformance(t *testing.T) {
	t.Parallel()
	enginetest.Recognizer(t, pocketsphinx.New(enginetest.Host(t)), enginetest.Sample{
		Path: speechtest.Say(t, sentence), Language: "en", Text: sentence, MaxErrorRate: 0.3,
	})
}

func audioOf(t testing.TB, path string) engine.Audio {
	t.Helper()
	rec, err := speech.Open(path)
	require.NoError(t, err)
	require.NoError(t, rec.Close())
	return engine.Audio{Path: path, Duration: rec.Duration()}
}

// transcribe cuts, recognizes and stitches as a service does, with that many
// chunks at a time.
func transcribe(t testing.TB, r engine.Recognizer, path string, longest time.Duration, atOnce int) recognition.Transcription {
	t.Helper()
	rec, err := speech.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, rec.Close()) }()
	plan, err := recognition.NewPlan(t.Context(), rec, recognition.Lengths{Longest: longest})
	require.NoError(t, err)

	dir := t.TempDir()
	chunks := plan.Speech()
	results := make([]recognition.Result, len(chunks))
	errs := make([]error, len(chunks))
	slots := make(chan struct{}, atOnce)
	var wg sync.WaitGroup
	for i, chunk := range chunks {
		slots <- struct{}{}
		wg.Go(func() {
			results[i], errs[i] = recognize(t.Context(), r, rec, chunk, filepath.Join(dir, "chunk"+string(rune('a'+i))))
			<-slots
		})
	}
	wg.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	text, err := recognition.Stitch(plan, results)
	require.NoError(t, err)
	return text
}

func recognize(ctx context.Context, r engine.Recognizer, rec *speech.Recording, chunk recognition.Chunk, path string) (recognition.Result, error) {
	f, err := os.Create(path)
	if err != nil {
		return recognition.Result{}, err
	}
	if err := chunk.Write(f, rec); err != nil {
		return recognition.Result{}, err
	}
	if err := f.Close(); err != nil {
		return recognition.Result{}, err
	}
	heard, err := r.Recognize(ctx, engine.Audio{Path: path, Duration: chunk.Duration()}, engine.RecognizeOptions{})
	return chunk.Place(heard), err
}

func textOf(segments []transcript.Segment) string {
	var out []string
	for _, s := range segments {
		out = append(out, s.Text)
	}
	return strings.Join(out, " ")
}

const testdata = "../../../examples/testdata/"

func TestHearsTheShippedRecording(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("much speech, which another program recognizes")
	}
	said, err := os.ReadFile(testdata + "talk.txt")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(strings.Fields(string(said))), 80)

	text := transcribe(t, pocketsphinx.New(enginetest.Host(t)), speechtest.Decode(t, testdata+"talk.ogg"), 0, 2)
	heard := textOf(text.Segments)
	rate := speechtest.WordErrorRate(string(said), heard)
	t.Logf("word error rate %.3f: %s", rate, heard)
	assert.Less(t, rate, 0.25)
	assert.Equal(t, "en", text.Language)
	assert.Empty(t, text.Gaps)
	for _, s := range text.Segments {
		assert.LessOrEqual(t, s.Duration, 8.0)
		assert.LessOrEqual(t, len(s.Text), 80)
		require.NotNil(t, s.Confidence)
		require.NotEmpty(t, s.Words)
	}
}

// Words spoken 20 s of silence apart come back where they were spoken.
func TestTimesDoNotDrift(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("much speech, which another program recognizes")
	}
	words := []string{"seven", "hello", "yes", "thank you", "stop"}
	path, starts := speechtest.Recite(t, 20*time.Second, words...)
	text := transcribe(t, pocketsphinx.New(enginetest.Host(t)), path, 0, 2)

	require.Len(t, text.Segments, len(words), "heard %q", textOf(text.Segments))
	for i, s := range text.Segments {
		assert.Equal(t, words[i], s.Text)
		assert.InDelta(t, starts[i].Seconds(), s.Start, 0.5, "where %q was spoken", words[i])
	}
	assert.Len(t, text.Gaps, len(words)-1)
	for i, g := range text.Gaps {
		assert.InDelta(t, 20, g.Duration, 1, "gap %d", i)
	}
}

// Progress moves inside one utterance, though the program says nothing before the end of the
// utterance.
func TestProgressIsSmooth(t *testing.T) {
	t.Parallel()
	said := strings.Repeat("and then we go on and on without a pause because there is so much to say ", 2)
	audio := audioOf(t, speechtest.Say(t, strings.TrimSpace(said)))
	require.Greater(t, audio.Duration, 6*time.Second)

	var reports []time.Duration
	heard, err := pocketsphinx.New(enginetest.Host(t)).Recognize(t.Context(), audio, engine.RecognizeOptions{
		Progress: func(done time.Duration) { reports = append(reports, done) },
	})
	require.NoError(t, err)
	require.NotEmpty(t, heard.Segments)
	assert.Equal(t, audio.Duration, reports[len(reports)-1])
	for i := 1; i < len(reports); i++ {
		assert.LessOrEqual(t, reports[i]-reports[i-1], 3*time.Second)
	}
}

func TestLanguages(t *testing.T) {
	t.Parallel()
	r := pocketsphinx.New(enginetest.Host(t))
	audio := audioOf(t, speechtest.Say(t, "yes"))
	for asked, want := range map[string]string{"": "en", "en": "en", "en-US": "en-US", "EN-gb": "EN-gb"} {
		heard, err := r.Recognize(t.Context(), audio, engine.RecognizeOptions{Language: asked})
		require.NoError(t, err, asked)
		assert.Equal(t, want, heard.Language)
	}
	for _, tag := range []string{"de", "enm", "fr-EN"} {
		_, err := r.Recognize(t.Context(), audio, engine.RecognizeOptions{Language: tag})
		var e *transcript.Error
		require.ErrorAs(t, err, &e, tag)
		assert.Equal(t, transcript.NotImplemented, e.Code)
		assert.Equal(t, map[string]any{"language": tag, "engine": "pocketsphinx"}, e.Details)
	}
}
