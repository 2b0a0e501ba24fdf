package account

import "time"

// Period is the time for which an allowance is given: from Start, up to but not
// including End, both midnight UTC.
type Period struct{ Start, End time.Time }

// Period is the one in which at lies: a calendar month, or a month from the plan's
// PeriodAnchorDay on.
func (p Plan) Period(at time.Time) Period {
	at = at.UTC()
	start := time.Date(at.Year(), at.Month(), max(p.PeriodAnchorDay, 1), 0, 0, 0, 0, time.UTC)
	if at.Before(start) {
		start = start.AddDate(0, -1, 0)
	}
	return Period{start, start.AddDate(0, 1, 0)}
}
