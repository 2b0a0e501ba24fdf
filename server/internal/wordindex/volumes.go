package wordindex

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/search"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// The states of a volume. The blocks of a volume never change after the volume is searched.
const (
	building = "building" // a Bind is writing the blocks, or has ended with its process
	searched = "searched" // the rows of the library may name the volume
	replaced = "replaced" // other volumes have its texts, and Bind deletes it
)

// volume is an index of many texts.
type volume struct {
	bun.BaseModel `bun:"table:search_volumes"`

	ID        int64 `bun:",pk,autoincrement"`
	Account   string
	State     string
	Level     int
	Texts     int
	Gone      int
	Size      int64
	WrittenAt time.Time
}

// volumeTexts are the entries of a volume: see entry. They have a row of their own, so that a
// change of the volume's row does not write them.
type volumeTexts struct {
	bun.BaseModel `bun:"table:search_volume_texts"`

	Volume  int64 `bun:",pk"`
	Entries []byte
}

// volumeBlock is a part of a volume's index.
type volumeBlock struct {
	bun.BaseModel `bun:"table:search_volume_blocks"`

	Volume    int64
	FirstWord string
	Words     []byte
	Places    []byte
}

const (
	// insertBytes limits the blocks that one statement inserts.
	insertBytes = 1 << 18
	// readBlocks is how many blocks Bind reads at a time.
	readBlocks = 32
	// deleteBlocks is how many blocks one transaction deletes.
	deleteBlocks = 100
)

func insertBlocks(ctx context.Context, db bun.IDB, volume int64, blocks []search.Block) error {
	for from := 0; from < len(blocks); {
		var rows []volumeBlock
		for size := 0; from < len(blocks) && size < insertBytes; from++ {
			block := blocks[from]
			rows = append(rows, volumeBlock{Volume: volume, FirstWord: block.First, Words: notNull(block.Words), Places: notNull(block.Places)})
			size += len(block.Words) + len(block.Places)
		}
		if _, err := db.NewInsert().Model(&rows).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// blocksOf returns a function that reads the blocks of a volume in order, some at a time.
func blocksOf(ctx context.Context, db bun.IDB, volume int64) func() ([]search.Block, error) {
	var last *string
	return func() ([]search.Block, error) {
		var rows []volumeBlock
		q := db.NewSelect().Model(&rows).Where("volume = ?", volume).Order("first_word").Limit(readBlocks)
		if last != nil {
			q.Where("first_word > ?", *last)
		}
		if err := q.Scan(ctx); err != nil || len(rows) == 0 {
			return nil, err
		}
		last = &rows[len(rows)-1].FirstWord
		blocks := make([]search.Block, len(rows))
		for i, row := range rows {
			blocks[i] = search.Block{First: row.FirstWord, Words: row.Words, Places: row.Places}
		}
		return blocks, nil
	}
}

// deleteVolume deletes a volume that no row of the library names, in short transactions.
func deleteVolume(ctx context.Context, db *sqldb.DB, id int64) error {
	for n := int64(deleteBlocks); n == deleteBlocks; {
		err := db.InTx(ctx, func(ctx context.Context, tx *sqldb.Tx) error {
			res, err := tx.NewRaw(`DELETE FROM search_volume_blocks WHERE volume = ?0 AND first_word IN (
				SELECT first_word FROM search_volume_blocks WHERE volume = ?0 ORDER BY first_word LIMIT ?1)`, id, deleteBlocks).Exec(ctx)
			if err != nil {
				return err
			}
			if n, err = res.RowsAffected(); err != nil || n == deleteBlocks {
				return err
			}
			_, err = tx.NewDelete().Model((*volume)(nil)).Where("id = ?", id).Exec(ctx)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
