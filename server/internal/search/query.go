package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Query is a parsed query. The zero value finds nothing.
type Query struct {
	parts []part
	terms []Term // each once; long words first
}

// part is a sequence of words that are said one after another. With prefix, the last word may
// continue with further letters.
type part struct {
	words  []string
	prefix bool
	terms  []int // of each word: its number in Query.terms
}

// Term is one word of a query. With Prefix, it stands for all words that begin with Word.
type Term struct {
	Word   string
	Prefix bool
	last   string // if not "", the term stands for all words from Word to last
}

// Parse reads a query of words and "phrases". A * after a word or a phrase stands for any
// further letters of the last word. All other characters are text, so no query is invalid. A
// phrase without a closing quote ends with the query. A query without a word finds nothing.
func Parse(q string) Query {
	var query Query
	pieces := strings.Split(quotes.Replace(Fold(q)), `"`) // alternately outside and inside of quotes
	for i, piece := range pieces {
		if i%2 == 1 {
			query.add(piece, i+1 < len(pieces) && strings.HasPrefix(pieces[i+1], "*"))
			continue
		}
		for chunk := range strings.FieldsSeq(piece) {
			query.add(chunk, strings.HasSuffix(chunk, "*"))
		}
	}
	query.number()
	return query
}

// quotes replaces typographic quotes by ASCII quotes.
var quotes = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`)

func (q *Query) add(text string, prefix bool) {
	p := part{words: Words(text), prefix: prefix}
	same := func(other part) bool { return slices.Equal(other.words, p.words) && other.prefix == p.prefix }
	if len(p.words) > 0 && !slices.ContainsFunc(q.parts, same) {
		q.parts = append(q.parts, p)
	}
}

// number collects the terms of the parts, and gives each word of a part the number of its term.
func (q *Query) number() {
	for _, p := range q.parts {
		for i := range p.words {
			if t := p.term(i); !slices.Contains(q.terms, t) {
				q.terms = append(q.terms, t)
			}
		}
	}
	slices.SortStableFunc(q.terms, func(a, b Term) int {
		return cmp.Compare(utf8.RuneCountInString(b.Word), utf8.RuneCountInString(a.Word))
	})
	for n := range q.parts {
		p := &q.parts[n]
		for i := range p.words {
			p.terms = append(p.terms, slices.Index(q.terms, p.term(i)))
		}
	}
}

// Empty reports whether the query has no word.
func (q Query) Empty() bool { return len(q.parts) == 0 }

// Terms returns the words of the query, each once. Long words come first, because fewer texts
// are likely to have them.
func (q Query) Terms() []Term { return q.terms }

func (p part) term(i int) Term {
	return Term{Word: p.words[i], Prefix: p.prefix && i == len(p.words)-1}
}
