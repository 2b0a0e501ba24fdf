// Package ffmpeg reads media files with the programs ffmpeg and ffprobe.
//
//	media := ffmpeg.New(host)
//	info, err := media.Probe(ctx, upload)
//	sound, err := media.Normalize(ctx, upload, wav, engine.NormalizeOptions{Max: 12 * time.Hour})
//
// The package does not trust media files: playlists may name other files, headers may
// claim days of sound, and files may be cut off. The programs may open only the given
// file, and only in container formats that contain their own data. The package measures
// the output and does not trust exit codes.
//
// The package reads no links and does not know plans: the caller decides how long a
// recording may be.
package ffmpeg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// containers are the formats a file may have. All of them hold their own data:
// playlists (HLS, DASH, concat), image sequences and devices are not among them.
const containers = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,mp3,wav,w64,flac,ogg,aac,mpegts,mpeg,avi,flv,asf,aiff,amr,caf,au,ac3,eac3"

// formats names the containers in a refusal.
const formats = "MP3, AAC, M4A, MP4, MOV, 3GP, WAV, Wave64, FLAC, Ogg, WebM, Matroska, AIFF, CAF, AU, AMR, AC-3, " +
	"WMA, AVI, FLV and MPEG"

// memory bounds the memory of each program. It suffices for several hours of silence between
// two timestamps, which ffmpeg builds in memory.
const memory = 1 << 30

// Tool is an engine.MediaTool based on ffmpeg and ffprobe, version 5.1 or later. It is safe for
// concurrent use and needs no closing.
type Tool struct {
	programs engine.Runner
}

// New returns a tool that runs its programs through host.
func New(host engine.Host) *Tool {
	return &Tool{programs: host.Programs}
}

// Check returns a CONFIG_ERROR that names the missing program.
func (t *Tool) Check(context.Context) error {
	for _, program := range []string{"ffmpeg", "ffprobe"} {
		if _, err := t.programs.Look(program); err != nil {
			return missing(program, err)
		}
	}
	return nil
}

// run runs one of the programs and gives its errors their codes.
func (t *Tool) run(ctx context.Context, c engine.Command) (engine.Exit, error) {
	exit, err := t.programs.Run(ctx, c)
	var (
		absent *exec.Error
		limit  *engine.LimitError
	)
	switch {
	case err == nil && exit.Code == -1:
		// The program did not end by itself and broke none of our limits: the system was short
		// of something.
		return exit, fmt.Errorf("ffmpeg: %s was killed: %s", c.Program, exit.Stderr)
	case err == nil:
		return exit, nil
	case errors.As(err, &absent):
		return exit, missing(c.Program, err)
	case errors.As(err, &limit) && limit.Limit == "processor time":
		// The length of the output is bounded, so the file needs too much work. A slow machine
		// or a full disk is not the cause.
		return exit, invalid("The file takes too much work to decode.").Because(err)
	}
	return exit, fmt.Errorf("ffmpeg: %w", err)
}

// regular returns the absolute path of a media file and its size. An empty file
// is refused at once.
func regular(path string) (string, int64, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", 0, fmt.Errorf("ffmpeg: %w", err)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", 0, fmt.Errorf("ffmpeg: %w", err)
	case !info.Mode().IsRegular():
		return "", 0, fmt.Errorf("ffmpeg: %s is not a regular file", path)
	case info.Size() == 0:
		return "", 0, invalid("The file is empty: send a recording.")
	}
	return path, info.Size(), nil
}

// source returns the arguments that open the file at path and nothing else. The scheme "file:"
// before an absolute path makes ffmpeg read the rest as a path, for all characters.
func source(path string) []string {
	return []string{"-protocol_whitelist", "file", "-format_whitelist", containers, "-i", "file:" + path}
}

func missing(program string, err error) error {
	return transcript.Errorf(transcript.ConfigError, "The program %s is missing on the server: %s.", program, getPrograms).Because(err)
}

func invalid(format string, args ...any) *transcript.Error {
	return transcript.Errorf(transcript.UploadInvalid, format, args...)
}
