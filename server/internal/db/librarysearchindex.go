package db

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/search"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// searchBlockRow is a part of the index of a text: see package search.
type searchBlockRow struct {
	bun.BaseModel `bun:"table:search_blocks"`

	TranscriptID string
	FirstWord    string
	Words        []byte
}

func searchBlocks(transcriptID string, segments []transcript.Segment) []searchBlockRow {
	blocks := search.Blocks(segments)
	rows := make([]searchBlockRow, len(blocks))
	for i, b := range blocks {
		rows[i] = searchBlockRow{TranscriptID: transcriptID, FirstWord: b.First, Words: b.Words}
		if b.Words == nil {
			rows[i].Words = []byte{} // NULL otherwise
		}
	}
	return rows
}

// index makes a text found by its words, and no more by those that it had before.
func (w TranscriptsTx) index(ctx context.Context, transcriptID string, segments []transcript.Segment) error {
	_, err := w.db.NewDelete().Model((*searchBlockRow)(nil)).Where("transcript_id = ?", transcriptID).Exec(ctx)
	if err == nil {
		rows := searchBlocks(transcriptID, segments)
		_, err = w.db.NewInsert().Model(&rows).Exec(ctx)
	}
	return wrap("index transcript "+transcriptID, err)
}

// segmentsOf reads rendered segments.
func segmentsOf(segmentsJSON []byte) (segments []transcript.Segment, err error) {
	if err := json.Unmarshal(segmentsJSON, &segments); err != nil {
		return nil, fmt.Errorf("store: segments: %w", err)
	}
	return segments, nil
}
