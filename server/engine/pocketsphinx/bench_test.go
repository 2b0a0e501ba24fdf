package pocketsphinx_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
	"github.com/transcriptkit/transcriptkit/server/engine/pocketsphinx"
	"github.com/transcriptkit/transcriptkit/server/internal/recognition"
)

// BenchmarkChunks compares three minutes of speech recognized in one call with
// the same cut into chunks. It is the ground of recognition.DefaultChunk.
func BenchmarkChunks(b *testing.B) {
	said, err := os.ReadFile(testdata + "talk.txt")
	require.NoError(b, err)
	const times = 4
	want := strings.Repeat(string(said)+" ", times)
	path := speechtest.Repeat(b, speechtest.Decode(b, testdata+"talk.ogg"), times)
	r := pocketsphinx.New(enginetest.Host(b))

	b.Run("alone", func(b *testing.B) {
		for b.Loop() {
			heard, err := r.Recognize(b.Context(), audioOf(b, path), engine.RecognizeOptions{})
			require.NoError(b, err)
			b.ReportMetric(speechtest.WordErrorRate(want, textOf(heard.Segments)), "WER")
		}
	})
	for _, atOnce := range []int{1, 2} {
		b.Run(fmt.Sprintf("chunks/atOnce=%d", atOnce), func(b *testing.B) {
			for b.Loop() {
				text := transcribe(b, r, path, recognition.DefaultChunk, atOnce)
				b.ReportMetric(speechtest.WordErrorRate(want, textOf(text.Segments)), "WER")
			}
		})
	}
}
