package throttle

import (
	"slices"
	"time"
)

// absence is how long a place in line is kept if no visit comes in its turn.
const absence = time.Minute

// line holds the visits to a platform that were told when to come again. Their accounts take
// turns: each place has a round, which is one later than the previous place of the same
// account, and lower rounds come first. So a visit for an account without a place does not wait
// for all places of another account.
type line struct {
	places []place
	// rounds are the rounds of the last served visits, for visits with and without behind.
	rounds map[bool]int
}

// place is the place of a visit in the line.
type place struct {
	visitor
	round  int
	source int       // the source that it visits; see route
	from   time.Time // it needs no token earlier: its source is blocked by all exits
	due    time.Time
}

// ahead returns the places before the visitor: all places before a reader.
func (l *line) ahead(v visitor) []place {
	if v.reads() {
		return l.places
	}
	n, stands := l.index(v)
	if !stands {
		n = l.end(v, l.round(v))
	}
	return l.places[:n]
}

// stand gives the visitor the last place of its round, or the first place of its kind, unless
// its current place is as good. It returns the index of the place.
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
	if v.behind == had.behind { // more accounts want the same content
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

// round returns the round of the visitor's next place: the earliest one among its accounts.
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

// earliest returns the round of the first place of a visitor's kind.
func (l *line) earliest(v visitor) int {
	if n := l.end(v, -1); n < len(l.places) && l.places[n].behind == v.behind {
		return l.places[n].round
	}
	return l.rounds[v.behind]
}

// end returns the index after all places of a visitor's kind with this round or an earlier one.
func (l *line) end(v visitor, round int) int {
	n := slices.IndexFunc(l.places, func(p place) bool {
		return p.behind && !v.behind || p.behind == v.behind && p.round > round
	})
	if n < 0 {
		n = len(l.places)
	}
	return n
}

// serve removes a visitor that has a token from the line, if it stood there.
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

// forget removes visits from the line that have not come in time.
func (l *line) forget(now time.Time) {
	l.places = slices.DeleteFunc(l.places, func(p place) bool { return now.After(p.due.Add(absence)) })
}
