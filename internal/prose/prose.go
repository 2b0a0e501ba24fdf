package main

import (
	"cmp"
	"slices"
	"strings"
)

// A Source is a kind of text. Each kind has its own figures.
type Source string

// The kinds of text.
const (
	Comments Source = "comments" // of Go files that are not tests
	Messages Source = "messages" // string literals of these files that read as sentences
	Markdown Source = "markdown"
	Page     Source = "page" // the website's texts
)

// Sources are all kinds, in the order of a report.
var Sources = []Source{Comments, Messages, Markdown, Page}

// A Sentence has five words or more. A shorter fragment is a label.
type Sentence struct {
	Path   string // from the root of the repository, with slashes
	Line   int    // where the sentence begins, from 1
	Source Source
	Text   string // on one line
}

// A Hit is a sentence that breaks a rule.
type Hit struct {
	Sentence
	Rule Rule
}

// Hits returns the sentences that break a rule, ordered by path and line. Hits returns a
// sentence once for each rule that the sentence breaks.
func Hits(sentences []Sentence) []Hit {
	var hits []Hit
	for _, sentence := range sentences {
		for _, rule := range Rules {
			if rule.Breaks(sentence.Text) {
				hits = append(hits, Hit{sentence, rule})
			}
		}
	}
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	})
	return hits
}

// A Figure counts the sentences of a kind that break a rule.
type Figure struct {
	Rule      Rule
	Hits      int
	Sentences int // all sentences of the kind
}

// PerThousand returns the hits in 1,000 sentences. Without any sentence it returns 0.
func (f Figure) PerThousand() float64 {
	if f.Sentences == 0 {
		return 0
	}
	return float64(f.Hits) * 1000 / float64(f.Sentences)
}

// Missed reports whether more sentences break the rule than its goal allows.
func (f Figure) Missed() bool { return f.PerThousand() > f.Rule.Goal }

// Figures measures the sentences of one kind by every rule, in the order of [Rules].
func Figures(sentences []Sentence, source Source) []Figure {
	var ours []Sentence
	for _, sentence := range sentences {
		if sentence.Source == source {
			ours = append(ours, sentence)
		}
	}
	figures := make([]Figure, len(Rules))
	for i, rule := range Rules {
		figures[i] = Figure{Rule: rule, Sentences: len(ours)}
	}
	for _, hit := range Hits(ours) {
		for i := range figures {
			if figures[i].Rule.Name == hit.Rule.Name {
				figures[i].Hits++
			}
		}
	}
	return figures
}
