package db

import "github.com/transcriptkit/transcriptkit/server/internal/packed"

// compress returns b as gzip; nil for nil.
func compress(b []byte) []byte { return packed.Pack(b).Gzip() }

// decompress undoes compress.
func decompress(b []byte) ([]byte, error) {
	p, err := packed.Stored(b)
	if err != nil {
		return nil, err
	}
	return p.Plain()
}
