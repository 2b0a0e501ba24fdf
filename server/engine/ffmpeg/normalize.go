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

// onTheClock resamples and then fills with silence whatever the timestamps leave
// out: before a sound that starts later than its picture, and in between. In this
// order the filling costs the least memory.
const onTheClock = "aformat=sample_fmts=s16:sample_rates=16000:channel_layouts=mono,aresample=async=1:first_pts=0"

// longest is what a WAV of 16 kHz, mono, 16 bit can hold.
const longest = 37 * time.Hour

// Normalize decodes the first audio stream of in to the WAV out, as
// engine.MediaTool says; out is replaced, and removed again on every error. The
// error is UPLOAD_INVALID when there is no audio stream, nothing that can be
// decoded, or clearly less than the file's own header announces (half a second
// and 2 % are allowed for).
func (t *Tool) Normalize(ctx context.Context, in, out string, max time.Duration, progress func(time.Duration)) (engine.Audio, error) {
	if max <= 0 || max > longest {
		return engine.Audio{}, fmt.Errorf("ffmpeg: max is %v: want more than 0 and at most %v", max, longest)
	}
	in, size, err := regular(in)
	if err != nil {
		return engine.Audio{}, err
	}
	claims, err := t.probe(ctx, in, size)
	if err != nil {
		return engine.Audio{}, err
	}
	if !claims.HasAudio {
		return engine.Audio{}, invalid("The file has no audio stream.")
	}
	audio, err := t.decode(ctx, in, out, max, progress)
	if err == nil {
		err = complete(audio.Duration, min(claims.audioEnd, max))
	}
	if err != nil {
		// It was created here, so there is something to remove; what fails to be
		// removed is the caller's scratch file and no reason to hide err.
		_ = os.Remove(out)
		return engine.Audio{}, err
	}
	return audio, nil
}

// decode writes the audio of in, at most max of it, to out and measures it.
func (t *Tool) decode(ctx context.Context, in, out string, max time.Duration, progress func(time.Duration)) (engine.Audio, error) {
	out, err := filepath.Abs(out)
	if err != nil {
		return engine.Audio{}, fmt.Errorf("ffmpeg: %w", err)
	}
	// Made here and private, so that a directory that cannot be written is told
	// from a file that cannot be read.
	if err := os.WriteFile(out, nil, 0o600); err != nil {
		return engine.Audio{}, fmt.Errorf("ffmpeg: %w", err)
	}
	patience := time.Minute + max/20 // twenty times as fast as it plays is slow
	exit, err := t.run(ctx, engine.Command{
		Program: "ffmpeg",
		Args:    arguments(in, out, max),
		Reads:   []string{in},
		Writes:  []string{out},
		Stdout:  &progressReader{report: progress, max: max},
		Limits: engine.Limits{
			Wall: patience, CPU: patience, Memory: memory,
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
	case errors.Is(wavErr, errCutOff): // a file that cannot be decoded gives a whole WAV, or none
		return engine.Audio{}, fmt.Errorf("ffmpeg: write %s: %w: %w", out, wavErr, complaint)
	case bytes.Contains(exit.Stderr, []byte("Failed to compensate for timestamp delta")):
		return engine.Audio{}, invalid("The file's timestamps leave too wide a gap.").Because(complaint)
	case wavErr != nil:
		return engine.Audio{}, invalid("The file's audio cannot be decoded.").Because(errors.Join(wavErr, complaint))
	case duration == 0:
		return engine.Audio{}, invalid("The file has no sound that can be decoded.").Because(complaint)
	}
	return engine.Audio{Path: out, Duration: duration}, nil
}

// arguments are those of ffmpeg. The offset of a microsecond keeps the clock of
// MPEG transport streams: at exactly 0 ffmpeg would move the first sample of the
// sound to 0 when the picture, which is not read, starts before it. One thread
// each, because every further one takes memory, and there is little to share.
func arguments(in, out string, max time.Duration) []string {
	args := []string{
		"-hide_banner", "-nostdin", "-nostats", "-v", "error", "-y", "-progress", "pipe:1",
		"-filter_threads", "1", "-threads", "1", "-itsoffset", "0.000001",
	}
	args = append(args, source(in)...)
	return append(args,
		"-map", "0:a:0", "-vn", "-sn", "-dn", "-map_metadata", "-1", "-map_chapters", "-1",
		"-af", onTheClock, "-t", strconv.FormatFloat(max.Seconds(), 'f', 6, 64),
		"-c:a", "pcm_s16le", "-bitexact", "-f", "wav", "file:"+out)
}

// complete refuses a file that was cut off: one that holds clearly less than it
// has announced. An announcement of 0 is none.
func complete(held, announced time.Duration) error {
	if held >= announced-announced/50-500*time.Millisecond {
		return nil
	}
	return invalid("The file is cut off: it holds %.1f of the %.1f seconds it announces.", held.Seconds(), announced.Seconds())
}

// progressReader reads what ffmpeg -progress writes: lines of key=value.
type progressReader struct {
	report func(time.Duration)
	max    time.Duration
	done   time.Duration
	line   []byte // the beginning of a line whose end is yet to come
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
		return // "N/A" until the first sample is out
	}
	if done := min(time.Duration(us)*time.Microsecond, p.max); done > p.done {
		p.done = done
		p.report(done)
	}
}
