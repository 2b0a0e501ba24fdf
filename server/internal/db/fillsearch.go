package db

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/uptrace/bun/schema"
)

// fillSearchVersion is the migration that makes the index of texts that were there
// before there was one.
const fillSearchVersion = 27

// fillSearchPortion is how many texts are in memory at a time.
const fillSearchPortion = 50

func fillSearch(ctx context.Context, tx *sql.Tx, sql schema.QueryGen) error {
	f := filler{tx, sql}
	for last := ""; ; {
		texts, err := f.texts(ctx, last)
		if err != nil || len(texts) == 0 {
			return err
		}
		for _, text := range texts {
			if err := f.index(ctx, text); err != nil {
				return fmt.Errorf("texts %s: %w", text.TranscriptID, err)
			}
			last = text.TranscriptID
		}
	}
}

// texts are the next ones by their ids.
func (f filler) texts(ctx context.Context, last string) (texts []textRow, err error) {
	rows, err := f.tx.QueryContext(ctx, f.sql.FormatQuery(`SELECT transcript_id, segments FROM texts WHERE transcript_id > ?
		ORDER BY transcript_id LIMIT ?`, last, fillSearchPortion))
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // Err has said what there is to say
	for rows.Next() {
		var text textRow
		if err := rows.Scan(&text.TranscriptID, &text.Segments); err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, rows.Err()
}

func (f filler) index(ctx context.Context, text textRow) error {
	rendered, err := decompress(text.Segments)
	if err != nil {
		return err
	}
	segments, err := segmentsOf(rendered)
	if err != nil {
		return err
	}
	for _, b := range searchBlocks(text.TranscriptID, segments) {
		err := f.exec(ctx, "INSERT INTO search_blocks (transcript_id, first_word, words) VALUES (?, ?, ?)", b.TranscriptID, b.FirstWord, b.Words)
		if err != nil {
			return err
		}
	}
	return nil
}
