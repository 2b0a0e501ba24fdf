package commandline_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/examples/internal/commandline"
)

func TestDurations(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"90d": 90 * 24 * time.Hour, "1d": 24 * time.Hour, "36h": 36 * time.Hour, "1h30m": 90 * time.Minute,
		"": 0, "d": 0, "0d": 0, "-1d": 0, "-1h": 0, "1.5d": 0, "999999999d": 0, "90": 0, "1w": 0,
	} {
		var l commandline.Days
		err := l.UnmarshalText([]byte(text))
		assert.Equal(t, want == 0, err != nil, text)
		assert.Equal(t, want, time.Duration(l), text)
	}
}
