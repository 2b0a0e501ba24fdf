package web

import (
	"fmt"
	"net/url"
	"strings"
)

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
