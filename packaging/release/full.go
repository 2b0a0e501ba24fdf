package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// environments are the environments of Python in the image full, by the names of their folders
// under /opt, each with the list of its files and their hashes.
var environments = map[string]string{
	"yt-dlp":  "internal/ytdlpenv/requirements.txt",
	"whisper": "server/engine/fasterwhisper/requirements.txt",
}

// The Debian of the image full. Its Python is that of the machine that makes the image, because the
// files of an environment differ from one Python to the next.
const (
	suite    = "bookworm"
	packages = "ca-certificates,ffmpeg,python3,python3-venv"
)

// fullImage returns the image with all programs that transcriptd runs. It needs root, mmdebstrap
// and the network. Debian's packages change from week to week, and the image changes with them.
func (c *checkout) fullImage(ctx context.Context, transcriptd program) (v1.Image, error) {
	dir, err := os.MkdirTemp("", "release-full-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // it does no harm if the temporary folder stays
	for name, list := range environments {
		if err := c.fetchEnvironment(ctx, list, filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	base := filepath.Join(dir, "base.tar")
	env := []string{"WHEELS=" + dir, fmt.Sprintf("SOURCE_DATE_EPOCH=%d", c.time.Unix())}
	args := []string{"--variant=essential", "--quiet", "--include=" + packages, "--customize-hook=" + c.path("packaging/full/install") + ` "$1"`}
	for _, left := range []string{"/usr/share/man/*", "/usr/share/locale/*", "/usr/share/doc/*"} {
		args = append(args, "--dpkgopt=path-exclude="+left)
	}
	args = append(args, "--dpkgopt=path-include=/usr/share/doc/*/copyright", suite, base)
	if _, err := output(ctx, dir, env, "mmdebstrap", args...); err != nil {
		return nil, err
	}
	packed, err := os.ReadFile(base)
	if err != nil {
		return nil, err
	}
	debian, err := packedLayer(packed)
	if err != nil {
		return nil, err
	}
	own, err := newLayer([]file{{path: "usr/bin/transcriptd", mode: programMode, data: transcriptd.data}}, c.time)
	if err != nil {
		return nil, err
	}
	return c.image(host, transcriptd, imageParts{
		title: name + "-full", cmd: []string{"serve"},
		layers: []imageLayer{{debian, "Debian " + suite + ", yt-dlp and faster-whisper"}, {own, "transcriptd"}},
		env: []string{
			"PATH=/opt/yt-dlp/bin:/usr/bin:/bin", // with deno
			"TRANSCRIPTD_YT_DLP=/opt/yt-dlp/bin/yt-dlp",
		},
	})
}

// fetchEnvironment downloads the files of an environment of Python, whose hashes are in the list.
func (c *checkout) fetchEnvironment(ctx context.Context, list, to string) error {
	if err := os.Mkdir(to, 0o755); err != nil {
		return err
	}
	requirements, err := c.file(list)
	if err != nil {
		return err
	}
	named := filepath.Join(to, "requirements.txt")
	if err := os.WriteFile(named, requirements, 0o644); err != nil { //nolint:gosec // it is no secret
		return err
	}
	about, err := output(ctx, to, nil, "python3", "-m", "pip", "--quiet", "download", "--no-deps", "--require-hashes", "--only-binary", ":all:", "-r", named)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, strings.TrimSpace(about))
	}
	return nil
}
