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

// ErrTakenForDead is returned to a process that the others have taken for dead.
// They do its work now; it may come back under another name.
var ErrTakenForDead = errors.New("store: this process was taken for dead")

// Process is a process that works on the queue, or has until it died.
type Process struct {
	ID string
	// Sign changes with each beat; it says nothing else.
	Sign string
	// Silent is how long ago its last beat was, by the database's clock. The clock may be
	// set, so another process takes this one for dead by the Sign.
	Silent time.Duration
	// Session is that of the process with the database: see EndedProcesses. 0 means that it
	// has none.
	Session int64
	// Abilities is what it has said it can do, a JSON object: see Workers. nil means that it
	// has said nothing.
	Abilities []byte
}

// sign changes with every beat, and with those of a process of the version
// before, which does not count them.
const sign = "CAST(beats AS text) || ' ' || CAST(beat_at AS text)"

// join makes the process one of the living. id must be new.
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

// beat is the process's sign of life. ErrTakenForDead when the others have
// waited for it too long.
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

// leave says that the process has stopped in an orderly way.
func (q *Queue) leave(ctx context.Context, id string) error {
	ctx, err := q.sql.Enter(ctx)
	if err != nil {
		return err
	}
	_, err = q.sql.Writer().NewRaw(`DELETE FROM processes WHERE id = ?`, id).Exec(ctx)
	return sqldb.Wrap("leave of process "+id, err)
}

// Processes returns all that have joined and neither left nor been buried.
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

// EndedProcesses returns those of the processes whose sessions with the database have ended. A
// process that replaces a broken connection may be among them for a moment.
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

// Bury takes a process for dead, unless it has given another sign of life since
// p was read: its work is Lost from now on, and its next Beat tells it so.
func (q *Queue) Bury(ctx context.Context, p Process) (buried bool, err error) {
	ctx, err = q.sql.Enter(ctx)
	if err != nil {
		return false, err
	}
	res, err := q.sql.Writer().NewRaw(`DELETE FROM processes WHERE id = ? AND `+sign+` = ?`, p.ID, p.Sign).Exec(ctx)
	n, err := affected(res, err)
	return n > 0, sqldb.Wrap("bury process "+p.ID, err)
}

// lively is how long ago the last beat of a process may be that lives.
const lively = time.Minute

// Lively is how many processes have given a sign of life in the last minute.
func Lively(ctx context.Context, db bun.IDB) (n int, err error) {
	all, err := processes(ctx, db)
	for _, p := range all {
		if p.Silent < lively {
			n++
		}
	}
	return n, err
}
