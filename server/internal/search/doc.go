// Package search finds words and phrases in transcripts. It knows how a text is taken
// apart into words ([Fold], [Words]), what a query means ([Parse]), what is stored of a
// text so that its words are found ([Blocks]), where a query is met ([Query.Hits]), and
// what is shown of such a place ([Query.Snippet]). It does no I/O: package db keeps the
// blocks, and reads those that a query asks for.
//
// All of it is done here, and none by a database, so that every database gives the
// same answers in every language:
//
//	q := search.Parse(`"new york" taxi*`)
//	for _, term := range q.Terms() {
//		blocks := … // those of the text from term.First() to term.Last()
//		places = append(places, term.Places(blocks...))
//	}
//	hits := q.Hits(places)
package search
