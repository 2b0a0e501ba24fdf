package web

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// SignInPath is the path of the sign-in page. The API's refusals to guests lead there too.
const SignInPath = "/sign-in"

// WithQuery returns a path with the non-empty values of alternating names and values.
func WithQuery(path string, pairs ...string) string {
	q := url.Values{}
	for n := 0; n+1 < len(pairs); n += 2 {
		if pairs[n+1] != "" {
			q.Add(pairs[n], pairs[n+1])
		}
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// TextPath returns the page of a text, given its parts.
func TextPath(p transcript.Platform, externalID, language string) string {
	return "/transcripts/" + url.PathEscape(string(p)) + "/" + url.PathEscape(externalID) + "?language=" + url.QueryEscape(language)
}

// AsNew and AsStale tell in the query of a text's page how the visitor got the text: it is new, or it
// is cached and too old, and the platform could not be asked.
const (
	AsNew   = "new"
	AsStale = "stale"
)

// ResultPath returns the page of a requested text. Its query tells whether the request caused
// any work.
func ResultPath(r *transcript.Result) string {
	as := AsNew
	switch {
	case r.Stale:
		as = AsStale
	case r.Cached:
		as = "cached"
	}
	return TextPath(r.Transcript.Platform, r.Transcript.ExternalID, r.Transcript.Lang) + "&as=" + as
}

// LocalPath returns next if it is a page of this website to which a visitor returns after
// signing in, else the start page.
func LocalPath(next string) string {
	own := ownPath(next)
	if name, _, _ := strings.Cut(own, "?"); name == SignInPath || name == "/sign-up" {
		return "/"
	}
	return own
}

// ownPath returns next if it is a page of this website, else the start page.
func ownPath(next string) string {
	to, err := url.Parse(next)
	if err != nil || to.IsAbs() || to.Host != "" || to.User != nil || to.Opaque != "" ||
		!strings.HasPrefix(to.Path, "/") || strings.HasPrefix(to.Path, "//") || strings.ContainsAny(to.Path, "\\\r\n\t") {
		return "/"
	}
	return (&url.URL{Path: to.Path, RawPath: to.RawPath, RawQuery: to.RawQuery, Fragment: to.Fragment, RawFragment: to.RawFragment}).String()
}

// MostItems is how many links a batch may have. It is the API's bound, too.
const MostItems = 500

// MostPieces bounds the words and commas of an input, because checking each takes time. A batch
// may have far fewer links.
const MostPieces = 40 * MostItems

// Passed tells how many links a pasted text had, and what was passed over. The address of the
// page that shows the result holds it.
type Passed struct {
	Links   int
	Words   int // other words
	Repeats int // links that were there again
}

// Onto adds what was passed over to the address of a page of this site.
func (p Passed) Onto(address string) string {
	if p.Words == 0 && p.Repeats == 0 {
		return address
	}
	separator := "?"
	if strings.Contains(address, "?") {
		separator = "&"
	}
	return address + separator + url.Values{"found": {fmt.Sprintf("%d.%d.%d", p.Links, p.Words, p.Repeats)}}.Encode()
}

// PassedOver reads what was passed over from the address of a page; nil: nothing was.
func PassedOver(r *Request) *Passed {
	var p Passed
	if _, err := fmt.Sscanf(r.URL.Query().Get("found"), "%d.%d.%d", &p.Links, &p.Words, &p.Repeats); err != nil {
		return nil
	}
	if p.Links < 1 || min(p.Words, p.Repeats) < 0 || max(p.Links, p.Words, p.Repeats) > MostPieces {
		return nil
	}
	return &p
}
