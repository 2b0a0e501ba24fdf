package edge

import (
	"context"
	"errors"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Coded returns the error of a request in the form for the caller, for an answer whose HTTP
// status is a success. Coded counts the refusal, and logs a fault of the service. A refusal of
// the HTTP layer gets the code of its slug.
func (e *Edge) Coded(ctx context.Context, err error) *transcript.Error {
	if ctx.Err() == nil && (e.lifetime.Excuses(err) || errors.Is(err, db.ErrUnavailable)) {
		err = Unavailable().Because(err)
	}
	shown, business := BusinessFailure(err)
	var failure *FlatRefusal
	switch {
	case errors.As(err, &failure):
		shown = failure.coded()
	case business:
		copied := *shown
		shown = &copied
	default:
		if ctx.Err() == nil { // otherwise the client has disconnected
			e.log.ErrorContext(ctx, "a request failed", "request", RequestID(ctx), "err", err)
		}
		shown = ErrInternal.coded()
	}
	exchangeOf(ctx).err = err
	e.metrics.Refused(shown.Code)
	shown.RequestID = RequestID(ctx)
	return shown
}

// coded converts the refusal into an error with a code.
func (e *FlatRefusal) coded() *transcript.Error {
	for _, code := range transcript.FlatCodes() {
		if code.Slug() == e.Slug {
			shown := transcript.Errorf(code, "%s", e.message)
			if e.message == "" {
				shown.Message = code.Meaning()
			}
			shown.RetryAfter = e.retryAfter
			return shown
		}
	}
	return transcript.Errorf(transcript.Internal, "%s", transcript.Internal.Meaning())
}
