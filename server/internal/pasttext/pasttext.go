// Package pasttext keeps the earlier texts of corrected rows of a library in the table revisions.
//
// The first text of a row and the last one are stored whole. A large text between them is stored as
// its difference to the text that replaced it, if few lines differ. So a text needs only newer
// texts, and the oldest texts can be deleted in their order. The lines and the words of a text are
// two columns, and each is whole or a difference on its own. Texts that older programs have stored
// are whole.
package pasttext

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// Text is a text as JSON. A text that Read has made from a difference has no gzip.
type Text struct {
	Segments *packed.Bytes
	Words    *packed.Bytes // nil if there are none
}

// Change replaces the stored text of a revision when the next text comes. The zero value
// replaces nothing.
type Change struct {
	segments, words replacement
}

// replacement is a difference for a column that has a text with a checksum and a length.
type replacement struct{ difference, end []byte }

// Between compares a text with the text that replaces it.
func Between(old, next Text) (c Change, err error) {
	if c.segments, err = between(old.Segments, next.Segments); err != nil {
		return Change{}, err
	}
	c.words, err = between(old.Words, next.Words)
	return c, err
}

func between(old, next *packed.Bytes) (replacement, error) {
	d, err := difference(old, next)
	if d == nil || err != nil {
		return replacement{}, err
	}
	gzip := old.Gzip()
	return replacement{d, gzip[len(gzip)-endOfGzip:]}, nil
}

// endOfGzip is the length of the checksum and the length at the end of a gzip (RFC 1952, 2.3.1).
const endOfGzip = 8

// Write stores a text, whose successor the transaction stores too, as a difference. A first text
// stays whole, because the texts that follow it are deleted before it. A revision also stays
// whole if its stored text is not the one that was compared.
func (c Change) Write(ctx context.Context, tx *sqldb.Tx, row string, number int) error {
	for _, one := range []struct {
		column bun.Ident
		replacement
	}{{"segments", c.segments}, {"words", c.words}} {
		if one.difference == nil {
			continue
		}
		_, err := tx.NewRaw(`UPDATE revisions SET ?0 = ?1 WHERE row_id = ?2 AND number = ?3 AND substr(?0, length(?0) - 7) = ?4
			AND EXISTS (SELECT 1 FROM revisions AS f WHERE f.row_id = ?2 AND f.number < ?3)`,
			one.column, one.difference, row, number, one.end).Exec(ctx)
		if err != nil {
			return sqldb.Wrap("store a revision of library row "+row+" as a difference", err)
		}
	}
	return nil
}

// Read returns the text of a revision of a row. The error is sql.ErrNoRows if there is none.
func Read(ctx context.Context, db bun.IDB, row string, number int) (Text, error) {
	segments, words, err := stored(ctx, db, row, number)
	if err != nil {
		return Text{}, sqldb.Wrap("read a revision of library row "+row, err)
	}
	var t Text
	if t.Segments, err = text(segments); err == nil {
		t.Words, err = text(words)
	}
	return t, err
}

// atOnce is how many further revisions Read asks for at once, if the first one is a difference.
const atOnce = 10

// stored returns the columns of a revision. Each ends with the first whole text from the revision on.
// The revisions may be read one after another while others write: a text of a revision never changes.
func stored(ctx context.Context, db bun.IDB, row string, number int) (segments, words [][]byte, err error) {
	open := func(chain [][]byte) bool { return len(chain) == 0 || isDifference(chain[len(chain)-1]) }
	for next, limit := number, int64(1); open(segments) || open(words); limit = atOnce {
		var some []struct {
			Number          int
			Segments, Words []byte
		}
		err := db.NewSelect().Table("revisions").Column("number", "segments", "words").
			Where("row_id = ? AND number >= ?", row, next).Order("number").Limit(limit).Scan(ctx, &some)
		if err != nil {
			return nil, nil, err
		}
		if len(some) == 0 || len(segments) == 0 && some[0].Number != number {
			return nil, nil, sql.ErrNoRows
		}
		for _, one := range some {
			if open(segments) {
				segments = append(segments, one.Segments)
			}
			if open(words) {
				words = append(words, one.Words)
			}
			next = one.Number + 1
		}
	}
	return segments, words, nil
}

// text returns the first text of a chain.
func text(chain [][]byte) (*packed.Bytes, error) {
	last := len(chain) - 1
	whole, err := packed.Stored(chain[last])
	if err != nil || last == 0 {
		return whole, err
	}
	plain, err := whole.Plain()
	if err != nil {
		return nil, err
	}
	for _, difference := range slices.Backward(chain[:last]) {
		if plain, err = older(difference, plain); err != nil {
			return nil, err
		}
	}
	return packed.Raw(plain), nil
}

// Open gives a row of the table revisions its text in the columns segments and words, as JSON.
func Open(ctx context.Context, db bun.IDB, row map[string]any) error {
	id, _ := row["row_id"].(string)
	number, _ := row["number"].(int64)
	text, err := Read(ctx, db, id, int(number))
	if err != nil {
		return err
	}
	for column, one := range map[string]*packed.Bytes{"segments": text.Segments, "words": text.Words} {
		plain, err := one.Plain()
		if err != nil {
			return err
		}
		if row[column] = nil; len(plain) > 0 { // the text may have no words
			row[column] = json.RawMessage(plain)
		}
	}
	return nil
}
