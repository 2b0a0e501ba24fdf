package ffmpeg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
)

// playingRate is the bit rate of a copy for playing. Speech at this rate is hard to tell from the
// original.
const playingRate = 40_000

// inStep is onTheClock for a copy for playing: what is heard at a time is what Normalize hears at
// this time.
const inStep = "aformat=sample_fmts=s16:sample_rates=48000:channel_layouts=stereo,aresample=async=1:first_pts=0"

// PlayingCopy writes at most max of the first audio stream of in to out, as Opus in
// WebM: see [engine.PlayingMedia]. It replaces out, and removes out on every error. The
// error is UPLOAD_INVALID if the sound cannot be decoded.
func (t *Tool) PlayingCopy(ctx context.Context, in, out string, track int, max time.Duration) (err error) {
	if in, _, err = regular(in); err != nil {
		return err
	}
	if out, err = filepath.Abs(out); err != nil {
		return fmt.Errorf("ffmpeg: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(out) // the caller's scratch file: a failure to remove it must not hide err
		}
	}()
	if err := os.WriteFile(out, nil, 0o600); err != nil { // as in decode
		return fmt.Errorf("ffmpeg: %w", err)
	}
	patience := time.Minute + max/10
	exit, err := t.run(ctx, engine.Command{
		Program: "ffmpeg",
		Args:    playingArguments(in, out, max),
		Reads:   []string{in},
		Writes:  []string{out},
		Limits: engine.Limits{
			Wall: 2 * patience, CPU: patience, Memory: memory,
			FileSize: int64(max.Seconds()*2*playingRate/8) + 1<<20,
		},
	})
	if err != nil {
		return err
	}
	made, err := os.Stat(out)
	switch {
	case err != nil:
		return fmt.Errorf("ffmpeg: %w", err)
	case exit.Code != 0 || made.Size() == 0:
		return invalid("The file's audio cannot be copied for playing.").Because(errors.New(lastLine(exit.Stderr)))
	}
	return nil
}

func playingArguments(in, out string, max time.Duration) []string {
	args := []string{
		"-hide_banner", "-nostdin", "-nostats", "-v", "error", "-y",
		"-filter_threads", "1", "-threads", "1", "-itsoffset", "0.000001",
	}
	args = append(args, source(in)...)
	return append(args,
		"-map", "0:a:0", "-vn", "-sn", "-dn", "-map_metadata", "-1", "-map_chapters", "-1",
		"-af", inStep, "-t", strconv.FormatFloat(max.Seconds(), 'f', 6, 64),
		"-c:a", "libopus", "-b:a", strconv.Itoa(playingRate), "-application", "voip", "-threads", "1",
		"-bitexact", "-f", "webm", "file:"+out)
}
