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

// rateWindow is the window that a request counted in, after it.
type rateWindow struct {
	limit, remaining int
	end              time.Time
	length           time.Duration
}

// rateWindowOf returns the window in which the request that ctx belongs to was counted; nil:
// it was not counted.
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

// countRequest counts a request of p and says so in the answer's header. The error is
// a 429 where there are too many. Nil: the account has no window.
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

// setHeaders sets the headers. Their names are in the form in which http.Header has them,
// as every answer would pay for another.
func (w *rateWindow) setHeaders(h http.Header) {
	h.Set("X-Ratelimit-Limit", strconv.Itoa(w.limit))
	h.Set("X-Ratelimit-Remaining", strconv.Itoa(w.remaining))
	h.Set("X-Ratelimit-Reset", strconv.FormatInt(w.end.Unix(), 10))
}

// pollsPerRequest is how many requests an account may ask how work goes with for
// each other one.
const pollsPerRequest = 5

// unpaidLimit is for plans that are not paid and say nothing of requests: that these
// are answered with 402 has to be told first.
var unpaidLimit = account.RateLimit{Requests: 60, Window: time.Minute}

// rateLimitOf is the limit of a plan for requests of a class. Its window is whole
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
