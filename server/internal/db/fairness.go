package db

import (
	"context"
	"fmt"
	"time"
)

// Accounts share the workers of a queue by start-time fair queueing. Each waiting step
// has a tag, and River hands steps out in the order of their tags. Each account has a
// virtual finish time: the tag that follows the tag of its last step. A new step gets the
// larger of its account's finish time and the queue's virtual time, which is the tag of
// the step that a worker has taken last. So the steps of one account stand one round
// apart, and an account that comes late starts where the queue stands now.
//
// The tag is the row's scheduled_at, which River orders by: a time long past, so that the
// step may run at once. Steps of one queue and one priority share one virtual time.
//
// Nothing is computed when a worker takes a step. A queue of 100,000 steps hands out its
// next step as fast as a queue of ten.

// The priorities of a queue's steps, for River.
const (
	singlePriority = 1 // somebody waits for the step who has asked for it by itself
	batchPriority  = 2 // only batches wait for the step
)

// Tags count milliseconds, the unit in which SQLite keeps times, from 1970.
const (
	// round is the distance between two steps of one account.
	round = 10
	// newcomer is how far into a round an account starts that the queue does not know.
	// The accounts that the queue knows come before.
	newcomer = round / 2
	// keptRounds is for how many rounds the queue knows an account that has no step in it.
	keptRounds = 1000
)

// turnOf is the name of a claim's account in the queues, or the name that the account
// shares with others.
const turnOf = "coalesce(nullif(j.turn, ''), j.account)"

// line is the part of a queue that has one virtual time.
type line struct {
	queue    string
	priority int
}

// virtualNow is the virtual time of a line, in parts.
type virtualNow struct {
	Served *int64 // the largest tag of the steps that run
	Next   *int64 // the least tag of the steps that wait
	Last   *int64 // the largest finish time
}

// turnNow is the virtual time of a line with the finish time of a turn there, nil if the line does
// not know the turn.
type turnNow struct {
	virtualNow `bun:",extend"`
	Turn       string
	Finish     *int64
}

// tag is the line's virtual time. If no step runs, the least tag that waits stands for the
// tag of the last step that was taken. If no step waits either, all accounts are even.
func (v virtualNow) tag() int64 {
	switch {
	case v.Served != nil && v.Next != nil:
		return max(*v.Served, *v.Next-round)
	case v.Served != nil:
		return *v.Served
	case v.Next != nil:
		return *v.Next
	case v.Last != nil:
		return *v.Last
	}
	return 0
}

// start is the tag of an account's next step. finish is nil for an account that the queue
// does not know. New accounts that come one after the other move on through the round, so
// that even an endless row of them cannot hold up the accounts of the next round.
// An account that has had no step in the last round comes before all others of the round.
func (v virtualNow) start(finish *int64) int64 {
	now := v.tag()
	began := roundOf(now)
	switch {
	case finish == nil:
		return max(began+newcomer, now+1)
	case *finish < began:
		return began - 1
	}
	return *finish
}

// roundOf is where the round of a tag begins. The tag before a round belongs to the round.
func roundOf(tag int64) int64 { return tag + 1 - (tag+1)%round }

// place is where a step stands in its queue.
type place struct {
	priority int
	tag      int64
}

func (p place) at() time.Time { return time.UnixMilli(p.tag).UTC() }

// before reports whether the queue hands out p first.
func (p place) before(o place) bool {
	return p.priority < o.priority || p.priority == o.priority && p.tag < o.tag
}

// placeOf gives a new step of an extraction its place. A step for which several accounts
// wait goes with the account whose turn comes first, and only that account pays for it.
// Steps of no extraction have one place, where River hands them out in the order in which
// they came.
func (tx *Tx) placeOf(ctx context.Context, queue, extraction string) (place, error) {
	if extraction == "" {
		return place{priority: singlePriority}, nil
	}
	waiting, err := tx.Jobs.Claimants(ctx, extraction)
	if err != nil {
		return place{}, err
	}
	l := line{queue, singlePriority}
	if len(waiting.Turns) > 0 && !waiting.Asked {
		l.priority = batchPriority
	}
	return tx.pay(ctx, l, waiting.Turns)
}

// pay finds the place of a step that the turns wait for, and moves the finish time of the
// turn that comes first. If there is no turn, no account waits: the step has little
// left to do, and does it now.
func (tx *Tx) pay(ctx context.Context, l line, turns []string) (place, error) {
	now, starts, err := tx.starts(ctx, l, turns)
	if err != nil || len(turns) == 0 {
		return place{l.priority, now.tag()}, err
	}
	first := 0
	for i := range turns {
		if starts[i].tag < starts[first].tag {
			first = i
		}
	}
	turn, start := turns[first], starts[first]
	finish := roundOf(start.tag) + round
	var paid int64
	// Another transaction of the account may have paid since the finish time was read.
	err = tx.db.NewRaw(`INSERT INTO fair_shares (queue, priority, turn, finish) VALUES (?0, ?1, ?2, ?3)
		ON CONFLICT (queue, priority, turn) DO UPDATE
		SET finish = CASE WHEN fair_shares.finish > ?3 - ?4 THEN fair_shares.finish + ?4 ELSE ?3 END
		RETURNING finish`, l.queue, l.priority, turn, finish, round).Scan(ctx, &paid)
	if err != nil {
		return place{}, wrap("take a turn in "+l.queue, err)
	}
	if paid == finish {
		return place{l.priority, start.tag}, nil
	}
	return place{l.priority, paid - round}, nil
}

// starts returns the line's virtual time, and where a next step of each turn would stand.
func (tx *Tx) starts(ctx context.Context, l line, turns []string) (now virtualNow, starts []place, err error) {
	known, err := tx.virtualNow(ctx, l, turns)
	if err != nil {
		return now, nil, err
	}
	finish := map[string]*int64{}
	for _, row := range known {
		now, finish[row.Turn] = row.virtualNow, row.Finish
	}
	for _, turn := range turns {
		starts = append(starts, place{l.priority, now.start(finish[turn])})
	}
	return now, starts, nil
}

// bringForward moves the waiting steps of an extraction for which one more account waits. It
// moves a step if that account's turn comes earlier than the step's place.
func (tx *Tx) bringForward(ctx context.Context, extraction, turn string, priority int) error {
	waiting, err := tx.waitingSteps(ctx, extraction)
	if err != nil {
		return err
	}
	for _, step := range waiting {
		l := line{step.Queue, priority}
		_, starts, err := tx.starts(ctx, l, []string{turn})
		if err != nil {
			return err
		}
		if !starts[0].before(place{step.Priority, step.Tag}) {
			continue
		}
		earlier, err := tx.pay(ctx, l, []string{turn})
		if err != nil {
			return err
		}
		if err := tx.moveStep(ctx, step.ID, earlier); err != nil {
			return err
		}
	}
	return nil
}

// wakeWaiting wakes the workers of the queues in which a step waits that may run. A step that
// has come back gets its place first.
func (s *Store) wakeWaiting(ctx context.Context, queues []string) error {
	waiting, err := s.waitingQueues(ctx, queues)
	if err != nil || len(waiting) == 0 {
		return err
	}
	return s.InTx(ctx, func(ctx context.Context, tx *Tx) error {
		if err := tx.tagReturned(ctx); err != nil {
			return err
		}
		return tx.announceQueues(ctx, waiting)
	})
}

// tagReturned gives a place to the steps whose time has come: River lets a step that was
// snoozed or is tried again wait for a time of the clock, and such a time comes after all
// tags.
func (tx *Tx) tagReturned(ctx context.Context) error {
	returned, err := tx.returnedSteps(ctx)
	if err != nil {
		return err
	}
	for _, step := range returned {
		place, err := tx.placeOf(ctx, step.Queue, step.Extraction)
		if err != nil {
			return err
		}
		if err := tx.moveStep(ctx, step.ID, place); err != nil {
			return err
		}
	}
	return nil
}

// oldShares is the condition of the finish times that are too long past to matter.
var oldShares = fmt.Sprintf(`finish < (SELECT max(l.finish) FROM fair_shares AS l
	WHERE l.queue = fair_shares.queue AND l.priority = fair_shares.priority) - %d`, keptRounds*round)
