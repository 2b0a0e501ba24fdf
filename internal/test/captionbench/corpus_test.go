package captionbench_test

import (
	"fmt"
	"html"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/asticode/go-astisub"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// corpus says what the files are made of.
const corpus = "two lines of 30 to 42 characters a cue; of 20 cues 3 are in italics, 2 have a voice, 3 a reference (&amp;)"

var vocabulary = strings.Fields(`the and that you was with there have what they river boat night morning
	people world because about through something nothing question answer remember together water
	house light over under every other little before again never always between against it's don't
	we're I he a of to in is on at by so if or as`)

// talk is n cues of speech, the same each time. Their texts are what players show.
func talk(n int) []transcript.Segment {
	random := rand.New(rand.NewPCG(1, 2))
	segments := make([]transcript.Segment, n)
	for i := range segments {
		s := &segments[i]
		s.Start, s.Duration = float64(i*3000+120)/1000, 2.78
		s.Text = line(random) + "\n" + line(random)
		if voiced(i) {
			s.Speaker = "Ada"
		}
		if i%7 == 3 {
			s.Text = strings.Replace(s.Text, " ", " & ", 1)
		}
	}
	return segments
}

func voiced(i int) bool { return i%10 == 5 }

// line is words of 30 to 40 characters.
func line(random *rand.Rand) string {
	var b strings.Builder
	for b.Len() < 30 {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(vocabulary[random.IntN(len(vocabulary))])
	}
	return b.String()
}

// webVTT is the file of n cues of talk.
func webVTT(n int) []byte {
	b := []byte("WEBVTT\n\n")
	for i, s := range talk(n) {
		text := html.EscapeString(strings.ReplaceAll(s.Text, "'", "’"))
		switch {
		case voiced(i):
			text = "<v Ada>" + text
		case i%7 == 1:
			text = "<i>" + text + "</i>"
		}
		b = fmt.Appendf(b, "%d\n%s --> %s line:90%%\n%s\n\n", i+1, clock(s.Start, '.'), clock(s.End(), '.'), text)
	}
	return b
}

// srt is the SRT file of n cues of talk.
func srt(n int) []byte {
	var b []byte
	for i, s := range talk(n) {
		text := s.Text
		if i%7 == 1 {
			text = "<i>" + text + "</i>"
		}
		b = fmt.Appendf(b, "%d\n%s --> %s\n%s\n\n", i+1, clock(s.Start, ','), clock(s.End(), ','), text)
	}
	return b
}

// rolling is a file of n cues as automatic captions come: each line once with the
// times of its words below the one before, once more alone for 10 ms.
func rolling(n int) []byte {
	random := rand.New(rand.NewPCG(3, 4))
	b := []byte("WEBVTT\nKind: captions\nLanguage: en\n\n")
	above := " "
	for i := 0; i < n; i += 2 {
		at := float64(i) * 1.5
		text := line(random)
		b = fmt.Appendf(b, "%s --> %s align:start position:0%%\n%s\n", clock(at, '.'), clock(at+2.99, '.'), above)
		for k, word := range strings.Fields(text) {
			if k == 0 {
				b = append(b, word...)
				continue
			}
			b = fmt.Appendf(b, "<%s><c> %s</c>", clock(at+0.3*float64(k), '.'), word)
		}
		b = fmt.Appendf(b, "\n\n%s --> %s align:start position:0%%\n%s\n \n\n", clock(at+2.99, '.'), clock(at+3, '.'), text)
		above = text
	}
	return b
}

// ttml is the TTML file of n cues of talk.
func ttml(n int) []byte {
	b := []byte(`<?xml version="1.0" encoding="utf-8"?>
<tt xmlns="http://www.w3.org/ns/ttml" xmlns:tts="http://www.w3.org/ns/ttml#styling" xml:lang="en">
<head><styling><style xml:id="s1" tts:color="white"/></styling></head><body style="s1"><div>
`)
	for i, s := range talk(n) {
		text := strings.ReplaceAll(html.EscapeString(strings.ReplaceAll(s.Text, "'", "’")), "\n", "<br/>")
		if i%7 == 1 {
			text = `<span tts:fontStyle="italic">` + text + "</span>"
		}
		b = fmt.Appendf(b, "<p begin=\"%s\" end=\"%s\">%s</p>\n", clock(s.Start, '.'), clock(s.End(), '.'), text)
	}
	return append(b, "</div></body></tt>\n"...)
}

// srv3 is the file of n cues of a video site's automatic captions, every second
// of which is the line break alone that it puts between.
func srv3(n int) []byte {
	random := rand.New(rand.NewPCG(5, 6))
	b := []byte(`<?xml version="1.0" encoding="utf-8" ?><timedtext format="3">
<head><ws id="0"/><ws id="1" mh="2" ju="0" sd="3"/><wp id="0"/><wp id="1" ap="6" ah="20" av="100" rc="2" cc="40"/></head><body>
<w t="0" id="1" wp="1" ws="1"/>`)
	for i := 0; i < n; i += 2 {
		b = fmt.Appendf(b, "<p t=\"%d\" d=\"4480\" w=\"1\">", i*1500)
		for k, word := range strings.Fields(line(random)) {
			if k == 0 {
				b = fmt.Appendf(b, "<s ac=\"0\">%s</s>", html.EscapeString(word))
				continue
			}
			b = fmt.Appendf(b, "<s t=\"%d\" ac=\"0\"> %s</s>", k*300, html.EscapeString(word))
		}
		b = fmt.Appendf(b, "</p>\n<p t=\"%d\" d=\"1490\" w=\"1\" a=\"1\">\n</p>\n", i*1500+2990)
	}
	return append(b, "</body></timedtext>\n"...)
}

func clock(seconds float64, mark byte) string {
	ms := time.Duration(seconds*1e3 + 0.5)
	return fmt.Sprintf("%02d:%02d:%02d%c%03d", ms/3600_000, ms/60_000%60, ms/1000%60, mark, ms%1000)
}

// peer is talk as go-astisub holds it.
func peer(segments []transcript.Segment) *astisub.Subtitles {
	subtitles := astisub.NewSubtitles()
	for _, s := range segments {
		item := &astisub.Item{StartAt: duration(s.Start), EndAt: duration(s.End())}
		for text := range strings.SplitSeq(s.Text, "\n") {
			item.Lines = append(item.Lines, astisub.Line{VoiceName: s.Speaker, Items: []astisub.LineItem{{Text: text}}})
		}
		subtitles.Items = append(subtitles.Items, item)
	}
	return subtitles
}

func duration(seconds float64) time.Duration {
	return time.Duration(seconds*1e3+0.5) * time.Millisecond
}
