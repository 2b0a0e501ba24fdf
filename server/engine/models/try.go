package models

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/cenkalti/backoff/v4"

	"github.com/transcriptkit/transcriptkit/server/engine"
)

// try runs a program once, confined like a recognizer, and returns its path. The error tells
// the operator why the program does not run.
func (f *Folder) try(ctx context.Context, program string) (string, error) {
	path, err := f.programs.Look(program)
	if err != nil && !errors.Is(err, fs.ErrPermission) {
		return "", fmt.Errorf("%s is not installed", program)
	}
	if err != nil {
		return "", notStarted(program, err)
	}
	var exit engine.Exit
	// If this process starts another program at the same moment, that program briefly inherits
	// the file that is still open for writing. A file that is open for writing does not start.
	moments := backoff.WithContext(backoff.WithMaxRetries(backoff.NewConstantBackOff(50*time.Millisecond), 100), ctx)
	err = backoff.Retry(func() error {
		exit, err = f.programs.Run(ctx, engine.Command{
			Program: path,
			Args:    []string{firstWords(program)},
			Reads:   []string{filepath.Dir(path)}, // the program looks there for libraries that suit the processor
			Limits:  engine.Limits{Wall: time.Minute, CPU: time.Minute, Memory: 1 << 30, FileSize: 1 << 20},
		})
		if err != nil && !errors.Is(err, syscall.ETXTBSY) {
			return backoff.Permanent(err)
		}
		return err
	}, moments)
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil:
		return "", notStarted(path, err)
	case exit.Code != 0:
		return "", complaint(path, exit)
	}
	return path, nil
}

// firstWords returns the arguments with which a program ends at once, because parakeet-cli
// does not print its version.
func firstWords(program string) string {
	if filepath.Base(program) == ParakeetCLI {
		return "--help"
	}
	return "--version"
}

// notStarted explains why the system did not start a program.
func notStarted(program string, err error) error {
	name := filepath.Base(program)
	switch {
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Errorf("%s is for another kind of processor: take one that was built for this machine: %w", name, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s may not be run: the file system of %s is mounted noexec, or its rights forbid it: use another folder: %w", name, filepath.Dir(program), err)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s does not start: it needs glibc, which this system lacks (Alpine has musl): build whisper.cpp here, or use a system with glibc: %w", name, err)
	}
	return fmt.Errorf("%s does not start: %w", name, err)
}

var (
	missingLibrary = regexp.MustCompile(`error while loading shared libraries: (\S+): cannot open`)
	newerLibrary   = regexp.MustCompile("version [`'\"]?((GLIBC|GLIBCXX|CXXABI)_[0-9.]+)")
)

// complaint explains why a started program failed: mostly the loader reports a missing or old
// library.
func complaint(path string, exit engine.Exit) error {
	name, said := filepath.Base(path), string(exit.Stderr)
	if found := newerLibrary.FindStringSubmatch(said); found != nil {
		return fmt.Errorf("%s wants %s, and this system's libraries are older: use Ubuntu 22.04, Debian 12 or newer, build whisper.cpp, or install the system's package of it", name, found[1])
	}
	if found := missingLibrary.FindStringSubmatch(said); found != nil {
		return fmt.Errorf("%s wants the library %s: %s", name, found[1], libraryCure(found[1]))
	}
	if exit.Code < 0 {
		return fmt.Errorf("%s was ended by a signal in a first run: this processor may lack instructions that it was built for: build whisper.cpp here", name)
	}
	last := bytes.TrimSpace(exit.Stderr)
	if at := bytes.LastIndexByte(last, '\n'); at >= 0 {
		last = last[at+1:]
	}
	return fmt.Errorf("%s ended with code %d in a first run, and said %q", name, exit.Code, last[:min(len(last), 200)])
}

func libraryCure(library string) string {
	if strings.HasPrefix(library, "libgomp") {
		return "install the package libgomp1 (Debian, Ubuntu) or libgomp"
	}
	return "install the package that has it"
}
