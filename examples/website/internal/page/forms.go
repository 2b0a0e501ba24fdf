package page

import (
	"errors"
	"net/http"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/internal/bodies"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Large forms in memory, in bytes: of all visitors, and of one user or one network of
// those who are not signed in. To read a form takes four times its size.
const (
	formBytes    = 40 << 20
	formBytesOne = 10 << 20
)

// holdForm holds the bytes of a large form before they are read. The caller releases them.
func (p *pages) holdForm(r *http.Request, most int64) (*bodies.Held, error) {
	held := p.forms.Hold(visitor.Owner(r.Context()))
	length := r.ContentLength
	if length < 0 || length > most { // of a longer one, no more is read
		length = most
	}
	err := held.Grow(length)
	refusal := transcript.Errorf(transcript.ServiceUnavailable, "%s", p.strings.text("problem.tooMuch"))
	refusal.RetryAfter = 2
	switch {
	case errors.Is(err, bodies.ErrShare):
		refusal.Code, refusal.RetryAfter = transcript.RateLimited, 1
		return held, refusal
	case err != nil:
		return held, refusal
	}
	return held, nil
}
