package transcript

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
)

// Chunk is a piece of a transcript of a size that a language model takes.
type Chunk struct {
	// ID tells chunks apart. If a transcript is made again with the same text at the
	// same place, the ID stays the same.
	ID       string  `json:"id"`
	Index    int     `json:"index" minimum:"0"`    // its place among all chunks of the transcript
	Start    float64 `json:"start" minimum:"0"`    // seconds from the start of the media
	Duration float64 `json:"duration" minimum:"0"` // how long it is, in seconds
	// Joiner stands between the end of the chunk before and what this chunk adds to it: the
	// text without the overlap. It is a line feed where a chapter begins, and empty where a
	// word or a text without spaces is cut, and for the first chunk. Elsewhere it is a space.
	// When chunks do not overlap, their joiners and texts in order are the whole text.
	Joiner  string `json:"joiner"`
	Text    string `json:"text"`              // what is said in it
	Chapter string `json:"chapter,omitempty"` // the title of its chapter, where the platform gives chapters
	// URL leads to the place, on platforms that know such links; nil elsewhere.
	URL *string `json:"url" format:"uri"`
}

// The values of a chunk's Joiner.
const (
	JoinNothing = ""   // the first chunk, or a cut within a word or a text without spaces
	JoinSpace   = " "  // elsewhere
	JoinLine    = "\n" // a chapter begins
)

// DefaultChunkChars is the size of chunks for which nothing else is asked.
const DefaultChunkChars = 1500

// ChunkOptions say how a transcript is cut. The zero value asks for chunks of
// [DefaultChunkChars] that do not overlap. Characters are what people take for one, the
// grapheme clusters of Unicode: a family of emoji is one character.
type ChunkOptions struct {
	// MaxChars is the most characters that a chunk may have; 0 and less is
	// DefaultChunkChars.
	MaxChars int
	// OverlapChars is how many characters of the end of a chunk may stand again at the
	// start of the next chunk: whole sentences or segments if they fit, else words. The
	// overlap is part of MaxChars, and at most half of MaxChars. The overlap gets
	// shorter if the next sentence would not fit next to the overlap.
	OverlapChars int
}

// Chunks cuts a transcript into pieces, in their order. A chunk has as many whole sentences
// (UAX 29) as it may hold. A sentence that alone is too long, as all of a text without
// punctuation is, is cut where segments end; a segment that is too long, where a line may
// end, or anywhere between two characters. No chunk has text of two chapters (see
// [Transcript.Chapters]); a segment belongs to the chapter that its middle is in.
//
// Runs of white space, and ends of segments, become one space; nothing else is lost. Start
// is when the first word of a chunk is said, as far as the segments or their words tell; it
// never goes back from one chunk to the next. URL stays nil: only a platform table knows
// links. The time taken is linear in the text, and equal transcripts give equal chunks.
func Chunks(t *Transcript, o ChunkOptions) iter.Seq[Chunk] {
	if o.MaxChars <= 0 {
		o.MaxChars = DefaultChunkChars
	}
	o.OverlapChars = min(max(o.OverlapChars, 0), o.MaxChars/2)
	return func(yield func(Chunk) bool) {
		c := chunker{ChunkOptions: o, script: newScript(t.Segments), of: t, yield: yield}
		for chapter := range c.script.chapters(t.Chapters()) {
			if !c.cut(chapter) {
				return
			}
		}
	}
}

// chunker hands out the chunks of a transcript.
type chunker struct {
	ChunkOptions
	script *script
	of     *Transcript
	yield  func(Chunk) bool

	index int             // of the next chunk
	join  string          // of the next chunk
	start int64           // of the last one, in milliseconds
	ids   map[string]bool // of the chunks that begin at start
}

// cut cuts one chapter. It reports whether more chunks are wanted.
func (c *chunker) cut(ch chapter) bool {
	if c.join == JoinSpace {
		c.join = JoinLine
	}
	var parts []part
	var chars int // of the parts, with the space at the end
	all := parting{script: c.script, end: ch.to, most: c.MaxChars, rest: c.MaxChars - c.OverlapChars}
	for at := ch.from; at.at < ch.to; at = parts[len(parts)-1].to {
		next := all.next(at)
		if len(parts) > 0 && chars+next.length() > c.MaxChars {
			if !c.emit(parts, ch.title) {
				return false
			}
			parts = c.script.ending(parts, min(c.OverlapChars, c.MaxChars-next.length()))
			chars = 0
			for _, p := range parts {
				chars += p.chars
			}
		}
		parts = append(parts, next)
		chars += next.chars
	}
	return len(parts) == 0 || c.emit(parts, ch.title)
}

// emit hands out the chunk that has these parts.
func (c *chunker) emit(parts []part, chapter string) bool {
	first, last := parts[0], parts[len(parts)-1]
	text := string(c.script.text[first.from.at : last.to.at-last.space])
	start := max(milliseconds(c.script.startAt(first.from)), c.start)
	end := max(milliseconds(c.script.endAt(first.from.segment, last.to)), start)
	chunk := Chunk{
		ID: c.id(start, text), Index: c.index, Start: float64(start) / 1000, Duration: float64(end-start) / 1000,
		Joiner: c.join, Text: text, Chapter: chapter,
	}
	c.index++
	c.join = JoinNothing
	if last.space > 0 {
		c.join = JoinSpace
	}
	return c.yield(chunk)
}

// id is a hash of the place and the text of a chunk. Equal chunks at the same time get
// a number.
func (c *chunker) id(start int64, text string) (id string) {
	if c.ids == nil || start != c.start {
		c.start, c.ids = start, map[string]bool{}
	}
	for n := 0; ; n++ {
		place := fmt.Sprintf("%s\x00%s\x00%s\x00%d\x00", c.of.Platform, c.of.ExternalID, c.of.Lang, start)
		if n > 0 {
			place += fmt.Sprintf("%d\x00", n)
		}
		sum := sha256.Sum256([]byte(place + text))
		if id = "c_" + hex.EncodeToString(sum[:8]); !c.ids[id] {
			c.ids[id] = true
			return id
		}
	}
}
