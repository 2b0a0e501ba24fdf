package wordindex

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/internal/search"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// textBlock is a part of the index of one text.
type textBlock struct {
	bun.BaseModel `bun:"table:search_blocks"`

	TranscriptID string
	FirstWord    string
	Words        []byte
	Places       []byte
}

// Write replaces the index of a text by the blocks of its words. The caller has called Leave for the rows of the text before.
func Write(ctx context.Context, tx *sqldb.Tx, transcriptID string, blocks []search.Block) error {
	_, err := tx.NewDelete().Model((*textBlock)(nil)).Where("transcript_id = ?", transcriptID).Exec(ctx)
	if err != nil {
		return sqldb.Wrap("index transcript "+transcriptID, err)
	}
	return WriteFirst(ctx, tx, transcriptID, blocks)
}

// WriteFirst is Write of a text that the transaction has just inserted.
func WriteFirst(ctx context.Context, tx *sqldb.Tx, transcriptID string, blocks []search.Block) error {
	return sqldb.Wrap("index transcript "+transcriptID, insertText(ctx, tx, transcriptID, blocks))
}

// Restore writes the index of a text if it is not there, for an account that has the text in no
// volume.
func Restore(ctx context.Context, tx *sqldb.Tx, transcriptID string) error {
	if tx.Shared() { // a Bind of another account may be about to delete the index
		var id string
		err := tx.ForUpdate(tx.NewSelect().Table("transcripts").Column("id").Where("id = ?", transcriptID)).Scan(ctx, &id)
		if err != nil {
			return sqldb.Wrap("index transcript "+transcriptID, err)
		}
	}
	var there bool
	err := tx.NewRaw("SELECT EXISTS (SELECT 1 FROM search_blocks WHERE transcript_id = ?)", transcriptID).Scan(ctx, &there)
	if err != nil || there {
		return sqldb.Wrap("index transcript "+transcriptID, err)
	}
	blocks, err := blocksOfText(ctx, tx.Tx, transcriptID)
	if err == nil {
		err = insertText(ctx, tx, transcriptID, blocks)
	}
	return sqldb.Wrap("index transcript "+transcriptID, err)
}

func insertText(ctx context.Context, tx *sqldb.Tx, transcriptID string, blocks []search.Block) error {
	rows := make([]textBlock, len(blocks))
	for i, b := range blocks {
		rows[i] = textBlock{TranscriptID: transcriptID, FirstWord: b.First, Words: notNull(b.Words), Places: notNull(b.Places)}
	}
	_, err := tx.NewInsert().Model(&rows).Exec(ctx)
	return err
}

// blocksOfText returns the index of a text: the stored one, or one that is made of the text.
func blocksOfText(ctx context.Context, db bun.IDB, transcriptID string) ([]search.Block, error) {
	var rows []textBlock
	err := db.NewSelect().Model(&rows).Where("transcript_id = ?", transcriptID).Order("first_word").Scan(ctx)
	if err != nil {
		return nil, err
	}
	if len(rows) > 0 {
		blocks := make([]search.Block, len(rows))
		for i, row := range rows {
			blocks[i] = search.Block{First: row.FirstWord, Words: row.Words, Places: row.Places}
		}
		return blocks, nil
	}
	var gzip []byte
	if err := db.NewSelect().Table("texts").Column("segments").Where("transcript_id = ?", transcriptID).Scan(ctx, &gzip); err != nil {
		return nil, err
	}
	text, err := packed.Stored(gzip)
	if err != nil {
		return nil, err
	}
	plain, err := text.Plain()
	if err != nil {
		return nil, err
	}
	var segments []transcript.Segment
	if err := json.Unmarshal(plain, &segments); err != nil {
		return nil, fmt.Errorf("segments: %w", err)
	}
	return search.Blocks(segments), nil
}

// drop deletes the indexes of texts that no account needs: all have the texts in volumes.
func drop(ctx context.Context, tx *sqldb.Tx, transcriptIDs []string) error {
	_, err := tx.NewRaw(`DELETE FROM search_blocks WHERE transcript_id IN (?) AND NOT EXISTS (
		SELECT 1 FROM library_rows AS l WHERE l.transcript_id = search_blocks.transcript_id AND l.volume IS NULL)`,
		bun.List(transcriptIDs)).Exec(ctx)
	return err
}

// notNull returns b, or an empty slice for nil: bun writes nil as NULL.
func notNull(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
