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

// flatError is a failure of the framework, not of the business: its body is a
// flat string.
type FlatRefusal struct {
	Status int
	Slug   string
	// message says what to do about it; empty where the slug does.
	message string
	// retryAfter in seconds; 0: none.
	retryAfter int
}

func (e *FlatRefusal) Error() string { return e.Slug }

// flat is the flat form of a code that has one.
func flat(code transcript.Code, message string) *FlatRefusal {
	return &FlatRefusal{Status: code.Status(), Slug: code.Slug(), message: message}
}

// The failures of the framework.
var (
	ErrUnknownRoute = flat(transcript.NotFound, "")
	errWrongMethod  = flat(transcript.MethodNotAllowed, "")
	ErrTooSlow      = flat(transcript.RequestTimeout, "The body did not arrive in time.")
	ErrEncoded      = Unsupported("Send the body without Content-Encoding.")
	ErrInternal     = flat(transcript.Internal, "")
)

// ErrCut is for the log alone: no client can read it.
var ErrCut = transcript.Errorf(transcript.ServiceUnavailable, "The service ended before the body had arrived.")

// unavailableRetry is how long a client is asked to leave a service alone whose
// own parts are away.
const unavailableRetry = 2 // seconds

func Unavailable() *transcript.Error {
	e := transcript.Errorf(transcript.ServiceUnavailable, "The service is not available for the moment.")
	e.RetryAfter = unavailableRetry
	return e
}

// unsupported refuses a body for its type or its encoding.
func Unsupported(message string) *FlatRefusal {
	return flat(transcript.UnsupportedMediaType, message)
}

// rateLimited tells a client to wait, for whole seconds and at least one.
func RateLimited(wait time.Duration) *FlatRefusal {
	e := flat(transcript.RateLimited, "")
	e.retryAfter = max(int((wait+time.Second-1)/time.Second), 1)
	return e
}

// flatBody is the body of a failure of the framework, of 401 and of 429.
type FlatError struct {
	Error string `json:"error"` // the slug: what to branch on
	// Message says what to do about it, where the slug does not.
	Message   string `json:"message,omitempty"`
	RequestID string `json:"requestId,omitempty"` // the same as in X-Request-Id
}

// envelope is the body of a business failure.
type ErrorEnvelope struct {
	Error transcript.Error `json:"error"` // why the request was refused
}

// businessFailure is the failure in err that callers may be told as it is. INTERNAL
// is none, and neither is an embedder's error whose status is that of no failure:
// both are faults of the service.
func BusinessFailure(err error) (*transcript.Error, bool) {
	var coded *transcript.Error
	if !errors.As(err, &coded) || coded.Code == transcript.Internal {
		return nil, false
	}
	status := coded.HTTPStatus()
	return coded, 400 <= status && status <= 599
}

// Refuse answers a request with an error as the handlers of the API do: for the
// middleware and the routes of the program around them. The answer has the header
// X-Request-Id, and is logged and counted.
//
//   - A *transcript.Error gets the status and the body of its code; RATE_LIMITED, for
//     which RetryAfter is required, the flat one.
//   - ErrNoCredential and ErrInvalidCredential are 401.
//   - Any other error, nil too, is a fault of the program: 500, and the log says which.
//
// Nothing of the answer may have been written yet.
func (e *Edge) Refuse(w http.ResponseWriter, r *http.Request, err error) {
	if err == nil {
		err = errors.New("server: Refuse was called without an error")
	}
	e.outermost(e.answering(func(http.ResponseWriter, *http.Request) error { return err })).ServeHTTP(w, r)
}

// refuse answers with an error, in the form that is its own.
func (e *Edge) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() == nil && e.lifetime.Excuses(err) {
		err = Unavailable().Because(err)
	}
	w.Header().Del("ETag") // of the answer that has come to nothing
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
		return // nobody reads an answer
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
	e.respondRefusal(r.Context(), w, failure.Status, FlatError{Error: failure.Slug, Message: failure.message, RequestID: RequestID(r.Context())})
}

func (e *Edge) refuseCoded(w http.ResponseWriter, r *http.Request, coded *transcript.Error) {
	e.metrics.Refused(coded.Code)
	shown := *coded
	shown.RequestID = RequestID(r.Context())
	if shown.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(shown.RetryAfter))
	}
	e.respondRefusal(r.Context(), w, coded.HTTPStatus(), ErrorEnvelope{Error: shown})
}

// respondRefusal sends the body of a refusal. Only the details of an embedder's error can
// have a value that JSON does not have; then the body says no more than that the service
// failed.
func (e *Edge) respondRefusal(ctx context.Context, w http.ResponseWriter, status int, body any) {
	err := RespondJSON(w, status, body)
	if err == nil {
		return
	}
	e.log.ErrorContext(ctx, "a refusal could not be rendered", "request", RequestID(ctx), "err", err)
	Respond(w, JsonType, http.StatusInternalServerError, []byte(`{"error":"internal_error"}`))
}

// logCause keeps why a request is refused for its line in the log.
func LogCause(r *http.Request, err error) { exchangeOf(r.Context()).err = err }
