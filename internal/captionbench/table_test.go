//go:build unix

package captionbench_test

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
)

var only = flag.String("row", "", "print the rows of the table whose names have this in them")

// BenchmarkTable prints the comparisons, and fails when one is below its goal.
func BenchmarkTable(b *testing.B) {
	fmt.Fprintf(os.Stdout, "Corpus: %s.\nProcessor time, %s, %d CPUs; medians of %d interleaved rounds [p25-p75].\n\n",
		corpus, runtime.Version(), runtime.NumCPU(), rounds)
	const line = "%-29s %7s  %-20s %7s %6s %6s %14s  %s\n"
	fmt.Fprintf(os.Stdout, line, "", "cues", "ratio", "goal", "MB/s", "peer", "allocs/cue", "")
	for _, part := range []struct {
		cues int
		rows []row
	}{{2_000, rows}, {100_000, rows}, {500 * zipped, archives}} {
		cues := part.cues
		for _, r := range part.rows {
			if !strings.Contains(r.name, *only) {
				continue
			}
			// Made when it is its turn, so that no other input is in memory.
			c := comparison{name: r.name, cues: cues, goal: r.goal}
			c.bytes, c.ours, c.theirs = r.sides(cues)
			m, err := c.measure()
			if err != nil {
				b.Fatal(r.name, err)
			}
			verdict := c.verdict(m)
			if verdict == "BELOW" {
				b.Fail()
			}
			fmt.Fprintf(os.Stdout, line, c.name, fmt.Sprint(cues),
				fmt.Sprintf("%.2f [%.2f-%.2f]", m.median, m.low, m.high), c.goal,
				c.speed(m.ours), c.speed(m.theirs),
				fmt.Sprintf("%.2f / %.1f", m.ours.allocs/float64(cues), m.theirs.allocs/float64(cues)), verdict)
		}
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

// speed is in MB of the file a second.
func (c comparison) speed(of cost) string {
	return fmt.Sprintf("%.0f", float64(c.bytes)/1e6/of.cpu.Seconds())
}
