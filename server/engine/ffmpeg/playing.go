package ffmpeg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// playingRate is the bit rate of a copy for playing. Speech at this rate is hard to tell from the
// original.
const playingRate = 40_000

// The sound of a copy for playing: 48 kHz, stereo, 16 bit.
const (
	playingSamples = 48000
	playingFrame   = 4 // bytes
)

// PlayingCopy writes at most max of an audio track of in to out, as Opus in WebM: see
// [engine.PlayingMedia]. It replaces out, and removes out on every error. The error is
// UPLOAD_INVALID if the file has no such track, or if the sound cannot be decoded.
func (t *Tool) PlayingCopy(ctx context.Context, in, out string, track int, max time.Duration) (err error) {
	file, err := t.survey(ctx, in)
	if err != nil {
		return err
	}
	numbers, err := order(file.tracks(), engine.NormalizeOptions{Track: track})
	if err != nil {
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
	var first error
	silent := -1
	for i, number := range numbers[:min(len(numbers), mostTries)] {
		heard, err := t.copyTrack(ctx, file, out, number, max)
		var refused *transcript.Error
		switch {
		case err == nil && (heard || silent < 0 && i == len(numbers)-1):
			return nil
		case err == nil && silent < 0:
			silent = number
		case err != nil && (!errors.As(err, &refused) || refused.Code != transcript.UploadInvalid):
			return err
		case err != nil && first == nil:
			first = err
		}
	}
	if silent < 0 {
		return first
	}
	_, err = t.copyTrack(ctx, file, out, silent, max)
	return err
}

// copyTrack makes the copy of one track of all parts of a file. One program decodes, and a
// second one encodes: between them, the samples are counted. It reports whether something can
// be heard.
func (t *Tool) copyTrack(ctx context.Context, file *surveyed, out string, number int, max time.Duration) (heard bool, err error) {
	if err := os.WriteFile(out, nil, 0o600); err != nil { // private to the server
		return false, fmt.Errorf("ffmpeg: %w", err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	samples, feed := io.Pipe()
	encoded := make(chan error, 1)
	go func() {
		err := t.encode(ctx, samples, out, max)
		samples.CloseWithError(errors.Join(errors.New("ffmpeg: the encoder has ended"), err))
		encoded <- err
	}()
	to := &player{to: feed, left: int64(max.Seconds()*playingSamples) * playingFrame}
	var d deficit
	for _, p := range file.parts {
		if to.left <= 0 {
			break
		}
		in, _ := p.input(number)
		err = t.decode(ctx, in, forPlaying, max, to)
		if d.failed(err, p) {
			err = nil
		}
		if err != nil {
			break
		}
	}
	feed.CloseWithError(err) // nil is the end of the samples
	if failed := <-encoded; failed != nil && (err == nil || ctx.Err() == nil) {
		return false, failed
	}
	switch {
	case err != nil:
		return false, err
	case !to.any:
		return false, d.reason()
	}
	return to.heard, nil
}

// encode makes a copy for playing of samples.
func (t *Tool) encode(ctx context.Context, samples io.Reader, out string, max time.Duration) error {
	patience := time.Minute + max/10
	exit, err := t.run(ctx, engine.Command{
		Program: "ffmpeg",
		Args: []string{
			"-hide_banner", "-nostdin", "-nostats", "-v", "error", "-y",
			"-filter_threads", "1", "-threads", "1", "-protocol_whitelist", "pipe",
			"-f", "s16le", "-ar", strconv.Itoa(playingSamples), "-ac", "2", "-i", "pipe:0",
			"-c:a", "libopus", "-b:a", strconv.Itoa(playingRate), "-application", "voip", "-threads", "1",
			"-bitexact", "-f", "webm", "file:" + out,
		},
		Writes: []string{out},
		Stdin:  samples,
		Limits: engine.Limits{
			Wall: 2*patience + time.Minute, CPU: patience, Memory: memory,
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

// player is the sink that passes samples to the encoder, up to a bound.
type player struct {
	to    io.Writer
	left  int64 // bytes
	any   bool
	heard bool // something is louder than silence
}

func (p *player) begin(int) error { return nil }

func (p *player) take(frames []byte) error {
	frames = frames[:min(int64(len(frames)), p.left)]
	p.any = true
	if !p.heard {
		p.heard = loud(frames)
	}
	if _, err := p.to.Write(frames); err != nil {
		return err
	}
	if p.left -= int64(len(frames)); p.left <= 0 {
		return errEnough
	}
	return nil
}

// loud reports whether a piece of sound is louder than silence in some window.
func loud(frames []byte) bool {
	const size = playingSamples / 20 * playingFrame
	for at := 0; at < len(frames); at += size {
		m := mixer{}
		m.hear(frames[at:min(at+size, len(frames))])
		if m.loudest >= silentPower {
			return true
		}
	}
	return false
}
