package e2e_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/speechtest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
	"github.com/transcriptkit/transcriptkit/server/engine/pocketsphinx"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// BenchmarkThreeMinutes compares the recognizer alone with the whole service on
// the same recording, one after the other, and fails where the service takes
// more than 1.15 times as long, or is silent about its progress for over 5 s.
// Times are only fair on a machine that does nothing else.
func BenchmarkThreeMinutes(b *testing.B) {
	talk := speechtest.Repeat(b, speechtest.Decode(b, "../../../examples/testdata/talk.ogg"), 5)
	rec, err := speech.Open(talk)
	require.NoError(b, err)
	length := rec.Duration()
	require.NoError(b, rec.Close())
	require.GreaterOrEqual(b, length, 3*time.Minute)
	for b.Loop() {
		began := time.Now()
		_, err := pocketsphinx.New(enginetest.Host(b)).Recognize(b.Context(), engine.Audio{Path: talk, Duration: length}, engine.RecognizeOptions{})
		require.NoError(b, err)
		alone := time.Since(began)

		s := startService(b)
		began = time.Now()
		gap := s.longestSilence(b, talk)
		whole := time.Since(began)

		ratio := whole.Seconds() / alone.Seconds()
		b.ReportMetric(ratio, "x-alone")
		b.ReportMetric(gap.Seconds(), "s-without-progress")
		b.Logf("%v of speech: alone %v, service %v (%.2f times), longest silence %v", length, alone, whole, ratio, gap)
		if ratio > 1.15 || gap > 5*time.Second {
			b.Errorf("the service takes %.2f times the recognizer alone, and says nothing for %v", ratio, gap)
		}
	}
}

// longestSilence takes a recording through the service and returns the longest
// time between two events of its job.
func (s *service) longestSilence(b *testing.B, path string) time.Duration {
	var now time.Duration
	_, job, err := s.Transcripts.Submit(b.Context(), transcript.Request{Source: transcript.File(path), Wait: &now})
	require.NoError(b, err)
	last, longest := time.Now(), time.Duration(0)
	for event, err := range s.Jobs.Events(b.Context(), job.JobID) {
		require.NoError(b, err)
		longest = max(longest, time.Since(last))
		last = time.Now()
		if event.Job.Status.Terminal() {
			require.Equal(b, transcript.JobSuccess, event.Job.Status)
		}
	}
	return longest
}
