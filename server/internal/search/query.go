package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Query is a parsed query. The zero value finds nothing.
type Query struct{ parts []part }

// part is a sequence of words that are said one after the other. With prefix, the last word may
// continue with further letters.
type part struct {
	words  []string
	prefix bool
}

// Term is one word of a query. With Prefix, it stands for all words that begin with Word.
type Term struct {
	Word   string
	Prefix bool
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
	return query
}

// quotes replaces typographic quotes by ASCII quotes.
var quotes = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`)

func (q *Query) add(text string, prefix bool) {
	p := part{Words(text), prefix}
	same := func(other part) bool { return slices.Equal(other.words, p.words) && other.prefix == p.prefix }
	if len(p.words) > 0 && !slices.ContainsFunc(q.parts, same) {
		q.parts = append(q.parts, p)
	}
}

// Empty reports whether the query has no word.
func (q Query) Empty() bool { return len(q.parts) == 0 }

// Terms returns the words of the query, each once. Long words come first, because fewer texts
// are likely to have them.
func (q Query) Terms() []Term {
	var terms []Term
	for _, p := range q.parts {
		for i := range p.words {
			if t := p.term(i); !slices.Contains(terms, t) {
				terms = append(terms, t)
			}
		}
	}
	slices.SortStableFunc(terms, func(a, b Term) int {
		return cmp.Compare(utf8.RuneCountInString(b.Word), utf8.RuneCountInString(a.Word))
	})
	return terms
}

func (p part) term(i int) Term { return Term{p.words[i], p.prefix && i == len(p.words)-1} }

// matches reports whether the term stands for the word.
func (t Term) matches(word string) bool {
	return word == t.Word || t.Prefix && strings.HasPrefix(word, t.Word)
}
