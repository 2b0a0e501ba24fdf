package window_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/internal/window"
)

// at is 02:03:10 on a day, and some seconds more.
func at(seconds float64) time.Time {
	return time.Date(2026, 11, 21, 2, 3, 10, 0, time.UTC).Add(time.Duration(seconds * float64(time.Second)))
}

func TestWindowsBeginAtMultiplesOfTheirLength(t *testing.T) {
	t.Parallel()
	for length, end := range map[time.Duration]string{
		time.Second:        "02:03:11",
		7 * time.Second:    "02:03:14",
		time.Minute:        "02:04:00",
		time.Hour:          "03:00:00",
		24 * time.Hour:     "00:00:00",
		7 * 24 * time.Hour: "00:00:00",
	} {
		var c window.Counter[string]
		w := c.Add("acme", length, at(0))
		assert.Equal(t, 1, w.Count)
		assert.Equal(t, end, w.End.Format(time.TimeOnly), length)
		assert.Zero(t, w.End.Unix()%int64(length.Seconds()), length)
	}
}

func TestKeysAndLengthsAreCountedApart(t *testing.T) {
	t.Parallel()
	var c window.Counter[string]
	for i := range 3 {
		assert.Equal(t, i+1, c.Add("acme", time.Minute, at(0)).Count)
		assert.Equal(t, i+1, c.Add("acme", time.Hour, at(0)).Count)
		assert.Equal(t, i+1, c.Add("globex", time.Minute, at(0)).Count)
	}
}

// A burst over the edge of a window counts in the two that it falls into.
func TestBurstOverTheEdge(t *testing.T) {
	t.Parallel()
	var c window.Counter[string]
	for i := range 100 {
		w := c.Add("acme", time.Minute, at(49.5+float64(i)/100))
		assert.Equal(t, i%50+1, w.Count)
		assert.Equal(t, []string{"02:04:00", "02:05:00"}[i/50], w.End.Format(time.TimeOnly))
	}
}

func TestClockThatStepsBack(t *testing.T) {
	t.Parallel()
	for _, step := range []struct {
		back  float64 // seconds, from 20 s into a window
		count int
		end   string
	}{
		{0, 6, "02:05:00"},
		{19, 6, "02:05:00"},
		{21, 6, "02:05:00"}, // into the window before: no second burst
		{80, 6, "02:05:00"},
		{81, 1, "02:03:00"}, // further: nobody waits for hours
		{3600, 1, "01:05:00"},
	} {
		t.Run(fmt.Sprint(step.back), func(t *testing.T) {
			t.Parallel()
			var c window.Counter[string]
			for range 5 {
				require.Equal(t, "02:05:00", c.Add("acme", time.Minute, at(70)).End.Format(time.TimeOnly))
			}
			w := c.Add("acme", time.Minute, at(70-step.back))
			assert.Equal(t, step.count, w.Count)
			assert.Equal(t, step.end, w.End.Format(time.TimeOnly))
			again := c.Add("acme", time.Minute, at(70-step.back+0.5))
			assert.Equal(t, step.count+1, again.Count, "and it goes on there")
			assert.Equal(t, 1, c.Add("acme", time.Minute, at(130)).Count, "until the next window")
		})
	}
}

// Who comes when there are too many takes nothing from those that were there.
func TestMoreKeysThanAreToldApart(t *testing.T) {
	t.Parallel()
	c := window.Counter[int]{Max: 100}
	for key := range 100 {
		c.Add(key, time.Minute, at(0))
	}
	for i := range 1000 {
		assert.Equal(t, i+1, c.Add(1000+i, time.Minute, at(1)).Count, "together")
	}
	for key := range 100 {
		assert.Equal(t, 2, c.Add(key, time.Minute, at(2)).Count)
	}
	assert.Equal(t, 1, c.Add(1000, time.Minute, at(50)).Count, "a new window has room")
}
