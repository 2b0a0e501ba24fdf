package throttle

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	// patience limits a visit's wait for its token. A visit that would wait longer is not made,
	// so that its worker can visit another platform.
	patience = 2 * time.Second
	// longest is the longest wait for a token, so that a tiny rate does not overflow.
	longest = 24 * time.Hour
)

// queue orders the visits to a platform, and gives each visit a token of one lane. Two kinds of
// visits need tokens: visits in line, and readers' visits, which do not wait in line. While
// visits are in line, readers get at most every second token of all lanes together, so that
// neither kind can starve the other.
type queue struct {
	platform transcript.Platform
	log      *slog.Logger

	mu    sync.Mutex
	rate  pace.Rate      // of each lane
	exits []*egress.Exit // the pool at the last visit
	lanes []*lane
	line  line
	// credit is how many tokens the line gets before the next reader gets one.
	credit int
	served int // counts tokens
}

// visitor identifies a visit. A visitor without a name is a reader.
type visitor struct {
	name string
	// accounts are the accounts for which the visit is made; they take turns. nil means that
	// the visitor has a turn of its own.
	accounts []string
	behind   bool // it comes after all others in the line
}

func (v visitor) reads() bool { return v.name == "" }

// grant permits one visit by a lane.
type grant struct {
	lane    *lane
	exit    *egress.Exit
	circuit *circuit
	permit  breaker
}

func newQueue(platform transcript.Platform, r pace.Rate, log *slog.Logger) *queue {
	return &queue{platform: platform, rate: r, log: log.With("platform", platform)}
}

// setRate replaces the rate of all lanes.
func (q *queue) setRate(r pace.Rate) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.rate = r
	for _, l := range q.lanes {
		l.limiter.SetLimit(limitOf(r))
		l.limiter.SetBurst(r.Burst)
	}
}

// meet takes over the current pool of exits. A lane keeps its state while the pool has an exit of
// its name. A lane whose exit was removed is dropped as soon as it would begin like a new lane:
// so an exit gains nothing by leaving and returning.
func (q *queue) meet(exits []*egress.Exit) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if slices.Equal(exits, q.exits) && len(q.lanes) == len(exits) {
		return
	}
	q.exits = exits
	known := make(map[string]*lane, len(q.lanes))
	for _, l := range q.lanes {
		l.gone, known[l.name] = true, l
	}
	for _, e := range exits {
		l := known[nameOf(e)]
		if l == nil {
			l = newLane(nameOf(e), q.rate, q.log)
			q.lanes = append(q.lanes, l)
		}
		l.exit, l.gone = e, false
	}
	now := time.Now()
	q.lanes = slices.DeleteFunc(q.lanes, func(l *lane) bool { return l.gone && l.rested(now) })
}

// take takes a token, after a short wait if necessary, and removes the visitor from the line. It
// returns nil, and the time until the visitor's turn, if the turn does not come within patience.
func (q *queue) take(ctx context.Context, v visitor, r route) (*grant, time.Duration, error) {
	for end := time.Now().Add(patience); ; {
		g, wait, blocked := q.try(v, r)
		if g != nil || blocked || time.Now().Add(wait).After(end) {
			return g, wait, nil
		}
		if err := sleep(ctx, wait); err != nil {
			q.leave(v)
			return nil, 0, err
		}
	}
}

// try takes a token if it is the visitor's turn. Otherwise it keeps the visitor's place and
// returns the time until the turn, and whether all lanes are blocked.
func (q *queue) try(v visitor, r route) (g *grant, wait time.Duration, blocked bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		now := time.Now()
		q.settle(now)
		l, wait := q.until(v, r.source, now)
		if wait > 0 {
			// A visit may move forward to its current turn here.
			if l, wait = q.place(v, r.source, now, false); wait > 0 {
				return nil, wait, q.opens(r.source) > 0
			}
		}
		g := q.grant(l, r)
		if g == nil {
			continue // the circuit has just opened
		}
		if v.reads() {
			q.readerHad(now)
		} else {
			q.credit = max(q.credit-1, 0)
			q.line.serve(v)
		}
		return g, 0, false
	}
}

// grant takes a token of a lane, also in advance. It returns nil if the circuit is open.
func (q *queue) grant(l *lane, r route) *grant {
	g := l.permit(r)
	if g != nil {
		q.reserve(l)
	}
	return g
}

func (q *queue) reserve(l *lane) {
	l.limiter.ReserveN(time.Now(), 1)
	q.served++
	l.served = q.served
}

// readerHad records that a reader has had a token: the next one belongs to the line. If the
// line is empty, the next visit that joins it gets that token.
func (q *queue) readerHad(now time.Time) {
	waiting := q.turnsAt(now, now).wanting(q.line.places, q.credit+1)
	q.credit = min(q.credit+1, max(len(waiting), 1))
}

// goOn takes a token for a further source of one answer. The token may come from the future. It
// takes a token of the preferred lane, or else the token that comes first, and leaves out blocked
// lanes. It returns nil if all lanes are blocked.
func (q *queue) goOn(v visitor, r route, prefer *lane) *grant {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := slices.Index(q.lanes, prefer)
	t := q.turnsAfterDebts()
	if n < 0 || t.closures(r.source)[n] > 0 {
		if n, _ = t.find(r.source, 0, nil); n < 0 {
			return nil
		}
	}
	g := q.grant(q.lanes[n], r)
	if g != nil {
		q.owe(v, g.lane, 1)
	}
	return g
}

// again takes a token for a visit that has had its turn, and was blocked by the exits of the
// tried lanes. It returns nil if no other lane has a token within patience. wait is the time
// until the token comes: until then, the lane may be blocked, which permit tells.
func (q *queue) again(v visitor, r route, tried []*lane) (l *lane, wait time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n, wait := q.turnsAfterDebts().find(r.source, 0, tried)
	if n < 0 || wait > patience {
		return nil, 0
	}
	q.reserve(q.lanes[n])
	if v.reads() {
		q.readerHad(time.Now())
	}
	return q.lanes[n], wait
}

// permit permits a visit that has a token of a lane. It returns nil if the circuit is open.
func (q *queue) permit(l *lane, r route) *grant {
	q.mu.Lock()
	defer q.mu.Unlock()
	return l.permit(r)
}

// turnsAfterDebts returns the turns that are left now when the readers' debt has been paid.
func (q *queue) turnsAfterDebts() *turns {
	now := time.Now()
	t := q.turnsAt(now, now)
	for t.owed > 0 {
		t.repay()
	}
	return t
}

// owe records that a visitor has had n tokens in advance.
func (q *queue) owe(v visitor, l *lane, n int) {
	if v.reads() && l.limiter.Limit() != rate.Inf {
		l.debt += n
	}
}

// oweMore takes n further tokens of a lane in advance.
func (q *queue) oweMore(v visitor, l *lane, n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	for range n { // the limiter refuses more than the burst at once
		l.limiter.ReserveN(now, 1)
	}
	q.owe(v, l, n)
}

// settle brings the queue up to date: readers' debt is paid with the tokens that readers have
// earned by now.
func (q *queue) settle(now time.Time) {
	q.line.forget(now)
	for q.repay(now) {
	}
}

// repay pays one token of the readers' debt, if it has come to its turn.
func (q *queue) repay(now time.Time) bool {
	if !slices.ContainsFunc(q.lanes, func(l *lane) bool { return l.debt > 0 }) {
		return false
	}
	t := q.turnsAt(now, now)
	for _, source := range t.wanting(q.line.places, q.credit) {
		t.deal(source)
	}
	for n, l := range q.lanes {
		if l.debt > 0 && t.tokens[n] >= 1 {
			l.debt--
			q.readerHad(now)
			return true
		}
	}
	return false
}

// stand gives the visitor a place in line, unless it has one, and returns the time until its
// turn. If first is set, the visit comes first: it had a token and got no answer.
func (q *queue) stand(v visitor, r route, first bool) time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	q.settle(now)
	_, wait := q.place(v, r.source, now, first)
	return wait
}

func (q *queue) place(v visitor, source int, now time.Time, first bool) (*lane, time.Duration) {
	if v.reads() || limitOf(q.rate) == rate.Inf {
		return q.until(v, source, now)
	}
	n := q.line.stand(v, first)
	q.line.places[n].source = source
	l, wait := q.until(v, source, now)
	q.line.places[n].from, q.line.places[n].due = now.Add(q.opens(source)), now.Add(wait)
	return l, wait
}

// leave removes a visitor from the line that has given up.
func (q *queue) leave(v visitor) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.line.remove(v)
}

// until returns the lane of the visitor's turn and the time until it: until there are tokens for
// the visitor and for all visitors before it. Readers that arrive in the meantime can make it
// longer. If no lane serves the source, the time is longest.
func (q *queue) until(v visitor, source int, now time.Time) (*lane, time.Duration) {
	opens := q.opens(source)
	if opens == never {
		return nil, longest
	}
	t := q.turnsAt(now, now.Add(opens))
	t.dealBefore(v)
	n, wait := t.find(source, never, nil)
	return q.lanes[n], opens + wait
}

// opens returns the time until the first lane may be visited; 0 means that one may be visited
// now, and never that no lane serves the source.
func (q *queue) opens(source int) time.Duration {
	soonest := never
	for _, l := range q.lanes {
		if l.serves(q.platform, source) {
			wait, _ := l.shut(source)
			soonest = min(soonest, wait)
		}
	}
	return soonest
}

// serves reports whether the pool has an exit for a source.
func (q *queue) serves(source int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.opens(source) != never
}

// blocked returns why the source may not be visited by any exit, or nil if it may be visited by
// one.
func (q *queue) blocked(source int) *transcript.Error {
	q.mu.Lock()
	defer q.mu.Unlock()
	var last *transcript.Error
	n := 0
	for _, l := range q.lanes {
		if !l.serves(q.platform, source) {
			continue
		}
		wait, block := l.shut(source)
		if wait == 0 {
			return nil
		}
		n, last = n+1, block
	}
	if n < 2 {
		return last
	}
	all := *last
	all.Message = fmt.Sprintf("All %d exits of this service to %s are blocked at the moment. %s", n, q.platform.Words(), last.Message)
	return &all
}

// open counts the circuits of an exit that are open now.
func (q *queue) open(exit string) (n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, l := range q.lanes {
		if l.name != exit {
			continue
		}
		for source := range l.circuits {
			if wait, _ := l.shut(source); wait > 0 {
				n++
			}
		}
	}
	return n
}

// sleep returns the cause of ctx if ctx ends first.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
