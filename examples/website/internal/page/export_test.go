package page

import (
	"net/http"

	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// Direct is the way to a handler without a connection.
func Direct(h http.Handler) http.RoundTripper { return direct{h} }

// ErrBroken is how an answer ends whose handler has panicked.
var ErrBroken = errBroken

// FindLinks returns the links of a text and its other words.
func FindLinks(text string, sites *site.Table) (links, words []string, err error) {
	found, err := findLinks(text, sites)
	return found.links, found.words, err
}
