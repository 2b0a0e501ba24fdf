package caption

// moment is a time attribute, in milliseconds. It is neither ok nor broken when
// there is none.
type moment struct {
	ms         int64
	ok, broken bool
}

// level is an open element. Times are on the media clock, in milliseconds.
type level struct {
	begin, end int64
	next       int64 // what the times of the next child count from
	last       int64 // when the last of its children ends

	begins, ends bool // itself says when, rather than an element around
	sequence     bool // children come one after another
	preserve     bool // line breaks are shown
	hidden       bool // there is nothing to show within
	voice        []byte
}

// child returns an element within l that has the attributes, but for what f.head
// knows.
func (l *level) child(name string, own *attributes) level {
	c := level{begin: l.next, end: l.end, preserve: l.preserve, voice: l.voice}
	c.hidden = l.hidden || isHidden(name) || isAnnotation(own.ruby)
	if own.space != "" {
		c.preserve = own.space == "preserve"
	}
	if own.begin.ok {
		c.begin = min(l.next+own.begin.ms, maxTime)
	}
	if own.end.ok {
		c.end = min(c.end, l.next+own.end.ms, maxTime)
	}
	if own.dur.ok {
		c.end = min(c.end, c.begin+own.dur.ms, maxTime)
	}
	c.begins = own.begin.ok || l.sequence
	c.ends = own.end.ok || own.dur.ok
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

// isAnnotation reports the values of tts:ruby whose text stands above another one.
func isAnnotation(ruby string) bool {
	switch ruby {
	case "text", "textContainer", "delimiter":
		return true
	}
	return false
}
