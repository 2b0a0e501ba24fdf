//go:build unix

package captionbench_test

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/transcriptkit/transcriptkit/internal/test/ratio"
)

// BenchmarkTable prints the comparisons, and fails when one is below its goal.
func BenchmarkTable(b *testing.B) {
	fmt.Fprintf(os.Stdout, "Corpus: %s.\nProcessor time, %s, %d CPUs; medians of %d interleaved rounds [p25-p75].\n\n",
		corpus, runtime.Version(), runtime.NumCPU(), rounds)
	for _, part := range []struct {
		cues int
		rows []row
	}{{2_000, rows}, {100_000, rows}, {500 * zipped, archives}} {
		cues := part.cues
		for _, r := range part.rows {
			if !ratio.Wanted(r.name) {
				continue
			}
			// Made when it is its turn, so that no other input is in memory.
			c := comparison{name: r.name, cues: cues, goal: r.goal}
			c.bytes, c.ours, c.theirs = r.sides(cues)
			m, err := c.measure()
			if err != nil {
				b.Fatal(r.name, err)
			}
			ratio.Row{
				Name: fmt.Sprintf("%s, %d cues", c.name, cues), Ratios: m.ratios, AtLeast: c.goal.faster, AtMost: c.goal.slower,
				Note: fmt.Sprintf("%s MB/s (peer %s), %.2f allocations a cue (peer %.1f)", c.speed(m.ours), c.speed(m.theirs),
					m.ours.allocs/float64(cues), m.theirs.allocs/float64(cues)),
			}.Report(b)
			if (c.goal.faster > 0 || c.goal.slower > 0) && m.ours.allocs > c.goal.allocs*float64(cues) {
				b.Errorf("%s allocates more than %g times a cue", c.name, c.goal.allocs)
			}
		}
	}
}

// speed is in MB of the file a second.
func (c comparison) speed(of cost) string {
	return fmt.Sprintf("%.0f", float64(c.bytes)/1e6/of.cpu.Seconds())
}
