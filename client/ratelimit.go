package client

import (
	"cmp"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/dunglas/httpsfv"
)

// RateLimit holds an answer's rate limits. A window is zero if the answer does not
// contain it. If the account has no limit, all windows are zero.
type RateLimit struct {
	// RateWindow is the window to which this request belongs. If the answer does not
	// say which, it is Requests.
	RateWindow
	// Polling is the window for requests that poll: states of jobs and batches, and
	// event streams. Requests is the window for all other requests.
	Requests, Polling RateWindow
}

// RateWindow is the state of a rate limit: how many requests the account may send in a
// window of time.
type RateWindow struct {
	Limit     int       // requests in the window
	Remaining int       // requests left in it
	Reset     time.Time // when the next window begins; zero: not known
}

// newRateLimit reads the headers by their canonical names, because Get would convert others.
// Headers that say nonsense are as good as none.
func newRateLimit(h http.Header) RateLimit {
	limit := RateLimit{RateWindow: countedWindow(h)}
	quotas, ok := policies(h["Ratelimit-Policy"], "q", "w")
	left, also := policies(h["Ratelimit"], "r", "t")
	if !ok || !also {
		return limit
	}
	now := time.Now()
	for i, w := range [...]*RateWindow{&limit.Requests, &limit.Polling} {
		if quotas[i][0] < 0 || left[i][0] < 0 {
			continue
		}
		w.Limit, w.Remaining = number(quotas[i][0]), number(left[i][0])
		if t := left[i][1]; t >= 0 {
			w.Reset = now.Add(seconds(number(t)))
		}
	}
	limit.RateWindow = cmp.Or(limit.RateWindow, limit.Requests)
	return limit
}

// countedWindow is the window of X-RateLimit-Limit and its like.
func countedWindow(h http.Header) RateWindow {
	limit, err := strconv.Atoi(h.Get("X-Ratelimit-Limit"))
	if err != nil {
		return RateWindow{}
	}
	// The two others are zero when they are missing or no numbers.
	remaining, _ := strconv.Atoi(h.Get("X-Ratelimit-Remaining"))
	reset, err := strconv.ParseInt(h.Get("X-Ratelimit-Reset"), 10, 64)
	if err != nil {
		return RateWindow{Limit: limit, Remaining: remaining}
	}
	return RateWindow{Limit: limit, Remaining: remaining, Reset: time.Unix(reset, 0)}
}

func number(n int64) int { return int(min(n, math.MaxInt)) }

// policies are two parameters of the policies "requests" and "polling"; -1 for a parameter that
// is not there or no whole number from 0 on. ok is false if there is no list that can be read.
func policies(lines []string, first, second string) (found [2][2]int64, ok bool) {
	found = [2][2]int64{{-1, -1}, {-1, -1}}
	list, err := httpsfv.UnmarshalList(lines)
	if err != nil {
		return found, false
	}
	for _, member := range list {
		item, _ := member.(httpsfv.Item) // a list within the list is of a proxy, or of a later version
		policy := slices.Index([]any{"requests", "polling"}, item.Value)
		for i, parameter := range []string{first, second} {
			if policy < 0 || item.Params == nil {
				continue
			}
			if value, there := item.Params.Get(parameter); there {
				if n, whole := value.(int64); whole && n >= 0 {
					found[policy][i] = n
				}
			}
		}
	}
	return found, len(list) > 0
}
