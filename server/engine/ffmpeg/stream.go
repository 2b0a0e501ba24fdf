package ffmpeg

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
)

// stream reads the samples that ffmpeg writes to its standard output, and passes them to a
// sink. They come as Matroska, which keeps the number of channels and the timestamps. The
// stream fills gaps between timestamps with silence: before sound that starts later than the
// picture, and in between. ffmpeg fills gaps too, but it starts again at 0 when the rate or the
// channels of the sound change, and it holds a gap in memory.
type stream struct {
	to    sink
	stop  context.CancelCauseFunc
	rate  int64 // frames a second
	clock clock

	data     []byte // what has not been read
	skip     int64  // bytes to pass over
	channels int
	cluster  int64 // the time of the cluster in milliseconds
	done     int64 // the frames that the sink has taken
	begun    bool  // the sink has begun
	sound    bool  // there were samples
	err      error // what ended the stream early
}

// The elements of Matroska that the stream reads.
const (
	idTracks   = 0x1654ae6b
	idTrack    = 0xae
	idAudio    = 0xe1
	idChannels = 0x9f
	idTime     = 0xe7
	idGroup    = 0xa0
	idBlock    = 0xa1
	idSimple   = 0xa3
)

// largestElement bounds an element that the stream holds in memory.
const largestElement = 1 << 24

// tolerance is the part of a second by which timestamps may differ from the count of samples.
// Timestamps are rounded, and drift a little.
const tolerance = 10

var errStream = errors.New("ffmpeg: the decoded sound is not what was asked for")

// ReadFrom reads in large pieces: an hour of sound is hundreds of megabytes.
func (s *stream) ReadFrom(r io.Reader) (n int64, err error) {
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
func (s *stream) Write(data []byte) (int, error) {
	if s.err == nil {
		if s.err = s.write(data); s.err != nil {
			s.stop(s.err)
		}
	}
	return len(data), s.err
}

func (s *stream) write(data []byte) error {
	s.data = append(s.data, data...)
	left := s.data
	for {
		n := min(s.skip, int64(len(left)))
		left, s.skip = left[n:], s.skip-n
		used, err := s.next(left)
		if err != nil {
			return err
		}
		if used == 0 {
			break
		}
		left = left[used:]
	}
	s.data = append(s.data[:0], left...)
	return nil
}

// next reads an element, or the head of one that has others in it. It returns how many bytes
// it has used; 0: the element is not there yet.
func (s *stream) next(data []byte) (used int, err error) {
	id, n := varInt(data, false)
	if n == 0 {
		return 0, nil
	}
	size, m := varInt(data[n:], true)
	if m == 0 {
		return 0, nil
	}
	n += m
	switch id {
	case idSegment, idTracks, idTrack, idAudio, idCluster, idGroup:
		return n, nil
	case idChannels, idTime, idBlock, idSimple:
	default:
		s.skip = int64(min(size, 1<<62))
		return n, nil
	}
	if size > largestElement {
		return 0, errStream
	}
	if len(data) < n+int(size) {
		return 0, nil
	}
	content := data[n : n+int(size)]
	switch id {
	case idChannels:
		s.channels = int(number64(content))
	case idTime:
		s.cluster = int64(number64(content))
	default:
		err = s.block(content)
	}
	return n + int(size), err
}

func number64(b []byte) (v uint64) {
	for _, x := range b {
		v = v<<8 | uint64(x)
	}
	return v
}

// block passes the samples of a block to the sink, at their time.
func (s *stream) block(b []byte) error {
	_, n := varInt(b, true)
	if n == 0 || len(b) < n+3 || s.channels < 1 {
		return errStream
	}
	at := (s.cluster + int64(int16(binary.BigEndian.Uint16(b[n:])))) * s.rate / 1000
	frame := 2 * s.channels
	frames := b[n+3:]
	if len(frames)%frame != 0 {
		return errStream
	}
	if !s.begun {
		s.begun = true
		if err := s.to.begin(s.channels); err != nil {
			return err
		}
	}
	if len(frames) == 0 {
		return nil
	}
	if s.clock == byTimestamps {
		switch late := at - s.done; {
		case late > s.rate/tolerance, late > 0 && !s.sound:
			if err := s.silence(late); err != nil {
				return err
			}
		case late < -s.rate/tolerance: // it has been heard
			frames = frames[min(-late*int64(frame), int64(len(frames))):]
		}
	}
	s.sound = true
	s.done += int64(len(frames) / frame)
	return s.to.take(frames)
}

// silence passes silence to the sink.
func (s *stream) silence(frames int64) error {
	piece := make([]byte, 4096*2*s.channels)
	for frames > 0 {
		n := min(frames, 4096)
		if err := s.to.take(piece[:n*2*int64(s.channels)]); err != nil {
			return err
		}
		frames, s.done = frames-n, s.done+n
	}
	return nil
}
