package search

import (
	"html"
	"slices"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// The limits of a snippet: its length and the length of the text before the hit. Both are in
// grapheme clusters, without the marks and the dots. A cluster may have many bytes, so a bound
// in bytes applies too.
const (
	snippetLength = 160
	snippetLead   = 50
	snippetBytes  = 2000
	lastWord      = 30 // a last word of at most this many bytes is left out; a longer one is cut
)

// Hit returns the segment of a hit with a snippet of the text. at is one of the results of
// Hits. The snippet is HTML with <mark> around the found words and no other tag. It has at most
// 160 characters from the segment and its neighbors, and … where the text continues. ok is
// false if the text no longer has the segment.
func (q Query) Hit(segments []transcript.Segment, at int) (s transcript.Segment, snippet string, ok bool) {
	segments = inOrder(segments)
	n, ok := slices.BinarySearchFunc(segments, at, func(s transcript.Segment, at int) int { return startOf(s) - at })
	if !ok {
		return s, "", false
	}
	return segments[n], q.snippet(segments, n), true
}

func (q Query) snippet(segments []transcript.Segment, n int) string {
	p := around(segments, n)
	marks := q.marks(p.text)
	focus := p.hit
	for _, m := range marks {
		if m.from >= p.hit {
			focus = m.from
			break
		}
	}
	from, to := cut(p.text, focus)
	var b strings.Builder
	if from > 0 || p.before {
		b.WriteString("… ")
	}
	write(&b, p.text, from, to, marks)
	if to < len(p.text) || p.after {
		b.WriteString(" …")
	}
	return b.String()
}

// passage is the text of some segments on one line.
type passage struct {
	text          string
	hit           int  // the start of the hit's segment, in bytes
	before, after bool // the text has further segments on this side
}

// around returns the segment n with the segment before it, and as many segments after it as a
// snippet may show.
func around(segments []transcript.Segment, n int) passage {
	var b strings.Builder
	p := passage{before: n > 1}
	add := func(s transcript.Segment) {
		for word := range strings.FieldsSeq(s.Text) {
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(word)
		}
	}
	if n > 0 {
		add(segments[n-1])
	}
	if p.hit = b.Len(); p.hit > 0 {
		p.hit++ // the space
	}
	add(segments[n])
	i := n + 1
	for ; i < len(segments) && b.Len()-p.hit < snippetLength; i++ {
		add(segments[i])
	}
	p.after = i < len(segments)
	p.text = b.String()
	p.hit = min(p.hit, len(p.text))
	return p
}

// marks returns the places of the query's parts in a text. They are in order and do not
// overlap.
func (q Query) marks(text string) (marks []span) {
	words := spans(text)
	for i := range words {
		for _, p := range q.parts {
			if p.stands(words[i:]) {
				marks = append(marks, span{from: words[i].from, to: words[i+len(p.words)-1].to})
			}
		}
	}
	return merge(marks)
}

// stands reports whether the words begin with the part.
func (p part) stands(words []span) bool {
	if len(words) < len(p.words) {
		return false
	}
	for i := range p.words {
		if !p.term(i).matches(words[i].word) {
			return false
		}
	}
	return true
}

// merge joins overlapping marks. The marks must be in order of their starts.
func merge(marks []span) (merged []span) {
	for _, m := range marks {
		if last := len(merged) - 1; last >= 0 && m.from < merged[last].to {
			merged[last].to = max(merged[last].to, m.to)
			continue
		}
		merged = append(merged, m)
	}
	return merged
}

// cut returns the bounds of the shown text, which contains focus. Both bounds are between
// grapheme clusters, and between words in a text with spaces.
func cut(text string, focus int) (from, to int) {
	from = leadBefore(text, focus)
	to = from
	left := snippetLength
	for rest, state := text[from:], -1; rest != "" && left > 0; left-- {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if to+len(cluster)-from > snippetBytes {
			break
		}
		to += len(cluster)
	}
	if to < len(text) && text[to] != ' ' {
		if space := strings.LastIndexByte(text[max(focus, to-lastWord):to], ' '); space > 0 {
			to = max(focus, to-lastWord) + space
		}
	}
	return from, to
}

// leadBefore returns the start of a snippet: the first word that begins within the lead, or the
// start of the lead if no word begins there.
func leadBefore(text string, focus int) int {
	var starts []int // the starts of the clusters before the focus
	for rest, state, at := text[:focus], -1, 0; rest != ""; {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		starts = append(starts, at)
		at += len(cluster)
	}
	starts = starts[max(0, len(starts)-snippetLead):]
	for len(starts) > 0 && focus-starts[0] > snippetBytes/2 {
		starts = starts[1:]
	}
	for _, start := range starts {
		if start == 0 || text[start-1] == ' ' {
			return start
		}
	}
	return append(starts, focus)[0]
}

// write appends text[from:to] as HTML, with marks.
func write(b *strings.Builder, text string, from, to int, marks []span) {
	for _, m := range marks {
		m.from, m.to = max(m.from, from), min(m.to, to)
		if m.from >= m.to {
			continue
		}
		b.WriteString(html.EscapeString(text[from:m.from]))
		b.WriteString("<mark>" + html.EscapeString(text[m.from:m.to]) + "</mark>")
		from = m.to
	}
	b.WriteString(html.EscapeString(text[from:to]))
}
