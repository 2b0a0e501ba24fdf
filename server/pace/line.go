package pace

import (
	"slices"
	"time"
)

// absence is how long a place in line is kept when no visit comes in its turn.
const absence = time.Minute

// line holds the visits to a platform that were told when to come. The accounts that they
// are made for take turns: each place has a round, one later than that of the place before
// it of the same account, and lower rounds come first. So one who comes for an account that
// has no place yet does not wait for all places of another.
type line struct {
	places []place
	// rounds are those of the last visits that were served, behind and not.
	rounds map[bool]int
}

// place is that of a visit in the line.
type place struct {
	visitor
	round int
	from  time.Time // it wants no token before: its source is blocked
	due   time.Time
}

// waiting is how many want a token by a time. A visit that waits for one source's block to
// pass holds up none to another source.
func (l *line) waiting(at time.Time) int { return wanting(l.places, at) }

// ahead is how many of those stand before the visitor.
func (l *line) ahead(v visitor, at time.Time) int {
	n, stands := l.index(v)
	if !stands {
		n = l.end(v, l.round(v))
	}
	return wanting(l.places[:n], at)
}

func wanting(places []place, at time.Time) (n int) {
	for _, p := range places {
		if !p.from.After(at.Add(patience)) {
			n++
		}
	}
	return n
}

// stand gives the visitor a place, unless it has one as good: the last of its round, or the
// first of its kind. It returns which.
func (l *line) stand(v visitor, first bool) int {
	n, stands := l.index(v)
	switch {
	case !stands && first:
		return l.insert(l.end(v, -1), v, l.earliest(v))
	case !stands:
		round := l.round(v)
		return l.insert(l.end(v, round), v, round)
	}
	had := l.places[n]
	if v.behind && !had.behind || v.behind == had.behind && slices.Equal(v.accounts, had.accounts) {
		return n
	}
	l.remove(v)
	round := l.round(v)
	if v.behind == had.behind { // more accounts want the same
		round = min(round, had.round)
	}
	return l.insert(l.end(v, round), v, round)
}

func (l *line) insert(n int, v visitor, round int) int {
	l.places = slices.Insert(l.places, n, place{visitor: v, round: round})
	return n
}

func (l *line) index(v visitor) (n int, stands bool) {
	n = slices.IndexFunc(l.places, func(p place) bool { return p.name == v.name })
	return n, n >= 0
}

// round is that of the visitor's next place: the earliest that one of its accounts has.
func (l *line) round(v visitor) int {
	next := map[string]int{}
	for _, p := range l.places {
		if p.behind != v.behind {
			continue
		}
		for _, account := range p.accounts {
			next[account] = max(next[account], p.round+1)
		}
	}
	soonest := -1
	for _, account := range v.accounts {
		if n := next[account]; soonest < 0 || n < soonest {
			soonest = n
		}
	}
	return max(soonest, l.rounds[v.behind])
}

// earliest is the round of the first place of a visitor's kind.
func (l *line) earliest(v visitor) int {
	if n := l.end(v, -1); n < len(l.places) && l.places[n].behind == v.behind {
		return l.places[n].round
	}
	return l.rounds[v.behind]
}

// end is where those of a visitor's kind end that have a round, or an earlier one.
func (l *line) end(v visitor, round int) int {
	n := slices.IndexFunc(l.places, func(p place) bool {
		return p.behind && !v.behind || p.behind == v.behind && p.round > round
	})
	if n < 0 {
		n = len(l.places)
	}
	return n
}

// serve takes the visitor, who has a token, out of the line, if it stood there.
func (l *line) serve(v visitor) {
	n, stands := l.index(v)
	if !stands {
		return
	}
	p := l.places[n]
	if l.rounds == nil {
		l.rounds = map[bool]int{}
	}
	l.rounds[p.behind] = max(l.rounds[p.behind], p.round)
	l.remove(v)
}

func (l *line) remove(v visitor) {
	l.places = slices.DeleteFunc(l.places, func(p place) bool { return p.name == v.name })
}

// forget takes visits that have not come in time out of the line.
func (l *line) forget(now time.Time) {
	l.places = slices.DeleteFunc(l.places, func(p place) bool { return now.After(p.due.Add(absence)) })
}
