package directmedia

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// readJSON reads a transcript in the JSON of the podcast namespace.
func readJSON(data []byte) (caption.File, error) {
	var doc struct {
		Segments []struct {
			Speaker string   `json:"speaker"`
			Start   *float64 `json:"startTime"`
			End     float64  `json:"endTime"`
			Body    string   `json:"body"`
		} `json:"segments"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return caption.File{}, fmt.Errorf("directmedia: a transcript in JSON: %w", err)
	}
	var read caption.File
	lost := 0
	for _, s := range doc.Segments {
		body := strings.TrimSpace(s.Body)
		switch {
		case body == "":
		case s.Start == nil || *s.Start < 0:
			lost++
		default:
			read.Segments = append(read.Segments, transcript.Segment{
				Text: body, Start: *s.Start, Duration: max(s.End-*s.Start, 0), Speaker: strings.TrimSpace(s.Speaker),
			})
		}
	}
	if lost > 0 {
		if len(read.Segments) == 0 {
			return caption.File{}, errUntimed
		}
		return caption.File{}, errors.New("directmedia: segments without times among others")
	}
	slices.SortStableFunc(read.Segments, func(a, b transcript.Segment) int { return compare(a.Start, b.Start) })
	read.Segments = joinWords(read.Segments)
	return read, nil
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// The limits of a segment that is made of words.
const (
	longestSegment = 80  // characters
	longestGap     = 1.5 // seconds between two words
)

// joinWords makes segments of words. Many programs write a segment for each word: the times of the
// words are kept. Other segments stay unchanged.
func joinWords(all []transcript.Segment) []transcript.Segment {
	single := 0
	for _, s := range all {
		if !strings.Contains(s.Text, " ") {
			single++
		}
	}
	if len(all) < 4 || single*10 < len(all)*9 {
		return all
	}
	var joined []transcript.Segment
	for _, s := range all {
		word := transcript.Word{Text: s.Text, Start: s.Start, End: s.End()}
		if n := len(joined) - 1; n >= 0 && goesOn(joined[n], s) {
			joined[n].Text += " " + s.Text
			joined[n].Duration = max(s.End()-joined[n].Start, joined[n].Duration)
			joined[n].Words = append(joined[n].Words, word)
			continue
		}
		s.Words = []transcript.Word{word}
		joined = append(joined, s)
	}
	return joined
}

// goesOn reports whether a word belongs to the previous segment.
func goesOn(before, word transcript.Segment) bool {
	return before.Speaker == word.Speaker && word.Start-before.End() < longestGap &&
		len(before.Text)+len(word.Text) < longestSegment && !strings.ContainsAny(before.Text[len(before.Text)-1:], ".?!")
}

// readHTML reads a transcript in the HTML of the podcast namespace: <cite> names a speaker, <time>
// says when the next text begins, and <p> is the text. Text before the first time is left out. A
// page without times gives no segments.
func readHTML(data []byte) caption.File {
	r := htmlReader{tags: html.NewTokenizer(bytes.NewReader(data))}
	for {
		switch r.tags.Next() {
		case html.ErrorToken:
			r.end(math.Inf(1))
			return caption.File{Segments: r.read}
		case html.StartTagToken:
			r.start()
		case html.TextToken:
			r.say(strings.TrimSpace(string(r.tags.Text())))
		}
	}
}

// htmlReader keeps the text since the last time.
type htmlReader struct {
	tags    *html.Tokenizer
	read    []transcript.Segment
	text    strings.Builder
	speaker string
	next    string // the speaker who was named last, before a time or a text
	at      float64
	begun   bool // a time was read
}

func (r *htmlReader) start() {
	name, _ := r.tags.TagName()
	switch string(name) {
	case "time":
		if at, ok := clock(r.inner()); ok {
			r.end(at)
			r.at, r.begun = at, true
		}
	case "cite":
		r.next = strings.TrimSuffix(r.inner(), ":")
	case "script", "style", "title":
		r.inner()
	}
}

// say adds text. A speaker without a time of their own is named in the text.
func (r *htmlReader) say(text string) {
	if text == "" {
		return
	}
	if r.next != "" && r.text.Len() > 0 {
		text = r.next + ": " + text
	} else if r.next != "" {
		r.speaker = r.next
	}
	r.next = ""
	r.text.WriteString(" " + text)
}

// inner is the text after a tag, in one line.
func (r *htmlReader) inner() string {
	if r.tags.Next() != html.TextToken {
		return ""
	}
	return strings.Join(strings.Fields(string(r.tags.Text())), " ")
}

// end ends the segment before a time.
func (r *htmlReader) end(at float64) {
	text := strings.Join(strings.Fields(r.text.String()), " ")
	r.text.Reset()
	if !r.begun || text == "" {
		return
	}
	s := transcript.Segment{Text: text, Start: r.at, Speaker: r.speaker}
	if at > r.at && !math.IsInf(at, 1) {
		s.Duration = at - r.at
	}
	r.read = append(r.read, s)
}

// clock reads M:SS, H:MM:SS and seconds, each with parts of a second.
func clock(text string) (seconds float64, ok bool) {
	parts := strings.Split(strings.Trim(text, "[]() "), ":")
	if len(parts) > 3 {
		return 0, false
	}
	for _, part := range parts {
		n, err := strconv.ParseFloat(part, 64)
		if err != nil || !(n >= 0 && n < 1e6) { // true for NaN
			return 0, false
		}
		seconds = seconds*60 + n
	}
	return seconds, true
}
