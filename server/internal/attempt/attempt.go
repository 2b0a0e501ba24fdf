// Package attempt has what every attempt at a step of work needs: whether the work is still wanted,
// what an error means, and when the step runs again.
package attempt

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// OfJob converts the error for the owner of the job.
func OfJob(cause error) *transcript.Error {
	shown := *Coded(cause)
	retryable := shown.RetryableJob()
	shown.Retryable = &retryable
	return &shown
}

// Last converts an error for the owner of work that is tried again: the message without its
// remedy, in one line, and the remedy separately.
func Last(cause *transcript.Error, attempt int, at time.Time) *transcript.LastError {
	last := &transcript.LastError{
		Code:    cause.Code,
		Message: clip.OneLine(strings.TrimSuffix(cause.Message, " "+cause.Cure), maxSaid),
		At:      transcript.At(at),
		Attempt: attempt,
	}
	if cause.Cure != "" {
		last.Cure = new(clip.OneLine(cause.Cure, maxSaid))
	}
	return last
}

// maxSaid limits a message and a remedy, in bytes.
const maxSaid = 1000

// Coded returns the error with a code that a cause is or wraps. A cause without a code
// becomes INTERNAL, because its text is for the log and not for the caller.
func Coded(cause error) *transcript.Error {
	var coded *transcript.Error
	if Own(cause) {
		away := transcript.Errorf(transcript.ServiceUnavailable, "The service has no room on its disks, or cannot reach its database or its store of files.").Because(cause)
		away.Cure = "The operator can make room, and see to it that the database and the store of files can be reached."
		return away
	}
	if !errors.As(cause, &coded) {
		coded = transcript.Errorf(transcript.Internal, "The service failed to do the work.").Because(cause)
	}
	return coded
}

// Own reports whether the cause is the service's own database or disk.
func Own(cause error) bool {
	return errors.Is(cause, db.ErrUnavailable) || errors.Is(cause, syscall.ENOSPC) || errors.Is(cause, syscall.EDQUOT)
}

// Guard turns a panic of an engine into an error.
func Guard(run func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = transcript.Errorf(transcript.Internal, "The service failed unexpectedly.").
				Because(fmt.Errorf("panic: %v\n%s", r, debug.Stack()))
		}
	}()
	return run()
}
