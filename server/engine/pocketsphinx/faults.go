package pocketsphinx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const packages = "install the Debian packages pocketsphinx and pocketsphinx-en-us"

// faultLines is how many lines of the program's log are kept.
const faultLines = 3

// faults keeps the last lines of the program's log that are more than information, because a
// failing program gives the reason there.
type faults struct {
	line []byte
	kept []string
}

// Write receives the next part of the log. It never fails.
func (f *faults) Write(b []byte) (int, error) {
	n := len(b)
	for {
		before, after, ended := bytes.Cut(b, []byte("\n"))
		f.line = append(f.line, before...)
		if !ended {
			return n, nil
		}
		f.take()
		b = after
	}
}

func (f *faults) take() {
	line := string(bytes.TrimSpace(f.line))
	f.line = f.line[:0]
	if line == "" || strings.HasPrefix(line, "INFO:") {
		return
	}
	f.kept = append(f.kept, line)
	f.kept = f.kept[max(0, len(f.kept)-faultLines):]
}

// String returns the faults in one line.
func (f *faults) String() string {
	if len(f.kept) == 0 {
		return "nothing in its log"
	}
	return strings.Join(f.kept, "; ")
}

// noModel reports whether the log says that the acoustic model is missing.
func (f *faults) noModel() bool {
	return strings.Contains(strings.ToLower(f.String()), "acoustic model definition")
}

func notInstalled(err error) error {
	return transcript.Errorf(transcript.ConfigError, "%s is not installed: %s.", program, packages).
		With("engine", name).Because(err)
}

// failed is the error of a run that may succeed another time.
func failed(err error) error {
	return transcript.Errorf(transcript.Internal, "Speech recognition failed.").
		With("engine", name).Because(fmt.Errorf("pocketsphinx: %w", err))
}

func runError(ctx context.Context, err error) error {
	var missing *exec.Error
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &missing):
		return notInstalled(err)
	default:
		return failed(err)
	}
}

func exitError(exit engine.Exit, log *faults) error {
	log.take() // the last line may have no end
	switch {
	case log.noModel():
		return transcript.Errorf(transcript.ConfigError, "The US English model of %s is missing: %s.", program, packages).
			With("engine", name).Because(errors.New(log.String()))
	case exit.Code < 0:
		return failed(fmt.Errorf("it was killed: %s", log))
	default:
		return failed(fmt.Errorf("it ended with exit code %d: %s", exit.Code, log))
	}
}
