package view_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/server/internal/view"
)

func TestRoundSeconds(t *testing.T) {
	t.Parallel()
	for in, want := range map[float64]int{
		0: 0, 0.499: 0, 0.5: 1, 1.5: 2, 2.5: 3, 2.4999: 2, 0.49999999999999994: 0, 43200: 43200,
		-0.6: 0, -5: 0, math.Inf(-1): 0, math.Inf(1): math.MaxInt32, 1e300: math.MaxInt32,
	} {
		assert.Equal(t, want, view.RoundSeconds(in), "%v", in)
	}
	assert.Zero(t, view.RoundSeconds(math.NaN()))
}
