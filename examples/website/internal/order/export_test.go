package order

import "github.com/transcriptkit/transcriptkit/transcript/site"

// FindLinks returns the links of a text and its other words.
func FindLinks(text string, sites *site.Table) (links, words []string, err error) {
	found, err := findLinks(text, sites)
	return found.links, found.words, err
}
