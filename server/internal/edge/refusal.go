package edge

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// FlatRefusal is a refusal of the HTTP layer, whose body is a FlatError: an unknown path,
// an invalid credential, too many requests.
type FlatRefusal struct {
	Status int
	Slug   string
	code   transcript.Code
	// message says what to do; empty if the slug is enough.
	message string
	// retryAfter is the value of Retry-After, in seconds; 0 means no such header.
	retryAfter int
}

func (e *FlatRefusal) Error() string { return e.Slug }

// flat returns the flat form of a code that has one.
func flat(code transcript.Code, message string) *FlatRefusal {
	return &FlatRefusal{Status: code.Status(), Slug: code.Slug(), code: code, message: message}
}

// The flat refusals that never change.
var (
	ErrUnknownRoute = flat(transcript.NotFound, "")
	errWrongMethod  = flat(transcript.MethodNotAllowed, "")
	ErrTooSlow      = flat(transcript.RequestTimeout, "The body did not arrive in time.")
	ErrEncoded      = Unsupported("Send the body without Content-Encoding.")
	ErrInternal     = flat(transcript.Internal, "")
)

// ErrCut is only for the log, because no client can read it.
var ErrCut = transcript.Errorf(transcript.ServiceUnavailable, "The service ended before the body had arrived.")

// ErrStopped ends the body of a request if a later request for the same upload replaces
// the request.
var ErrStopped = transcript.Errorf(transcript.StateConflict, "Another request has taken the upload over.")

// unavailableRetry is the Retry-After while a part of the service itself is not
// available.
const unavailableRetry = 2 // seconds

// Unavailable refuses with 503 while a part of the service itself is not available.
func Unavailable() *transcript.Error {
	e := transcript.Errorf(transcript.ServiceUnavailable, "The service is not available for the moment.")
	e.RetryAfter = unavailableRetry
	return e
}

// Unsupported refuses a body because of its type or its encoding.
func Unsupported(message string) *FlatRefusal {
	return flat(transcript.UnsupportedMediaType, message)
}

// RateLimited refuses with 429. Retry-After is the wait in whole seconds, and at least 1.
func RateLimited(wait time.Duration) *FlatRefusal {
	e := flat(transcript.RateLimited, "")
	e.retryAfter = max(wholeSeconds(wait), 1)
	return e
}

// wholeSeconds is a time in seconds, rounded up.
func wholeSeconds(d time.Duration) int { return int(max(d+time.Second-1, 0) / time.Second) }

// FlatError is the body of a flat refusal.
type FlatError struct {
	Error string `json:"error"` // the slug: what to branch on
	// Message says what to do, unless the slug is enough.
	Message   string `json:"message,omitempty"`
	RequestID string `json:"requestId,omitempty"` // the same as in X-Request-Id
}

// ErrorEnvelope is the body of every other refusal.
type ErrorEnvelope struct {
	Error transcript.Error `json:"error"` // why the request was refused
}

// BusinessFailure returns the failure in err that clients may read unchanged. INTERNAL is
// not such a failure, and neither is an embedder's error whose status is below 400 or
// above 599: both are faults of the service.
func BusinessFailure(err error) (*transcript.Error, bool) {
	var coded *transcript.Error
	if !errors.As(err, &coded) || coded.Code == transcript.Internal {
		return nil, false
	}
	status := coded.HTTPStatus()
	return coded, 400 <= status && status <= 599
}

// Refuse answers a request with an error, as the handlers of the API do. The answer has the
// header X-Request-Id, and is logged and counted.
//
//   - A *transcript.Error gets the status and the body of its code. RATE_LIMITED, for
//     which RetryAfter is required, gets the flat body.
//   - ErrNoCredential and ErrInvalidCredential are 401.
//   - Any other error, including nil, is a fault of the program: 500, and the log has the
//     error.
//
// The caller must not have written any part of the answer yet.
func (e *Edge) Refuse(w http.ResponseWriter, r *http.Request, err error) {
	if err == nil {
		err = errors.New("server: Refuse was called without an error")
	}
	e.outermost(e.answering(func(http.ResponseWriter, *http.Request) error { return err })).ServeHTTP(w, r)
}

// refuse answers with an error: a FlatRefusal as a flat string, a coded error in an
// envelope, and any other error as a fault of the service.
func (e *Edge) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() == nil && e.lifetime.Excuses(err) {
		err = Unavailable().Because(err)
	}
	w.Header().Del("ETag") // of the answer that was not sent
	w.Header().Del("Content-Disposition")
	var failure *FlatRefusal
	coded, business := BusinessFailure(err)
	switch {
	case errors.As(err, &failure):
	case errors.Is(err, ErrNoCredential):
		failure = flat(transcript.Unauthorized, "")
	case errors.Is(err, ErrInvalidCredential):
		failure = flat(transcript.InvalidCredential, "")
	case errors.Is(err, db.ErrUnavailable) && r.Context().Err() == nil:
		LogCause(r, err)
		e.refuseCoded(w, r, Unavailable())
		return
	case business && coded.Code == transcript.RateLimited:
		failure = RateLimited(time.Duration(coded.RetryAfter) * time.Second) // 429 is always flat
	case business:
		LogCause(r, err)
		e.refuseCoded(w, r, coded)
		return
	case errors.Is(err, context.Canceled) && r.Context().Err() != nil:
		exchangeOf(r.Context()).gone = true
		return // the client has disconnected
	default:
		e.log.ErrorContext(r.Context(), "a request failed", "request", RequestID(r.Context()), "err", err)
		failure = ErrInternal
	}
	e.metrics.RefusedFlat(failure.Slug)
	if failure.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	if failure == ErrEncoded {
		w.Header().Set("Accept-Encoding", "identity") // RFC 9110, 15.5.16
	}
	if failure.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(failure.retryAfter))
	}
	if form := exchangeOf(r.Context()).refusal; form != nil {
		told := &transcript.Error{Code: failure.code, Message: failure.message, RetryAfter: failure.retryAfter, RequestID: RequestID(r.Context())}
		e.respondForeign(r.Context(), w, form(told))
		return
	}
	e.respondRefusal(r.Context(), w, failure.Status, FlatError{Error: failure.Slug, Message: failure.message, RequestID: RequestID(r.Context())})
}

func (e *Edge) refuseCoded(w http.ResponseWriter, r *http.Request, coded *transcript.Error) {
	e.metrics.Refused(coded.Code)
	shown := *coded
	shown.RequestID = RequestID(r.Context())
	if shown.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(shown.RetryAfter))
	}
	if form := exchangeOf(r.Context()).refusal; form != nil {
		e.respondForeign(r.Context(), w, form(&shown))
		return
	}
	e.respondRefusal(r.Context(), w, coded.HTTPStatus(), ErrorEnvelope{Error: shown})
}

// ForeignRefusal is a refusal in the form of another API.
type ForeignRefusal struct {
	Status int
	Header map[string]string // in addition to the headers of every refusal
	Body   any
}

func (e *Edge) respondForeign(ctx context.Context, w http.ResponseWriter, refusal ForeignRefusal) {
	for name, value := range refusal.Header {
		w.Header().Set(name, value)
	}
	e.respondRefusal(ctx, w, refusal.Status, refusal.Body)
}

// respondRefusal sends the body of a refusal. The details of an embedder's error may have a
// value that JSON cannot represent. Then the answer is a plain 500.
func (e *Edge) respondRefusal(ctx context.Context, w http.ResponseWriter, status int, body any) {
	err := RespondJSON(w, status, body)
	if err == nil {
		return
	}
	e.log.ErrorContext(ctx, "a refusal could not be rendered", "request", RequestID(ctx), "err", err)
	Respond(w, JSONType, http.StatusInternalServerError, []byte(`{"error":"internal_error"}`))
}

// LogCause keeps the reason of a refusal for the log line of the request.
func LogCause(r *http.Request, err error) { exchangeOf(r.Context()).err = err }
