package search

// Counter counts hits. It keeps its memory from one text to the next.
type Counter struct {
	query   Query
	begins  []wordSet // where each part begins
	scratch wordSet
	starts  []Place
}

// Counter returns a counter for the hits of the query.
func (q Query) Counter() *Counter {
	return &Counter{query: q, begins: make([]wordSet, len(q.parts))}
}

// Hits returns the number of segments with a hit: see Times.
func (c *Counter) Hits(m Match) (n int) {
	switch {
	case !c.query.NeedsPlaces():
		return m.Of[0][0].Hits
	case !c.query.NeedsStarts():
		return c.hitsOfPhrase(m)
	}
	c.each(m, func(int) bool {
		n++
		return true
	})
	return n
}

// Times returns the Place.At of the first segments with a hit, at most n, in order and each
// once. A hit is a passage of at most 30 seconds with all words and phrases of the query. A hit
// counts for the segment of its first word, and the next hit begins after the hit's last part.
func (c *Counter) Times(m Match, n int) (at []int) {
	c.each(m, func(ms int) bool {
		at = append(at, ms)
		return len(at) < n
	})
	return at
}

// hitsOfPhrase counts the segments in which the only part begins. It knows segments by the places
// of the part's first word.
func (c *Counter) hitsOfPhrase(m Match) (n int) {
	c.findBegins(0, m)
	firsts := c.scratch[:0].addFirsts(m.Of[c.query.parts[0].terms[0]][0].places())
	c.scratch = firsts
	before := -1
	for at := c.begins[0].next(0); at >= 0; at = c.begins[0].next(at + 1) {
		if before < 0 || firsts.last(at) > before {
			n++
		}
		before = at
	}
	return n
}

// findBegins finds the places where a part begins. The words of a part follow each other without a
// gap.
func (c *Counter) findBegins(part int, m Match) {
	terms := c.query.parts[part].terms
	begins := c.begins[part][:0]
	for _, p := range m.Of[terms[0]] {
		begins = begins.add(p.places())
	}
	for i, term := range terms[1:] {
		next := c.scratch[:0]
		for _, p := range m.Of[term] {
			next = next.add(p.places())
		}
		begins.followedBy(next, i+1)
		c.scratch = next
	}
	c.begins[part] = begins
}

// each calls hit for each segment with a hit, in order, until hit returns false. It looks at the
// places where parts begin in order, and at the parts of one place in the order of the query.
func (c *Counter) each(m Match, hit func(at int) bool) {
	if c.starts = c.starts[:0]; len(m.Starts) > 0 {
		c.starts = appendStarts(c.starts, m.Starts[0].places())
	}
	if len(c.starts) == 0 {
		return
	}
	for i := range c.query.parts {
		c.findBegins(i, m)
	}
	segments := segmentWalk{starts: c.starts}
	for last, from := -1, (event{}); ; {
		all, ok := c.firstWithAll(from)
		for ok {
			first := c.findLatest(all)
			at := segments.at(first)
			if segments.at(all.word)-at <= near {
				if at != last && !hit(at) {
					return
				}
				last = at
				break
			}
			all, ok = c.nextEvent(all.after())
		}
		if !ok {
			return
		}
		from = all.after()
	}
}

// event is a place where a part begins.
type event struct{ word, part int }

func (e event) after() event { return event{e.word, e.part + 1} }

// nextOf returns the first event of a part that is not before from, or none.
func (c *Counter) nextOf(part int, from event) (event, bool) {
	word := from.word
	if part < from.part {
		word++
	}
	word = c.begins[part].next(word)
	return event{word, part}, word >= 0
}

// firstWithAll returns the first event at which each part has begun since from.
func (c *Counter) firstWithAll(from event) (all event, ok bool) {
	for part := range c.begins {
		e, ok := c.nextOf(part, from)
		if !ok {
			return all, false
		}
		if e.word > all.word || e.word == all.word && e.part > all.part {
			all = e
		}
	}
	return all, true
}

// nextEvent returns the first event that is not before from.
func (c *Counter) nextEvent(from event) (next event, ok bool) {
	for part := range c.begins {
		if e, some := c.nextOf(part, from); some && (!ok || e.word < next.word) {
			next, ok = e, true
		}
	}
	return next, ok
}

// findLatest returns the first word among the latest events of all parts.
func (c *Counter) findLatest(at event) (first int) {
	first = at.word
	for part, begins := range c.begins {
		to := at.word
		if part > at.part {
			to--
		}
		first = min(first, begins.last(to))
	}
	return first
}

// segmentWalk finds the segments of words.
type segmentWalk struct {
	starts []Place
	n      int
}

// at returns the At of a word. It is fast if words are near the previous word.
func (s *segmentWalk) at(word int) int {
	for s.n > 0 && s.starts[s.n].Pos > word {
		s.n--
	}
	for s.n+1 < len(s.starts) && s.starts[s.n+1].Pos <= word {
		s.n++
	}
	return s.starts[s.n].At
}
