package db

import (
	"context"
	"errors"

	"github.com/uptrace/bun"
)

// Speaker is somebody who has spoken in the chunks of work that are done.
type Speaker struct {
	bun.BaseModel `bun:"table:speakers,alias:s"`

	WorkID string `bun:"extraction_id"`
	Name   string
	Spoken float64 // seconds
	Clip   []byte  // a WAV; nil means that there is none
}

// Speakers reads the speakers of work.
type Speakers struct{ *source }

// SpeakersTx reads and changes the speakers of work.
type SpeakersTx struct {
	Speakers
	tx *Tx
}

// All returns the speakers of work. The speaker with the most speech comes
// first.
func (r Speakers) All(ctx context.Context, workID string) ([]Speaker, error) {
	speakers := []Speaker{}
	err := r.db.NewSelect().Model(&speakers).Where("extraction_id = ?", workID).Order("spoken DESC", "name").Scan(ctx)
	return speakers, wrap("speakers of extraction "+workID, err)
}

// Put stores what is known of speakers now.
func (w SpeakersTx) Put(ctx context.Context, speakers []Speaker) error {
	if len(speakers) == 0 {
		return nil
	}
	_, err := w.db.NewInsert().Model(&speakers).
		On("CONFLICT (extraction_id, name) DO UPDATE").
		Set("spoken = EXCLUDED.spoken").
		Set("clip = EXCLUDED.clip").
		Exec(ctx)
	return wrap("store speakers of extraction "+speakers[0].WorkID, err)
}

// Sounds reads what is known of the sound of work before it is recognized.
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

// Of returns what is known of the sound of work, as JSON, or nil if there is nothing.
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

// Put stores what is known of the sound of work.
func (w SoundsTx) Put(ctx context.Context, workID string, facts []byte) error {
	_, err := w.db.NewInsert().Model(&soundRow{WorkID: workID, Facts: compress(facts)}).
		On("CONFLICT (extraction_id) DO UPDATE").Set("facts = EXCLUDED.facts").Exec(ctx)
	return wrap("keep the sound of extraction "+workID, err)
}

// Delete removes what is known of the sound of work.
func (w SoundsTx) Delete(ctx context.Context, workID string) error {
	_, err := w.db.NewDelete().Model((*soundRow)(nil)).Where("extraction_id = ?", workID).Exec(ctx)
	return wrap("delete the sound of extraction "+workID, err)
}
