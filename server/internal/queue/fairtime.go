package queue

import "time"

// Tags count milliseconds, the unit in which SQLite keeps times, from 1970.
const (
	// fairRound is the distance between two steps of one account.
	fairRound = 10
	// fairNewcomer is how far into a round a new account starts. The accounts that the queue
	// knows come before it.
	fairNewcomer = fairRound / 2
	// fairKeptRounds is for how many rounds the queue remembers an account without a step.
	fairKeptRounds = 1000
)

// FairTime is the virtual time of a queue, in parts. The accounts share the workers of a queue by
// start-time fair queueing. Each waiting step has a tag, and the queue hands steps out in the order
// of their tags. Each account has a virtual finish time: the tag that follows the tag of its last
// step. A new step gets the larger of two values: its account's finish time, and the queue's
// virtual time, which is the tag of the step that a worker has taken last. So the steps of one
// account are one round apart, and an account that comes late starts at the current time of the
// queue.
//
// Nothing is computed when a worker takes a step. A queue of 100,000 steps hands out its
// next step as fast as a queue of ten.
type FairTime struct {
	Served *int64 // the largest tag of the steps that run
	Next   *int64 // the least tag of the steps that wait
	Last   *int64 // the largest finish time
}

// Tag is the queue's virtual time. If no step runs, the least tag that waits stands for the
// tag of the last step that was taken. If no step waits either, all accounts are even.
func (v FairTime) Tag() int64 {
	switch {
	case v.Served != nil && v.Next != nil:
		return max(*v.Served, *v.Next-fairRound)
	case v.Served != nil:
		return *v.Served
	case v.Next != nil:
		return *v.Next
	case v.Last != nil:
		return *v.Last
	}
	return 0
}

// Start is the tag of an account's next step. finish is nil for an account that the queue
// does not know. New accounts that come one after another get later places in the round,
// so that even an endless number of them cannot delay the accounts of the next round. An
// account that has had no step in the last round comes before all others of the round.
func (v FairTime) Start(finish *int64) int64 {
	now := v.Tag()
	began := roundOf(now)
	switch {
	case finish == nil:
		return max(began+fairNewcomer, now+1)
	case *finish < began:
		return began - 1
	}
	return *finish
}

// roundOf is where the round of a tag begins. The tag before a round belongs to the round.
func roundOf(tag int64) int64 { return tag + 1 - (tag+1)%fairRound }

// FairFinish is the finish time of an account whose last step has a tag.
func FairFinish(tag int64) int64 { return roundOf(tag) + fairRound }

// Place is the place of a step in its queue.
type Place struct {
	Priority int
	Tag      int64
}

// At is the tag as a time.
func (p Place) At() time.Time { return time.UnixMilli(p.Tag).UTC() }

// Before reports whether the queue runs p first.
func (p Place) Before(o Place) bool {
	return p.Priority < o.Priority || p.Priority == o.Priority && p.Tag < o.Tag
}
