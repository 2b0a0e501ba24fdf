package db

import (
	"context"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// Hook is a kind of end that a process wants to be told about. The value is the name of
// the queue for these ends.
type Hook string

// The hooks.
const (
	JobHook   Hook = "job_hook"
	BatchHook Hook = "batch_hook"
)

// SetHook records that a process has a hook.
func (s *Store) SetHook(ctx context.Context, h Hook) error {
	ctx, err := s.sql.Enter(ctx)
	if err != nil {
		return err
	}
	_, err = s.writer.NewRaw(`INSERT INTO hooks (name, set_at) VALUES (?, ?)
		ON CONFLICT (name) DO UPDATE SET set_at = excluded.set_at`, h, sqldb.Moment(time.Now())).Exec(ctx)
	return wrap("set hook "+string(h), err)
}

// HasHook reports whether a process has recorded since the given time that it has a hook.
func (r Reader) HasHook(ctx context.Context, h Hook, since time.Time) (bool, error) {
	var has bool
	err := r.db.NewRaw(`SELECT EXISTS (SELECT 1 FROM hooks WHERE name = ? AND set_at > ?)`, h, sqldb.Moment(since)).Scan(ctx, &has)
	return has, wrap("hook "+string(h), err)
}
