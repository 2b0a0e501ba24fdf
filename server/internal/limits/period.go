package limits

import (
	"time"

	"github.com/transcriptkit/transcriptkit/server/account"
)

// Period is the time of one allowance: from Start up to, but not including, End. Both are
// midnight UTC.
type Period struct{ Start, End time.Time }

// PeriodOf returns the period of a plan that contains at: a calendar month, or a month that
// begins on the plan's PeriodAnchorDay.
func PeriodOf(p account.Plan, at time.Time) Period {
	at = at.UTC()
	start := time.Date(at.Year(), at.Month(), max(p.PeriodAnchorDay, 1), 0, 0, 0, 0, time.UTC)
	if at.Before(start) {
		start = start.AddDate(0, -1, 0)
	}
	return Period{start, start.AddDate(0, 1, 0)}
}
