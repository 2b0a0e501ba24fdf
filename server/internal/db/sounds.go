package db

import (
	"context"
	"errors"

	"github.com/uptrace/bun"
)

// Sounds reads what is known about the sound of work before the sound is recognized.
type Sounds struct{ *source }

// SoundsTx reads and changes it.
type SoundsTx struct {
	Sounds
	tx *Tx
}

type soundRow struct {
	bun.BaseModel `bun:"table:sounds,alias:s"`

	WorkID string `bun:"extraction_id"`
	Facts  []byte // gzip of JSON
}

// Of returns what is known about the sound of work, as JSON, or nil if nothing is known.
func (r Sounds) Of(ctx context.Context, workID string) ([]byte, error) {
	row, err := scanOne[soundRow](ctx, r.db.NewSelect().Where("extraction_id = ?", workID), "sound of extraction "+workID)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	facts, err := decompress(row.Facts)
	return facts, wrap("sound of extraction "+workID, err)
}

// Put stores what is known about the sound of work, unless something is already stored.
func (w SoundsTx) Put(ctx context.Context, workID string, facts []byte) error {
	_, err := w.db.NewInsert().Model(&soundRow{WorkID: workID, Facts: compress(facts)}).On("CONFLICT DO NOTHING").Exec(ctx)
	return wrap("keep the sound of extraction "+workID, err)
}

// Delete removes what is known about the sound of work.
func (w SoundsTx) Delete(ctx context.Context, workID string) error {
	_, err := w.db.NewDelete().Model((*soundRow)(nil)).Where("extraction_id = ?", workID).Exec(ctx)
	return wrap("delete the sound of extraction "+workID, err)
}
