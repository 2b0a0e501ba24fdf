package db

import (
	"context"
	"fmt"
	"strings"

	"github.com/riverqueue/river/riverdriver"
)

// The priorities of the queue's rows. Work stands in line, in the order in which
// it came, until it is called up.
const (
	calledUp = 1
	inLine   = 2
)

// turns lets accounts take turns, so that none has a queue for itself while others
// wait: before a process fetches n runs of a queue, it calls up the n whose
// accounts have the least of that queue under way, the oldest first among equals.
// What several accounts wait for goes with the one whose turn comes first.
//
// It only decides who goes first. All rows stay available: where it is wrong,
// because two processes fetch at once, say, one is served a little early.
type turns struct{ count, call string }

// newTurns takes what the database needs to lock the rows that it calls up, none
// twice and none that is being fetched.
func newTurns(lock string) turns {
	return turns{
		`SELECT count(*) FROM (SELECT 1 FROM river_job WHERE state = 'available' AND queue = $1 LIMIT $2 + 1) AS t`,
		fmt.Sprintf(`UPDATE river_job SET priority = %[1]d
		WHERE id IN (SELECT id FROM river_job WHERE state = 'available' AND priority > %[1]d AND id IN (
			SELECT id FROM (
				SELECT r.id, r.state, r.scheduled_at, row_number() OVER (
					PARTITION BY j.account ORDER BY r.state = 'available', r.scheduled_at, r.id) AS turn
				FROM river_job AS r JOIN jobs AS j ON j.extraction_id = r.args ->> 'extraction'
				WHERE r.queue = $1 AND r.state IN ('running', 'available') AND j.status IN ('pending', 'processing')) AS t
			WHERE state = 'available'
			GROUP BY id ORDER BY min(turn), min(scheduled_at), id LIMIT $2)
		ORDER BY id %[2]s)`, calledUp, lock),
	}
}

// callUp calls up the next n of a queue, where more are waiting. It is false when
// none is: an idle process asks every queue every second, which must cost little.
func (t turns) callUp(ctx context.Context, db riverdriver.Executor, p *riverdriver.JobGetAvailableParams) (bool, error) {
	var waiting int // n+1: or more
	if err := db.QueryRow(ctx, t.count, p.Queue, p.MaxToLock).Scan(&waiting); err != nil {
		return false, err
	}
	if waiting <= p.MaxToLock {
		return waiting > 0, nil
	}
	return true, db.Exec(ctx, t.call, p.Queue, p.MaxToLock)
}

// numbered turns $1 into ?1, as SQLite has it.
func (t turns) numbered() turns {
	return turns{strings.ReplaceAll(t.count, "$", "?"), strings.ReplaceAll(t.call, "$", "?")}
}
