package chunk

import (
	"slices"

	"github.com/rivo/uniseg"

	"github.com/transcriptkit/transcriptkit/transcript/internal/grapheme"
)

// part is a section of a script that a chunk contains whole: a sentence, or a piece of a
// sentence that is too long.
type part struct {
	from, to place
	chars    int // with the space at its end
	space    int // 1 if there is a space
}

// length is how many characters a part has if it is the last of a chunk.
func (p part) length() int { return p.chars - p.space }

// parting divides a chapter into parts.
type parting struct {
	*script
	end        int // of the chapter
	most, rest int // characters of a part, and of a part that is cut out of a segment

	sentence int // the end of the sentence that is too long for one part
}

// next returns the part that begins at a place.
func (d *parting) next(from place) part {
	if from.at >= d.sentence {
		d.sentence = from.at + sentence(d.text[from.at:d.end])
		if p, ok := d.whole(from, d.sentence); ok {
			return p
		}
	}
	to := min(d.sentence, d.from[from.segment+1])
	if p, ok := d.whole(from, to); ok {
		return p
	}
	return d.line(from, to)
}

// whole is the part up to a place, or up to the end of the character that contains the
// place. If the part would be too long, ok is false.
func (d *parting) whole(from place, to int) (p part, ok bool) {
	chars, size, last := grapheme.Count(d.text[from.at:d.end], to-from.at, d.most+1)
	if from.at+size < to {
		return part{}, false
	}
	p = d.part(from, size, chars, last)
	return p, p.length() <= d.most
}

// line returns the longest part that ends where a line may end (UAX 14). If there is no
// such place, the part ends between any two characters.
func (d *parting) line(from place, to int) part {
	text := d.text[from.at:d.end]
	chars, size, last := grapheme.Count(text, to-from.at, d.rest)
	limit := size
	if isSpace(text[size:]) {
		limit++
	}
	const look = 64 // the text that follows decides whether a line may end
	window := text[:min(size+look, len(text))]
	n, at, end, state := 0, 0, 0, -1 // the number of characters, where each ends, and where a line may end
	var best part
	for rest := window; ; {
		var segment []byte
		segment, rest, _, state = uniseg.FirstLineSegment(rest, state)
		if end += len(segment); end > limit || len(rest) == 0 {
			break
		}
		more, length, last := grapheme.Count(text[at:], end-at, d.rest+1)
		if n, at = n+more, at+length; at == end { // otherwise the place is inside a character
			best = d.part(from, at, n, last)
		}
	}
	if best.chars > 0 {
		return best
	}
	return d.part(from, size, chars, last)
}

// part returns the part with the given number of characters, which has size bytes. Its
// last character has last bytes. A following space belongs to the part.
func (d *parting) part(from place, size, chars, last int) part {
	if rest := d.text[from.at+size : d.end]; len(rest) > 0 && isSpace(rest) {
		chars, size, last = chars+1, size+1, 1
	}
	p := part{from: from, to: d.on(from, from.at+size, chars), chars: chars}
	if last == 1 && d.text[p.to.at-1] == ' ' {
		p.space = 1
	}
	return p
}

// isSpace reports whether the first character of a text is a space. A space with a
// combining mark is a different character.
func isSpace(text []byte) bool {
	size, _ := grapheme.First(text)
	return size == 1 && text[0] == ' '
}

// ending returns the end of a chunk that the next chunk repeats: as many whole parts as
// fit into room, or otherwise the end of the last part, from a place where a line may
// begin. It cuts no word, unless the end of the chunk cuts the word.
func (s *script) ending(parts []part, room int) []part {
	first, chars := len(parts), 0
	for first > 0 && chars+parts[first-1].chars <= room {
		first--
		chars += parts[first].chars
	}
	if first < len(parts) || room <= 0 {
		return slices.Clone(parts[first:])
	}
	last := parts[len(parts)-1]
	text := s.text[last.from.at:last.to.at]
	before, at, _ := grapheme.Count(text, len(text), last.chars-room)
	if text[at-1] != ' ' {
		word, _, _, _ := uniseg.FirstLineSegment(text[at:], -1)
		chars, size, _ := grapheme.Count(text[at:], len(word), room)
		switch {
		case size == len(word) && at+size < len(text):
			before, at = before+chars, at+size
		case last.space > 0:
			return nil
		case isSpace(text[at:]):
			before, at = before+1, at+1
		}
	}
	last.from, last.chars = s.on(last.from, last.from.at+at, before), last.chars-before
	return []part{last}
}
