package recognition

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/transcriptkit/transcriptkit/server/speech"
)

const (
	// frameSamples is one frame of 20 ms: short enough for the pauses between words, long
	// enough for one period of the lowest voice.
	frameSamples = speech.SampleRate / 50

	// quietest is the level of digital silence; one bit of 16 is at -90.
	quietest = -96
)

// level is the loudness of one frame: RMS in dBFS, 0 for the loudest square wave. The levels of
// an hour take 180 kB.
type level int8

// levelsOf measures the samples from first to last of a recording, without last, frame by frame.
// The last frame may be short.
func levelsOf(ctx context.Context, rec *speech.Recording, first, last int64) ([]level, error) {
	const frameBytes = frameSamples * bytesPerSample
	out := make([]level, 0, (last-first)/frameSamples+1)
	buf := make([]byte, 200*frameBytes)
	pcm := rec.PCM(first, last)
	for left := (last - first) * bytesPerSample; ; {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		n, err := io.ReadFull(pcm, buf)
		left -= int64(n)
		for b := buf[:n-n%bytesPerSample]; len(b) > 0; {
			frame := b[:min(frameBytes, len(b))]
			out = append(out, levelOf(frame))
			b = b[len(frame):]
		}
		switch {
		case err == nil:
		case left == 0:
			return out, nil
		default: // also if the file has become shorter since it was opened
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, fmt.Errorf("recognition: read recording: %w", err)
		}
	}
}

// levelOf measures the sound of a frame of s16le samples. A constant offset, which some sound
// cards add, does not count as sound.
func levelOf(frame []byte) level {
	var sum, squares int64
	for i := 0; i+1 < len(frame); i += bytesPerSample {
		v := int64(int16(binary.LittleEndian.Uint16(frame[i:])))
		sum += v
		squares += v * v
	}
	n := float64(len(frame) / bytesPerSample)
	mean := float64(sum) / n
	variance := float64(squares)/n - mean*mean
	if variance < 1 {
		return quietest
	}
	db := 10 * math.Log10(variance/(1<<30)) // full scale is 1<<15
	return level(math.Round(max(db, quietest)))
}
