// Package fault tells which errors carry a code, which of them pass, and turns a panic
// into an error.
package fault

import (
	"errors"
	"fmt"
	"runtime/debug"
	"syscall"

	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// OfJob is the error as the job's owner reads it.
func OfJob(cause error) *transcript.Error {
	shown := *Coded(cause)
	retryable := shown.RetryableJob()
	shown.Retryable = &retryable
	return &shown
}

// Coded is the coded error that a cause is or wraps. One without a code becomes
// INTERNAL: its text is for the log, not for the caller.
func Coded(cause error) *transcript.Error {
	var coded *transcript.Error
	if Own(cause) {
		return transcript.Errorf(transcript.ServiceUnavailable, "The service has no room on its disks, or cannot reach its database or its store of files.").Because(cause)
	}
	if !errors.As(cause, &coded) {
		coded = transcript.Errorf(transcript.Internal, "The service failed to do the work.").Because(cause)
	}
	return coded
}

// Own reports whether the service's own database or disk is to blame.
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
