package packed_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// segments renders about an hour of speech.
func segments() []byte {
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.1, 4, 8000)
	words := make([]string, 8001)
	for i := range words {
		for range 1 + i%4 + random.IntN(2) {
			words[i] += string("bcdfghklmnprstvw"[random.IntN(16)]) + string("aeiou"[random.IntN(5)])
		}
	}
	var all []transcript.Segment
	for at := 0.0; at < 3600; {
		s := transcript.Segment{Start: at, Duration: float64(random.IntN(6000)+1000) / 1000}
		for range 3 + random.IntN(12) {
			s.Text += words[zipf.Uint64()] + " "
		}
		at += s.Duration
		all = append(all, s)
	}
	b, err := json.Marshal(all)
	if err != nil {
		panic(err) // plain numbers and strings
	}
	return b
}

// BenchmarkLevels is what the level was chosen by.
func BenchmarkLevels(b *testing.B) {
	raw := segments()
	for level := gzip.BestSpeed; level <= gzip.BestCompression; level++ {
		b.Run(fmt.Sprint(level), func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			var buf bytes.Buffer
			for b.Loop() {
				buf.Reset()
				w, err := gzip.NewWriterLevel(&buf, level)
				require.NoError(b, err)
				_, err = w.Write(raw)
				require.NoError(b, err)
				require.NoError(b, w.Close())
			}
			b.ReportMetric(float64(buf.Len())/float64(len(raw)), "ratio")
		})
	}
}
