// Package chunk cuts a transcript into chunks for a language model:
//
//	for c := range chunk.Cut(t, transcript.ChunkOptions{MaxChars: 1500, OverlapChars: 200}) {
//		embed(c.ID, c.Text)
//	}
//
// The package is separate because Unicode's tables for sentences and lines are large: a
// program that only requests chunks from the service need not include them.
package chunk

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Cut cuts a transcript into chunks, in order. A chunk has as many whole sentences (UAX
// 29) as fit. Cut divides a sentence that is too long at the ends of its segments. A
// text without punctuation is one such sentence. Cut divides a segment that is too long
// where a line may break, or else between any two characters. No chunk has text of two
// chapters (see [transcript.Transcript.Chapters]); a segment belongs to the chapter
// that contains the middle of the segment.
//
// Runs of white space and ends of segments become one space. All other text is kept.
// Start is the time of the first word of a chunk, as exact as the segments or their
// words give it, and it never decreases from one chunk to the next. URL is nil: a
// only package site makes links. Cut takes time linear in the length of the text. Equal
// transcripts give equal chunks.
func Cut(t *transcript.Transcript, o transcript.ChunkOptions) iter.Seq[transcript.Chunk] {
	if o.MaxChars <= 0 {
		o.MaxChars = transcript.DefaultChunkChars
	}
	o.OverlapChars = min(max(o.OverlapChars, 0), o.MaxChars/2)
	return func(yield func(transcript.Chunk) bool) {
		c := chunker{ChunkOptions: o, script: newScript(t.Segments), of: t, yield: yield}
		for chapter := range c.script.chapters(t.Chapters()) {
			if !c.cut(chapter) {
				return
			}
		}
	}
}

// chunker returns the chunks of a transcript one by one.
type chunker struct {
	transcript.ChunkOptions
	script *script
	of     *transcript.Transcript
	yield  func(transcript.Chunk) bool

	index int             // of the next chunk
	join  string          // of the next chunk
	start int64           // of the last chunk, in milliseconds
	ids   map[string]bool // of the chunks that begin at start
}

// cut cuts one chapter. It reports whether more chunks are wanted.
func (c *chunker) cut(ch chapter) bool {
	if c.join == transcript.JoinSpace {
		c.join = transcript.JoinLine
	}
	var parts []part
	var chars int // of the parts, including the space at the end
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

// emit passes on the chunk that consists of these parts.
func (c *chunker) emit(parts []part, chapter string) bool {
	first, last := parts[0], parts[len(parts)-1]
	text := string(c.script.text[first.from.at : last.to.at-last.space])
	start := max(milliseconds(c.script.startAt(first.from)), c.start)
	end := max(milliseconds(c.script.endAt(first.from.segment, last.to)), start)
	chunk := transcript.Chunk{
		ID: c.id(start, text), Index: c.index, Start: float64(start) / 1000, Duration: float64(end-start) / 1000,
		Joiner: c.join, Text: text, Speakers: c.script.speakers(first.from, last.to), Chapter: chapter,
	}
	c.index++
	c.join = transcript.JoinNothing
	if last.space > 0 {
		c.join = transcript.JoinSpace
	}
	return c.yield(chunk)
}

// id is a hash of the place and the text of a chunk. Equal chunks with the same time get
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
