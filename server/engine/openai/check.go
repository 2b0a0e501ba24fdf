package openai

import (
	"context"
	"errors"
	"net/http"

	"github.com/openai/openai-go/v3/option"

	"github.com/transcriptkit/transcriptkit/server/engine/internal/checking"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Check asks the endpoint for the list of its models, for at most Options.CheckTimeout,
// and does not read it: many endpoints have none. One that answers, be it that there
// is no such thing, is fit. The error is a CONFIG_ERROR for a key that is not
// accepted and for a redirect, a RATE_LIMITED for an endpoint that takes the connection
// and does not answer in time, as one that works on a recording may, an UPSTREAM_FAILED
// that names the address for one that cannot be reached or fails; or the cause of ctx.
func (r *Recognizer) Check(ctx context.Context) error {
	busy, err := checking.Ask(ctx, r.checkTimeout, func(ctx context.Context) error {
		var answer *http.Response
		_, err := r.models.List(ctx, option.WithResponseBodyInto(&answer))
		if answer != nil {
			_ = answer.Body.Close() // it is not read
		}
		return err
	})
	var refused *refusal
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case busy:
		return transcript.Errorf(transcript.RateLimited, "The endpoint for speech recognition at %s takes connections, and has not answered within %s: it may be busy. If it always is, raise the time that a check may take.", r.base, r.checkTimeout).
			With("engine", name).Because(err)
	case !errors.As(err, &refused):
		return upstream("The endpoint for speech recognition at "+r.base+" cannot be reached.", err)
	case refused.status < 300, refused.status >= 400 && !refused.isFinal():
		return nil
	}
	return r.fault(err, "", "")
}

// isFinal reports whether a refusal of the list of models tells that no other
// request can go well.
func (r *refusal) isFinal() bool {
	switch r.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusPaymentRequired:
		return true
	}
	return r.status >= 500 && r.status != http.StatusNotImplemented
}
