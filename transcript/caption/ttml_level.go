package caption

import (
	"bytes"
	"strings"
)

// times are those that an element has itself.
type times struct{ begin, end, dur moment }

// moment is a time attribute, in milliseconds. It is neither ok nor broken when
// there is none.
type moment struct {
	ms         int64
	ok, broken bool
}

// place puts l, with its own times, into those of the element around it.
func (l *level) place(parent *level, own times) {
	l.begin, l.end = parent.next, parent.end
	if own.begin.ok {
		l.begin = min(parent.next+own.begin.ms, maxTime)
	}
	if own.end.ok {
		l.end = min(l.end, parent.next+own.end.ms, maxTime)
	}
	if own.dur.ok {
		l.end = min(l.end, l.begin+own.dur.ms, maxTime)
	}
	l.begins = own.begin.ok || parent.sequence
	l.ends = own.end.ok || own.dur.ok
	l.next, l.last = l.begin, l.begin
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

// agents are the people of a file by their identifiers.
type agents struct {
	names map[string][]byte
	size  int

	id     string // of the agent that is open
	naming bool   // its name is open, too
	full   bool   // and is the one to prefer
	name   []byte
}

// voice returns the name of the one agent that refs refers to, or none.
func (a *agents) voice(refs string) []byte { return a.names[strings.TrimSpace(refs)] }

func (a *agents) begin(full bool) {
	a.naming, a.full, a.name = a.id != "", full, nil
}

func (a *agents) chars(b []byte) error {
	if a.size+len(a.name)+len(b) >= maxBlock {
		return ErrTooLarge
	}
	a.name = append(a.name, b...)
	return nil
}

// end keeps the name when it is the first of its agent, or the full one.
func (a *agents) end() error {
	if !a.naming {
		return nil
	}
	a.naming = false
	name := bytes.Join(bytes.Fields(a.name), []byte(" "))
	if _, named := a.names[a.id]; named && !a.full || len(name) == 0 {
		return nil
	}
	const entry = 64 // what a name costs beside its text
	if a.size += entry + len(a.id) + len(name); a.size >= maxBlock {
		return ErrTooLarge
	}
	if a.names == nil {
		a.names = make(map[string][]byte)
	}
	a.names[a.id] = name
	return nil
}
