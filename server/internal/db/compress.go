package db

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
)

// level is where the measured gain in size ends to be worth its time: see
// BenchmarkCompress.
const level = 6

// compress returns b as gzip, which can be served as it is; nil for nil. What
// stands between its header of 10 bytes and its last 10 is whole blocks: they can
// also be put into a larger gzip, between what is compressed for one answer.
func compress(b []byte) []byte {
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
	return buf.Bytes()
}

// decompress undoes compress.
func decompress(b []byte) ([]byte, error) {
	if b == nil {
		return nil, nil
	}
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("store: stored gzip: %w", err)
	}
	out := make([]byte, sizeOf(b))
	if _, err := io.ReadFull(r, out); err != nil {
		return nil, fmt.Errorf("store: stored gzip: %w", err)
	}
	// The checksum is looked at when the reader comes to the end.
	if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		return nil, fmt.Errorf("store: stored gzip: it is longer than it says: %w", errors.Join(err, gzip.ErrChecksum))
	}
	return out, nil
}

// sizeOf is how long the text of a gzip is that compress has made: its last four
// bytes (RFC 1952, 2.3.1).
func sizeOf(b []byte) uint32 {
	if len(b) < 4 {
		return 0
	}
	return binary.LittleEndian.Uint32(b[len(b)-4:])
}
