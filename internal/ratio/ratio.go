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
	// The goal; both 0: none.
	AtLeast, AtMost float64
	Note            string // further information
}

// Mark is the prefix of a row in a benchmark's output.
const Mark = "ratio: "

// Report prints the row. It fails the benchmark if three of four rounds miss the goal. If only
// the median misses the goal, that may be noise, and the row is "close".
func (r Row) Report(b *testing.B) {
	b.Helper()
	verdict := r.verdict()
	if verdict == "BELOW" {
		b.Fail()
	}
	low, median, high := r.quartiles()
	fmt.Fprintf(os.Stdout, "\n"+Mark+"%-52s  %-22s %8s  %-5s  %s\n", r.Name,
		fmt.Sprintf("%.2f [%.2f-%.2f]", median, low, high), r.goal(), verdict, r.Note)
}

func (r Row) quartiles() (low, median, high float64) {
	sorted := slices.Sorted(slices.Values(r.Ratios))
	n := len(sorted)
	return sorted[n/4], sorted[n/2], sorted[n-1-n/4]
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

func (r Row) verdict() string {
	short := func(ratio float64) bool { return ratio < r.AtLeast || r.AtMost > 0 && ratio > r.AtMost }
	low, median, high := r.quartiles()
	switch {
	case r.goal() == "":
		return ""
	case short(low) && short(high):
		return "BELOW"
	case short(median):
		return "close"
	}
	return "PASS"
}
