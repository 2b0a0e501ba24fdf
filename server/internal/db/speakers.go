package db

import (
	"context"

	"github.com/uptrace/bun"
)

// Speaker is somebody who has spoken in the chunks of an extraction that are done.
type Speaker struct {
	ExtractionID string
	Name         string
	Spoken       float64 // seconds
	Clip         []byte  // a WAV; nil: there is none
}

type speakerRow struct {
	bun.BaseModel `bun:"table:speakers,alias:s"`

	Speaker
}

// Speakers returns who has spoken in an extraction, first whoever has spoken most.
func (r Reader) Speakers(ctx context.Context, extractionID string) ([]Speaker, error) {
	var rows []speakerRow
	err := r.db.NewSelect().Model(&rows).Where("extraction_id = ?", extractionID).Order("spoken DESC", "name").Scan(ctx)
	if err != nil {
		return nil, wrap("speakers of extraction "+extractionID, err)
	}
	speakers := make([]Speaker, len(rows))
	for i := range rows {
		speakers[i] = rows[i].Speaker
	}
	return speakers, nil
}

// PutSpeakers stores what is known of speakers now.
func (tx *Tx) PutSpeakers(ctx context.Context, speakers []Speaker) error {
	if len(speakers) == 0 {
		return nil
	}
	rows := make([]speakerRow, len(speakers))
	for i, s := range speakers {
		rows[i] = speakerRow{Speaker: s}
	}
	_, err := tx.db.NewInsert().Model(&rows).
		On("CONFLICT (extraction_id, name) DO UPDATE").
		Set("spoken = EXCLUDED.spoken").
		Set("clip = EXCLUDED.clip").
		Exec(ctx)
	return wrap("store speakers of extraction "+speakers[0].ExtractionID, err)
}

// DeleteSpeakers forgets who has spoken in an extraction.
func (tx *Tx) DeleteSpeakers(ctx context.Context, extractionID string) error {
	_, err := tx.db.NewDelete().Model((*speakerRow)(nil)).Where("extraction_id = ?", extractionID).Exec(ctx)
	return wrap("delete speakers of extraction "+extractionID, err)
}
