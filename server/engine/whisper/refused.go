package whisper

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/internal/retryafter"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/unknownhost"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	// pause is when to ask a busy server again that names no time, and maxPause the longest
	// pause that a server may ask for.
	pause    = 10 * time.Second
	maxPause = 24 * time.Hour
	// maxComplaint limits the part of a server's message that is kept, in bytes.
	maxComplaint = 300
)

// refused returns the error for an answer whose status is not 200.
func refused(resp *http.Response, prompt string) error {
	why := complaint(resp, prompt)
	switch code := resp.StatusCode; {
	case code == http.StatusRequestEntityTooLarge:
		return tooLarge(why)
	case code == http.StatusTooManyRequests, code == http.StatusServiceUnavailable:
		e := transcript.Errorf(transcript.RateLimited, "The speech recognition server is busy.").
			With("engine", serverName).Because(why)
		wait, _ := retryafter.Parse(resp.Header, maxPause) // 0 if the header names no time
		e.RetryAfter = retryafter.Seconds(cmp.Or(wait, pause))
		return e
	case code == http.StatusRequestTimeout, code >= 500:
		return upstream("The speech recognition server failed.").Because(why)
	}
	// The sender, the address or the form of the request is wrong, because the recording
	// itself is valid.
	return transcript.Errorf(transcript.ConfigError, "The speech recognition server does not accept requests from here: check its address.").
		With("engine", serverName).Because(why)
}

func tooLarge(why error) error {
	return transcript.Errorf(transcript.MediaTooLarge, "The recording is larger than the speech recognition server accepts: set its limit in bytes.").
		With("engine", serverName).Because(why)
}

// notAnAnswer is the error for status 200 with an unexpected body.
func notAnAnswer(err error) error {
	return upstream("The speech recognition server sends an unexpected answer.").Because(fmt.Errorf("whisper: %w", err))
}

// unreachable says why there is no answer, or only a part of one, to a request that was sent
// with limited, a child of ctx.
func unreachable(ctx, limited context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case limited.Err() != nil:
		err = context.Cause(limited)
	}
	if unknown := unknownhost.Of(err); unknown != nil {
		return unknown.With("engine", serverName)
	}
	return upstream("The speech recognition server cannot be reached, or breaks off.").
		Because(fmt.Errorf("whisper: %w", withoutURL(err)))
}

// withoutURL removes the address from an error, because the address may hold a password.
func withoutURL(err error) error {
	var e *url.Error
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// complaint returns the status of an answer and the beginning of its body. It ignores the
// content type: the body is plain text or JSON.
func complaint(resp *http.Response, prompt string) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxComplaint))
	if err != nil {
		return fmt.Errorf("whisper: status %d", resp.StatusCode) // the status says enough
	}
	return fmt.Errorf("whisper: status %d: %s", resp.StatusCode, said(string(body), prompt))
}

// said returns a server's message for the log. The message may repeat the request, and no log
// may show a prompt, so with a prompt the message is left out.
func said(words, prompt string) string {
	if prompt != "" {
		return "its message is left out, because it may repeat the prompt"
	}
	return clip.Line(words, maxComplaint)
}
