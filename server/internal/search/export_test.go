package search

// Span is a word with its place in a text.
type Span struct {
	Word     string
	From, To int
}

// Spans is what snippets are marked by.
func Spans(text string) (all []Span) {
	for _, s := range spans(text) {
		all = append(all, Span{s.word, s.from, s.to})
	}
	return all
}

// What a snippet shows at most.
const (
	SnippetLength = snippetLength
	SnippetBytes  = snippetBytes
)
