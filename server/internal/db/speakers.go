package db

import (
	"context"

	"github.com/uptrace/bun"
)

// Speaker is a person who speaks in the finished chunks of work.
type Speaker struct {
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

type speakerRow struct {
	bun.BaseModel `bun:"table:speakers,alias:s"`

	Speaker
}

// All returns the speakers of work. The speaker with the most speech comes first.
func (r Speakers) All(ctx context.Context, workID string) ([]Speaker, error) {
	var rows []speakerRow
	err := r.db.NewSelect().Model(&rows).Where("extraction_id = ?", workID).Order("spoken DESC", "name").Scan(ctx)
	if err != nil {
		return nil, wrap("speakers of extraction "+workID, err)
	}
	speakers := make([]Speaker, len(rows))
	for i := range rows {
		speakers[i] = rows[i].Speaker
	}
	return speakers, nil
}

// Put stores what is now known about speakers.
func (w SpeakersTx) Put(ctx context.Context, speakers []Speaker) error {
	if len(speakers) == 0 {
		return nil
	}
	rows := make([]speakerRow, len(speakers))
	for i, s := range speakers {
		rows[i] = speakerRow{Speaker: s}
	}
	_, err := w.db.NewInsert().Model(&rows).
		On("CONFLICT (extraction_id, name) DO UPDATE").
		Set("spoken = EXCLUDED.spoken").
		Set("clip = EXCLUDED.clip").
		Exec(ctx)
	return wrap("store speakers of extraction "+speakers[0].WorkID, err)
}
