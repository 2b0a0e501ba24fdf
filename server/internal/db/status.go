package db

import (
	"context"
	"fmt"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Status is the amount of waiting work and of stored data at a moment.
type Status struct {
	Jobs   []StageJobs   // by stage; stages without a running job are missing
	Queue  []queue.Steps // by queue and state; states without a step are missing
	Places []PlaceCount  // by state; states without a place are missing
	// Processes is how many processes work on the queue and have sent a heartbeat in the last minute.
	Processes  int
	Bytes      int64       // of the database
	Deliveries []time.Time // when the event of the oldest waiting delivery to a webhook happened, if a delivery waits
	// Blobs is the last result of the sweep; empty before the first one.
	Blobs []Measure
}

// StageJobs describes the running jobs in a stage.
type StageJobs struct {
	Stage  transcript.Stage
	Jobs   int
	Oldest time.Time // when the oldest job was made
}

// PlaceCount is how many pieces of work on the way to recognition are in a state.
type PlaceCount struct {
	State  PlaceState
	Places int
}

// Measure is a number that was measured at one time.
type Measure struct {
	Name       string
	Value      int64
	MeasuredAt time.Time
}

// Status reads the whole database at one moment. The error is the error of the first
// query that failed.
func (s *Store) Status(ctx context.Context) (now Status, err error) {
	err = s.Snapshot(ctx, func(ctx context.Context, r Reader) error {
		now, err = r.status(ctx, s.sql)
		return err
	})
	return now, err
}

func (r Reader) status(ctx context.Context, dialect sqldb.Dialect) (Status, error) {
	var now Status
	for _, ask := range []struct {
		question string
		into     any
	}{
		{`SELECT stage, count(*) AS jobs, min(created_at) AS oldest FROM jobs WHERE ` + running + ` GROUP BY stage`, &now.Jobs},
		{`SELECT state, count(*) AS places FROM asr_places GROUP BY state`, &now.Places},
		{`SELECT created_at FROM webhook_deliveries WHERE status = 'pending' ORDER BY created_at LIMIT 1`, &now.Deliveries},
		{`SELECT name, value, measured_at FROM measures`, &now.Blobs},
	} {
		if err := r.db.NewRaw(ask.question).Scan(ctx, ask.into); err != nil {
			return Status{}, wrap("look at the status", err)
		}
	}
	if err := r.db.NewRaw(dialect.SizeQuery()).Scan(ctx, &now.Bytes); err != nil {
		return Status{}, wrap("look at the size of the database", err)
	}
	var err error
	if now.Queue, err = queue.Count(ctx, r.db, dialect); err != nil {
		return now, err
	}
	now.Processes, err = queue.Lively(ctx, r.db)
	return now, err
}

// Measure stores a measured number for all processes, and replaces the last number.
func (s *Store) Measure(ctx context.Context, name string, value int64) error {
	ctx, err := s.sql.Enter(ctx)
	if err != nil {
		return err
	}
	_, err = s.writer.NewRaw(`INSERT INTO measures (name, value, measured_at) VALUES (?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value, measured_at = excluded.measured_at`,
		name, value, sqldb.Moment(time.Now())).Exec(ctx)
	return wrap(fmt.Sprintf("keep the measure %q", name), err)
}
