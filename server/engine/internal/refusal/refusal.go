// Package refusal has the meanings of a platform's refusals for the caller. The meaning
// does not depend on how the platform was asked.
package refusal

import (
	"errors"
	"fmt"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/retryafter"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Refusal is a reason why content cannot be read.
type Refusal struct {
	Code    transcript.Code
	Message string        // for the caller; names no address and quotes nothing
	Cure    string        // with which Message ends; empty means that nothing is known
	Pause   time.Duration // when to ask again; 0 if not known
	// NotFound says that another source may still find the content, see
	// [engine.ErrNothingFound].
	NotFound bool
}

// Pause is when to ask a platform again that blocks the server and names no time.
const Pause = 30 * time.Second

// Refusals of content that is not available.
var (
	Gone      = unavailable("The content is not there: it was removed, or never existed.")
	Private   = unavailable("The content is private.")
	Members   = unavailable("The content is for members only.")
	Elsewhere = unavailable("The content is not available in this region.")
	Upcoming  = unavailable("The content is announced but not there yet.")
)

// Refusals of platforms that want to know more about the viewer.
var (
	Login        = curable(transcript.LoginRequired, "The platform asks for a login.")
	Age          = curable(transcript.LoginRequired, "The platform asks for a login to prove the age of the viewer.")
	CaptionToken = curable(transcript.POTokenRequired, "The platform wants a proof-of-origin token for its captions.")
	MediaToken   = curable(transcript.POTokenRequired, "The platform wants a proof-of-origin token for its media.")
)

// Refusals of platforms that want fewer visits. A limiting platform says "for up to an hour".
var (
	Blocked = curable(transcript.IPBlocked, "The platform blocks this server at the moment.").after(Pause)
	Limited = curable(transcript.IPBlocked, "The platform refuses further visits by this server for up to an hour.").after(10 * time.Minute)
)

// curable returns a refusal whose message ends with the cure for its code.
func curable(code transcript.Code, message string) Refusal {
	return Refusal{Code: code, Message: message + " " + engine.Cure(code), Cure: engine.Cure(code)}
}

func (r Refusal) after(pause time.Duration) Refusal {
	r.Pause = pause
	return r
}

func unavailable(message string) Refusal {
	return Refusal{Code: transcript.Unavailable, Message: message}
}

// Because returns the error for r; why is for the log.
func (r Refusal) Because(why error) *transcript.Error {
	if r.NotFound {
		why = fmt.Errorf("%w: %w", engine.ErrNothingFound, why)
	}
	e := transcript.Errorf(r.Code, "%s", r.Message).Because(why)
	e.Cure, e.RetryAfter = r.Cure, retryafter.Seconds(r.Pause)
	return e
}

// Names reports whether an error is, or wraps, one of r.
func (r Refusal) Names(err error) bool {
	var e *transcript.Error
	return errors.As(err, &e) && e.Code == r.Code && e.Message == r.Message
}
