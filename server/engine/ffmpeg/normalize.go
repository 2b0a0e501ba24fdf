package ffmpeg

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
)

// onTheClock resamples, and then fills gaps between timestamps with silence: before sound that
// starts later than the picture, and in between. In this order the filling needs the least
// memory.
const onTheClock = "aformat=sample_fmts=s16:sample_rates=16000:channel_layouts=mono,aresample=async=1:first_pts=0"

// longest is the longest recording that a WAV of 16 kHz, mono, 16 bit can hold.
const longest = 37 * time.Hour

// Normalize decodes the first audio stream of in to the WAV out, as [engine.MediaTool]
// requires. It replaces out, and removes out on every error. The error is
// UPLOAD_INVALID if there is no audio stream, if nothing can be decoded, or if the file
// holds clearly less sound than its header announces (a difference of half a second
// plus 2 % is allowed).
func (t *Tool) Normalize(ctx context.Context, in, out string, o engine.NormalizeOptions) (engine.Sound, error) {
	max := o.Max
	if max <= 0 || max > longest {
		return engine.Sound{}, fmt.Errorf("ffmpeg: max is %v: want more than 0 and at most %v", max, longest)
	}
	in, size, err := regular(in)
	if err != nil {
		return engine.Sound{}, err
	}
	claims, err := t.probe(ctx, in, size)
	if err != nil {
		return engine.Sound{}, err
	}
	if !claims.HasAudio {
		return engine.Sound{}, invalid("The file has no audio stream.")
	}
	audio, err := t.decode(ctx, input{reads: []string{in}, source: source(in)}, out, max, o.Progress)
	if err != nil {
		return engine.Sound{}, err
	}
	if err := complete(audio.Duration, min(claims.audioEnd, max)); err != nil {
		_ = os.Remove(out) // the caller's scratch file: a failure to remove it must not hide err
		return engine.Sound{}, err
	}
	return engine.Sound{Audio: audio}, nil
}

// decode writes at most max of the audio of in to out, and measures it. It leaves no out behind
// after an error.
func (t *Tool) decode(ctx context.Context, in input, out string, max time.Duration, progress func(time.Duration)) (_ engine.Audio, err error) {
	defer func() {
		if err != nil {
			_ = os.Remove(out) // the caller's scratch file: a failure to remove it must not hide err
		}
	}()
	out, err = filepath.Abs(out)
	if err != nil {
		return engine.Audio{}, fmt.Errorf("ffmpeg: %w", err)
	}
	// Create the file here, private to the server. A directory without write permission then
	// fails here, and is not mistaken for an unreadable input.
	if err := os.WriteFile(out, nil, 0o600); err != nil {
		return engine.Audio{}, fmt.Errorf("ffmpeg: %w", err)
	}
	patience := time.Minute + max/20 // a slow machine decodes twenty times as fast as the media plays
	exit, err := t.run(ctx, engine.Command{
		Program: "ffmpeg",
		Args:    arguments(in, out, max),
		Reads:   in.reads,
		Writes:  []string{out},
		Stdin:   in.stdin,
		Stdout:  &progressReader{report: progress, max: max},
		Limits: engine.Limits{
			Wall: in.wall(patience), CPU: patience, Memory: memory,
			FileSize: int64(max.Seconds()*bytesPerSecond) + 1<<20,
		},
	})
	if err != nil {
		return engine.Audio{}, err
	}
	duration, wavErr := measure(out)
	complaint := errors.New(lastLine(exit.Stderr))
	switch {
	case bytes.Contains(exit.Stderr, []byte("No space left on device")), bytes.Contains(exit.Stderr, []byte("Disk quota exceeded")):
		return engine.Audio{}, fmt.Errorf("ffmpeg: write %s: %w", out, syscall.ENOSPC)
	case errors.Is(wavErr, errCutOff): // ffmpeg writes a whole WAV or none for a file that it cannot decode
		return engine.Audio{}, fmt.Errorf("ffmpeg: write %s: %w: %w", out, wavErr, complaint)
	case bytes.Contains(exit.Stderr, []byte("Failed to compensate for timestamp delta")):
		return engine.Audio{}, invalid("The file's timestamps leave too wide a gap.").Because(complaint)
	case wavErr != nil:
		return engine.Audio{}, invalid("The file's audio cannot be decoded.").Because(errors.Join(wavErr, complaint))
	case duration == 0:
		return engine.Audio{}, invalid("The file has no sound that can be decoded.").Because(complaint)
	case in.stdin != nil && (exit.Code != 0 || len(exit.Stderr) > 0):
		return engine.Audio{}, fmt.Errorf("ffmpeg: exit code %d: %w", exit.Code, complaint)
	}
	return engine.Audio{Path: out, Duration: duration}, nil
}

// arguments returns the arguments of ffmpeg. The offset of a microsecond keeps the clock of
// MPEG transport streams: with an offset of exactly 0, ffmpeg moves the first sample of the
// sound to 0 if the picture, which is not read, starts earlier. One thread each, because every
// further thread takes memory and there is little work to share.
func arguments(in input, out string, max time.Duration) []string {
	args := []string{
		"-hide_banner", "-nostdin", "-nostats", "-v", "error", "-y", "-progress", "pipe:1",
		"-filter_threads", "1", "-threads", "1", "-itsoffset", "0.000001",
	}
	args = append(args, in.source...)
	return append(args,
		"-map", "0:a:0", "-vn", "-sn", "-dn", "-map_metadata", "-1", "-map_chapters", "-1",
		"-af", onTheClock, "-t", strconv.FormatFloat(max.Seconds(), 'f', 6, 64),
		"-c:a", "pcm_s16le", "-bitexact", "-f", "wav", "file:"+out)
}

// complete refuses a truncated file: a file that holds clearly less sound than it announces. An
// announced length of 0 means that the file announces none.
func complete(held, announced time.Duration) error {
	if held >= announced-announced/50-500*time.Millisecond {
		return nil
	}
	return invalid("The file is cut off: it holds %.1f of the %.1f seconds it announces.", held.Seconds(), announced.Seconds())
}

// progressReader reads the output of ffmpeg -progress: lines of key=value.
type progressReader struct {
	report func(time.Duration)
	max    time.Duration
	done   time.Duration
	line   []byte // the beginning of a line whose end has not arrived
}

// Write never fails.
func (p *progressReader) Write(data []byte) (int, error) {
	if p.report == nil {
		return len(data), nil
	}
	p.line = append(p.line, data...)
	for {
		line, rest, ok := bytes.Cut(p.line, []byte("\n"))
		if !ok {
			return len(data), nil
		}
		p.read(string(line))
		p.line = rest
	}
}

func (p *progressReader) read(line string) {
	value, ok := strings.CutPrefix(line, "out_time_us=")
	if !ok {
		return
	}
	us, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
	if err != nil {
		return // ffmpeg writes "N/A" before the first sample
	}
	if done := min(time.Duration(us)*time.Microsecond, p.max); done > p.done {
		p.done = done
		p.report(done)
	}
}
