package db

import (
	"fmt"

	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/internal/search"
)

// preparedText is what Put stores of a text in addition to its lines.
type preparedText struct {
	of     *packed.Bytes // the lines
	words  int
	blocks []search.Block // the index of the words
}

// Prepare makes the index of the text. A large text takes tenths of a second, during which no
// transaction should block other writers. Therefore call Prepare before the transaction that calls
// Put.
func (t *Transcript) Prepare() (err error) {
	t.prepared, err = t.preparation()
	return err
}

// preparation returns what Prepare has made from the current lines, or makes it.
func (t *Transcript) preparation() (preparedText, error) {
	if t.prepared.of == t.SegmentsJSON && t.SegmentsJSON != nil {
		return t.prepared, nil
	}
	plain, err := t.SegmentsJSON.Plain()
	if err != nil {
		return preparedText{}, fmt.Errorf("store: segments of a transcript: %w", err)
	}
	segments, err := segmentsOf(plain)
	if err != nil {
		return preparedText{}, err
	}
	return preparedText{t.SegmentsJSON, search.CountWords(segments), search.Blocks(segments)}, nil
}
