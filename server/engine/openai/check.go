package openai

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/openai/openai-go/v3/option"
)

// patience is for the answer to a check.
const patience = 4 * time.Second

// Check asks the endpoint for the list of its models, for at most 4 seconds, and
// does not read it: many endpoints have none. One that answers, be it that there
// is no such thing, is fit. The error is a CONFIG_ERROR for a key that is not
// accepted and for a redirect, an UPSTREAM_FAILED that names the address for an
// endpoint that cannot be reached or fails; or the cause of ctx.
func (r *Recognizer) Check(ctx context.Context) error {
	patient, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var answer *http.Response
	_, err := r.models.List(patient, option.WithResponseBodyInto(&answer))
	if answer != nil {
		_ = answer.Body.Close() // it is not read
	}
	var refused *refusal
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
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
