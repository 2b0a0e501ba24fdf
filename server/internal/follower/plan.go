package follower

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/feed"
)

const (
	// shortestEvery and longestEvery limit the pause between two checks that a publisher may
	// ask for.
	shortestEvery = 15 * time.Minute
	longestEvery  = 24 * time.Hour
	// listEvery is the pause between two checks of a list without a feed.
	listEvery = 2 * time.Hour
)

// rulesOf returns the rules that a feed states.
func rulesOf(f *feed.Feed) rules {
	r := rules{Hours: f.SkipHours, Days: f.SkipDays}
	if f.TTL > 0 {
		r.Every = min(max(f.TTL, shortestEvery), longestEvery)
	}
	if len(r.Hours) >= 24 {
		r.Hours = nil // no hour would remain
	}
	if len(r.Days) >= 7 {
		r.Days = nil
	}
	return r
}

// nextAfter returns the time of the next check after a check at now. After failures the
// pause doubles each time, up to a day. A tenth of the pause is random, so that sources
// that were due together are not due together again.
func (lk *looker) nextAfter(now time.Time, r rules, failures int) time.Time {
	every := max(lk.Every, r.Every)
	for range min(failures-1, 10) {
		every *= 2
	}
	every = min(every, max(longestEvery, lk.Every))
	next := now.Add(every - every/20 + rand.N(every/10+1))
	for range 24 * 7 {
		at := next.UTC()
		if !slices.Contains(r.Hours, at.Hour()) && !slices.Contains(r.Days, at.Weekday()) {
			return next
		}
		next = at.Truncate(time.Hour).Add(time.Hour + rand.N(10*time.Minute))
	}
	return next
}
