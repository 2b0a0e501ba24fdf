package page

import (
	"fmt"
	"net/url"
	"strings"
)

// passed tells how many links a pasted text had, and what was passed over. The address of the
// page that shows the result holds it.
type passed struct {
	Links   int
	Words   int // other words
	Repeats int // links that were there again
}

// onto adds what was passed over to the address of a page of this site.
func (p passed) onto(address string) string {
	if p.Words == 0 && p.Repeats == 0 {
		return address
	}
	separator := "?"
	if strings.Contains(address, "?") {
		separator = "&"
	}
	return address + separator + url.Values{"found": {fmt.Sprintf("%d.%d.%d", p.Links, p.Words, p.Repeats)}}.Encode()
}

// passedOver reads what was passed over from the address of a page; nil: nothing was.
func passedOver(r *Request) *passed {
	var p passed
	if _, err := fmt.Sscanf(r.URL.Query().Get("found"), "%d.%d.%d", &p.Links, &p.Words, &p.Repeats); err != nil {
		return nil
	}
	if p.Links < 1 || min(p.Words, p.Repeats) < 0 || max(p.Links, p.Words, p.Repeats) > mostPieces {
		return nil
	}
	return &p
}
