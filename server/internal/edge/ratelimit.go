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
}

// RateWindowOf returns the window in which the request that ctx belongs to was counted; nil:
// the request was not counted.
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

// countRequest counts a request of p, and sets the headers of the window. If there are too many
// requests, the error is a 429. If the account has no limit, the window is nil.
func (e *Edge) countRequest(h http.Header, r *http.Request, p account.Principal, class db.RequestClass) (*rateWindow, error) {
	limit := rateLimitOf(p.Plan, class)
	if limit.Requests == account.Unlimited {
		return nil, nil
	}
	key := db.RequestWindow{Account: p.Account, Class: class, Length: limit.Window}
	counted, err := e.store.CountRequest(r.Context(), key, limit.Requests)
	if err != nil {
		return nil, err
	}
	w := &rateWindow{limit: limit.Requests, remaining: max(limit.Requests-counted.Count, 0), end: counted.End, length: limit.Window}
	w.setHeaders(h)
	if counted.Count > limit.Requests {
		return w, RateLimited(counted.Left)
	}
	return w, nil
}

// setHeaders sets the headers of the window. The names are in the canonical form of
// http.Header, because every answer would pay for a conversion.
func (w *rateWindow) setHeaders(h http.Header) {
	h.Set("X-Ratelimit-Limit", strconv.Itoa(w.limit))
	h.Set("X-Ratelimit-Remaining", strconv.Itoa(w.remaining))
	h.Set("X-Ratelimit-Reset", strconv.FormatInt(w.end.Unix(), 10))
}

// pollsPerRequest is how many requests for the progress of work an account may make for each
// other request.
const pollsPerRequest = 5

// unpaidLimit is the limit of a plan that is not paid and has no limit of its own. Such
// requests are answered 402, but even these answers must be bounded.
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
