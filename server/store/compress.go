package store

import (
	"bytes"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
)

// level is where the measured gain in size ends to be worth its time: see
// BenchmarkCompress.
const level = 6

// compress returns b as gzip, which can be served as it is; nil for nil.
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
	out, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("store: stored gzip: %w", err)
	}
	return out, nil
}
