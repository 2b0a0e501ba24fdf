package edge

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"runtime/debug"
	"slices"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
)

// everyAnswer are the headers that all answers have, in addition to X-Request-Id. Answers
// share the values. If an answer has its own value, that value replaces this one.
var everyAnswer = http.Header{
	"X-Content-Type-Options": {"nosniff"},
	"Vary":                   {"Authorization, X-API-Key, Accept-Encoding"},
}

// outermost is the outer layer of the edge: request id, log line, panics, deadlines. If
// handlers of this package are nested, only the outermost does this work.
func (e *Edge) outermost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, done := r.Context().Value(exchangeKey{}).(*exchange); done {
			next.ServeHTTP(w, r)
			return
		}
		began := time.Now()
		n := &exchange{id: requestID(r), route: e.noRoute, client: ClientAddr(r, e.trustedProxies)}
		outer := r
		ctx := context.WithValue(r.Context(), exchangeKey{}, n)
		if e.patience > 0 {
			ctx = db.Patient(ctx, e.patience)
		}
		r = r.WithContext(ctx)
		// A handler around this one learns the route, as from a ServeMux.
		defer func() { outer.Pattern = r.Pattern }()
		rec := newRecorder(w, r)
		n.answer, n.body = rec, rec.body
		n.holding.of = e.memory
		defer n.holding.release()
		n.edge = e
		defer e.uncount(n)
		defer rec.end()
		h := rec.Header()
		before := h["Vary"] // of a handler around this one, for example the origin
		maps.Copy(h, everyAnswer)
		if before != nil {
			h["Vary"] = slices.Concat(before, everyAnswer["Vary"])
		}
		h.Set("X-Request-Id", n.id)
		if e.lifetime.Draining() {
			h.Set("Connection", "close") // the next request should go to another process
		}
		defer func() { e.ended(r, rec, n, time.Since(began)) }() // even if the request is cut off
		defer func() {
			if crash := recover(); crash != nil {
				e.crashed(rec, r, crash)
			}
		}()
		next.ServeHTTP(rec, r)
	})
}

// crashed answers for a handler that panicked. If the handler had begun to answer, crashed
// cuts the connection, so that half an answer does not look complete.
func (e *Edge) crashed(w *recorder, r *http.Request, crash any) {
	if err, ok := crash.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(crash)
	}
	err := fmt.Errorf("panic: %s\n%s", clip.To(fmt.Sprint(crash), maxLogged/2), debug.Stack())
	if w.status != 0 {
		e.log.ErrorContext(r.Context(), "a handler crashed in the middle of an answer", "request", RequestID(r.Context()), "err", err)
		panic(http.ErrAbortHandler)
	}
	e.refuse(w, r, err)
}
