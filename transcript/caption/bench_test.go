package caption_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// plain is a file of n cues as people write them: names, styles, references.
func plain(n int) []byte {
	lines := []string{
		"and so it was that we came to the river",
		"- Was it deep?\n- Deeper than anyone had said.",
		"<i>a voice from the other side</i>",
		"Marks &amp; Sons had a boat",
		"<v Ann>there is no boat tonight</v>",
	}
	b := []byte("WEBVTT\n\n")
	for i := range n {
		b = fmt.Appendf(b, "%d\n%s --> %s line:90%%\n%s\n\n",
			i+1, clock(i*3000+120), clock(i*3000+2900), lines[i%len(lines)])
	}
	return b
}

// rolling is a file of n cues as automatic captions come: each line once with
// the times of its words, once more above the next one.
func rolling(n int) []byte {
	b := []byte("WEBVTT\nKind: captions\nLanguage: en\n\n")
	above := " "
	for i := 0; i < n; i += 2 {
		at := i * 1500
		line := fmt.Sprintf("line %d came over the hill", i/2)
		timed := fmt.Sprintf("line<%s><c> %d</c><%s><c> came</c><%s><c> over</c><%s><c> the</c><%s><c> hill</c>",
			clock(at+400), i/2, clock(at+800), clock(at+1200), clock(at+1600), clock(at+2000))
		b = fmt.Appendf(b, "%s --> %s align:start position:0%%\n%s\n%s\n\n", clock(at), clock(at+2990), above, timed)
		b = fmt.Appendf(b, "%s --> %s align:start position:0%%\n%s\n \n\n", clock(at+2990), clock(at+3000), line)
		above = line
	}
	return b
}

func clock(ms int) string {
	return fmt.Sprintf("%02d:%02d:%02d.%03d", ms/3600000, ms/60000%60, ms/1000%60, ms%1000)
}

func TestReadingAllocatesOnceForACue(t *testing.T) { //nolint:paralleltest // AllocsPerRun refuses to count beside other tests
	const cues = 10_000
	file := plain(cues)
	allocs := testing.AllocsPerRun(3, func() {
		for _, err := range caption.WebVTT(bytes.NewReader(file)) {
			require.NoError(t, err)
		}
	})
	assert.LessOrEqual(t, allocs, cues+50.0, "one for each cue, and the buffers")
}

func BenchmarkReadWebVTT(b *testing.B) {
	for _, n := range []int{2_000, 100_000} {
		for name, file := range map[string][]byte{"plain": plain(n), "rolling": rolling(n)} {
			b.Run(fmt.Sprintf("%s-%d", name, n), func(b *testing.B) {
				b.SetBytes(int64(len(file)))
				b.ReportAllocs()
				for b.Loop() {
					segments, err := segmentsOf(caption.ReadWebVTT(bytes.NewReader(file)))
					if err != nil || len(segments) != n {
						b.Fatal(len(segments), err)
					}
				}
			})
		}
	}
}
