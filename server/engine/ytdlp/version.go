package ytdlp

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// version is the date of a release, "2023.03.04", in builds between releases followed by more:
// "2025.10.22.232842.dev0". Versions compare as text.
type version string

const dayForm = "2006.01.02"

// imitates is the first version that can imitate browsers.
const imitates version = "2024.03.10"

// oldest is the first version whose options and messages are known.
const oldest version = "2023.03.04"

// withoutPlugins is a version that knows --no-plugin-dirs. The option was added in the
// preceding months.
const withoutPlugins version = "2025.04.30"

// withoutSmuggling is the first version that ignores headers in the fragment of a link. In
// older versions a page can use them to make the program bypass the proxy (CVE-2023-46121).
const withoutSmuggling version = "2023.11.14"

// leaksByFragment reports whether pages can lead the program around the guard.
func (p *program) leaksByFragment(v version) bool { return v < withoutSmuggling && !p.host.Confined }

// version returns the program's version.
func (p *program) version(ctx context.Context) (version, error) {
	files, err := p.files(nil)
	if err != nil {
		return "", err
	}
	v, err := p.said.get(ctx, files, p.runVersion)
	switch {
	case err != nil:
		return "", err
	case v < oldest:
		return "", p.unfit("is version " + string(v) + ", older than " + string(oldest))
	}
	return v, nil
}

// runVersion runs the program to get its version.
func (p *program) runVersion(ctx context.Context) (version, error) {
	exit, err := p.start(ctx, engine.Command{
		Args:    []string{"--ignore-config", "--version"},
		Limits:  engine.Limits{Wall: time.Minute, CPU: 30 * time.Second},
		Network: &engine.Network{Job: "ytdlp-version"},
	})
	if err != nil {
		return "", err
	}
	v, err := parseVersion(string(exit.Stdout))
	if err != nil {
		return "", p.unfit("does not answer like yt-dlp").
			Because(fmt.Errorf("ytdlp: %w: exit code %d: %s", err, exit.Code, lastComplaint(exit.Stderr)))
	}
	return v, nil
}

// maxVersion limits a version, in bytes.
const maxVersion = 50

// parseVersion reads a version.
func parseVersion(answer string) (version, error) {
	v := version(strings.TrimSpace(answer))
	if len(v) > maxVersion || v.day().IsZero() || strings.ContainsFunc(string(v), func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", errors.New("its version is not a date")
	}
	return v, nil
}

// date returns the day of the release as text.
func (v version) date() string { return string(v[:min(len(v), len(dayForm))]) }

// day returns the day of the release; zero means that v is no version.
func (v version) day() time.Time {
	day, err := time.Parse(dayForm, v.date())
	if err != nil {
		return time.Time{}
	}
	return day
}

// unfit is the error for a program that must be replaced.
func (p *program) unfit(fault string) *transcript.Error {
	return transcript.Errorf(transcript.ConfigError,
		"The program %s on the server %s: %s.", filepath.Base(p.file), fault, p.cure)
}
