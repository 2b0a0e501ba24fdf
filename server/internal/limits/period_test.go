package limits_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
)

func TestPeriod(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		anchor         int
		at, start, end string
	}{
		{0, "2026-11-21T02:03:34Z", "2026-11-01", "2026-12-01"},
		{1, "2026-11-01T00:00:00Z", "2026-11-01", "2026-12-01"},
		{1, "2026-11-30T23:59:59.999Z", "2026-11-01", "2026-12-01"},
		{0, "2026-12-01T01:00:00+02:00", "2026-11-01", "2026-12-01"},
		{15, "2026-11-14T23:59:59Z", "2026-10-15", "2026-11-15"},
		{15, "2026-11-15T00:00:00Z", "2026-11-15", "2026-12-15"},
		{28, "2027-01-27T12:00:00Z", "2026-12-28", "2027-01-28"},
		{28, "2028-02-29T12:00:00Z", "2028-02-28", "2028-03-28"},
	} {
		at, err := time.Parse(time.RFC3339Nano, test.at)
		require.NoError(t, err)
		period := limits.PeriodOf(account.Plan{PeriodAnchorDay: test.anchor}, at)
		assert.Equal(t, test.start, period.Start.Format(time.DateOnly), test)
		assert.Equal(t, test.end, period.End.Format(time.DateOnly), test)
		assert.False(t, at.Before(period.Start), test)
		assert.True(t, at.Before(period.End), test)
	}
}
