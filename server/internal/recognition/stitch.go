package recognition

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/legible"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Result is the text of one chunk, on the media clock. A service stores it as JSON until all
// chunks are done. [Chunk.Place] makes a Result.
type Result struct {
	Chunk    int                  `json:"chunk"`              // its index
	Language string               `json:"language,omitempty"` // the tag of the heard language; empty if not known
	Segments []transcript.Segment `json:"segments"`
	Gaps     []Gap                `json:"gaps,omitempty"` // where text was dropped; nil: none
	Prompted bool                 `json:"prompted,omitempty"`
	// Named reports that the speakers have their names in the whole recording: see
	// [Cast.Admit].
	Named bool `json:"named,omitempty"`
}

// Transcription is the text of a whole recording.
type Transcription struct {
	Segments []transcript.Segment // sorted by start; not nil
	Language string               // the language of most of the text; empty if not known
	Gaps     []Gap                // in order; not nil
	Prompted bool                 // whether a prompt guided at least one chunk
}

// Place moves a recognition of c, with times from the start of c, to the media clock: times are
// clamped to the chunk's span and rounded to milliseconds. Segments without text, without
// length or outside the chunk are dropped, the others are sorted by start. Control characters
// become U+FFFD. Some recognizers fall into loops: a word 12 times in a row, a phrase of two or
// more words 6 times, a phrase of eight or more words 5 times. Place keeps the first round of a
// loop and records a gap for the others. It cuts a speaker's label to one line of 100
// characters, and distinguishes at most 32 speakers. The speaker of a chunk of one channel is the
// channel.
func (c Chunk) Place(heard engine.Recognition) Result {
	out := Result{Chunk: c.Index, Language: heard.Language, Segments: []transcript.Segment{}, Prompted: heard.Prompted}
	for _, s := range heard.Segments {
		start, end, ok := c.clamp(s.Start, s.End())
		text := strings.TrimSpace(legible.Text(s.Text))
		if !ok || start == end || text == "" {
			continue
		}
		s.Text = text
		s.Start, s.Duration = toSeconds(start), toSeconds(end-start)
		s.Words = c.placeWords(s.Words)
		out.Segments = append(out.Segments, s)
	}
	slices.SortStableFunc(out.Segments, func(a, b transcript.Segment) int { return cmp.Compare(a.Start, b.Start) })
	out.Segments, out.Gaps = dropLoops(out.Segments)
	if c.Channel > 0 {
		for i := range out.Segments {
			out.Segments[i].Speaker = channelName(c.Channel)
		}
		out.Named = true
	}
	cleanSpeakers(out.Segments)
	return out
}

func (c Chunk) placeWords(words []transcript.Word) []transcript.Word {
	var out []transcript.Word
	for _, w := range words {
		start, end, ok := c.clamp(w.Start, w.End)
		if !ok || strings.TrimSpace(w.Text) == "" {
			continue
		}
		w.Text = legible.Text(w.Text)
		w.Start, w.End = toSeconds(start), toSeconds(end)
		out = append(out, w)
	}
	return out
}

// clamp moves a span, in seconds from the chunk's start, to the media clock, in milliseconds.
// ok is false for an invalid span or one outside the chunk.
func (c Chunk) clamp(start, end float64) (int64, int64, bool) {
	length := c.Duration().Seconds()
	if math.IsNaN(start) || math.IsNaN(end) || end < start || start >= length || end < 0 {
		return 0, 0, false
	}
	from, to := c.span()
	offset := c.Start().Seconds()
	place := func(t float64) int64 {
		return min(max(toMillis(offset+min(max(t, 0), length)), from), to)
	}
	return place(start), place(end), true
}

// Stitch joins the results of all chunks of speech, given in any order. A missing result, two
// results for a chunk, and a result for an unknown chunk are errors, so that silence cannot
// hide a forgotten chunk. If speakers' labels are valid in one chunk only, their names tell the
// chunk: "A (part 2)" is from the second chunk of speech.
func Stitch(plan Plan, results []Result) (Transcription, error) {
	byChunk := make(map[int]Result, len(results))
	for _, r := range results {
		if r.Chunk < 0 || r.Chunk >= len(plan.Chunks) {
			return Transcription{}, fmt.Errorf("speech: result of chunk %d of %d", r.Chunk, len(plan.Chunks))
		}
		if _, twice := byChunk[r.Chunk]; twice {
			return Transcription{}, fmt.Errorf("speech: chunk %d has two results", r.Chunk)
		}
		byChunk[r.Chunk] = r
	}
	out := Transcription{Segments: []transcript.Segment{}, Gaps: plan.Gaps()}
	var ordered []Result
	for _, c := range plan.Speech() {
		r, ok := byChunk[c.Index]
		if !ok {
			return Transcription{}, fmt.Errorf("speech: chunk %d has no result", c.Index)
		}
		ordered = append(ordered, r)
	}
	markParts(ordered)
	spoken := map[string]float64{} // seconds by language
	for _, r := range ordered {
		out.Segments = append(out.Segments, r.Segments...)
		out.Gaps = append(out.Gaps, r.Gaps...)
		out.Prompted = out.Prompted || r.Prompted
		for _, s := range r.Segments {
			spoken[r.Language] += s.Duration
		}
	}
	if plan.Channels() > 0 {
		slices.SortStableFunc(out.Segments, func(a, b transcript.Segment) int { return cmp.Compare(a.Start, b.Start) })
	}
	out.Language = most(spoken)
	slices.SortStableFunc(out.Gaps, func(a, b Gap) int { return cmp.Compare(a.Start, b.Start) })
	return out, nil
}

// most returns the language with the most seconds; of equal ones the first by name. A known
// language takes precedence over the unknown one.
func most(spoken map[string]float64) string {
	best := ""
	for tag, sec := range spoken {
		if tag == "" {
			continue
		}
		if best == "" || sec > spoken[best] || sec == spoken[best] && tag < best {
			best = tag
		}
	}
	return best
}
