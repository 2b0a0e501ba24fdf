// Package search finds words and phrases in transcripts. [Fold] and [Words] split a
// text into words, and [Parse] reads a query. [Blocks] makes the stored index of a
// text, [Query.Hits] finds the hits of a query, and [Query.Hit] shows a hit. The
// package does no I/O: package db stores the blocks, and reads the blocks that a query
// needs. No database searches or folds a text, so every database gives the same answers in
// every language:
//
//	q := search.Parse(`"new york" taxi*`)
//	places := map[search.Term][]search.Place{}
//	for _, term := range q.Terms() {
//		for _, b := range … { // the blocks of the text from term.First() to term.Last()
//			places[term] = term.AppendPlaces(places[term], b.Words)
//		}
//	}
//	hits := q.Hits(places)
package search
