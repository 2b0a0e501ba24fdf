package db

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/riverqueue/river/riverdriver"
)

// The priorities of the queue's rows. Work stands in line, in the order in which
// it came, until it is called up.
const (
	calledUp = 1
	inLine   = 2
)

// turnOf is the name under which a claim takes turns: its account's, unless accounts
// share one.
const turnOf = "coalesce(nullif(j.turn, ''), j.account)"

// newcomer is the turn of an account that has had none: after those of all others.
const newcomer = "(SELECT coalesce(max(turn), 0) + 1 FROM turns WHERE queue = $1)"

// turnsAgo is of a turn that is too long ago to matter.
const turnsAgo = "turn < (SELECT max(l.turn) FROM turns AS l WHERE l.queue = turns.queue) - 1000"

// turns lets accounts take turns, so that none has a queue for itself while others
// wait: before a process fetches n runs of a queue, it calls up the n whose
// accounts have the least of that queue under way. Among equals the one goes first
// that has not had a turn for longest, and then the oldest. What several accounts wait
// for goes with the one whose turn comes first.
//
// An account that has never had a turn begins as if it had just had one: many new
// accounts do not push back those that were there before. Accounts that share a turn
// (Limits.Turn) count as one account.
//
// What only batches wait for goes after all that is asked for by itself, and the last
// free worker of a queue is kept from it: of a long batch none has to wait for a step
// to end.
//
// It only decides who goes first. All rows stay available: where it is wrong,
// because two processes fetch at once, say, one is served a little early.
type turns struct {
	count, asked, call, note string
	moment                   func(time.Time) any // as the database compares times
}

// newTurns takes what the database needs to lock the rows that it calls up, none
// twice and none that is being fetched. A row whose time has not come is not there.
func newTurns(lock string, moment func(time.Time) any) turns {
	return turns{
		`SELECT count(*) FROM (SELECT 1 FROM river_job WHERE state = 'available' AND queue = $1 AND scheduled_at <= $3 LIMIT $2 + 1) AS t`,
		// What nobody waits for has little left to do.
		`SELECT count(*) FROM (SELECT 1 FROM river_job AS r WHERE r.state = 'available' AND r.queue = $1 AND r.scheduled_at <= $3
			AND coalesce((SELECT max(CASE WHEN j.asked THEN 1 ELSE 0 END) FROM jobs AS j
				WHERE j.extraction_id = r.args ->> 'extraction' AND j.status IN ('pending', 'processing')), 1) = 1
			LIMIT $2) AS t`,
		// One that was called up before, and has not come, goes back into the line.
		fmt.Sprintf(`UPDATE river_job SET priority = CASE priority WHEN %[1]d THEN %[2]d ELSE %[1]d END
		WHERE id IN (SELECT id FROM river_job WHERE state = 'available' AND queue = $1 AND (priority = %[1]d) <> (id IN (
			SELECT id FROM (
				SELECT r.id, r.state, r.scheduled_at, CASE WHEN j.asked THEN 0 ELSE 1 END AS behind, row_number() OVER (
					PARTITION BY %[4]s, j.asked ORDER BY r.state = 'available', r.scheduled_at, r.id) AS turn, coalesce(l.turn, %[5]s) AS last
				FROM river_job AS r JOIN jobs AS j ON j.extraction_id = r.args ->> 'extraction'
				LEFT JOIN turns AS l ON l.queue = r.queue AND l.account = %[4]s
				WHERE r.queue = $1 AND r.state IN ('running', 'available') AND j.status IN ('pending', 'processing')) AS t
			WHERE state = 'available' AND scheduled_at <= $3
			GROUP BY id ORDER BY min(behind), min(turn), min(last), min(scheduled_at), id LIMIT $2))
		ORDER BY id %[3]s)`, calledUp, inLine, lock, turnOf, newcomer),
		// A run that has just ended is under way or is not, as its end is written a little
		// later: who goes first must not hang on that alone. A new account's place among the
		// others is noted as soon as it is seen: else each turn of another would move it back.
		fmt.Sprintf(`INSERT INTO turns (queue, account, turn)
		SELECT r.queue, %[2]s, %[3]s + max(CASE r.priority WHEN %[1]d THEN 1 ELSE 0 END)
		FROM river_job AS r JOIN jobs AS j ON j.extraction_id = r.args ->> 'extraction'
		LEFT JOIN turns AS l ON l.queue = r.queue AND l.account = %[2]s
		WHERE r.queue = $1 AND r.state = 'available' AND j.status IN ('pending', 'processing') AND (r.priority = %[1]d OR l.turn IS NULL)
		GROUP BY r.queue, %[2]s ORDER BY r.queue, %[2]s
		ON CONFLICT (queue, account) DO UPDATE SET turn = CASE WHEN excluded.turn > turns.turn THEN excluded.turn ELSE turns.turn END`,
			calledUp, turnOf, newcomer),
		moment,
	}
}

// callUp returns how many runs of a queue, which has so many workers, are waiting, as
// far as the caller has room for them and one more, and how many of them are to be
// fetched. It calls those up where more are waiting. An idle process asks every queue
// every second, which must cost little.
func (t turns) callUp(ctx context.Context, db riverdriver.Executor, p *riverdriver.JobGetAvailableParams, workers int) (waiting, n int, err error) {
	n = p.MaxToLock
	now := t.moment(*p.Now)
	if err := db.QueryRow(ctx, t.count, p.Queue, n, now).Scan(&waiting); err != nil || waiting < n {
		return waiting, waiting, err
	}
	if workers > 1 {
		var asked int // n: or more
		if err := db.QueryRow(ctx, t.asked, p.Queue, n, now).Scan(&asked); err != nil {
			return 0, 0, err
		}
		n = max(asked, n-1)
	}
	if waiting <= n || n == 0 {
		return waiting, n, nil
	}
	if err := db.Exec(ctx, t.call, p.Queue, n, now); err != nil {
		return 0, 0, err
	}
	return waiting, n, db.Exec(ctx, t.note, p.Queue)
}

// numbered turns $1 into ?1, as SQLite has it.
func (t turns) numbered() turns {
	number := func(s string) string { return strings.ReplaceAll(s, "$", "?") }
	return turns{number(t.count), number(t.asked), number(t.call), number(t.note), t.moment}
}
