package caption

import "bytes"

// longestCue is how long, in milliseconds, a cue lasts at most whose times have hours of
// different lengths.
const longestCue = 60 * 60 * 1000

// doubts finds times that a damaged byte may have changed. A nil one finds none.
type doubts struct {
	lost *losses

	lead, inner padding // of the first number of a time, and of minutes and seconds after it
	fractions   [5]seen // by the number of their digits, the last one of all longer ones
	fixed       bool    // a fraction ends with a zero, so that all have as many digits
}

// newDoubts returns nil without the option.
func newDoubts(o options, lost *losses) *doubts {
	if !o.noGuess {
		return nil
	}
	return &doubts{lost: lost}
}

// seen counts times, and knows the line of the first one.
type seen struct{ times, line int }

func (s *seen) in(line int) {
	if s.times++; s.times == 1 {
		s.line = line
	}
}

// padding counts numbers with a zero before a single digit, and numbers of a single digit.
type padding struct{ padded, bare seen }

func (p *padding) add(number []byte, line int) {
	switch {
	case len(number) == 1:
		p.bare.in(line)
	case number[0] == '0':
		p.padded.in(line)
	}
}

// add looks at the times of a line, and counts a cue as lost if they contradict each other
// or are no times of a clock.
func (d *doubts) add(line int, t timing) {
	if d == nil {
		return
	}
	first, okFirst := d.number(t.first, line)
	last, okLast := d.number(t.last, line)
	switch {
	case !okFirst || !okLast:
		d.lost.add("in line %d: a number of the times is too large or negative: %q", line, excerpt(written(t)))
	case t.end < t.start:
		d.lost.add("in line %d: the cue ends before it starts: %q", line, excerpt(written(t)))
	case first != last && t.end-t.start > longestCue:
		d.lost.add("in line %d: the cue lasts for hours: %q", line, excerpt(written(t)))
	}
}

// written is how a file has the times.
func written(t timing) []byte { return bytes.Join([][]byte{t.first, t.last}, []byte(" ")) }

// number counts how the numbers of a time are written. It returns how many digits the
// first one has, and reports whether all numbers can be those of a clock.
func (d *doubts) number(time []byte, line int) (size int, ok bool) {
	ok = true
	whole := true
	for n, rest := 0, time; len(rest) > 0; n++ {
		mark, from := byte(0), 0
		for from < len(rest) && !isDigit(rest[from]) {
			if !isSpace(rest[from]) {
				mark = rest[from]
			}
			from++
		}
		to := from
		for to < len(rest) && isDigit(rest[to]) {
			to++
		}
		number := rest[from:to]
		rest = rest[to:]
		switch {
		case len(number) == 0: // digits are missing
			ok = false
		case n == 0:
			size = len(number)
			ok = mark == 0 && (size < 3 || number[0] != '0')
			d.lead.add(number, line)
		case n == 3 || mark == ',' || mark == '.':
			whole = false
			d.fractions[min(len(number), len(d.fractions)-1)].in(line)
			d.fixed = d.fixed || len(number) > 1 && number[len(number)-1] == '0'
		default:
			ok = ok && len(number) < 3 && (len(number) == 1 || number[0] < '6')
			d.inner.add(number, line)
		}
	}
	if whole {
		d.fractions[0].in(line)
	}
	return size, ok
}

// line counts a line that may be text, or a name, a setting or a note.
func (d *doubts) line(line int) {
	if d != nil {
		d.lost.add("in line %d: the line can be text of a cue or not", line)
	}
}

// end counts the times that are written unlike most times of the file.
func (d *doubts) end() {
	if d == nil {
		return
	}
	for _, p := range []padding{d.lead, d.inner} {
		fewer := p.padded
		if p.bare.times < p.padded.times {
			fewer = p.bare
		}
		d.unlike(fewer)
	}
	most := 0
	for n := range d.fractions {
		if d.fractions[n].times > d.fractions[most].times {
			most = n
		}
	}
	for n, f := range d.fractions {
		if n == 0 && most == len(d.fractions)-1 { // programs leave out a fraction of six zeros
			continue
		}
		if d.fixed && n != most {
			d.unlike(f)
		}
	}
}

func (d *doubts) unlike(s seen) {
	for range s.times {
		d.lost.add("in line %d: a time has more or fewer digits than the other times of the file", s.line)
	}
}
