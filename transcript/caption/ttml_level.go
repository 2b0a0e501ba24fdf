package caption

import "cmp"

// moment is a time attribute, in milliseconds. Without the attribute, both ok and
// broken are false.
type moment struct {
	ms         int64
	ok, broken bool
}

// level is an open element. Times are on the media clock, in milliseconds.
type level struct {
	begin, end int64
	next       int64 // what the times of the next child count from
	last       int64 // when the last of its children ends

	begins, ends bool   // itself says when, rather than an element around
	timed        bool   // it has times in one form or another
	unit         bool   // it is a word or a sentence
	sequence     bool   // children come one after another
	preserve     bool   // line breaks are shown
	hidden       bool   // nothing within is shown, in any style
	unseen       string // why nothing within is ever shown; empty where it may be
	region       string // its region; empty if it names none
	spaces       *namespaces
	look         look
	voice        []byte
	from         int // where its text begins in that of the cue
}

// child returns the level of an element within l from the element's attributes, without
// the styles and regions of the head. Times on the clock of the media stay as they are.
// In a sequence, the element before decides when a child begins.
func (l *level) child(name string, own *attributes, absolute bool) level {
	c := level{begin: l.next, end: l.end, preserve: l.preserve, voice: l.voice, unseen: l.unseen, spaces: own.spaces}
	c.hidden = l.hidden || isHidden(name) || own.foreign
	c.region = cmp.Or(own.region, l.region)
	if own.space != "" {
		c.preserve = own.space == "preserve"
	}
	from := l.next
	if absolute && !l.sequence {
		from = 0
	}
	if own.begin.ok {
		c.begin = min(from+own.begin.ms, maxTime)
	}
	if own.end.ok {
		c.end = min(c.end, from+own.end.ms, maxTime)
	}
	if own.dur.ok {
		c.end = min(c.end, c.begin+own.dur.ms, maxTime)
	}
	switch {
	case l.region != "" && c.region != l.region:
		c.unseen = "an element is in another region than the one around it"
	case name == "p" && c.begin >= l.end:
		c.unseen = "a p begins after the end of the element around it"
	}
	c.begins = own.begin.ok || l.sequence
	c.ends = own.end.ok || own.dur.ok
	c.timed = own.begin.ok || c.ends
	c.unit = own.unit != ""
	c.sequence = own.container == "seq"
	c.next, c.last = c.begin, c.begin
	return c
}

// follow tells l that a child of it has ended. A child that does not say when
// lasts as long as its own children.
func (l *level) follow(child *level) {
	end := child.last
	if child.ends {
		end = max(child.begin, child.end)
	}
	l.last = max(l.last, end)
	if l.sequence {
		l.next = max(l.next, end)
	}
}

// isTimed reports the elements whose times count.
func isTimed(name string) bool {
	switch name {
	case "body", "div", "p", "span":
		return true
	}
	return false
}

// isHidden reports the elements that have no text to show within.
func isHidden(name string) bool {
	switch name {
	case "head", "metadata", "title", "desc", "copyright", "agent", "name", "actor", "item", "set", "animate":
		return true
	}
	return false
}
