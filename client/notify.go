package client

import (
	"errors"
	"time"
)

// WithRetryNotify calls report before the client repeats a request or resumes a stream
// of events, with the error and the length of the pause. The client does not report an
// error that the call returns, nor a stream that the service has ended properly. report
// runs in the goroutine of the call, which waits for it.
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
