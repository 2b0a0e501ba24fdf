package speechtest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/speechtest"
	"github.com/transcriptkit/transcriptkit/server/speech"
)

func TestWordErrorRate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, want, got string
		rate            float64
	}{
		{"equal", "a b c d", "a b c d", 0},
		{"case and punctuation", "It's here: now!", "it's here now", 0},
		{"replaced", "a b c d", "a x c d", 0.25},
		{"deleted", "a b c d", "a c d", 0.25},
		{"inserted", "a b c d", "a b x c d", 0.25},
		{"moved", "a b c d", "b c d a", 0.5},
		{"nothing heard", "a b", "", 1},
		{"too much heard", "a", "x y z", 3},
		{"nothing said", "", "x y", 2},
		{"silence", "", "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.InDelta(t, tt.rate, speechtest.WordErrorRate(tt.want, tt.got), 1e-9)
		})
	}
}

func length(t *testing.T, path string) time.Duration {
	t.Helper()
	rec, err := speech.Open(path)
	require.NoError(t, err)
	require.NoError(t, rec.Close())
	return rec.Duration()
}

func TestMakesRecordings(t *testing.T) {
	t.Parallel()
	one := speechtest.Say(t, "seven")
	said := length(t, one)
	assert.Greater(t, said, 300*time.Millisecond)

	path, starts := speechtest.Recite(t, 2*time.Second, "seven", "seven")
	assert.Equal(t, []time.Duration{0, said + 2*time.Second}, starts)
	assert.Equal(t, 2*said+2*time.Second, length(t, path))

	assert.Equal(t, 3*said, length(t, speechtest.Repeat(t, one, 3)))
	assert.Equal(t, said, length(t, speechtest.Decode(t, one)))
}
