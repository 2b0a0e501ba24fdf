package speech

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"time"
)

const (
	formatPCM        = 0x0001
	formatExtensible = 0xFFFE // the first two bytes of a GUID hold the real format
	unknownLength    = 0xFFFFFFFF
	headerSize       = 44 // the RIFF, fmt and data headers that WriteWAV writes
)

// Recording is a WAV of 16 kHz, mono, 16 bit that is read in place. It is safe for concurrent
// use until it is closed.
type Recording struct {
	data   *io.SectionReader // the samples
	closer io.Closer         // nil if the caller owns the reader
}

// Open opens the file with the given path. The caller closes it. The error wraps fs.ErrNotExist
// if there is no such file.
func Open(path string) (*Recording, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("speech: open recording: %w", err)
	}
	rec, err := openFile(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	rec.closer = f
	return rec, nil
}

func openFile(f *os.File) (*Recording, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("speech: open recording: %w", err)
	}
	return NewRecording(f, st.Size())
}

// NewRecording reads the headers of a WAV of size bytes. It skips unknown chunks of the
// file. If the length of the samples in the header is 0xFFFFFFFF, as in the output of a
// program to a pipe, the samples extend to the end of the file. If the file is shorter
// than its header says, the error is [io.ErrUnexpectedEOF], because words would
// otherwise be lost silently.
func NewRecording(r io.ReaderAt, size int64) (*Recording, error) {
	var riff [12]byte
	if err := readAt(r, riff[:], 0); err != nil {
		return nil, fmt.Errorf("speech: read WAV header: %w", err)
	}
	if string(riff[:4]) != "RIFF" || string(riff[8:]) != "WAVE" {
		return nil, errors.New("speech: not a WAV file")
	}
	known := false // a supported format was read
	for pos := int64(len(riff)); ; {
		var head [8]byte
		if err := readAt(r, head[:], pos); err != nil {
			return nil, fmt.Errorf("speech: WAV without samples: %w", err)
		}
		pos += int64(len(head))
		length := int64(binary.LittleEndian.Uint32(head[4:]))
		switch string(head[:4]) {
		case "fmt ":
			if err := checkFormat(r, pos, length); err != nil {
				return nil, err
			}
			known = true
		case "data":
			if !known {
				return nil, errors.New("speech: WAV without a format")
			}
			if length == unknownLength {
				length = size - pos
			}
			if length > size-pos {
				return nil, fmt.Errorf("speech: WAV holds %d of the %d bytes of samples that its header says: %w", size-pos, length, io.ErrUnexpectedEOF)
			}
			return &Recording{data: io.NewSectionReader(r, pos, length-length%bytesPerSample)}, nil
		}
		pos += length + length%2 // chunks are padded to even lengths
	}
}

func checkFormat(r io.ReaderAt, pos, length int64) error {
	var f [26]byte
	n := min(int64(len(f)), length)
	if err := readAt(r, f[:n], pos); err != nil {
		return fmt.Errorf("speech: read WAV format: %w", err)
	}
	format := binary.LittleEndian.Uint16(f[0:])
	if format == formatExtensible {
		format = binary.LittleEndian.Uint16(f[24:])
	}
	channels := binary.LittleEndian.Uint16(f[2:])
	rate := binary.LittleEndian.Uint32(f[4:])
	bits := binary.LittleEndian.Uint16(f[14:])
	if format != formatPCM || channels != 1 || rate != SampleRate || bits != 8*bytesPerSample {
		return fmt.Errorf("speech: WAV is format %#x, %d channels, %d Hz, %d bit; want PCM, mono, %d Hz, 16 bit",
			format, channels, rate, bits, SampleRate)
	}
	return nil
}

// readAt fills b. If the file ends early, the error is io.ErrUnexpectedEOF.
func readAt(r io.ReaderAt, b []byte, pos int64) error {
	n, err := r.ReadAt(b, pos)
	if n == len(b) {
		return nil // a reader may return io.EOF with the last bytes
	}
	return noEOF(err)
}

// noEOF replaces io.EOF by io.ErrUnexpectedEOF.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Close closes the file of [Open]. It does nothing for a recording of [NewRecording].
func (r *Recording) Close() error {
	if r.closer == nil {
		return nil
	}
	return r.closer.Close()
}

// Samples returns the length of the recording in samples.
func (r *Recording) Samples() int64 { return r.data.Size() / bytesPerSample }

// Duration returns the length of the recording: each sample lasts exactly 62.5 µs.
func (r *Recording) Duration() time.Duration {
	return time.Duration(r.Samples()) * (time.Second / SampleRate)
}

// PCM returns a reader of the samples from first up to, but not including, last,
// without a header: signed 16 bit, little endian. It leaves out samples outside the
// recording.
func (r *Recording) PCM(first, last int64) io.Reader {
	first = min(max(first, 0), r.Samples())
	last = min(max(last, first), r.Samples())
	return io.NewSectionReader(r.data, first*bytesPerSample, (last-first)*bytesPerSample)
}

// WriteWAV writes a WAV of 16 kHz, mono, 16 bit with the given number of samples from pcm:
// signed 16 bit, little endian. pcm must hold that many.
func WriteWAV(w io.Writer, pcm io.Reader, samples int64) error {
	size := samples * bytesPerSample
	if size < 0 || size > math.MaxUint32-headerSize {
		return fmt.Errorf("speech: write WAV: %d samples do not fit in one", samples)
	}
	if _, err := w.Write(header(uint32(size))); err != nil {
		return fmt.Errorf("speech: write WAV: %w", err)
	}
	// Do not use io.CopyN: if w has a ReadFrom, CopyN may hide a failed write.
	n, err := io.Copy(w, io.LimitReader(pcm, size))
	if err == nil && n < size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("speech: write WAV: %w", err)
	}
	return nil
}

func header(size uint32) []byte {
	var b bytes.Buffer
	le := func(v any) { _ = binary.Write(&b, binary.LittleEndian, v) } // a Buffer never fails
	b.WriteString("RIFF")
	le(headerSize - 8 + size)
	b.WriteString("WAVEfmt ")
	le(uint32(16))
	le([]uint16{formatPCM, 1})
	le([]uint32{SampleRate, SampleRate * bytesPerSample})
	le([]uint16{bytesPerSample, 8 * bytesPerSample})
	b.WriteString("data")
	le(size)
	return b.Bytes()
}
