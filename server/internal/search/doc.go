// Package search finds words and phrases in transcripts. [Fold] and [Words] split a
// text into words, and [Parse] reads a query. [Blocks] makes the stored index of a
// text, [Merger] makes one index of several, [Counter] counts the hits of a query, and
// [Query.Hit] shows a hit. The package does no I/O: package wordindex stores the blocks, and reads
// the blocks that a query needs. No database searches or folds a text, so every database gives the
// same answers in every language:
//
//	q := search.Parse(`"new york" taxi*`)
//	lists := make([][]search.Posting, len(q.Terms()))
//	for i, term := range q.Terms() {
//		for _, b := range … { // the blocks from term.First() to term.Last()
//			lists[i] = term.AppendPostings(lists[i], b)
//		}
//	}
//	for match := range q.Matches(lists) {
//		… // read the places of the blocks of match.Of and match.Starts
//		hits := counter.Hits(match)
//	}
package search
