// Package packed holds texts as gzip, and puts them into answers without packing or
// unpacking them. A body consists of a head, a stored text and a tail. For a client
// that accepts gzip, the three parts become one gzip member.
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

// level is where the measured gain in size ends to be worth its time: see
// BenchmarkLevels.
const level = 6

// Bytes are bytes with their gzip, or, made by Raw, without. Nil holds nothing. They are
// not changed once they are made. Safe for concurrent use.
type Bytes struct {
	gzip   []byte // as Pack makes it; nil: there is none
	length int
	over   uint32 // lets a checksum move over them, see shift

	unpack sync.Once
	plain  []byte
	err    error
}

// Raw makes Bytes without a gzip, for what is not worth packing: the head and the tail
// of an answer.
func Raw(b []byte) *Bytes { return &Bytes{plain: b, length: len(b)} }

// Pack packs bytes that are to be stored, or sent more than once; nil for nil.
func Pack(b []byte) *Bytes {
	if b == nil {
		return nil
	}
	var buf bytes.Buffer
	w, err := gzip.NewWriterLevel(&buf, level)
	if err != nil {
		panic(err) // the level is a constant
	}
	// A bytes.Buffer takes everything.
	_, _ = w.Write(b)
	_ = w.Flush() // ends the last block with a byte; the one of Close is empty, 2 bytes long
	_ = w.Close()
	return &Bytes{gzip: buf.Bytes(), plain: b, length: len(b), over: shift(len(b))}
}

// The sizes around the blocks of a gzip from Pack: the header, and the empty last block
// with the checksum and the length.
const (
	headerSize = 10
	endSize    = 2 + 8
)

// mostTimes is how many bytes, unpacked, a byte of gzip can be: 258, in two bits.
const mostTimes = 1032

// Stored takes the stored result of Pack; nil for nil. Stored checks only the header
// and the sizes. Unpacking finds other damage, here or at the client.
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

// Len is how many bytes they are, unpacked.
func (b *Bytes) Len() int {
	if b == nil {
		return 0
	}
	return b.length
}

// Packed reports whether there is a gzip of them.
func (b *Bytes) Packed() bool { return b.Gzip() != nil }

// Gzip is the whole gzip, to be stored; nil: there is none.
func (b *Bytes) Gzip() []byte {
	if b == nil {
		return nil
	}
	return b.gzip
}

// Plain returns them unpacked, which is done once. The caller changes nothing in them.
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
	// The checksum is looked at when the reader comes to the end.
	if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		return nil, fmt.Errorf("packed: it is longer than it says: %w", errors.Join(err, gzip.ErrChecksum))
	}
	return out, nil
}

// sum is their checksum.
func (b *Bytes) sum() uint32 { return binary.LittleEndian.Uint32(b.gzip[len(b.gzip)-8:]) }

// blocks are the whole blocks between header and end.
func (b *Bytes) blocks() []byte { return b.gzip[headerSize : len(b.gzip)-endSize] }

// crc continues the checksum of what is before with that of b.
func (b *Bytes) crc(before uint32) uint32 {
	if b.gzip == nil {
		return crc32.Update(before, crc32.IEEETable, b.plain)
	}
	return times(before, b.over) ^ b.sum()
}
