package transcript_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestRoundSeconds(t *testing.T) {
	t.Parallel()
	for in, want := range map[float64]int{
		0: 0, 0.499: 0, 0.5: 1, 1.5: 2, 2.5: 3, 2.4999: 2, 0.49999999999999994: 0, 43200: 43200,
		-0.6: 0, -5: 0, math.Inf(-1): 0, math.Inf(1): math.MaxInt32, 1e300: math.MaxInt32,
	} {
		assert.Equal(t, want, transcript.RoundSeconds(in), "%v", in)
	}
	assert.Zero(t, transcript.RoundSeconds(math.NaN()))
}

func TestLengthText(t *testing.T) {
	t.Parallel()
	for in, want := range map[int]string{
		0: "0:00", 5: "0:05", 59: "0:59", 60: "1:00", 213: "3:33", 3599: "59:59",
		3600: "1:00:00", 18131: "5:02:11", 360000: "100:00:00", -1: "0:00",
	} {
		assert.Equal(t, want, transcript.LengthText(in), in)
	}
}
