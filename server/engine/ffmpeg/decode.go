package ffmpeg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
)

// input is one recording that ffmpeg decodes: on the disk, a part of a file on the disk, or
// one that arrives.
type input struct {
	reads  []string
	stdin  io.Reader // nil: the recording is on the disk
	source []string  // the arguments that open it
	track  int       // the number of the audio track, from 0
	clock  clock
	// stereo makes two channels of the sound. ffmpeg lowers one channel by 3 dB for it.
	stereo bool
}

// wall is how long the decoding may take: as long as its work, or as long as the file arrives,
// which the caller bounds.
func (i input) wall(work time.Duration) time.Duration {
	if i.stdin != nil {
		return 24 * time.Hour
	}
	return work
}

// errEnough stops ffmpeg when a sink has what it wants.
var errEnough = errors.New("ffmpeg: enough sound")

// sink takes the samples that ffmpeg decodes.
type sink interface {
	// begin is called before the first samples, with the number of channels.
	begin(channels int) error
	// take is called with whole frames: a sample of each channel, 16 bit, little endian.
	// errEnough ends the decoding without an error.
	take(frames []byte) error
}

// form is a form of sound that the package decodes to.
type form struct {
	rate   int64  // samples a second of each channel
	filter string // the filter of ffmpeg that makes the form
}

var (
	forSpeech  = form{sampleRate, "aformat=sample_fmts=s16:sample_rates=16000"}
	forPlaying = form{playingSamples, "aformat=sample_fmts=s16:sample_rates=48000:channel_layouts=stereo"}
)

// decode decodes at most max of a recording to a sink, all channels of one track. The error
// is UPLOAD_INVALID if ffmpeg decodes nothing. decode does not judge whether the recording
// is whole.
func (t *Tool) decode(ctx context.Context, in input, form form, max time.Duration, to sink) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	stream := &stream{to: to, stop: stop, rate: form.rate, clock: in.clock}
	patience := time.Minute + max/20 // a slow machine decodes twenty times as fast as the media plays
	exit, err := t.run(ctx, engine.Command{
		Program: "ffmpeg",
		Args:    arguments(in, form),
		Reads:   in.reads,
		Stdin:   in.stdin,
		Stdout:  stream,
		Limits:  engine.Limits{Wall: in.wall(patience), CPU: patience, Memory: memory},
	})
	complaint := errors.New(lastLine(exit.Stderr))
	switch {
	case errors.Is(stream.err, errEnough):
		return nil
	case stream.err != nil:
		return stream.err
	case err != nil:
		return err
	case !stream.begun:
		return invalid("The file's audio cannot be decoded.").Because(complaint)
	case !stream.sound:
		return invalid("The file has no sound that can be decoded.").Because(complaint)
	case in.stdin != nil && (exit.Code != 0 || len(exit.Stderr) > 0):
		return fmt.Errorf("ffmpeg: exit code %d: %w", exit.Code, complaint)
	}
	return nil
}

// arguments returns the arguments of ffmpeg. The offset of a microsecond keeps the clock of
// MPEG transport streams: with an offset of exactly 0, ffmpeg moves the first sample of the
// sound to 0 if the picture, which is not read, starts earlier. One thread each, because every
// further thread takes memory and there is little work to share. The sink ends
// the run, because only it knows how much sound there is.
func arguments(in input, form form) []string {
	args := []string{
		"-hide_banner", "-nostdin", "-nostats", "-v", "error",
		"-filter_threads", "1", "-threads", "1", "-itsoffset", "0.000001",
	}
	args = append(args, in.source...)
	args = append(args, "-map", "0:a:"+strconv.Itoa(in.track), "-vn", "-sn", "-dn", "-map_metadata", "-1", "-map_chapters", "-1")
	filter := form.filter
	if in.stereo && form == forSpeech {
		filter += ":channel_layouts=stereo"
	}
	args = append(args, "-af", filter)
	return append(args, "-c:a", "pcm_s16le", "-bitexact", "-f", "matroska", "-live", "1", "-cluster_time_limit", "500", "pipe:1")
}
