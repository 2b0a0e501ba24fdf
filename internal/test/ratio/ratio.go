// Package ratio prints the results of benchmarks as rows of one table. Each row is a ratio to
// something else in the same run, with its goal. The package is for tests only.
package ratio

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var only = flag.String("row", "", "measure the rows of the table whose names have this in them")

// Wanted reports whether rows with this text in their names may be wanted.
func Wanted(name string) bool { return strings.Contains(name, *only) || strings.Contains(*only, name) }

// Row is a row of the table.
type Row struct {
	Name   string
	Ratios []float64 // one for each round
	// The goal; if both are 0, there is none.
	AtLeast, AtMost float64
	// Missed is the reason why the code does not reach the goal yet. With a reason, a row that
	// misses its goal does not fail the benchmark: the table shows the goal and the reason.
	// A goal is never lowered instead.
	Missed string
	// Samples is set if the row is a ratio of 99th percentiles: the smallest number of
	// samples of a percentile. Report refuses fewer than MinSamples.
	Samples int
	Note    string // further information
}

// MinSamples is the number of samples that a 99th percentile needs: twenty samples are
// above it.
const MinSamples = 2_000

// Mark is the prefix of a row in a benchmark's output.
const Mark = "ratio: "

// Report prints the row. It fails the benchmark if three of four rounds miss the goal and the
// row has no reason for that. If only the median misses the goal, that may be noise, and the
// row is "close".
func (r Row) Report(b testing.TB) {
	b.Helper()
	if r.Samples > 0 && r.Samples < MinSamples {
		b.Errorf("%s: the 99th percentile of %d samples says nothing, %d are needed", r.Name, r.Samples, MinSamples)
		return
	}
	verdict := r.verdict()
	if verdict == below {
		b.Fail()
	}
	low, median, high := r.quartiles()
	fmt.Fprintf(os.Stdout, "\n"+Mark+"%-62s  %-22s %8s  %-6s  %s\n", r.Name,
		fmt.Sprintf("%.2f [%.2f-%.2f]", median, low, high), r.goal(), verdict, r.remarks(verdict))
}

func (r Row) quartiles() (low, median, high float64) {
	sorted := slices.Sorted(slices.Values(r.Ratios))
	n := len(sorted)
	return sorted[n/4], (sorted[(n-1)/2] + sorted[n/2]) / 2, sorted[n-1-n/4]
}

func (r Row) goal() string {
	switch {
	case r.AtLeast > 0:
		return fmt.Sprintf(">= %g", r.AtLeast)
	case r.AtMost > 0:
		return fmt.Sprintf("<= %g", r.AtMost)
	}
	return ""
}

const (
	reached = "PASS"
	below   = "BELOW"
	missed  = "missed" // with a reason
)

func (r Row) verdict() string {
	short := func(ratio float64) bool { return ratio < r.AtLeast || r.AtMost > 0 && ratio > r.AtMost }
	low, median, high := r.quartiles()
	switch {
	case r.goal() == "":
		return ""
	case short(low) && short(high) && r.Missed != "":
		return missed
	case short(low) && short(high):
		return below
	case short(median):
		return "close"
	}
	return reached
}

func (r Row) remarks(verdict string) string {
	var all []string
	switch {
	case r.Missed == "":
	case verdict == reached:
		all = append(all, "reached, so its reason can go: "+r.Missed)
	default:
		all = append(all, "reason: "+r.Missed)
	}
	if r.Samples > 0 {
		all = append(all, fmt.Sprintf("%d samples", r.Samples))
	}
	if r.Note != "" {
		all = append(all, r.Note)
	}
	return strings.Join(all, "; ")
}
