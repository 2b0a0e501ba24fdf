package caption

import (
	"bytes"
	"strings"
)

// columns are the places of the columns of an event, from 0.
type columns struct {
	start, end, speaker int // speaker is -1 if there is no such column
	layer               int // or -1
	margins             []int
	all                 int // the last one is the text
}

// usualColumns are those of the programs: Layer, Start, End, Style, Name, three margins,
// Effect and Text.
var usualColumns = columns{start: 1, end: 2, speaker: 4, layer: 0, margins: []int{5, 6, 7}, all: 10}

// maxColumns bounds the columns that a file names.
const maxColumns = 100

// columnsOf parses a Format line. events says that it has columns of events, and ok that
// all of them are known and none is missing.
func columnsOf(value []byte) (c columns, ok, events bool) {
	c = columns{start: -1, end: -1, speaker: -1, layer: -1}
	known, text := true, -1
	for name := range bytes.SplitSeq(value, []byte(",")) {
		switch strings.ToLower(string(bytes.TrimSpace(name))) {
		case "start":
			c.start = c.all
		case "end":
			c.end = c.all
		case "name", "actor":
			c.speaker = c.all
		case "text":
			text = c.all
		case "layer", "marked":
			c.layer = c.all
		case "marginl", "marginr", "marginv", "margint", "marginb":
			c.margins = append(c.margins, c.all)
		case "style", "effect":
		default:
			known = false
		}
		if c.all++; c.all > maxColumns {
			return c, false, false
		}
	}
	events = c.start >= 0 || c.end >= 0 || text >= 0
	return c, known && c.start >= 0 && c.end >= 0 && text == c.all-1, events
}

// event is what is of use of an event.
type event struct {
	timing
	text, speaker []byte
}

// cut cuts the columns of an event. ok is false if a column is missing or is not what it
// must be, as after a comma that was lost.
func (c *columns) cut(value []byte) (e event, ok bool) {
	fields := bytes.SplitN(value, []byte(","), c.all)
	if len(fields) < c.all {
		return e, false
	}
	var okStart, okEnd bool
	e.first, e.last, e.text = bytes.TrimSpace(fields[c.start]), bytes.TrimSpace(fields[c.end]), fields[c.all-1]
	e.start, okStart = wholeTime(e.first)
	e.end, okEnd = wholeTime(e.last)
	if c.speaker >= 0 {
		e.speaker = fields[c.speaker]
	}
	numbers := 0
	for _, n := range c.margins {
		if isColumnNumber(fields[n]) {
			numbers++
		} else if len(fields[n]) > 0 {
			return e, false
		}
	}
	ok = okStart && okEnd && (numbers == 0 || numbers == len(c.margins)) // some programs leave all of them empty
	return e, ok && (c.layer < 0 || isColumnNumber(fields[c.layer]))
}

// isColumnNumber reports whether a column is a number, or "Marked=0" of SSA.
func isColumnNumber(field []byte) bool {
	field = bytes.TrimSpace(field)
	if _, value, named := bytes.Cut(field, []byte("=")); named {
		field = value
	}
	return isNumber(field)
}

// show adds the text of an event: without override blocks and drawings.
func (f *ass) show(b, speaker []byte) error {
	draws, unended := false, false // unended: no block ends in b
	for len(b) > 0 {
		i := bytes.IndexAny(b, `{\`)
		if i < 0 {
			i = len(b)
		}
		if err := f.add(b[:i], speaker, draws); err != nil {
			return err
		}
		if b = b[i:]; len(b) == 0 {
			break
		}
		shown, size := b[:1], 1
		if b[0] == '\\' {
			shown, size = f.escape(b)
		} else if !unended {
			end := bytes.IndexByte(b, '}')
			if unended = end < 0; !unended {
				draws = drawsAfter(b[1:end], draws)
				shown, size = nil, end+1
			}
		}
		if err := f.add(shown, speaker, draws); err != nil {
			return err
		}
		b = b[size:]
	}
	return nil
}

// add adds text, unless it is a drawing.
func (f *ass) add(b, speaker []byte, draws bool) error {
	if draws || len(b) == 0 {
		return nil
	}
	return f.text.addText(b, speaker)
}

// escape returns what is shown of the backslash that b begins with, and its size.
func (f *ass) escape(b []byte) (shown []byte, size int) {
	if len(b) < 2 {
		return b, len(b)
	}
	switch b[1] {
	case 'N':
		return []byte("\n"), 2
	case 'n':
		if f.breaks {
			return []byte("\n"), 2
		}
		return []byte(" "), 2
	case 'h':
		return []byte(" "), 2
	case '{', '}':
		return b[1:2], 2
	}
	return b[:1], 1
}

// drawsAfter reports whether drawings follow an override block. \p1 and higher numbers
// begin them, and \p0 ends them.
func drawsAfter(block []byte, draws bool) bool {
	for {
		_, rest, found := bytes.Cut(block, []byte(`\p`))
		if !found {
			return draws
		}
		if scale, size, _ := digits(skipSpace(rest)); size > 0 { // not \pos, \pbo and the like
			draws = scale > 0
		}
		block = rest
	}
}
