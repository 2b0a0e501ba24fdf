// Package refusal says what it means to the caller that a platform does not give
// its content, whichever way the platform was asked.
package refusal

import (
	"errors"
	"fmt"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/retryafter"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Refusal is a reason for which content cannot be had.
type Refusal struct {
	Code    transcript.Code
	Message string        // for the caller; names no address and quotes nothing
	Pause   time.Duration // when to ask again; 0 where it is not known
	// NotFound: another source may find what this one did not, see
	// [engine.ErrNothingFound].
	NotFound bool
}

// Pause is when to ask a platform again that blocks and does not say for how long.
const Pause = 30 * time.Second

// The content cannot be had.
var (
	Gone      = unavailable("The content is not there: it was removed, or never existed.")
	Private   = unavailable("The content is private.")
	Members   = unavailable("The content is for members only.")
	Elsewhere = unavailable("The content is not available in this region.")
	Upcoming  = unavailable("The content is announced but not there yet.")
)

// The platform wants to know more of who asks.
var (
	Login        = curable(transcript.LoginRequired, "The platform asks for a login.")
	Age          = curable(transcript.LoginRequired, "The platform asks for a login to prove the age of the viewer.")
	CaptionToken = curable(transcript.POTokenRequired, "The platform wants a proof-of-origin token for its captions.")
	MediaToken   = curable(transcript.POTokenRequired, "The platform wants a proof-of-origin token for its media.")
)

// The platform wants to be left alone. A limited one says "for up to an hour".
var (
	Blocked = curable(transcript.IPBlocked, "The platform blocks this server at the moment.").after(Pause)
	Limited = curable(transcript.IPBlocked, "The platform has had enough of this server's visits for up to an hour.").after(10 * time.Minute)
)

// curable is a refusal that ends with what can be done about it.
func curable(code transcript.Code, message string) Refusal {
	return Refusal{Code: code, Message: message + " " + engine.Cure(code)}
}

func (r Refusal) after(pause time.Duration) Refusal {
	r.Pause = pause
	return r
}

func unavailable(message string) Refusal {
	return Refusal{Code: transcript.Unavailable, Message: message}
}

// Because is the error of r; why is for the log.
func (r Refusal) Because(why error) *transcript.Error {
	if r.NotFound {
		why = fmt.Errorf("%w: %w", engine.ErrNothingFound, why)
	}
	e := transcript.Errorf(r.Code, "%s", r.Message).Because(why)
	e.RetryAfter = retryafter.Seconds(r.Pause)
	return e
}

// Names reports whether an error is, or wraps, one of r.
func (r Refusal) Names(err error) bool {
	var e *transcript.Error
	return errors.As(err, &e) && e.Code == r.Code && e.Message == r.Message
}
