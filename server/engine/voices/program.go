package voices

import (
	"bytes"
	"context"
	_ "embed" // the program's text
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

//go:embed voices.py
var program string

const (
	// mostMemory is far more than the program needs: 200 MB for an hour of sound, and 600 MB for
	// 12 hours.
	mostMemory = 2 << 30
	// mostOutput exceeds the turns of 12 hours in which the speaker changes twice a second.
	mostOutput = 8 << 20
	maxReason  = 200 // characters
)

// ask runs the program, and reads its answer. An answer that is nil is not read.
func (v *Voices) ask(ctx context.Context, length time.Duration, answer any, args ...string) error {
	select {
	case v.slots <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-v.slots }()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	reads := []string{filepath.Dir(filepath.Dir(v.python))}
	if len(args) > 1 {
		reads = append(reads, args[1])
	}
	out := &bounded{most: mostOutput}
	patience := 5*time.Minute + 2*length // a busy machine needs far less
	exit, err := v.host.Programs.Run(ctx, engine.Command{
		Program: v.python,
		Args:    append([]string{"-I", "-B", "-c", program}, args...),
		Reads:   reads,
		Stdout:  out,
		Limits:  engine.Limits{Wall: patience, CPU: patience, Memory: mostMemory, FileSize: 1 << 20},
	})
	var missing *exec.Error
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case out.refused:
		return failed(fmt.Errorf("too much output: more than %d bytes", mostOutput))
	case errors.As(err, &missing), errors.Is(err, fs.ErrNotExist):
		return notInstalled(err)
	case err != nil:
		return failed(err)
	case exit.Code != 0:
		lines := bytes.Split(bytes.TrimSpace(exit.Stderr), []byte("\n"))
		return exitError(exit.Code, clip.Line(string(lines[len(lines)-1]), maxReason))
	case answer == nil:
		return nil
	}
	read := json.NewDecoder(&out.kept)
	read.DisallowUnknownFields() // no answer has embeddings
	if err := read.Decode(answer); err != nil {
		return failed(fmt.Errorf("its answer cannot be read: %w", err))
	}
	return nil
}

// exitError is the error of a program that ended with a code and last words.
func exitError(code int, last string) error {
	err := fmt.Errorf("it ended with exit code %d: %s", code, last)
	for _, missing := range []string{"ModuleNotFoundError", "ImportError", "NoSuchFile", "AttributeError: 'NoneType'"} {
		if bytes.Contains([]byte(last), []byte(missing)) {
			return notInstalled(err)
		}
	}
	return failed(err)
}

func notInstalled(err error) error {
	return transcript.Errorf(transcript.ConfigError,
		"The voice models are not installed, or by an older version: run make setup in the checkout.").
		With("engine", name).Because(err)
}

// failed is the error of a run that may succeed another time.
func failed(err error) error {
	return transcript.Errorf(transcript.Internal, "Telling the voices failed.").
		With("engine", name).Because(fmt.Errorf("%s: %w", name, err))
}

// bounded is a buffer that refuses more than most bytes.
type bounded struct {
	kept    bytes.Buffer // not embedded: its ReadFrom has no bound
	most    int
	refused bool
}

// Write fails for the first byte too many.
func (b *bounded) Write(p []byte) (int, error) {
	if b.kept.Len()+len(p) > b.most {
		b.refused = true
		return 0, fmt.Errorf("more than %d bytes of output", b.most)
	}
	return b.kept.Write(p)
}
