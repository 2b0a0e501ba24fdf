package db_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
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

// TestStoredTextIsServedAsItIs takes the compressed segments out of the table: they
// are a gzip, and also the middle of a larger one, whose other parts alone have to
// be compressed.
func TestStoredTextIsServedAsItIs(t *testing.T) {
	t.Parallel()
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		text := segments()
		put(t, dbtest.Open(t, o), &db.Transcript{Transcript: transcript.Transcript{
			Platform: transcript.Upload, ExternalID: "x", Lang: "en", Source: transcript.OriginASR, Status: transcript.Ready,
		}, SegmentsJSON: text})
		var stored []byte
		require.NoError(t, open(t, o).QueryRowContext(t.Context(), "SELECT segments FROM texts").Scan(&stored))
		require.Equal(t, string(text), string(unzip(t, stored)))

		const head, tail = `{"transcript":{"segments":`, `}}`
		whole := head + string(text) + tail
		const headerLen, endLen = 10, 2 + 8 // the empty last block, checksum and length
		answer := bytes.NewBuffer(slices.Clone(stored[:headerLen]))
		w, err := flate.NewWriter(answer, flate.DefaultCompression)
		require.NoError(t, err)
		_, err = w.Write([]byte(head))
		require.NoError(t, err)
		require.NoError(t, w.Flush())
		answer.Write(stored[headerLen : len(stored)-endLen])
		w.Reset(answer)
		_, err = w.Write([]byte(tail))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		end := binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(whole)))
		answer.Write(binary.LittleEndian.AppendUint32(end, uint32(len(whole))))
		require.Equal(t, whole, string(unzip(t, answer.Bytes())))
	})
}

// unzip reads one gzip, with nothing behind it.
func unzip(t *testing.T, b []byte) []byte {
	t.Helper()
	in := bytes.NewReader(b)
	r, err := gzip.NewReader(in)
	require.NoError(t, err)
	r.Multistream(false)
	text, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Zero(t, in.Len())
	return text
}

// BenchmarkCompress is what the store's level was chosen by.
func BenchmarkCompress(b *testing.B) {
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
