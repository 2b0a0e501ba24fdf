// Package packed keeps texts as gzip and puts them into answers without packing or unpacking
// them. A body consists of a head, a stored text and a tail. For a client that accepts gzip,
// the three parts become one gzip member.
package packed

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// level is the compression level. A higher level costs more time than its smaller size is
// worth: see BenchmarkLevels.
const level = 6

// Bytes holds bytes with their gzip. Bytes from Raw have no gzip. A nil *Bytes holds nothing.
// The bytes never change. A Bytes is safe for concurrent use.
type Bytes struct {
	gzip   []byte // in the form that Pack makes; nil for Bytes from Raw
	length int
	over   uint32 // shift(length)

	unpack sync.Once
	plain  []byte
	err    error
}

// Raw returns Bytes without a gzip, for the head and the tail of an answer, which are too small
// to be worth packing.
func Raw(b []byte) *Bytes { return &Bytes{plain: b, length: len(b)} }

// Pack compresses bytes that are to be stored or to be sent more than once. Pack of nil is nil.
func Pack(b []byte) *Bytes {
	if b == nil {
		return nil
	}
	var buf bytes.Buffer
	w, err := gzip.NewWriterLevel(&buf, level)
	if err != nil {
		panic(err) // never fails: the level is a constant
	}
	// A write to a bytes.Buffer never fails.
	_, _ = w.Write(b)
	_ = w.Flush() // ends the last block on a byte boundary; Close then adds an empty block of 2 bytes
	_ = w.Close()
	return &Bytes{gzip: buf.Bytes(), plain: b, length: len(b), over: shift(len(b))}
}

// The lengths of the parts around the blocks in a gzip from Pack: the header, and the end with
// the empty last block, the checksum and the length.
const (
	headerSize = 10
	endSize    = 2 + 8
)

// mostTimes is the highest ratio of unpacked to packed bytes: two bits can stand for 258 bytes.
const mostTimes = 1032

// Stored returns Bytes with a stored gzip from Pack. Stored of nil is nil. Stored checks only
// the header and the lengths. Other damage shows when the service or the client unpacks the
// gzip.
func Stored(gzip []byte) (*Bytes, error) {
	if gzip == nil {
		return nil, nil
	}
	if len(gzip) < headerSize+endSize || gzip[0] != 0x1f || gzip[1] != 0x8b {
		return nil, fmt.Errorf("packed: it is no whole gzip: %w", io.ErrUnexpectedEOF)
	}
	length := int(binary.LittleEndian.Uint32(gzip[len(gzip)-4:])) // RFC 1952, 2.3.1
	if length > mostTimes*len(gzip) {
		return nil, fmt.Errorf("packed: %d bytes of gzip are said to have %d: %w", len(gzip), length, io.ErrUnexpectedEOF)
	}
	return &Bytes{gzip: gzip, length: length, over: shift(length)}, nil
}

// Len returns the unpacked length in bytes.
func (b *Bytes) Len() int {
	if b == nil {
		return 0
	}
	return b.length
}

// Packed reports whether b has a gzip.
func (b *Bytes) Packed() bool { return b.Gzip() != nil }

// Gzip returns the whole gzip for storing. It is nil if b has no gzip.
func (b *Bytes) Gzip() []byte {
	if b == nil {
		return nil
	}
	return b.gzip
}

// Plain returns the unpacked bytes. The caller must not change them. The first call unpacks the
// gzip and later calls return the same bytes. The error reports a damaged gzip.
func (b *Bytes) Plain() ([]byte, error) {
	if b == nil {
		return nil, nil
	}
	b.unpack.Do(func() {
		if b.plain == nil && b.gzip != nil {
			b.plain, b.err = unpack(b.gzip, b.length)
		}
	})
	return b.plain, b.err
}

func unpack(b []byte, length int) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("packed: %w", err)
	}
	out := make([]byte, length)
	if _, err := io.ReadFull(r, out); err != nil {
		return nil, fmt.Errorf("packed: %w", err)
	}
	// The reader checks the checksum when it reaches the end.
	if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		return nil, fmt.Errorf("packed: it is longer than it says: %w", errors.Join(err, gzip.ErrChecksum))
	}
	return out, nil
}

// sum returns the checksum that the gzip states.
func (b *Bytes) sum() uint32 { return binary.LittleEndian.Uint32(b.gzip[len(b.gzip)-8:]) }

// blocks returns the compressed blocks without the header and the end.
func (b *Bytes) blocks() []byte { return b.gzip[headerSize : len(b.gzip)-endSize] }

// crc returns the checksum of some bytes followed by b. before is the checksum of the bytes
// before b.
func (b *Bytes) crc(before uint32) uint32 {
	if b.gzip == nil {
		return crc32.Update(before, crc32.IEEETable, b.plain)
	}
	return times(before, b.over) ^ b.sum()
}
