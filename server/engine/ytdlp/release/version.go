package release

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"syscall"
	"time"

	"github.com/cenkalti/backoff/v4"

	"github.com/transcriptkit/transcriptkit/server/engine"
)

// dated is what an executable answers: the date of its release.
var dated = regexp.MustCompile(`^\d{4}\.\d\d\.\d\d(\.\d+)?`)

// version runs an executable without a network, confined, and returns its version.
func (f *Folder) version(ctx context.Context, program string) (string, error) {
	var exit engine.Exit
	// If this process starts another program at the same moment, that program briefly inherits
	// the file that is still open for writing. A file that is open for writing does not start.
	moments := backoff.WithContext(backoff.WithMaxRetries(backoff.NewConstantBackOff(50*time.Millisecond), 100), ctx)
	err := backoff.Retry(func() (err error) {
		exit, err = f.programs.Run(ctx, engine.Command{
			Program: program,
			Args:    []string{"--ignore-config", "--version"},
			Limits:  engine.Limits{Wall: time.Minute, CPU: time.Minute, Memory: 2 << 30, FileSize: 256 << 20}, // it unpacks itself first
		})
		if err != nil && !errors.Is(err, syscall.ETXTBSY) {
			return backoff.Permanent(err)
		}
		return err
	}, moments)
	version := dated.Find(exit.Stdout)
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil:
		return "", fmt.Errorf("release: the executable does not start here: %w: %s", err, cureNoStart)
	case version == nil:
		return "", fmt.Errorf("release: the executable does not tell its version (exit code %d): %s", exit.Code, cureNoStart)
	}
	return string(version), nil
}

// cureNoStart is the way out if an executable does not run.
const cureNoStart = "it needs glibc, and a folder that is not mounted noexec; otherwise install yt-dlp by pipx"
