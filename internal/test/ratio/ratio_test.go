package ratio_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/ratio"
)

// rows are what a report prints, and whether the report lets the benchmark fail.
var rows = map[string]struct {
	row    ratio.Row
	prints string // "": nothing
	fails  bool
}{
	"reached":                     {ratio.Row{Ratios: []float64{0.5, 0.7, 0.6}, AtMost: 0.6}, "0.60 [0.50-0.70] <= 0.6 PASS", false},
	"by chance":                   {ratio.Row{Ratios: []float64{1, 3, 3}, AtMost: 2}, "3.00 [1.00-3.00] <= 2 close", false},
	"not reached":                 {ratio.Row{Ratios: []float64{1, 1, 1, 9}, AtLeast: 2, Note: "a note"}, "1.00 [1.00-1.00] >= 2 BELOW a note", true},
	"with a reason":               {ratio.Row{Ratios: []float64{1}, AtLeast: 2, Missed: "it waits"}, "1.00 [1.00-1.00] >= 2 missed reason: it waits", false},
	"an old reason":               {ratio.Row{Ratios: []float64{3}, AtLeast: 2, Missed: "it waits"}, "3.00 [3.00-3.00] >= 2 PASS reached, so its reason can go: it waits", false},
	"between two":                 {ratio.Row{Ratios: []float64{4, 1, 2, 3}}, "2.50 [2.00-3.00]", false},
	"enough samples":              {ratio.Row{Ratios: []float64{3}, Samples: ratio.MinSamples}, "3.00 [3.00-3.00] 2000 samples", false},
	"too few samples":             {ratio.Row{Ratios: []float64{1}, AtMost: 2, Samples: ratio.MinSamples - 1}, "", true},
	"no goal":                     {ratio.Row{Ratios: []float64{1}}, "1.00 [1.00-1.00]", false},
	"by chance and with a reason": {ratio.Row{Ratios: []float64{3, 3, 1}, AtMost: 2, Missed: "it waits"}, "3.00 [1.00-3.00] <= 2 close reason: it waits", false},
}

// reported is where this test binary, run once more, reports the row of that name.
const reported = "RATIO_TEST_ROW"

func TestReport(t *testing.T) {
	t.Parallel()
	if name := os.Getenv(reported); name != "" {
		rows[name].row.Report(t)
		return
	}
	for name, want := range rows {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestReport$")
		cmd.Env = append(os.Environ(), reported+"="+name)
		out, err := cmd.Output()
		assert.Equal(t, want.fails, err != nil, "%s: %s", name, out)
		var printed string
		for line := range strings.Lines(string(out)) {
			if row, ok := strings.CutPrefix(line, ratio.Mark); ok {
				require.Empty(t, printed)
				printed = strings.Join(strings.Fields(row), " ")
			}
		}
		assert.Equal(t, want.prints, printed, name)
	}
}
