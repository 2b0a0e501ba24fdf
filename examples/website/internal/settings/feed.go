package settings

import (
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// feedPage shows whether the feed of the account's new texts has an address, and makes a new
// one.
type feedPage struct {
	Feed    *library.Feed // nil: the account has none
	Address string        // of the feed, shown only this once; empty: it was not just made
	Again   bool          // whether the form was sent before
	Deleted bool          // whether the address has just ended
	Refusal *web.Trouble  // why the account may have no feed; nil: it may
}

// Before tells the present address from all others: sending the form twice makes one address.
func (f feedPage) Before() string {
	if f.Feed == nil {
		return ""
	}
	return f.Feed.CreatedAt.UTC().Format(time.RFC3339Nano)
}

// feeds are the pages of feeds.
type feeds struct{ *web.Site }

// show shows the state of the visitor's feed.
func (p feeds) show(r *web.Request) error {
	return p.showState(r, http.StatusOK, feedPage{Deleted: r.FormValue("deleted") != ""})
}

func (p feeds) showState(r *web.Request, status int, shown feedPage) error {
	state, err := p.API.Library.Feed(r.Context())
	if err != nil {
		return err
	}
	shown.Feed = state.Feed
	shown.Deleted = shown.Deleted && shown.Feed == nil
	return r.Show(status, "feed", shown)
}

// renew gives the feed a new address and shows the address in the answer, which no cache
// stores. Reloading the page, or sending the form again, shows that there is an address, but not
// the address.
func (p feeds) renew(r *web.Request) error {
	present, err := p.API.Library.Feed(r.Context())
	if err != nil {
		return err
	}
	if r.PostFormValue("before") != (feedPage{Feed: present.Feed}).Before() {
		return p.showState(r, http.StatusConflict, feedPage{Again: true})
	}
	made, err := p.API.Library.RenewFeed(r.Context())
	if errors.Is(err, transcript.UpgradeRequired) {
		refusal := r.Trouble(err)
		return p.showState(r, refusal.Status, feedPage{Refusal: refusal})
	}
	if err != nil {
		return err
	}
	address, err := url.Parse(made.URL)
	if err != nil {
		return err
	}
	return p.showState(r, http.StatusCreated, feedPage{Address: p.Visitors.Origin(r.Request) + address.Path})
}

// remove ends the address of the visitor's feed.
func (p feeds) remove(r *web.Request) error {
	return r.Done(p.API.Library.DeleteFeed(r.Context()), "/feed?deleted=1")
}
