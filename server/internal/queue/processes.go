package queue

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// ErrTakenForDead is returned to a process that the others have considered dead. They now
// do its work; it may return under another name.
var ErrTakenForDead = errors.New("store: this process was taken for dead")

// Process is a process that works on the queue, or did so until it died.
type Process struct {
	ID string
	// Sign changes with each heartbeat; it has no other meaning.
	Sign string
	// Silent is how long ago its last heartbeat was, by the database's clock. The clock may
	// be set, so another process uses Sign to decide whether this one is dead.
	Silent time.Duration
	// Session is the session of the process with the database: see EndedProcesses. 0 means
	// that it has none.
	Session int64
	// Abilities is what the process can do, as a JSON object: see Workers. nil means that it
	// has not said so.
	Abilities []byte
}

// sign changes with every heartbeat, and with those of a process of the previous version,
// which does not count them.
const sign = "CAST(beats AS text) || ' ' || CAST(beat_at AS text)"

// join adds the process to the living processes. id must be new.
func (q *Queue) join(ctx context.Context, id string, abilities []byte) error {
	ctx, err := q.sql.Enter(ctx)
	if err != nil {
		return err
	}
	var said *string
	if abilities != nil {
		said = new(string(abilities))
	}
	_, err = q.sql.Writer().NewRaw(`INSERT INTO processes (id, beats, beat_at, abilities, session) VALUES (?, 0, CURRENT_TIMESTAMP, ?, nullif(?, 0))`, id, said, q.sql.Session()).Exec(ctx)
	return sqldb.Wrap("join of process "+id, err)
}

// beat sends the process's heartbeat. The error is ErrTakenForDead if the others have
// waited too long for it.
func (q *Queue) beat(ctx context.Context, id string) error {
	ctx, err := q.sql.Enter(ctx)
	if err != nil {
		return err
	}
	res, err := q.sql.Writer().NewRaw(`UPDATE processes SET beats = beats + 1, beat_at = CURRENT_TIMESTAMP, session = nullif(?, 0) WHERE id = ?`, q.sql.Session(), id).Exec(ctx)
	n, err := affected(res, err)
	if err == nil && n == 0 {
		return fmt.Errorf("process %s: %w", id, ErrTakenForDead)
	}
	return sqldb.Wrap("beat of process "+id, err)
}

// leave records that the process has stopped in an orderly way.
func (q *Queue) leave(ctx context.Context, id string) error {
	ctx, err := q.sql.Enter(ctx)
	if err != nil {
		return err
	}
	_, err = q.sql.Writer().NewRaw(`DELETE FROM processes WHERE id = ?`, id).Exec(ctx)
	return sqldb.Wrap("leave of process "+id, err)
}

// Processes returns all processes that have joined, and have neither left nor been
// buried.
func (q *Queue) Processes(ctx context.Context) ([]Process, error) {
	return processes(ctx, q.sql.Reader())
}

func processes(ctx context.Context, db bun.IDB) ([]Process, error) {
	var rows []struct {
		Process     `bun:",extend"`
		BeatAt, Now time.Time
	}
	err := db.NewRaw(`SELECT id, `+sign+` AS sign, coalesce(session, 0) AS session, abilities, beat_at, CURRENT_TIMESTAMP AS now FROM processes`).Scan(ctx, &rows)
	all := make([]Process, len(rows))
	for i, row := range rows {
		all[i] = row.Process
		all[i].Silent = row.Now.Sub(row.BeatAt)
	}
	return all, sqldb.Wrap("list processes", err)
}

// EndedProcesses returns the processes whose sessions with the database have ended. A process
// that replaces a broken connection may be among them for a moment.
func (q *Queue) EndedProcesses(ctx context.Context, all []Process) (ended []Process, err error) {
	of := map[int64]Process{}
	for _, p := range all {
		if p.Session != 0 {
			of[p.Session] = p
		}
	}
	sessions, err := q.sql.Ended(ctx, slices.Collect(maps.Keys(of))...)
	for _, session := range sessions {
		ended = append(ended, of[session])
	}
	return ended, err
}

// Bury declares a process dead, unless it has sent another heartbeat since p was read:
// its work is Lost from now on, and its next Beat tells it so.
func (q *Queue) Bury(ctx context.Context, p Process) (buried bool, err error) {
	ctx, err = q.sql.Enter(ctx)
	if err != nil {
		return false, err
	}
	res, err := q.sql.Writer().NewRaw(`DELETE FROM processes WHERE id = ? AND `+sign+` = ?`, p.ID, p.Sign).Exec(ctx)
	n, err := affected(res, err)
	return n > 0, sqldb.Wrap("bury process "+p.ID, err)
}

// lively is how long ago the last heartbeat of a living process may be.
const lively = time.Minute

// Lively is how many processes have sent a heartbeat in the last minute.
func Lively(ctx context.Context, db bun.IDB) (n int, err error) {
	all, err := processes(ctx, db)
	for _, p := range all {
		if p.Silent < lively {
			n++
		}
	}
	return n, err
}
