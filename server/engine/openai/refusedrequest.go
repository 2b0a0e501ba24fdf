package openai

import (
	"cmp"
	"errors"
	"net/http"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/internal/retryafter"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/unknownhost"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// pause is when to ask an endpoint again that limits its callers and names no time.
const pause = 30 * time.Second

// fault returns a coded error for a failed request with this language and prompt. The
// endpoint's message may repeat the request. No log may show a prompt, so a request with a
// prompt leaves the message out.
func (r *Recognizer) fault(err error, language, prompt string) *transcript.Error {
	var refused *refusal
	if !errors.As(err, &refused) {
		return unreachable(err)
	}
	why := errors.New(clip.Line(r.scrub(refused.Error()), maxWords))
	if prompt != "" {
		why = &refusal{status: refused.status}
	}
	switch code := refused.status; {
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return r.wrongKey(refused)
	case code == http.StatusPaymentRequired, refused.mentions("insufficient_quota", "billing_hard_limit_reached"):
		return config("The account at the endpoint for speech recognition has no credit left.").Because(why)
	case code == http.StatusTooManyRequests:
		e := transcript.Errorf(transcript.RateLimited, "The endpoint for speech recognition takes no more requests at the moment.").
			With("engine", name).Because(why)
		e.RetryAfter = retryafter.Seconds(cmp.Or(refused.retryAfter, pause))
		return e
	case code == http.StatusRequestEntityTooLarge:
		return tooLarge(r.maxBytes).Because(why)
	case refused.badRequest() && language != "" && refused.mentions("language"):
		return transcript.Errorf(transcript.NotImplemented, "The model %s does not recognize the language %q.", r.model, language).
			With("language", language).With("engine", name).Because(why)
	case code == http.StatusNotFound || code == http.StatusMethodNotAllowed:
		return config("The endpoint for speech recognition does not know the address or the model: is the base URL right, and is there a model %q?", r.model).Because(why)
	case code >= 300 && code < 400:
		return config("The endpoint for speech recognition redirects, which is not followed: set the address that it leads to.").Because(why)
	case passes(code):
		e := upstream("The endpoint for speech recognition failed.", why)
		e.RetryAfter = retryafter.Seconds(refused.retryAfter)
		return e
	}
	return config("The endpoint for speech recognition refuses the request.").Because(why)
}

// passes reports whether a status describes a problem that may soon be over.
func passes(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly:
		return true
	}
	return status >= 500 && status != http.StatusNotImplemented || status < 300
}

// wrongKey leaves the server's message out, because servers often repeat a part of the key.
func (r *Recognizer) wrongKey(refused *refusal) *transcript.Error {
	return config("The endpoint for speech recognition does not accept the key: put the right one into the key file.").
		Because(&refusal{status: refused.status})
}

func config(format string, args ...any) *transcript.Error {
	return transcript.Errorf(transcript.ConfigError, format, args...).With("engine", name)
}

func upstream(message string, because error) *transcript.Error {
	return transcript.Errorf(transcript.UpstreamFailed, "%s", message).With("engine", name).Because(because)
}

func tooLarge(maxBytes int64) *transcript.Error {
	return transcript.Errorf(transcript.MediaTooLarge,
		"A piece of the recording is over the upload limit of the endpoint for speech recognition: lower the configured limit, %d bytes, to the endpoint's own.", maxBytes).
		With("limitBytes", maxBytes).With("engine", name)
}

// unreachable is the error for a request without an answer, or with a partial answer.
func unreachable(err error) *transcript.Error {
	var much *http.MaxBytesError
	if errors.As(err, &much) {
		return upstream("The endpoint for speech recognition sends too much.", err)
	}
	if unknown := unknownhost.Of(err); unknown != nil {
		return unknown.With("engine", name)
	}
	return upstream("The endpoint for speech recognition cannot be reached, or breaks off.", err)
}
