package transcript_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestLengthText(t *testing.T) {
	t.Parallel()
	for in, want := range map[int]string{
		0: "0:00", 5: "0:05", 59: "0:59", 60: "1:00", 213: "3:33", 3599: "59:59",
		3600: "1:00:00", 18131: "5:02:11", 360000: "100:00:00", -1: "0:00",
	} {
		assert.Equal(t, want, transcript.LengthText(in), in)
	}
}
