package main

import (
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/ratio" // prints a row of make bench
)

// mostStart is the goal for the time until a service listens.
const mostStart = 300 * time.Millisecond

// BenchmarkStart compares the time until a service with a new database listens with the time
// in which the same program prints its help, and with the goal.
func BenchmarkStart(b *testing.B) {
	if !ratio.Wanted("start of transcriptd") {
		return
	}
	const rounds = 11
	var starts []time.Duration
	var ratios, times []float64
	for range rounds {
		began := time.Now()
		code, _, _ := finish(program(b, nil, "serve", "--help"))
		help := time.Since(began)
		require.Zero(b, code)

		began = time.Now()
		p := await(b, program(b, nil, "serve", "--listen", "127.0.0.1:0"))
		starts = append(starts, time.Since(began))
		ratios = append(ratios, starts[len(starts)-1].Seconds()/help.Seconds())
		times = append(times, starts[len(starts)-1].Seconds()/mostStart.Seconds())
		require.NoError(b, p.Process.Signal(syscall.SIGTERM))
		p.end(b)
	}
	slices.Sort(starts)
	ratio.Row{
		Name: "start of transcriptd, against its --help", Ratios: ratios, AtMost: 6,
		Note: fmt.Sprintf("%d ms", starts[rounds/2].Milliseconds()),
	}.Report(b)
	ratio.Row{Name: fmt.Sprintf("start of transcriptd, of %v", mostStart), Ratios: times, AtMost: 1}.Report(b)
}
