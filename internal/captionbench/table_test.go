//go:build unix

package captionbench_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/asticode/go-astisub"

	"github.com/transcriptkit/transcriptkit/transcript/caption"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

var only = flag.String("row", "", "print the rows of the table whose names have this in them")

// BenchmarkTable prints the comparisons, and fails when one is below its goal.
func BenchmarkTable(b *testing.B) {
	fmt.Fprintf(os.Stdout, "Corpus: %s.\nProcessor time, %s, %d CPUs; medians of %d interleaved rounds [p25-p75].\n\n",
		corpus, runtime.Version(), runtime.NumCPU(), rounds)
	const row = "%-34s %7s %20s %7s %6s %6s %13s  %s\n"
	fmt.Fprintf(os.Stdout, row, "", "cues", "ratio", "goal", "MB/s", "peer", "allocs/cue", "")
	for _, c := range comparisons(b) {
		r := c.measure()
		verdict := c.verdict(r)
		if verdict == "BELOW" {
			b.Fail()
		}
		fmt.Fprintf(os.Stdout, row, c.name, fmt.Sprint(c.cues),
			fmt.Sprintf("%.2f [%.2f-%.2f]", r.median, r.low, r.high), c.goal.String(),
			c.speed(r.ours), c.speed(r.theirs), fmt.Sprintf("%.2f / %.1f",
				r.ours.allocs/float64(c.cues), r.theirs.allocs/float64(c.cues)), verdict)
	}
}

func (g goal) String() string {
	switch {
	case g.faster > 0:
		return fmt.Sprintf(">= %g", g.faster)
	case g.slower > 0:
		return fmt.Sprintf("<= %g", g.slower)
	}
	return ""
}

func (c comparison) speed(of cost) string {
	return fmt.Sprintf("%.0f", float64(c.bytes)/1e6/of.cpu.Seconds())
}

// comparisons are the rows of the table. The first is a control: the same on both
// sides.
func comparisons(b *testing.B) (rows []comparison) {
	add := func(name string, cues int, file []byte, goal goal, ours, theirs func([]byte) error) {
		do := func(side func([]byte) error) func() {
			return func() {
				if err := side(file); err != nil {
					b.Fatal(name, err)
				}
			}
		}
		if strings.Contains(name, *only) {
			rows = append(rows, comparison{name, cues, len(file), goal, do(ours), do(theirs)})
		}
	}
	for _, n := range []int{2_000, 100_000} {
		file := webVTT(n)
		if n == 2_000 {
			add("WebVTT read, against itself", n, file, goal{}, readWebVTT, readWebVTT)
		}
		add("WebVTT read", n, file, goal{faster: 15, allocs: 1}, readWebVTT, peerWebVTT)
		add("rolling WebVTT read", n, rolling(n), goal{faster: 20, allocs: 1}, readWebVTT, peerWebVTT)
	}
	for _, n := range []int{2_000, 100_000} {
		segments, subtitles := talk(n), peer(talk(n))
		var buf []byte
		var peerBuf bytes.Buffer
		buf = format.AppendSRT(buf, segments)
		add("SRT write", n, buf, goal{faster: 10},
			func([]byte) error { buf = format.AppendSRT(buf[:0], segments); return nil },
			func([]byte) error { peerBuf.Reset(); return subtitles.WriteToSRT(&peerBuf) })
		add("WebVTT write", n, format.AppendVTT(nil, segments), goal{faster: 10},
			func([]byte) error { buf = format.AppendVTT(buf[:0], segments); return nil },
			func([]byte) error { peerBuf.Reset(); return subtitles.WriteToWebVTT(&peerBuf) })
	}
	return rows
}

func readWebVTT(file []byte) error {
	_, err := caption.ReadWebVTT(bytes.NewReader(file))
	return err
}

func peerWebVTT(file []byte) error {
	_, err := astisub.ReadFromWebVTT(bytes.NewReader(file))
	return err
}
