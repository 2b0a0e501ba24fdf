package wordindex

import (
	"context"

	"github.com/uptrace/bun"

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

// Write replaces the index of a text, and releases the text from all volumes.
func Write(ctx context.Context, tx *sqldb.Tx, transcriptID string, segments []transcript.Segment) error {
	err := release(ctx, tx, transcriptID)
	if err == nil {
		_, err = tx.NewDelete().Model((*textBlock)(nil)).Where("transcript_id = ?", transcriptID).Exec(ctx)
	}
	if err != nil {
		return sqldb.Wrap("index transcript "+transcriptID, err)
	}
	var rows []textBlock
	for _, b := range search.Blocks(segments) {
		rows = append(rows, textBlock{TranscriptID: transcriptID, FirstWord: b.First, Words: notNull(b.Words), Places: notNull(b.Places)})
	}
	_, err = tx.NewInsert().Model(&rows).Exec(ctx)
	return sqldb.Wrap("index transcript "+transcriptID, err)
}

// release makes all libraries search a text by its own index. The old words go from the volumes
// at once if one account has saved the text, as with every upload. A text of many accounts could
// take long: its volumes count the text as gone, until Bind writes them again.
func release(ctx context.Context, tx *sqldb.Tx, transcriptID string) error {
	var bound []struct{ ID, Account string }
	err := tx.NewSelect().Table("library_rows").Column("id", "account").
		Where("transcript_id = ? AND volume IS NOT NULL", transcriptID).Limit(2).Scan(ctx, &bound)
	switch {
	case err != nil || len(bound) == 0:
		return err
	case len(bound) == 1:
		err = Remove(ctx, tx, bound[0].Account, bound[0].ID)
	default:
		_, err = tx.NewRaw(`UPDATE search_volumes SET gone = gone + 1 WHERE id IN (
			SELECT volume FROM library_rows WHERE transcript_id = ? AND volume IS NOT NULL)`, transcriptID).Exec(ctx)
	}
	if err != nil {
		return err
	}
	_, err = tx.NewRaw("UPDATE library_rows SET volume = NULL WHERE transcript_id = ? AND volume IS NOT NULL", transcriptID).Exec(ctx)
	return err
}

// notNull returns b, or an empty slice for nil: bun writes nil as NULL.
func notNull(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
