package queue

import (
	"context"
	"fmt"

	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
)

// The accounts share the workers of a queue: see [FairTime]. The tag of a step is the row's
// scheduled_at, a time long past, so that the step may run at once. River orders by scheduled_at.
//
// River by itself runs the steps of a queue in the order in which they came, and has four
// priorities. Eight workers take 90 to 300 steps a second (measured). So behind a batch of 100,000
// items, another account would wait for five to twenty minutes; with a tag it waits for one step.
// The cost is three statements for each step, and a row for each account in a queue.

// The priorities of a queue's steps, for River.
const (
	singlePriority = 1 // someone waits for the step who has asked for it with a single request
	batchPriority  = 2 // only batches wait for the step
)

// line is the part of a queue with one virtual time.
type line struct {
	queue    string
	priority int
}

// turnNow is the virtual time of a line and the finish time of a turn in it; the finish time is
// nil if the line does not know the turn.
type turnNow struct {
	FairTime `bun:",extend"`
	Turn     string
	Finish   *int64
}

// placeOf gives a new step of work its place. A step for which several accounts wait belongs
// to the account whose turn comes first, and only that account pays for it. Steps without a
// piece of work have one place, where River runs them in the order in which they came.
func (tx Tx) placeOf(ctx context.Context, queue, work string) (Place, error) {
	if work == "" {
		return Place{Priority: singlePriority}, nil
	}
	who, err := waitingFor(ctx, tx.sql.Tx, work)
	if err != nil {
		return Place{}, err
	}
	return tx.pay(ctx, line{queue, who.priority()}, who.Turns)
}

// pay finds the place of a step that the turns wait for, and moves the finish time of the
// turn that comes first. If there is no turn, no account waits: the step has little left
// to do, and runs now.
func (tx Tx) pay(ctx context.Context, l line, turns []string) (Place, error) {
	now, starts, err := tx.starts(ctx, l, turns)
	if err != nil || len(turns) == 0 {
		return Place{Priority: l.priority, Tag: now.Tag()}, err
	}
	first := 0
	for i := range turns {
		if starts[i].Tag < starts[first].Tag {
			first = i
		}
	}
	turn, start := turns[first], starts[first]
	finish := FairFinish(start.Tag)
	var paid int64
	// Another transaction of the account may have paid since the finish time was read.
	err = tx.sql.NewRaw(`INSERT INTO fair_shares (queue, priority, turn, finish) VALUES (?0, ?1, ?2, ?3)
		ON CONFLICT (queue, priority, turn) DO UPDATE
		SET finish = CASE WHEN fair_shares.finish > ?3 - ?4 THEN fair_shares.finish + ?4 ELSE ?3 END
		RETURNING finish`, l.queue, l.priority, turn, finish, fairRound).Scan(ctx, &paid)
	if err != nil {
		return Place{}, sqldb.Wrap("take a turn in "+l.queue, err)
	}
	if paid == finish {
		return Place{Priority: l.priority, Tag: start.Tag}, nil
	}
	return Place{Priority: l.priority, Tag: paid - fairRound}, nil
}

// starts returns the line's virtual time, and where a next step of each turn would stand.
func (tx Tx) starts(ctx context.Context, l line, turns []string) (now FairTime, starts []Place, err error) {
	known, err := tx.virtualNow(ctx, l, turns)
	if err != nil {
		return now, nil, err
	}
	finish := map[string]*int64{}
	for _, row := range known {
		now, finish[row.Turn] = row.FairTime, row.Finish
	}
	for _, turn := range turns {
		starts = append(starts, Place{Priority: l.priority, Tag: now.Start(finish[turn])})
	}
	return now, starts, nil
}

// BringForward moves the waiting steps of work for which one more account waits. It
// moves a step if that account's turn comes earlier than the step's place.
func (tx Tx) BringForward(ctx context.Context, work string, who Waiting) error {
	waiting, err := tx.waitingSteps(ctx, work)
	if err != nil {
		return err
	}
	for _, step := range waiting {
		l := line{step.Queue, who.priority()}
		_, starts, err := tx.starts(ctx, l, who.Turns)
		if err != nil {
			return err
		}
		if !starts[0].Before(Place{Priority: step.Priority, Tag: step.Tag}) {
			continue
		}
		earlier, err := tx.pay(ctx, l, who.Turns)
		if err != nil {
			return err
		}
		if err := tx.moveStep(ctx, step.ID, earlier); err != nil {
			return err
		}
	}
	return nil
}

// WakeWaiting wakes the workers of the queues in which a step waits and may run. A step that
// has come back gets its place first. A runner does so every second.
func (q *Queue) WakeWaiting(ctx context.Context, queues []string) error {
	waiting, err := q.waitingQueues(ctx, queues)
	if err != nil || len(waiting) == 0 {
		return err
	}
	return q.sql.InTx(ctx, func(ctx context.Context, sql *sqldb.Tx) error {
		tx := In(sql)
		if err := tx.tagReturned(ctx); err != nil {
			return err
		}
		return tx.announceQueues(ctx, waiting)
	})
}

// tagReturned gives a place to the steps whose time has come. River makes a step that was
// snoozed or is tried again wait for a clock time, and such times come after all tags.
func (tx Tx) tagReturned(ctx context.Context) error {
	returned, err := tx.returnedSteps(ctx)
	if err != nil {
		return err
	}
	for _, step := range returned {
		place, err := tx.placeOf(ctx, step.Queue, step.Work)
		if err != nil {
			return err
		}
		if err := tx.moveStep(ctx, step.ID, place); err != nil {
			return err
		}
	}
	return nil
}

// oldShares is the condition of finish times that are too old to matter.
var oldShares = fmt.Sprintf(`finish < (SELECT max(l.finish) FROM fair_shares AS l
	WHERE l.queue = fair_shares.queue AND l.priority = fair_shares.priority) - %d`, fairKeptRounds*fairRound)
