package page

import (
	"net/http"

	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// Direct is the way to a handler without a connection.
func Direct(h http.Handler) http.RoundTripper { return direct{h} }

// ErrBroken is how an answer ends whose handler has panicked.
var ErrBroken = errBroken

// SplitLinks is splitLinks.
func SplitLinks(text string, sites *site.Table) ([]string, error) { return splitLinks(text, sites) }
