// Package search finds words and phrases in transcripts. [Fold] and [Words] split a
// text into words, and [Parse] reads a query. [Blocks] makes the stored index of a
// text, [Query.Hits] finds the hits of a query, and [Query.Hit] shows a hit. The
// package does no I/O: package db stores the blocks, and reads the blocks that a query
// needs.
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
