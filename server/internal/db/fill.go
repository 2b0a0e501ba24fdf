package db

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/uptrace/bun/schema"

	"github.com/transcriptkit/transcriptkit/server/internal/search"
)

// fillVersion is the migration that fills what only Go can compute: the number of
// a text's words, and what the library is searched by. It also compresses texts
// again, as compress does now.
const fillVersion = 11

func fill(ctx context.Context, tx *sql.Tx, sql schema.QueryGen) error {
	f := filler{tx, sql}
	for table, row := range map[string]func(context.Context, string) error{"transcripts": f.transcript, "library_rows": f.libraryRow} {
		ids, err := f.ids(ctx, table)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if err := row(ctx, id); err != nil {
				return fmt.Errorf("%s %s: %w", table, id, err)
			}
		}
	}
	return nil
}

// filler writes arguments into the statements, as the databases mark them
// differently.
type filler struct {
	tx  *sql.Tx
	sql schema.QueryGen
}

func (f filler) ids(ctx context.Context, table string) (ids []string, err error) {
	rows, err := f.tx.QueryContext(ctx, "SELECT id FROM "+table)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // Err has said what there is to say
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

func (f filler) transcript(ctx context.Context, id string) error {
	var segments, words []byte
	err := f.tx.QueryRowContext(ctx, f.sql.FormatQuery("SELECT segments, words FROM texts WHERE transcript_id = ?", id)).
		Scan(&segments, &words)
	if err != nil {
		return err
	}
	if segments, err = decompress(segments); err != nil {
		return err
	}
	if words, err = decompress(words); err != nil {
		return err
	}
	said, err := segmentsOf(segments)
	if err != nil {
		return err
	}
	if err := f.exec(ctx, "UPDATE transcripts SET word_count = ? WHERE id = ?", countWords(said), id); err != nil {
		return err
	}
	return f.exec(ctx, "UPDATE texts SET segments = ?, words = ? WHERE transcript_id = ?", compress(segments), compress(words), id)
}

func (f filler) libraryRow(ctx context.Context, id string) error {
	var title, channel string
	err := f.tx.QueryRowContext(ctx, f.sql.FormatQuery(`SELECT coalesce(t.title, ''), coalesce(t.channel, '')
		FROM library_rows AS l JOIN transcripts AS t ON t.id = l.transcript_id WHERE l.id = ?`, id)).Scan(&title, &channel)
	if err != nil {
		return err
	}
	return f.exec(ctx, "UPDATE library_rows SET folded_title = ?, folded_channel = ? WHERE id = ?", search.Fold(title), search.Fold(channel), id)
}

func (f filler) exec(ctx context.Context, statement string, args ...any) error {
	_, err := f.tx.ExecContext(ctx, f.sql.FormatQuery(statement, args...))
	return err
}
