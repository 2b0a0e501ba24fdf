package main

import (
	"regexp"
	"strings"
)

// minWords is the smallest number of words in a sentence.
const minWords = 5

// A line of text, and its number in the file.
type line struct {
	number int
	text   string
}

// ends matches the end of a sentence within a paragraph: the mark, closing characters
// after it, and white space before a capital, a digit or an opening character.
var ends = regexp.MustCompile("[.!?][\"')\\]*_`]*\\s+([A-Z0-9\"`(\\[*“])")

// A writer collects the sentences of a file, paragraph by paragraph.
type writer struct {
	path      string
	source    Source
	paragraph []line
	sentences []Sentence
}

func (w *writer) add(number int, text string) {
	if text = strings.TrimSpace(text); text != "" {
		w.paragraph = append(w.paragraph, line{number, text})
	}
}

// end ends the paragraph, and with it its last sentence.
func (w *writer) end() {
	var text strings.Builder
	var starts []int // where each line starts in text
	for _, line := range w.paragraph {
		if text.Len() > 0 {
			text.WriteByte(' ')
		}
		starts = append(starts, text.Len())
		text.WriteString(line.text)
	}
	whole := text.String()
	for from := 0; from < len(whole); {
		to := len(whole)
		if end := ends.FindStringSubmatchIndex(whole[from:]); end != nil {
			to = from + end[2]
		}
		w.sentence(whole[from:to], w.lineAt(starts, from))
		from = to
	}
	w.paragraph = w.paragraph[:0]
}

func (w *writer) lineAt(starts []int, offset int) int {
	number := 0
	for i, start := range starts {
		if start <= offset {
			number = w.paragraph[i].number
		}
	}
	return number
}

func (w *writer) sentence(text string, number int) {
	text = strings.TrimSpace(text)
	if len(strings.Fields(text)) >= minWords {
		w.sentences = append(w.sentences, Sentence{Path: w.path, Line: number, Source: w.source, Text: text})
	}
}
