package follower

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/feed"
)

const (
	// shortestEvery and longestEvery bound the pause between two looks at a source that
	// its publisher may ask for.
	shortestEvery = 15 * time.Minute
	longestEvery  = 24 * time.Hour
	// listEvery is the pause between two looks at a list without a feed.
	listEvery = 2 * time.Hour
)

// rulesOf are the rules that a feed states.
func rulesOf(f *feed.Feed) rules {
	r := rules{Hours: f.SkipHours, Days: f.SkipDays}
	if f.TTL > 0 {
		r.Every = min(max(f.TTL, shortestEvery), longestEvery)
	}
	if len(r.Hours) >= 24 {
		r.Hours = nil // no hour would be left
	}
	if len(r.Days) >= 7 {
		r.Days = nil
	}
	return r
}

// nextAfter plans the next look after a look at now. After failures the pause doubles
// each time, up to a day. A tenth of the pause is left to chance, so that sources that
// were due at once are not due at once again.
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
