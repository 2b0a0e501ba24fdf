package wordindex

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/search"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// plan is a volume that Bind is about to make.
type plan struct {
	level  int
	from   []int64 // the volumes that have the texts; none: the texts are in no volume
	texts  []savedText
	merger search.Merger

	id   int64 // of the new volume
	size int64
}

// planOfTexts makes a volume of texts that are in none.
func planOfTexts(ctx context.Context, db bun.IDB, account string, enough int) (*plan, error) {
	var texts []savedText
	err := unbound(db, account).Order("transcript_id").Limit(int64(enough)).Scan(ctx, &texts)
	if err != nil || len(texts) < enough {
		return nil, err
	}
	changed, err := changesOf(ctx, texts, func(q *bun.SelectQuery) *bun.SelectQuery { return q }, db)
	if err != nil {
		return nil, err
	}
	p := &plan{}
	for _, t := range texts {
		t.ChangedAt = changed[t.TranscriptID]
		blocks, err := blocksOfText(ctx, db, t.TranscriptID)
		if errors.Is(err, sql.ErrNoRows) {
			continue // the text has just been deleted
		}
		if err != nil {
			return nil, err
		}
		p.texts = append(p.texts, t)
		p.merger.Add([]int{0}, func() (all []search.Block, err error) {
			all, blocks = blocks, nil
			return all, nil
		})
	}
	if len(p.texts) == 0 {
		return nil, nil
	}
	return p, nil
}

// changesOf returns when the words of texts have last changed, by the ids of the transcripts. lock
// may lock the transcripts.
func changesOf(ctx context.Context, texts []savedText, lock func(*bun.SelectQuery) *bun.SelectQuery, db bun.IDB) (map[string]time.Time, error) {
	changed := map[string]time.Time{}
	for some := range slices.Chunk(texts, portion) {
		ids := make([]string, len(some))
		for i, t := range some {
			ids[i] = t.TranscriptID
		}
		var rows []struct {
			ID        string
			UpdatedAt time.Time
		}
		q := db.NewSelect().Table("transcripts").Column("id", "updated_at").Where("id IN (?)", bun.List(ids)).Order("id")
		if err := lock(q).Scan(ctx, &rows); err != nil {
			return nil, err
		}
		for _, row := range rows {
			changed[row.ID] = row.UpdatedAt
		}
	}
	return changed, nil
}

// planOfVolumes makes a volume of the volumes that some returns.
func planOfVolumes(ctx context.Context, db bun.IDB, account string, some func([]volume) []volume) (*plan, error) {
	var all []volume
	err := db.NewSelect().Model(&all).Where("account = ? AND state = ?", account, searched).Order("id").Scan(ctx)
	if err != nil {
		return nil, err
	}
	all = some(all)
	if len(all) == 0 {
		return nil, nil
	}
	p := &plan{level: all[0].Level}
	if len(all) > 1 {
		p.level++
	}
	for _, v := range all {
		numbers, texts, err := textsIn(ctx, db, v.ID)
		if err != nil {
			return nil, err
		}
		p.from, p.texts = append(p.from, v.ID), append(p.texts, texts...)
		p.merger.Add(numbers, blocksOf(ctx, db, v.ID))
	}
	return p, nil
}

// worthBinding returns the volumes to be made one: a volume from which half of the texts have
// gone, or the first volumes of a level with enough of them.
func worthBinding(all []volume) []volume {
	levels := map[int][]volume{}
	for _, v := range all {
		if 2*v.Gone >= v.Texts {
			return []volume{v}
		}
		levels[v.Level] = append(levels[v.Level], v)
	}
	for _, level := range levels {
		if some := together(level); len(level) >= fanout && len(some) > 1 {
			return some
		}
	}
	return nil
}

// together returns the smallest volumes of a level that fit into one, at most fanout.
func together(level []volume) (some []volume) {
	slices.SortStableFunc(level, func(a, b volume) int { return int(a.Size - b.Size) })
	size, texts := int64(0), 0
	for _, v := range level[:min(len(level), fanout)] {
		if size, texts = size+v.Size, texts+v.Texts; size > maxSize || texts > maxTexts {
			break
		}
		some = append(some, v)
	}
	return some
}

// worthPurging returns the first volume from which a text has gone.
func worthPurging(all []volume) []volume {
	for _, v := range all {
		if v.Gone > 0 {
			return []volume{v}
		}
	}
	return nil
}

// textsIn returns the texts that are still in a volume, with their numbers there.
func textsIn(ctx context.Context, db bun.IDB, volume int64) (numbers []int, texts []savedText, err error) {
	stored := &volumeTexts{Volume: volume}
	err = db.NewSelect().Model(stored).WherePK().Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil, nil // another process has just replaced the volume
	}
	if err != nil {
		return nil, nil, err
	}
	entries := readEntries(stored.Entries)
	rows, err := rowsIn(ctx, db, []int64{volume}, entryIDs(entries), func(q *bun.SelectQuery) *bun.SelectQuery { return q })
	byID := map[string]savedText{}
	for _, row := range rows {
		byID[row.ID] = row
	}
	for number, e := range entries {
		if row, ok := byID[e.id]; ok {
			numbers, texts = append(numbers, number), append(texts, row)
		}
	}
	return numbers, texts, err
}

func entryIDs(entries []entry) []string {
	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i] = e.id
	}
	return ids
}

// rowsIn returns the rows of the library, among those with the ids, that name one of the volumes.
// lock may lock the rows. The order of the ids is the order of all locks.
func rowsIn(ctx context.Context, db bun.IDB, volumes []int64, ids []string, lock func(*bun.SelectQuery) *bun.SelectQuery) (all []savedText, err error) {
	slices.Sort(ids)
	for some := range slices.Chunk(ids, portion) {
		var rows []savedText
		q := db.NewSelect().Table("library_rows").Column("id", "transcript_id", "platform", "lang", "created_at").
			Where("id IN (?) AND volume IN (?)", bun.List(some), bun.List(volumes)).Order("id")
		if err := lock(q).Scan(ctx, &rows); err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}

// unchanged returns the texts of the plan whose rows and words have not changed. It locks their
// rows. It leaves out a text in no volume that another transaction has locked.
func (p *plan) unchanged(ctx context.Context, tx *sqldb.Tx) ([]savedText, error) {
	if len(p.from) > 0 {
		ids := make([]string, len(p.texts))
		for i, t := range p.texts {
			ids[i] = t.ID
		}
		return rowsIn(ctx, tx.Tx, p.from, ids, tx.ForUpdate)
	}
	var rows []savedText
	ids := make([]string, len(p.texts))
	for i, t := range p.texts {
		ids[i] = t.ID
	}
	q := tx.NewSelect().Table("library_rows").Column("id", "transcript_id").Where("kind = 'transcript' AND volume IS NULL AND id IN (?)", bun.List(ids)).Order("id")
	if err := tx.SkipLocked(q).Scan(ctx, &rows); err != nil {
		return nil, err
	}
	now, err := changesOf(ctx, p.texts, tx.SkipLocked, tx.Tx)
	if err != nil {
		return nil, err
	}
	there := map[string]string{}
	for _, row := range rows {
		there[row.ID] = row.TranscriptID
	}
	return slices.DeleteFunc(slices.Clone(p.texts), func(t savedText) bool {
		changed, is := now[t.TranscriptID]
		return there[t.ID] != t.TranscriptID || !is || !changed.Equal(t.ChangedAt)
	}), nil
}

// leave ends the places where the moved texts have been.
func (p *plan) leave(ctx context.Context, tx *sqldb.Tx, moved []savedText) error {
	if len(p.from) > 0 {
		_, err := tx.NewRaw("UPDATE search_volumes SET state = ? WHERE id IN (?)", replaced, bun.List(p.from)).Exec(ctx)
		return err
	}
	ids := make([]string, len(moved))
	for i, t := range moved {
		ids[i] = t.TranscriptID
	}
	return drop(ctx, tx, ids)
}
