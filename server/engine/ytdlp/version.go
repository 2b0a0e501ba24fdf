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

// version is the day of a release: "2023.03.04". Days compare as text.
type version string

// oldest is the first version whose options and messages are known.
const oldest version = "2023.03.04"

// withoutPlugins is a version that knows --no-plugin-dirs, which came in the
// months before it.
const withoutPlugins version = "2025.04.30"

// version returns the program's version, which is asked for once.
func (d *Downloader) version(ctx context.Context) (version, error) {
	if v := d.known.Load(); v != nil {
		return *v, nil
	}
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
	if v < oldest {
		return "", d.unfit("is version " + string(v) + ", older than " + string(oldest))
	}
	d.known.Store(&v)
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
