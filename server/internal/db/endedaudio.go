package db

import (
	"context"
	"time"
)

// The audio of an extraction stays among the blobs for some time after the extraction has ended: a
// database that loses the commit of the end goes on with the work, and an upload cannot be fetched
// again.

// LeaveAudio notes in the transaction that ends an extraction that its audio is left. For an
// extraction that has ended before, the time of the end is now.
func (w ExtractionsTx) LeaveAudio(ctx context.Context, id string) error {
	_, err := w.db.NewRaw(`UPDATE extractions SET audio_ended_at = ? WHERE id = ?`, w.tx.sql.Ago(0), id).Exec(ctx)
	return wrap("leave audio of extraction "+id, err)
}

// WithAudio returns extractions that ended at least age ago and whose audio is left, the first to
// end first, at most 200.
func (s *Store) WithAudio(ctx context.Context, age time.Duration) (ended []Extraction, err error) {
	err = s.db.NewSelect().Model(&ended).Where("audio_ended_at <= (SELECT ?)", s.sql.Ago(age)).Order("audio_ended_at").Limit(portion).Scan(ctx)
	return ended, wrap("ended extractions with audio", err)
}

// AudioGoes notes that the audio of an extraction that has ended goes now. The caller deletes the
// audio afterwards: a step may note meanwhile that it has left more.
func (s *Store) AudioGoes(ctx context.Context, id string) error {
	_, err := s.sql.Do(ctx, `UPDATE extractions SET audio_ended_at = NULL WHERE id = ?`, id)
	return wrap("audio of extraction "+id, err)
}
