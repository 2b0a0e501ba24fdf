package ffmpeg

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// The normalized form is 16 kHz, mono, 16 bit.
const (
	sampleRate     = 16000
	bytesPerSecond = sampleRate * 2
)

// streamed is the size from which a WAV header announces nothing. A program that writes a WAV
// into a pipe does not know the length, so it writes the largest number, signed or unsigned,
// more or less the size of a header.
const streamed = 0x7fff0000

var errNotWAV = errors.New("not a WAV file")

// wavHeader is the header of a RIFF WAVE file.
type wavHeader struct {
	format         uint16 // 1 is PCM
	channels       uint16
	rate           uint32
	bytesPerSecond uint32
	bits           uint16
	dataStart      int64 // where the samples start in the file
	dataSize       int64 // the bytes of samples that the header announces
}

// readWAVHeader reads chunks until the samples begin.
func readWAVHeader(r io.ReaderAt) (wavHeader, error) {
	var h wavHeader
	var riff [12]byte
	if _, err := r.ReadAt(riff[:], 0); err != nil {
		return h, errNotWAV
	}
	if string(riff[:4]) != "RIFF" || string(riff[8:]) != "WAVE" {
		return h, errNotWAV
	}
	at := int64(len(riff))
	for range 100 { // a file with more chunks before the samples is a trap
		var chunk [24]byte
		n, err := r.ReadAt(chunk[:], at)
		if n < 8 {
			return h, fmt.Errorf("WAV without samples: %w", err)
		}
		size := int64(binary.LittleEndian.Uint32(chunk[4:]))
		switch string(chunk[:4]) {
		case "fmt ":
			if n < len(chunk) || size < 16 {
				return h, errNotWAV
			}
			h.format = binary.LittleEndian.Uint16(chunk[8:])
			h.channels = binary.LittleEndian.Uint16(chunk[10:])
			h.rate = binary.LittleEndian.Uint32(chunk[12:])
			h.bytesPerSecond = binary.LittleEndian.Uint32(chunk[16:])
			h.bits = binary.LittleEndian.Uint16(chunk[22:])
		case "data":
			h.dataStart, h.dataSize = at+8, size
			return h, nil
		}
		at += 8 + size + size%2
	}
	return h, errNotWAV
}

// announcedByWAV returns the length of sound that the header of a WAV announces, if the part
// holds less than that; otherwise 0.
func announcedByWAV(p *part) time.Duration {
	f, err := os.Open(p.path)
	if err != nil {
		return 0
	}
	defer f.Close() // only read: nothing can be lost
	h, err := readWAVHeader(io.NewSectionReader(f, p.from, p.size))
	if err != nil || h.bytesPerSecond == 0 || h.dataSize >= streamed || h.dataStart+h.dataSize <= p.size {
		return 0
	}
	return time.Duration(float64(h.dataSize) / float64(h.bytesPerSecond) * float64(time.Second))
}
