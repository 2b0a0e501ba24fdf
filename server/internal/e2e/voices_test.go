package e2e_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/installed"
	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/voices"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const dialog = "../../../examples/testdata/dialog.ogg"

// addVoices gives a child real ears, and a recognizer that hears a word in each half second.
func addVoices(host engine.Host, e *engine.Engine) error {
	python := os.Getenv(childVoices)
	if python == "" {
		return nil
	}
	v, err := voices.New(host, voices.Options{Python: python})
	e.Voices, e.Diarizer, e.Recognizer = v, v, ticking{e.Recognizer}
	return err
}

// ticking is a recognizer whose text is the clock.
type ticking struct{ engine.Recognizer }

func (r ticking) Recognize(ctx context.Context, audio engine.Audio, o engine.RecognizeOptions) (engine.Recognition, error) {
	heard, err := r.Recognizer.Recognize(ctx, audio, o)
	if err != nil {
		return heard, err
	}
	s := transcript.Segment{Duration: audio.Duration.Seconds()}
	for at := 0.0; at+0.5 < s.Duration; at += 0.5 {
		word := fmt.Sprintf("at%.1f", at)
		s.Words = append(s.Words, transcript.Word{Text: word, Start: at, End: at + 0.5})
		s.Text = strings.TrimSpace(s.Text + " " + word)
	}
	return engine.Recognition{Segments: []transcript.Segment{s}, Language: "en"}, nil
}

// TestKillWhileSpeakersAreToldApart kills the service at ten points between the upload and the text.
// Each time the text has the speakers of a service that was not killed.
func TestKillWhileSpeakersAreToldApart(t *testing.T) {
	full(t)
	t.Parallel()
	python := installed.WhisperPython(t)
	talk := speechtest.Repeat(t, speechtest.Decode(t, dialog), 3)
	for name, database := range map[string]func() string{
		"sqlite":   func() string { return "sqlite:" + filepath.Join(t.TempDir(), "service.db") },
		"postgres": func() string { return storetest.Postgres(t).Database },
	} {
		t.Run(name, func(t *testing.T) {
			s := newPlace(t, database())
			s.voices = python
			calm := s.spawn(t, "127.0.0.1:0")
			began := time.Now()
			want := textWithSpeakers(t, calm, s.makeKey(t), talk)
			whole := time.Since(began)
			calm.kill()
			speakers := map[string]bool{}
			for _, segment := range want.Segments {
				speakers[segment.Speaker] = true
			}
			require.Len(t, speakers, 2, "%v", speakers)
			for point := range 10 {
				s := newPlace(t, database())
				s.voices = python
				key, addr := s.makeKey(t), freeAddr(t)
				victim := s.spawn(t, addr)
				job := submit(t, newClient(t, victim.url, key), talk)
				<-time.After(whole * time.Duration(point) / 10) // the kill is to come at any point
				victim.kill()
				again := s.spawn(t, addr)
				got, err := newClient(t, again.url, key).Jobs.Wait(t.Context(), job.JobID)
				require.NoError(t, err)
				assert.Equal(t, want.Segments, got.Transcript.Segments, "killed at %d of 10", point)
				assert.Equal(t, want.Sound, got.Sound)
				again.kill()
			}
		})
	}
}

func textWithSpeakers(t *testing.T, at *child, key, path string) *transcript.Transcript {
	t.Helper()
	c := newClient(t, at.url, key)
	result, err := c.Jobs.Wait(t.Context(), submit(t, c, path).JobID)
	require.NoError(t, err)
	require.NotNil(t, result.Diarizer)
	return result.Transcript
}
