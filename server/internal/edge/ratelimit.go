package edge

import (
	"cmp"
	"context"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// rateWindow is the window in which a request was counted, after the request.
type rateWindow struct {
	limit, remaining int
	end              time.Time
	length           time.Duration
	left             int // seconds until the end
}

// RateWindowOf returns the window in which the request that ctx belongs to was counted, or
// nil if the request was not counted.
func RateWindowOf(ctx context.Context) *transcript.RateWindow {
	in, ok := identityOf(ctx)
	if !ok || in.window == nil {
		return nil
	}
	w := in.window
	return &transcript.RateWindow{
		Limit: int64(w.limit), Remaining: int64(w.remaining), Reset: w.end.Unix(), WindowSec: int64(w.length / time.Second),
	}
}

// countRequest counts a request of p, and sets the headers of the windows. If there are too many
// requests, the error is a 429. If the account has no limit, the window is nil. Requests without
// a key are counted separately, so that a program at its limit does not lock people out of a
// website.
func (e *Edge) countRequest(h http.Header, r *http.Request, p account.Principal, class db.RequestClass) (*rateWindow, error) {
	limit := rateLimitOf(p.Plan, class)
	if limit.Requests == account.Unlimited {
		return nil, nil
	}
	key := db.RequestWindow{Account: p.Account, Keyless: p.KeyID == "", Class: class, Length: limit.Window}
	counted, err := e.store.CountRequest(r.Context(), key, limit.Requests)
	if err != nil {
		return nil, err
	}
	w := &rateWindow{
		limit: limit.Requests, remaining: max(limit.Requests-counted.Count, 0),
		end: counted.End, length: limit.Window, left: wholeSeconds(counted.Left),
	}
	w.setHeaders(h)
	if class == db.PollingRequests {
		requests := rateLimitOf(p.Plan, db.MainRequests).Requests
		w.setPolicies(h, requests, max(requests-counted.Other, 0), w.limit, w.remaining)
	} else {
		polls := rateLimitOf(p.Plan, db.PollingRequests).Requests
		w.setPolicies(h, w.limit, w.remaining, polls, max(polls-counted.Other, 0))
	}
	if counted.Count > limit.Requests {
		return w, RateLimited(counted.Left)
	}
	return w, nil
}

// setHeaders sets the headers of the window. The names are in the canonical form of
// http.Header, because otherwise every answer would need a conversion.
func (w *rateWindow) setHeaders(h http.Header) {
	h.Set("X-Ratelimit-Limit", strconv.Itoa(w.limit))
	h.Set("X-Ratelimit-Remaining", strconv.Itoa(w.remaining))
	h.Set("X-Ratelimit-Reset", strconv.FormatInt(w.end.Unix(), 10))
}

// setPolicies sets the headers of both windows (draft-ietf-httpapi-ratelimit-headers-10). The
// windows begin and end together.
func (w *rateWindow) setPolicies(h http.Header, requests, requestsLeft, polls, pollsLeft int) {
	length := int(w.length / time.Second)
	h.Set("Ratelimit-Policy", structured("q", requests, polls, "w", length))
	h.Set("Ratelimit", structured("r", requestsLeft, pollsLeft, "t", w.left))
}

// structured is a list of the policies, each with a number of its own and a number that both
// have (RFC 9651).
func structured(name string, requests, polls int, both string, value int) string {
	b := make([]byte, 0, 80)
	for _, policy := range [...]struct {
		name string
		n    int
	}{{`"requests";`, requests}, {`, "polling";`, polls}} {
		b = append(b, policy.name...)
		b = append(b, name...)
		b = strconv.AppendInt(append(b, '='), int64(min(policy.n, largestInteger)), 10)
		b = append(b, ';')
		b = append(b, both...)
		b = strconv.AppendInt(append(b, '='), int64(value), 10)
	}
	return string(b)
}

// largestInteger is the largest number in a structured field.
const largestInteger = 999_999_999_999_999

// pollsPerRequest is how many polling requests an account may make for each other request.
const pollsPerRequest = 5

// unpaidLimit is the limit of a plan that is not paid and has no limit of its own. Such
// requests are answered with 402, but even these answers must be limited.
var unpaidLimit = account.RateLimit{Requests: 60, Window: time.Minute}

// rateLimitOf is the limit of a plan for requests of a class. The window is a number of whole
// seconds.
func rateLimitOf(p account.Plan, class db.RequestClass) account.RateLimit {
	limit := p.RateLimit
	if !p.Paid && limit == (account.RateLimit{}) {
		limit = unpaidLimit
	}
	// An Authenticator may return plans that were never checked.
	if limit.Requests < account.Unlimited {
		limit.Requests = 0
	}
	if class == db.PollingRequests && limit.Requests != account.Unlimited {
		limit.Requests = min(limit.Requests, math.MaxInt/pollsPerRequest) * pollsPerRequest
	}
	limit.Window = max(cmp.Or(limit.Window, time.Minute).Truncate(time.Second), time.Second)
	return limit
}
