package openai

import (
	"context"
	"errors"
	"net/http"

	"github.com/transcriptkit/transcriptkit/server/engine/internal/unknownhost"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/whispermodel"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Check requests the list of models from the endpoint and waits for at most
// Options.CheckTimeout. It ignores the list: the endpoint works if it answers, even
// with 404, because many endpoints have no list. If the endpoint rejects the key or
// redirects, the code is CONFIG_ERROR. If it accepts the connection but does not answer
// in time, perhaps because it works on a recording, the code is RATE_LIMITED. If it
// cannot be reached or fails, the code is UPSTREAM_FAILED, with its address. When ctx
// ends, the error is context.Cause(ctx).
func (r *Recognizer) Check(ctx context.Context) error {
	busy, err := whispermodel.AskServer(ctx, r.checkTimeout, func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.base+"models", nil)
		if err != nil {
			return err
		}
		body, err := r.do(req)
		if err == nil {
			_ = body.Close() // it is not read
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
	case unknownhost.Of(err) != nil:
		return unreachable(err)
	case !errors.As(err, &refused):
		return upstream("The endpoint for speech recognition at "+r.base+" cannot be reached: start it, or correct its address.", err)
	case refused.status < 300, refused.status >= 400 && !refused.isFinal():
		return nil
	}
	return r.fault(err, "", "")
}

// isFinal reports whether a refusal of the list of models means that every other request will
// fail too.
func (r *refusal) isFinal() bool {
	switch r.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusPaymentRequired:
		return true
	}
	return r.status >= 500 && r.status != http.StatusNotImplemented
}
