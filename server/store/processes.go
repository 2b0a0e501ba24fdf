package store

import (
	"context"
	"time"
)

// LostWork is a queue job whose process has died while it ran.
type LostWork struct {
	Kind string
	Args []byte // JSON
}

// Beat says that the process is alive. It is to be called several times in the
// silence that Recover is given.
func (s *Store) Beat(ctx context.Context, process string) error {
	ctx, err := s.enter(ctx)
	if err != nil {
		return err
	}
	// The database's clock, which all processes share.
	_, err = s.writer.NewRaw(`INSERT INTO processes (id, beat_at) VALUES (?, CURRENT_TIMESTAMP)
		ON CONFLICT (id) DO UPDATE SET beat_at = CURRENT_TIMESTAMP`, process).Exec(ctx)
	return wrap("beat of process "+process, err)
}

// Leave says that the process has stopped in an orderly way.
func (s *Store) Leave(ctx context.Context, process string) error {
	ctx, err := s.enter(ctx)
	if err != nil {
		return err
	}
	_, err = s.writer.NewRaw(`DELETE FROM processes WHERE id = ?`, process).Exec(ctx)
	return wrap("leave of process "+process, err)
}

// Recover makes the queue jobs of dead processes available again and returns
// them; of several callers one gets each. Dead is every process but self whose
// last beat is older than silence, or that left or never beat; on SQLite every
// process but self, as only one may serve.
func (tx *Tx) Recover(ctx context.Context, self string, silence time.Duration) ([]LostWork, error) {
	lost, err := tx.database.release(ctx, tx.tx.Tx, self, silence)
	return lost, wrap("recover", err)
}
