package caption_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"iter"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// ttmlFile is a file of n cues as video sites send it.
func ttmlFile(n int) []byte {
	lines := []string{
		"and so it was that we came to the river",
		"- Was it deep?<br/>- Deeper than anyone had said.",
		`<span tts:fontStyle="italic">a voice from the other side</span>`,
		"Marks &amp; Sons had a boat",
		"there is no boat tonight",
	}
	b := []byte(`<?xml version="1.0" encoding="utf-8"?>
<tt xml:lang="en" xmlns="http://www.w3.org/ns/ttml" xmlns:tts="http://www.w3.org/ns/ttml#styling">
<head><styling><style xml:id="s1" tts:textAlign="center"/></styling><layout><region xml:id="r1"/></layout></head>
<body region="r1"><div>
`)
	for i := range n {
		b = fmt.Appendf(b, "<p begin=\"%s\" end=\"%s\" style=\"s1\">%s</p>\n", clock(i*3000+120), clock(i*3000+2900), lines[i%len(lines)])
	}
	return append(b, "</div></body>\n</tt>\n"...)
}

// srv3File is a file of n cues as automatic captions come.
func srv3File(n int) []byte {
	b := []byte(`<?xml version="1.0" encoding="utf-8" ?><timedtext format="3">
<head><ws id="0"/><ws id="1" mh="2" ju="0" sd="3"/><wp id="0"/><wp id="1" ap="6" ah="20" av="100" rc="2" cc="40"/></head>
<body><w t="0" id="1" wp="1" ws="1"/>
`)
	for i := range n {
		at := i * 1500
		b = fmt.Appendf(b, `<p t="%d" d="3000" w="1"><s ac="248">line</s><s t="400" ac="230"> %d</s><s t="800" ac="0"> came</s>`+
			`<s t="1000" ac="0"> over</s><s t="1200" ac="0"> the</s><s t="1400" ac="0"> hill</s></p>`+"\n", at, i)
		b = fmt.Appendf(b, "<p t=\"%d\" d=\"1510\" w=\"1\" a=\"1\">\n</p>\n", at+1490)
	}
	return append(b, "</body>\n</timedtext>\n"...)
}

func BenchmarkTTML(b *testing.B) { againstRawToken(b, ttmlFile, caption.TTML) }

func BenchmarkSRV3(b *testing.B) { againstRawToken(b, srv3File, caption.SRV3) }

// againstRawToken reports the CPU time of read as a multiple of that of a bare
// RawToken loop over the same bytes: a round is one of each, the ratio the median
// of the rounds.
func againstRawToken(b *testing.B, file func(cues int) []byte, read func(io.Reader) iter.Seq2[transcript.Segment, error]) {
	for _, n := range []int{2_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			file := file(n)
			b.SetBytes(int64(len(file)))
			b.ReportAllocs()
			var ratios []float64
			for b.Loop() {
				bare := cpuTime(b, func() {
					d := xml.NewDecoder(bytes.NewReader(file))
					for {
						if _, err := d.RawToken(); err == io.EOF {
							return
						} else if err != nil {
							b.Fatal(err)
						}
					}
				})
				ours := cpuTime(b, func() {
					cues := 0
					for _, err := range read(bytes.NewReader(file)) {
						if err != nil {
							b.Fatal(err)
						}
						cues++
					}
					if cues != n {
						b.Fatal(cues)
					}
				})
				ratios = append(ratios, float64(ours)/float64(bare))
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "x-RawToken")
		})
	}
}

// cpuTime returns the CPU time of the process while work runs.
func cpuTime(tb testing.TB, work func()) time.Duration {
	used := func() time.Duration {
		var u syscall.Rusage
		require.NoError(tb, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	from := used()
	work()
	return used() - from
}
