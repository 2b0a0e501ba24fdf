package throttle

import (
	"math"
	"slices"
	"time"

	"golang.org/x/time/rate"
)

// turns deals the tokens of all lanes to visits in the order of their turns. So it finds the
// time of a visit's turn, and its lane. It changes no lane.
type turns struct {
	queue *queue
	now   time.Time
	at    time.Time // the earliest time of a turn
	// tokens and debts are those of each lane at that time, less what has been dealt.
	tokens []float64
	debts  []int
	owed   int                     // the sum of debts
	shut   map[int][]time.Duration // by source; see closures
}

// never is the wait for a lane that does not serve a source.
const never = time.Duration(math.MaxInt64)

// turnsAt returns the turns from now on, or from a later time, at which a blocked lane is open
// again.
func (q *queue) turnsAt(now, at time.Time) *turns {
	t := &turns{queue: q, now: now, at: at, shut: map[int][]time.Duration{}}
	for _, l := range q.lanes {
		t.tokens, t.debts = append(t.tokens, l.balance(at)), append(t.debts, l.debt)
		t.owed += l.debt
	}
	return t
}

// closures returns, for each lane, how long after t.at the source may not be visited.
func (t *turns) closures(source int) []time.Duration {
	waits, known := t.shut[source]
	if known {
		return waits
	}
	for _, l := range t.queue.lanes {
		wait := never
		if l.serves(t.queue.platform, source) {
			wait, _ = l.shut(source)
			wait = max(0, wait-t.at.Sub(t.now))
		}
		waits = append(waits, wait)
	}
	t.shut[source] = waits
	return waits
}

// wants reports whether a visit in line wants a token at t.at. A visit that waits for the end of
// a block delays no visit to another source, or by another exit.
func (t *turns) wants(p place) bool {
	if p.from.After(t.at.Add(patience)) {
		return false
	}
	return slices.ContainsFunc(t.closures(p.source), func(wait time.Duration) bool { return wait <= patience })
}

// wanting returns the sources of the first n visits of these places that want a token.
func (t *turns) wanting(places []place, n int) (sources []int) {
	for _, p := range places {
		if len(sources) >= n {
			break
		}
		if t.wants(p) {
			sources = append(sources, p.source)
		}
	}
	return sources
}

// find returns the lane with the earliest turn for a visit to a source, and the time until the
// turn. It leaves out lanes that are shut for longer than a bound, and the lanes of not. If
// several lanes are equal, it takes the lane that has rested most. n is negative if there is no
// lane.
func (t *turns) find(source int, bound time.Duration, not []*lane) (n int, wait time.Duration) {
	n, wait = -1, never
	for i, shut := range t.closures(source) {
		if shut > bound || shut == never || slices.Contains(not, t.queue.lanes[i]) {
			continue
		}
		if w := max(shut, t.untilToken(i)); n < 0 || w < wait || w == wait && t.restedMore(i, n) {
			n, wait = i, w
		}
	}
	return n, wait
}

// untilToken returns the time until a lane has a token that has not been dealt.
func (t *turns) untilToken(n int) time.Duration {
	limit := t.queue.lanes[n].limiter.Limit()
	if limit == rate.Inf {
		return 0
	}
	return seconds(max(0, 1-t.tokens[n]) / float64(limit))
}

func (t *turns) restedMore(a, b int) bool {
	if t.tokens[a] != t.tokens[b] {
		return t.tokens[a] > t.tokens[b]
	}
	return t.queue.lanes[a].served < t.queue.lanes[b].served
}

// deal gives a token to a visit in line.
func (t *turns) deal(source int) {
	if n, _ := t.find(source, patience, nil); n >= 0 {
		t.tokens[n]--
	}
}

// repay gives a token to the debt of the readers.
func (t *turns) repay() {
	debtor := -1
	for n, debt := range t.debts {
		if debt > 0 && (debtor < 0 || t.tokens[n] > t.tokens[debtor]) {
			debtor = n
		}
	}
	t.tokens[debtor]--
	t.debts[debtor]--
	t.owed--
}

// dealBefore deals the tokens of all turns before the visitor's turn. The line gets as many
// tokens as its credit; then both kinds take turns. The readers' debt is paid before the next
// reader.
func (t *turns) dealBefore(v visitor) {
	credit, most := t.queue.credit, len(t.queue.line.places)
	if v.reads() {
		most = min(most, credit+t.owed)
	}
	ahead := t.wanting(t.queue.line.ahead(v), most)
	for i, source := range ahead {
		if i >= credit && t.owed > 0 {
			t.repay()
		}
		t.deal(source)
	}
	if !v.reads() && len(ahead) >= credit && t.owed > 0 {
		t.repay()
	}
	for v.reads() && t.owed > 0 {
		t.repay()
	}
}

// seconds converts s to a duration of at most longest.
func seconds(s float64) time.Duration {
	return time.Duration(min(s, longest.Seconds()) * float64(time.Second))
}
