package ffmpeg

import (
	"bytes"
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
	mono   bool // ffmpeg mixes the channels
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

// errWideGap is why ffmpeg could not fill a gap between timestamps: it fills gaps in memory.
var errWideGap = errors.New("ffmpeg: a gap of many hours")

// sink takes the samples that ffmpeg decodes.
type sink interface {
	// begin is called before the first samples, with the number of channels.
	begin(channels int) error
	// take is called with whole frames: a sample of each channel, 16 bit, little endian.
	// errEnough ends the decoding without an error.
	take(frames []byte) error
}

// The two forms of sound that the package decodes to.
const (
	forSpeech  = "aformat=sample_fmts=s16:sample_rates=16000"
	forPlaying = "aformat=sample_fmts=s16:sample_rates=48000:channel_layouts=stereo"
)

// decode decodes at most max of a recording to a sink, all channels of one track. The error
// is UPLOAD_INVALID if ffmpeg decodes nothing. decode does not judge whether the recording
// is whole.
func (t *Tool) decode(ctx context.Context, in input, form string, max time.Duration, to sink) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	stream := &wavStream{to: to, stop: stop}
	patience := time.Minute + max/20 // a slow machine decodes twenty times as fast as the media plays
	exit, err := t.run(ctx, engine.Command{
		Program: "ffmpeg",
		Args:    arguments(in, form, max),
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
	case bytes.Contains(exit.Stderr, []byte("Failed to compensate for timestamp delta")):
		return invalid("The file's timestamps leave too wide a gap.").Because(errors.Join(errWideGap, complaint))
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
// further thread takes memory and there is little work to share. The sink counts samples, so
// the bound on timestamps only ends the filling of gaps.
func arguments(in input, form string, max time.Duration) []string {
	args := []string{
		"-hide_banner", "-nostdin", "-nostats", "-v", "error",
		"-filter_threads", "1", "-threads", "1", "-itsoffset", "0.000001",
	}
	args = append(args, in.source...)
	args = append(args, "-map", "0:a:"+strconv.Itoa(in.track), "-vn", "-sn", "-dn", "-map_metadata", "-1", "-map_chapters", "-1")
	if in.mono {
		form += ":channel_layouts=mono"
	}
	args = append(args, "-af", in.clock.filter(form))
	if in.clock == byTimestamps {
		args = append(args, "-t", strconv.FormatFloat(max.Seconds(), 'f', 6, 64))
	}
	return append(args, "-c:a", "pcm_s16le", "-bitexact", "-f", "wav", "pipe:1")
}

// wavStream reads the WAV that ffmpeg writes to its standard output, and passes the samples
// to a sink. The header tells the number of channels.
type wavStream struct {
	to    sink
	stop  context.CancelCauseFunc
	rest  []byte // the beginning of a header or of a frame
	frame int    // bytes
	begun bool   // the header has been read
	sound bool   // there were samples
	err   error  // what ended the stream early
}

// ReadFrom reads in large pieces: an hour of sound is hundreds of megabytes.
func (s *wavStream) ReadFrom(r io.Reader) (n int64, err error) {
	buffer := make([]byte, 1<<16)
	for {
		m, err := r.Read(buffer)
		n += int64(m)
		if _, failed := s.Write(buffer[:m]); failed != nil {
			return n, failed
		}
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// Write takes a piece of the stream. After an error it stops ffmpeg.
func (s *wavStream) Write(data []byte) (int, error) {
	if s.err == nil {
		if s.err = s.write(data); s.err != nil {
			s.stop(s.err)
		}
	}
	return len(data), s.err
}

// longestHeader is longer than any header that ffmpeg writes with -bitexact.
const longestHeader = 4096

func (s *wavStream) write(data []byte) error {
	if len(s.rest) > 0 {
		data = append(s.rest, data...)
		s.rest = nil
	}
	if !s.begun {
		h, err := readWAVHeader(bytes.NewReader(data))
		switch {
		case err != nil && len(data) < longestHeader:
			s.rest = bytes.Clone(data)
			return nil
		case err != nil:
			return fmt.Errorf("ffmpeg: the decoded sound: %w", err)
		case h.channels == 0 || h.bits != 16:
			return fmt.Errorf("ffmpeg: the decoded sound has %d channels of %d bits", h.channels, h.bits)
		}
		s.begun, s.frame = true, 2*int(h.channels)
		if err := s.to.begin(int(h.channels)); err != nil {
			return err
		}
		data = data[min(int(h.dataStart), len(data)):]
	}
	whole := len(data) - len(data)%s.frame
	s.rest = bytes.Clone(data[whole:])
	if whole == 0 {
		return nil
	}
	s.sound = true
	return s.to.take(data[:whole])
}
