package ytdlp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// version is the day of a release: "2023.03.04". Days compare as text.
type version string

// oldest is the first version whose options and messages are known.
const oldest version = "2023.03.04"

// withoutPlugins is a version that knows --no-plugin-dirs, which came in the
// months before it.
const withoutPlugins version = "2025.04.30"

// withoutSmuggling is the first version that takes no headers from the fragment of
// a link that a page hands on, with which it could be told to leave the proxy aside
// (CVE-2023-46121).
const withoutSmuggling version = "2023.11.14"

// leaksByFragment reports whether pages can lead the program round the guard.
func (d *Downloader) leaksByFragment(v version) bool { return v < withoutSmuggling && !d.host.Confined }

// answer is what a program has said of its version.
type answer struct {
	file    os.FileInfo // the program's
	version version
}

// of reports whether the answer came from this file: the program was not replaced.
func (a *answer) of(file os.FileInfo) bool {
	return a != nil && os.SameFile(a.file, file) && a.file.Size() == file.Size() && a.file.ModTime().Equal(file.ModTime())
}

// version returns the program's version. It is asked for once, and again when the
// program's file has changed. The question goes on when ctx ends, for the next
// caller: on a busy machine it takes many seconds.
func (d *Downloader) version(ctx context.Context) (version, error) {
	path, err := d.host.Programs.Look(d.program)
	if err != nil {
		return "", d.missing(err)
	}
	file, err := os.Stat(path)
	if err != nil {
		return "", d.missing(err)
	}
	said := d.lastAnswer.Load()
	if !said.of(file) {
		said, err = d.askVersion(ctx, file)
	}
	switch {
	case err != nil:
		return "", err
	case said.version < oldest:
		return "", d.unfit("is version " + string(said.version) + ", older than " + string(oldest))
	}
	return said.version, nil
}

// askVersion asks the program for its version, once for all who want to know.
func (d *Downloader) askVersion(ctx context.Context, file os.FileInfo) (*answer, error) {
	ch := d.asking.DoChan("", func() (any, error) {
		v, err := d.runVersion(context.WithoutCancel(ctx))
		if err != nil {
			return nil, err
		}
		said := &answer{file, v}
		d.lastAnswer.Store(said)
		return said, nil
	})
	select {
	case res := <-ch:
		if res.Err != nil {
			return nil, res.Err
		}
		return res.Val.(*answer), nil
	case <-ctx.Done():
		return nil, fmt.Errorf("ytdlp: %s has not told its version: %w", d.program, context.Cause(ctx))
	}
}

// runVersion runs the program for its version.
func (d *Downloader) runVersion(ctx context.Context) (version, error) {
	exit, err := d.start(ctx, engine.Command{
		Args:    []string{"--ignore-config", "--version"},
		Limits:  engine.Limits{Wall: time.Minute, CPU: 30 * time.Second},
		Network: &engine.Network{Job: "ytdlp-version"},
	})
	if err != nil {
		return "", err
	}
	v, err := parseVersion(string(exit.Stdout))
	if err != nil {
		return "", d.unfit("does not answer like yt-dlp").
			Because(fmt.Errorf("ytdlp: %w: exit code %d: %s", err, exit.Code, lastComplaint(exit.Stderr)))
	}
	return v, nil
}

// parseVersion reads the day at the beginning of a version; what follows it
// ("2025.10.22.232842.dev0") does not matter.
func parseVersion(answer string) (version, error) {
	day := strings.TrimSpace(answer)
	day = day[:min(len(day), len("2023.03.04"))]
	if _, err := time.Parse("2006.01.02", day); err != nil {
		return "", errors.New("its version is not a date")
	}
	return version(day), nil
}

func (d *Downloader) missing(err error) error {
	return d.unfit("is missing").Because(err)
}

// unfit is a program that must be replaced.
func (d *Downloader) unfit(fault string) *transcript.Error {
	return transcript.Errorf(transcript.ConfigError,
		"The program %s on the server %s: install yt-dlp, best its latest release.", filepath.Base(d.program), fault)
}
