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

// Verify compares the index of each text with the text, and calls fault with a sentence about each
// disagreement. It returns how many texts it has read. Others may write at the same time.
func Verify(ctx context.Context, db *sqldb.DB, fault func(string)) (texts int, err error) {
	v := &verifier{db: db, fault: fault}
	for last, more := "", true; more && err == nil; {
		last, more, err = v.someTexts(ctx, last)
	}
	for last, more := int64(0), true; more && err == nil; {
		last, more, err = v.nextVolume(ctx, last)
	}
	if err == nil {
		err = v.namedVolumes(ctx)
	}
	return v.texts, sqldb.Wrap("verify the index", err)
}

// verifyAtOnce is how many texts are read at one moment.
const verifyAtOnce = 50

type verifier struct {
	db    *sqldb.DB
	fault func(string)
	texts int
}

// storedText is a text with the index of its own.
type storedText struct {
	ID       string
	Segments []byte // gzip; nil means that there is no text
	Alone    bool   // some account has the text in no volume
}

// someTexts compares the texts behind last with the indexes of single texts.
func (v *verifier) someTexts(ctx context.Context, last string) (next string, more bool, err error) {
	err = v.db.Snapshot(ctx, func(ctx context.Context, db bun.IDB) error {
		var page []storedText
		err := db.NewRaw(`SELECT t.id, x.segments, EXISTS (SELECT 1 FROM library_rows AS l WHERE l.transcript_id = t.id AND l.volume IS NULL) AS alone
			FROM transcripts AS t LEFT JOIN texts AS x ON x.transcript_id = t.id WHERE t.id > ? ORDER BY t.id LIMIT ?`, last, verifyAtOnce).Scan(ctx, &page)
		if err != nil || len(page) == 0 {
			return err
		}
		indexed, err := sumsOfTexts(ctx, db, page)
		if err != nil {
			return err
		}
		for _, text := range page {
			v.texts++
			v.compare(text, indexed)
		}
		next, more = page[len(page)-1].ID, true
		return nil
	})
	return next, more, err
}

// sumsOfTexts are the sums of the indexes of single texts.
func sumsOfTexts(ctx context.Context, db bun.IDB, texts []storedText) (map[string]search.Sum, error) {
	ids := make([]string, len(texts))
	for i, t := range texts {
		ids[i] = t.ID
	}
	var blocks []textBlock
	if err := db.NewSelect().Model(&blocks).Where("transcript_id IN (?)", bun.List(ids)).Scan(ctx); err != nil {
		return nil, err
	}
	indexed := map[string]search.Sum{}
	for _, b := range blocks {
		one := []search.Sum{indexed[b.TranscriptID]}
		search.AddSums(one, &search.Block{First: b.FirstWord, Words: b.Words, Places: b.Places})
		indexed[b.TranscriptID] = one[0]
	}
	return indexed, nil
}

func (v *verifier) compare(text storedText, indexed map[string]search.Sum) {
	has, isIndexed := indexed[text.ID]
	want, err := sumOfText(text.Segments)
	switch {
	case text.Segments == nil:
		v.fault(fmt.Sprintf("transcript %s has no text", text.ID))
	case err != nil:
		v.fault(fmt.Sprintf("the text of transcript %s cannot be read: %v", text.ID, err))
	case text.Alone && !isIndexed:
		v.fault(fmt.Sprintf("the text of transcript %s is in no index", text.ID))
	case isIndexed && has != want:
		v.fault(fmt.Sprintf("the index of transcript %s is that of another text", text.ID))
	}
}

func sumOfText(gzip []byte) (search.Sum, error) {
	text, err := packed.Stored(gzip)
	if err != nil {
		return 0, err
	}
	plain, err := text.Plain()
	if err != nil {
		return 0, err
	}
	var segments []transcript.Segment
	if err := json.Unmarshal(plain, &segments); err != nil {
		return 0, err
	}
	sums := make([]search.Sum, 1)
	for _, b := range search.Blocks(segments) {
		search.AddSums(sums, &b)
	}
	return sums[0], nil
}

// nextVolume compares the texts of the first volume behind last with the volume.
func (v *verifier) nextVolume(ctx context.Context, last int64) (id int64, more bool, err error) {
	err = v.db.Snapshot(ctx, func(ctx context.Context, db bun.IDB) error {
		var ids []int64
		err := db.NewRaw("SELECT id FROM search_volumes WHERE id > ? AND state = ? ORDER BY id LIMIT 1", last, searched).Scan(ctx, &ids)
		if err != nil || len(ids) == 0 {
			return err
		}
		id, more = ids[0], true
		indexed, err := sumsOfVolume(ctx, db, id)
		if err != nil {
			return err
		}
		return v.rowsOf(ctx, db, id, indexed)
	})
	return id, more, err
}

// sumsOfVolume are the sums of the texts of a volume, by the ids of their rows in the library.
func sumsOfVolume(ctx context.Context, db bun.IDB, id int64) (map[string]search.Sum, error) {
	var texts volumeTexts
	if err := db.NewSelect().Model(&texts).Where("volume = ?", id).Scan(ctx); err != nil {
		return nil, err
	}
	entries := readEntries(texts.Entries)
	sums := make([]search.Sum, len(entries))
	for next := blocksOf(ctx, db, id); ; {
		blocks, err := next()
		if err != nil {
			return nil, err
		}
		if len(blocks) == 0 {
			break
		}
		for _, b := range blocks {
			search.AddSums(sums, &b)
		}
	}
	indexed := make(map[string]search.Sum, len(entries))
	for i, e := range entries {
		indexed[e.id] = sums[i]
	}
	return indexed, nil
}

// rowsOf compares the texts of the rows that name a volume with the volume.
func (v *verifier) rowsOf(ctx context.Context, db bun.IDB, volume int64, indexed map[string]search.Sum) error {
	for last := ""; ; {
		var page []storedText
		err := db.NewRaw(`SELECT l.id, x.segments FROM library_rows AS l LEFT JOIN texts AS x ON x.transcript_id = l.transcript_id
			WHERE l.volume = ? AND l.id > ? ORDER BY l.id LIMIT ?`, volume, last, verifyAtOnce).Scan(ctx, &page)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, row := range page {
			if row.Segments == nil {
				continue // someTexts has found that
			}
			want, err := sumOfText(row.Segments)
			if has, isIndexed := indexed[row.ID]; err == nil && (!isIndexed || has != want) {
				v.fault(fmt.Sprintf("the text of library row %s is not in the index %d that the row names", row.ID, volume))
			}
		}
		last = page[len(page)-1].ID
	}
}

// namedVolumes looks for rows that name a volume which is not there.
func (v *verifier) namedVolumes(ctx context.Context) error {
	var lost []string
	err := v.db.Reader().NewRaw(`SELECT l.id FROM library_rows AS l WHERE l.volume IS NOT NULL
		AND NOT EXISTS (SELECT 1 FROM search_volumes AS v WHERE v.id = l.volume AND v.state = ?) LIMIT ?`, searched, verifyAtOnce).Scan(ctx, &lost)
	for _, id := range lost {
		v.fault(fmt.Sprintf("library row %s names an index that is not there", id))
	}
	return err
}
