package search

import (
	"encoding/binary"
	"math"
)

// Place is a place in a text where a word is said.
type Place struct {
	At  int // milliseconds from the start of the media to the start of the segment
	Pos int // number of the word in the text
}

// placeWriter encodes the places of one word in a text. Each place is the distance from the
// previous place in words, and a bit that says whether both places have the same At.
type placeWriter struct {
	encoded []byte
	count   int // of different At
	last    Place
}

func (w *placeWriter) add(p Place) {
	step := uint64(p.Pos-w.last.Pos) << 1
	if w.count > 0 && p.At == w.last.At {
		step |= 1
	} else {
		w.count++
	}
	w.encoded = binary.AppendUvarint(w.encoded, step)
	w.last = p
}

// startWriter encodes where segments begin: for each At the number of its first word. Each is
// the distance from the previous one.
type startWriter struct {
	encoded []byte
	count   int
	last    Place
}

func (w *startWriter) add(p Place) {
	if w.count > 0 && p.At == w.last.At {
		return
	}
	w.encoded = binary.AppendUvarint(w.encoded, uint64(p.Pos-w.last.Pos))
	w.encoded = binary.AppendUvarint(w.encoded, uint64(p.At-w.last.At))
	w.last = p
	w.count++
}

// appendStarts decodes what a startWriter has encoded: the first word of each segment.
func appendStarts(starts []Place, encoded []byte) []Place {
	var at Place
	for i := 0; i < len(encoded); {
		var pos, ms uint64
		pos, i = number(encoded, i)
		ms, i = number(encoded, i)
		if pos > maxNumber || ms > math.MaxInt32 {
			return starts // damaged: the starts that were read are right
		}
		at = Place{At: at.At + int(ms), Pos: at.Pos + int(pos)}
		starts = append(starts, at)
	}
	return starts
}
