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
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	// pause is when to ask a server again that is busy and does not say for how long,
	// maxPause the longest that it may ask for.
	pause    = 10 * time.Second
	maxPause = 24 * time.Hour
	// maxComplaint is how much is kept of what a server says, in bytes.
	maxComplaint = 300
)

// refused says what an answer's status means, unless that is 200.
func refused(resp *http.Response, prompt string) error {
	why := complaint(resp, prompt)
	switch code := resp.StatusCode; {
	case code == http.StatusRequestEntityTooLarge:
		return tooLarge(why)
	case code == http.StatusTooManyRequests, code == http.StatusServiceUnavailable:
		e := transcript.Errorf(transcript.RateLimited, "The speech recognition server is busy.").
			With("engine", serverName).Because(why)
		wait, _ := retryafter.Parse(resp.Header, maxPause) // 0 where the header says nothing
		e.RetryAfter = retryafter.Seconds(cmp.Or(wait, pause))
		return e
	case code == http.StatusRequestTimeout, code >= 500:
		return upstream("The speech recognition server failed.").Because(why)
	}
	// Who asks, where, or how: the recording itself is known to be sound.
	return transcript.Errorf(transcript.ConfigError, "The speech recognition server does not accept requests from here: check its address.").
		With("engine", serverName).Because(why)
}

func tooLarge(why error) error {
	return transcript.Errorf(transcript.MediaTooLarge, "The recording is larger than the speech recognition server accepts: set its limit in bytes.").
		With("engine", serverName).Because(why)
}

// notAnAnswer is an answer of status 200 that is none.
func notAnAnswer(err error) error {
	return upstream("The speech recognition server does not answer as it should.").Because(fmt.Errorf("whisper: %w", err))
}

// unreachable says why there is no answer, or only part of one, to a request
// that was sent with limited, which ends no later than ctx.
func unreachable(ctx, limited context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case limited.Err() != nil:
		err = context.Cause(limited)
	}
	return upstream("The speech recognition server cannot be reached, or breaks off.").
		Because(fmt.Errorf("whisper: %w", withoutURL(err)))
}

// withoutURL takes the address from an error: it may hold a password.
func withoutURL(err error) error {
	var e *url.Error
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// complaint is the status of an answer, and the beginning of what it says, which
// is plain text or JSON, whatever its content type.
func complaint(resp *http.Response, prompt string) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxComplaint))
	if err != nil {
		return fmt.Errorf("whisper: status %d", resp.StatusCode) // the status says enough
	}
	return fmt.Errorf("whisper: status %d: %s", resp.StatusCode, said(string(body), prompt))
}

// said is what a server says, for the log. It may repeat what it was sent: with a
// prompt, which no log may show, it is left out.
func said(words, prompt string) string {
	if prompt != "" {
		return "its words are left out, as they may repeat the prompt"
	}
	return clip.Line(words, maxComplaint)
}
