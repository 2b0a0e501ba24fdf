package wordindex

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/search"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

const (
	// Enough is how many texts in no volume are worth a volume: a search looks into each of
	// them.
	Enough = 64
	// fanout is how many volumes of a level make one of the next level.
	fanout = 8
	// maxSize bounds the blocks of a volume in bytes, and maxTexts the texts, so that Bind holds
	// a transaction for some tenths of a second.
	maxSize  = 16 << 20
	maxTexts = 1 << 15
	// insertBytes bounds the blocks that one statement inserts.
	insertBytes = 1 << 18
)

// Bind makes one volume of an account if there is something to bind: enough texts that are in no
// volume, small volumes, or a volume from which half of the texts have gone. It returns false if
// there is nothing. Bind leaves out a text that another transaction has locked.
func Bind(ctx context.Context, tx *sqldb.Tx, account string, enough int) (bound bool, err error) {
	b := binder{tx, account, enough}
	if err = lock(ctx, tx, account); err == nil {
		bound, err = b.bindTexts(ctx)
	}
	if err == nil && !bound {
		bound, err = b.bindVolumes(ctx)
	}
	return bound, sqldb.Wrap("bind texts of "+account, err)
}

// lock keeps other transactions from changing the volumes of an account.
func lock(ctx context.Context, tx *sqldb.Tx, account string) error {
	return tx.Lock(ctx, "words/"+account)
}

type binder struct {
	*sqldb.Tx
	account string
	enough  int
}

// volume is an index of many texts.
type volume struct {
	bun.BaseModel `bun:"table:search_volumes"`

	ID      int64 `bun:",pk,autoincrement"`
	Account string
	Level   int
	Texts   int
	Gone    int
	Size    int64
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

// bindTexts makes a volume of texts that are in none.
func (b binder) bindTexts(ctx context.Context) (bool, error) {
	var texts []savedText
	err := b.SkipLocked(unbound(b.Tx.Tx, b.account).Order("transcript_id").Limit(int64(b.enough))).Scan(ctx, &texts)
	if err != nil || len(texts) < b.enough {
		return false, err
	}
	if texts, err = b.unchanging(ctx, texts); err != nil || len(texts) == 0 {
		return false, err
	}
	var merger search.Merger
	for _, t := range texts {
		blocks, err := blocksOfText(ctx, b.Tx, t.TranscriptID)
		if err != nil {
			return false, err
		}
		merger.Add(blocks, []int{0})
	}
	if err := b.write(ctx, 0, merger.Blocks(), texts); err != nil {
		return false, err
	}
	ids := make([]string, len(texts))
	for i, t := range texts {
		ids[i] = t.TranscriptID
	}
	return true, drop(ctx, b.Tx, ids)
}

// unchanging returns the texts whose words no other transaction changes before this one ends.
func (b binder) unchanging(ctx context.Context, texts []savedText) ([]savedText, error) {
	ids := make([]string, len(texts))
	for i, t := range texts {
		ids[i] = t.TranscriptID
	}
	var locked []string
	q := b.NewSelect().Table("transcripts").Column("id").Where("id IN (?)", bun.List(ids)).Order("id")
	err := b.SkipLocked(q).Scan(ctx, &locked)
	return slices.DeleteFunc(texts, func(t savedText) bool { return !slices.Contains(locked, t.TranscriptID) }), err
}

// bindVolumes makes one volume of several.
func (b binder) bindVolumes(ctx context.Context) (bool, error) {
	var all []volume
	err := b.NewSelect().Model(&all).ExcludeColumn("entries").Where("account = ?", b.account).Order("id").Scan(ctx)
	if err != nil {
		return false, err
	}
	some := worthBinding(all)
	if len(some) == 0 {
		return false, nil
	}
	var merger search.Merger
	var texts []savedText
	for _, v := range some {
		blocks, err := b.blocksOf(ctx, v.ID)
		if err != nil {
			return false, err
		}
		numbers, left, err := b.left(ctx, v.ID)
		if err != nil {
			return false, err
		}
		merger.Add(blocks, numbers)
		texts = append(texts, left...)
	}
	level := some[0].Level + 1
	if len(some) == 1 {
		level = some[0].Level
	}
	if err := b.write(ctx, level, merger.Blocks(), texts); err != nil {
		return false, err
	}
	for _, v := range some {
		if _, err := b.NewDelete().Model((*volume)(nil)).Where("id = ?", v.ID).Exec(ctx); err != nil {
			return false, err
		}
	}
	return true, nil
}

// worthBinding returns the volumes to be made one: a volume from which half of the texts have
// gone, or enough volumes of one level.
func worthBinding(all []volume) []volume {
	levels := map[int][]volume{}
	for _, v := range all {
		if 2*v.Gone >= v.Texts {
			return []volume{v}
		}
		levels[v.Level] = append(levels[v.Level], v)
	}
	for _, level := range levels {
		for some := range slices.Chunk(level, fanout) {
			size, texts := int64(0), 0
			for _, v := range some {
				size, texts = size+v.Size, texts+v.Texts
			}
			if len(some) == fanout && size <= maxSize && texts <= maxTexts {
				return some
			}
		}
	}
	return nil
}

func (b binder) blocksOf(ctx context.Context, volume int64) ([]search.Block, error) {
	var rows []volumeBlock
	err := b.NewSelect().Model(&rows).Where("volume = ?", volume).Order("first_word").Scan(ctx)
	return searchBlocks(rows), err
}

func searchBlocks(rows []volumeBlock) []search.Block {
	blocks := make([]search.Block, len(rows))
	for i, row := range rows {
		blocks[i] = search.Block{First: row.FirstWord, Words: row.Words, Places: row.Places}
	}
	return blocks
}

// left returns the texts that are still in a volume, with their numbers there. It locks their
// rows.
func (b binder) left(ctx context.Context, volume int64) (numbers []int, texts []savedText, err error) {
	entries, err := entriesOf(ctx, b.Tx.Tx, volume)
	if err != nil {
		return nil, nil, err
	}
	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i] = e.id
	}
	slices.Sort(ids) // the order in which all transactions lock
	byID := map[string]savedText{}
	for some := range slices.Chunk(ids, portion) {
		var rows []savedText
		err = b.ForUpdate(b.NewSelect().Table("library_rows").Column("id", "transcript_id", "platform", "lang", "created_at").
			Where("id IN (?) AND volume = ?", bun.List(some), volume).Order("id")).Scan(ctx, &rows)
		if err != nil {
			return nil, nil, err
		}
		for _, row := range rows {
			byID[row.ID] = row
		}
	}
	for number, e := range entries {
		if row, ok := byID[e.id]; ok {
			numbers, texts = append(numbers, number), append(texts, row)
		}
	}
	return numbers, texts, nil
}

func entriesOf(ctx context.Context, db bun.IDB, id int64) ([]entry, error) {
	v := &volume{ID: id}
	err := db.NewSelect().Model(v).Column("entries").WherePK().Scan(ctx)
	return readEntries(v.Entries), err
}

// write stores a volume of texts.
func (b binder) write(ctx context.Context, level int, blocks []search.Block, texts []savedText) error {
	v := &volume{Account: b.account, Level: level, Texts: len(texts), Entries: []byte{}}
	if len(texts) == 0 {
		return nil
	}
	ids := make([]string, len(texts))
	for i, t := range texts {
		ids[i], v.Entries = t.ID, appendEntry(v.Entries, t.entry())
	}
	for _, block := range blocks {
		v.Size += int64(len(block.Words) + len(block.Places))
	}
	if _, err := b.NewInsert().Model(v).Exec(ctx); err != nil {
		return err
	}
	if err := insertBlocks(ctx, b.Tx.Tx, v.ID, blocks); err != nil {
		return err
	}
	_, err := b.NewRaw("UPDATE library_rows SET volume = ? WHERE id IN (?)", v.ID, bun.List(ids)).Exec(ctx)
	return err
}

// insertBlocks stores blocks of a volume. A block replaces the one that begins with the same
// word.
func insertBlocks(ctx context.Context, db bun.IDB, volume int64, blocks []search.Block) error {
	for from := 0; from < len(blocks); {
		var rows []volumeBlock
		for size := 0; from < len(blocks) && size < insertBytes; from++ {
			block := blocks[from]
			rows = append(rows, volumeBlock{Volume: volume, FirstWord: block.First, Words: notNull(block.Words), Places: notNull(block.Places)})
			size += len(block.Words) + len(block.Places)
		}
		_, err := db.NewInsert().Model(&rows).On("CONFLICT (volume, first_word) DO UPDATE").
			Set("words = excluded.words, places = excluded.places").Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}
