package wordindex

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/search"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// removePortion is how many words or blocks one statement names.
const removePortion = 500

// Remove takes the words of saved texts out of the volumes of an account. ids are the rows of
// the library that the caller is about to delete or to change. The work grows with the words of
// the texts.
func Remove(ctx context.Context, tx *sqldb.Tx, account string, ids ...string) error {
	if err := lock(ctx, tx, account); err != nil {
		return err
	}
	var texts []savedText
	err := tx.NewSelect().Table("library_rows").Column("id", "transcript_id", "volume").
		Where("account = ? AND id IN (?) AND volume IS NOT NULL", account, bun.List(ids)).Scan(ctx, &texts)
	for _, t := range texts {
		if err == nil {
			err = remove(ctx, tx, t)
		}
	}
	return sqldb.Wrap("remove texts from the index", err)
}

func remove(ctx context.Context, tx *sqldb.Tx, t savedText) error {
	texts, err := entriesOf(ctx, tx.Tx, t.Volume)
	if err != nil {
		return err
	}
	number := slices.IndexFunc(texts, func(e entry) bool { return e.id == t.ID })
	if number < 0 {
		return nil // damaged: no search finds the text in the volume either
	}
	var entries []string
	blocks, err := blocksOfText(ctx, tx, t.TranscriptID)
	if err != nil {
		return err
	}
	entries = append(entries, search.StartsFrom(number, number).First())
	for _, word := range search.WordsOf(blocks) {
		entries = append(entries, search.Entry(word, number))
	}
	firsts, err := firstsOf(ctx, tx.Tx, t.Volume, entries)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(firsts, removePortion) {
		var rows []volumeBlock
		err := tx.NewSelect().Model(&rows).Where("volume = ? AND first_word IN (?)", t.Volume, bun.List(some)).Scan(ctx)
		if err != nil {
			return err
		}
		var changed []search.Block
		for _, block := range searchBlocks(rows) {
			if without, has := block.Without(number); has {
				changed = append(changed, without)
			}
		}
		if err := insertBlocks(ctx, tx.Tx, t.Volume, changed); err != nil {
			return err
		}
	}
	_, err = tx.NewRaw("UPDATE search_volumes SET gone = gone + 1 WHERE id = ?", t.Volume).Exec(ctx)
	return err
}

// firstsOf returns the first words of the blocks that may have the entries.
func firstsOf(ctx context.Context, db bun.IDB, volume int64, entries []string) ([]string, error) {
	all := map[string]bool{}
	for some := range slices.Chunk(entries, removePortion) {
		var firsts []string
		values := strings.TrimSuffix(strings.Repeat("(?), ", len(some)), ", ")
		args := make([]any, 0, len(some)+1)
		for _, entry := range some {
			args = append(args, entry)
		}
		err := db.NewRaw(`SELECT (SELECT max(b.first_word) FROM search_volume_blocks AS b WHERE b.volume = ? AND b.first_word <= w.column1)
			FROM (VALUES `+values+`) AS w`, append([]any{volume}, args...)...).Scan(ctx, &firsts)
		if err != nil {
			return nil, err
		}
		for _, first := range firsts {
			all[first] = true
		}
	}
	return slices.Sorted(maps.Keys(all)), nil
}
