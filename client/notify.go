package client

import (
	"errors"
	"time"
)

// WithRetryNotify reports why a request is about to be sent again, or a stream of events
// to be resumed, and how long the pause before is. Nothing is reported of a failure that
// is returned, nor where the service ended a stream in good order. Calls come from the
// goroutine of the call, which waits for them.
func WithRetryNotify(report func(err error, pause time.Duration)) RequestOption {
	return requestOption(func(s *settings) error {
		if report == nil {
			return errors.New("client: nil notify function")
		}
		s.notify = report
		return nil
	})
}

// tryingAgain reports a failure that is followed by another attempt.
func (s *settings) tryingAgain(err error, pause time.Duration) {
	if s.notify != nil {
		s.notify(err, pause)
	}
}
