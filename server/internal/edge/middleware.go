package edge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"regexp"
	"runtime/debug"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/metrics"
)

// everyAnswer are headers that all answers have, in addition to X-Request-Id. Answers
// share the values. An answer with another value replaces the value.
var everyAnswer = http.Header{
	"X-Content-Type-Options": {"nosniff"},
	"Vary":                   {"Authorization, X-API-Key, Accept-Encoding"},
}

// outermost is what stands before everything else: request id, log line, crash.
// Handlers of this package within others do it once.
func (e *Edge) outermost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, done := r.Context().Value(logEntryKey{}).(*logEntry); done {
			next.ServeHTTP(w, r)
			return
		}
		began := time.Now()
		n := &logEntry{id: requestID(r), route: e.noRoute, client: ClientAddr(r, e.trustedProxies)}
		outer := r
		r = r.WithContext(context.WithValue(r.Context(), logEntryKey{}, n))
		// A handler around this one learns the route, as from a ServeMux.
		defer func() { outer.Pattern = r.Pattern }()
		rec := &recorder{ResponseWriter: w}
		control := http.NewResponseController(w)
		// A deadline of the request before this one on the connection is not ours.
		_ = control.SetWriteDeadline(time.Time{}) // not every writer has deadlines
		n.body = rec.limitBody(r, control)
		n.holding.of = e.memory
		defer n.holding.release()
		h := rec.Header()
		before := h["Vary"] // of who stands before this handler, such as the origin
		maps.Copy(h, everyAnswer)
		if before != nil {
			h["Vary"] = slices.Concat(before, everyAnswer["Vary"])
		}
		h.Set("X-Request-Id", n.id)
		if e.lifetime.Draining() {
			h.Set("Connection", "close") // the next request is for another process
		}
		defer func() { e.ended(r, rec, n, time.Since(began)) }() // also of one that is cut off
		defer func() {
			if crash := recover(); crash != nil {
				e.crashed(rec, r, crash)
			}
		}()
		next.ServeHTTP(rec, r)
	})
}

// crashed answers for a handler that panicked, unless it had begun to answer:
// then the connection is cut, as half an answer must not look whole.
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

// ended counts a request and writes its one line. The query may hold what does not
// belong there, so it is left out.
func (e *Edge) ended(r *http.Request, w *recorder, n *logEntry, took time.Duration) {
	status := w.status
	if n.gone {
		status = 499 // the client went away
	}
	n.route.Answered(r.Method, status, took-n.waited)
	if !e.log.Enabled(r.Context(), slog.LevelInfo) {
		return
	}
	// Without the place in the code, which costs a third of the line and is always this.
	line := slog.NewRecord(time.Now(), slog.LevelInfo, "request", 0)
	attrs := append(make([]slog.Attr, 0, 10),
		slog.String("request", n.id),
		slog.String("method", clip.Text(r.Method)),
		slog.String("route", n.route.Pattern()),
		slog.Int("status", status),
		slog.String("client", n.client.String()),
		slog.Int64("bytes", w.written),
		slog.Duration("took", took.Round(time.Microsecond)),
	)
	if n.principal.Account != "" {
		attrs = append(attrs, slog.String("account", n.principal.Account), slog.String("key", n.principal.Prefix))
	}
	if n.err != nil {
		attrs = append(attrs, slog.String("err", clip.To(n.err.Error(), maxCause)))
	}
	line.AddAttrs(attrs...)
	_ = e.log.Handler().Handle(r.Context(), line) // as slog itself, which has no place to report an error
}

// logEntry is what the line of a request in the log says, as far as it is known, and what
// the request holds.
type logEntry struct {
	id        string
	route     *metrics.Route
	client    netip.Addr // see ClientAddr
	principal account.Principal
	admission *admission    // nil: it is not let in yet
	err       error         // why it was refused
	gone      bool          // the client went away
	waited    time.Duration // as its sender wished: for a job, or for events

	body    *PatientBody // of the request; nil: it has none
	holding holding      // the memory that the request takes
}

type logEntryKey struct{}

// entryOf returns the log entry of ctx's request. Outside of a request, it returns an
// entry that is never logged.
func entryOf(ctx context.Context) *logEntry {
	if n, ok := ctx.Value(logEntryKey{}).(*logEntry); ok {
		return n
	}
	return &logEntry{}
}

// waited leaves the time until done is called out of what the request that ctx belongs
// to has taken: its sender wishes to wait.
func Waiting(ctx context.Context) (done func()) {
	began := time.Now()
	return func() { entryOf(ctx).waited += time.Since(began) }
}

// clientGone notes that the client of the request that ctx belongs to went away.
func ClientGone(ctx context.Context) { entryOf(ctx).gone = true }

// RequestID is the id of the request that ctx belongs to, as in the header
// X-Request-Id; empty outside of a request.
func RequestID(ctx context.Context) string { return entryOf(ctx).id }

// RequestIDPattern is the form of an id that a client may give to its request.
const RequestIDPattern = `^[A-Za-z0-9._-]{1,64}$`

var callersID = regexp.MustCompile(RequestIDPattern)

// requestID is the caller's own id where it is fit for a log, else a new one.
func requestID(r *http.Request) string {
	id := r.Header.Get("X-Request-Id")
	if _, isKey := account.FindKey(id); !isKey && callersID.MatchString(id) {
		return id
	}
	return newID()
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// recorder remembers what was answered.
type recorder struct {
	http.ResponseWriter
	body    *PatientBody // of the request; nil: it has none
	status  int
	written int64
}

// limitBody gives the body of a request its deadline, unless a handler before this one
// has done so; nil: the request has no body.
func (w *recorder) limitBody(r *http.Request, control *http.ResponseController) *PatientBody {
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}
	body, ok := r.Body.(*PatientBody)
	if !ok {
		body = NewPatientBody(r.Body, control)
		r.Body = body
	}
	if r.ProtoMajor == 1 { // in HTTP/2 no answer waits for a body
		w.body = body
	}
	return body
}

// begin is called before anything is written. A gzip answer gets an ETag of its own. A
// refusal goes out at once, even if the body is still on its way.
func (w *recorder) begin(status int) {
	if w.status != 0 {
		return
	}
	w.status = status
	if h := w.Header(); h["Etag"] != nil && h.Get("Content-Encoding") == "gzip" {
		h.Set("ETag", gzipTag(h.Get("ETag")))
	}
	if status >= http.StatusBadRequest && w.body != nil && !w.body.ended {
		w.body.abandon(w.Header())
	}
}

// Unwrap lets http.ResponseController find what the recorder hides.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *recorder) WriteHeader(status int) {
	w.begin(status)
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(b []byte) (int, error) {
	w.begin(http.StatusOK)
	n, err := w.ResponseWriter.Write(b)
	w.written += int64(n)
	return n, err
}
