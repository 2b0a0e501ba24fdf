package text

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"time"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// sharePage makes, lists and ends the links to a text.
type sharePage struct {
	reading
	Links   []library.Share // that have not ended, the last first
	Address string          // of a new link, shown only this once; empty: no link was just made
	Days    int             // for which the new link works, or was to work; 0: none was asked for
	Again   bool            // whether the form was sent before
	Ended   bool            // whether a link has just ended
	Refusal *web.Trouble    // why there is no new link; nil: nothing was refused
}

// shareDays are the lives of links that the page offers, in days.
var shareDays = []int{1, 7, 30, 90, 365}

// usualShareDays is the life that the page proposes.
const usualShareDays = 30

// Lives returns the lives of links that the page offers.
func (s sharePage) Lives() []int { return shareDays }

// Usual returns the life that the page proposes.
func (s sharePage) Usual() int { return cmp.Or(s.Days, usualShareDays) }

// Before tells the present links from all others: sending the form twice makes one link.
func (s sharePage) Before() string {
	if len(s.Links) == 0 {
		return ""
	}
	return s.Links[0].ID
}

// shares are the pages that make and end links to a text.
type shares struct{ *web.Site }

// show shows the links to a text.
func (p shares) show(r *web.Request) error {
	shown, _, err := p.linksOf(r)
	if err != nil {
		return err
	}
	shown.Ended = r.FormValue("ended") != ""
	return r.Show(http.StatusOK, "share", shown)
}

// linksOf returns the links to the text that a request names.
func (p shares) linksOf(r *web.Request) (shown sharePage, key library.Key, err error) {
	key = keyOf(r)
	saved, err := p.API.Library.Get(r.Context(), key)
	if err != nil {
		return shown, key, err
	}
	key.Language = saved.Transcript.Lang
	shown.reading = reading{Transcript: saved.Transcript, Known: true}
	shown.Links, err = p.API.Library.Shares(r.Context(), key)
	return shown, key, err
}

// create makes a link to a text and shows its address in the answer, which no cache stores.
// Reloading the page, or sending the form again, makes no other link.
func (p shares) create(r *web.Request) error {
	shown, key, err := p.linksOf(r)
	if err != nil {
		return err
	}
	if r.PostFormValue("before") != shown.Before() {
		shown.Again = true
		return r.Show(http.StatusConflict, "share", shown)
	}
	days, _ := strconv.Atoi(r.PostFormValue("days"))
	if !slices.Contains(shareDays, days) {
		days = usualShareDays
	}
	made, err := p.API.Library.Share(r.Context(), key, time.Now().AddDate(0, 0, days))
	var refused *client.Error
	if errors.As(err, &refused) && refused.Err == nil {
		found := r.Trouble(err)
		shown.Days = days
		if refused.Code == transcript.StateConflict {
			found.Message, found.Cure = r.Text("share.full"), r.Text("share.fullCure")
		}
		shown.Refusal = found
		return r.Show(found.Status, "share", shown)
	}
	if err != nil {
		return err
	}
	address, err := url.Parse(made.URL)
	if err != nil {
		return err
	}
	shown.Address, shown.Days = p.Visitors.Origin(r.Request)+"/shared/"+path.Base(address.Path), days
	shown.Links = slices.Concat([]library.Share{*made}, shown.Links)
	return r.Show(http.StatusCreated, "share", shown)
}

// end ends a link to a text. A link that has ended already is no error.
func (p shares) end(r *web.Request) error {
	key := keyOf(r)
	if err := p.API.Library.Unshare(r.Context(), key, r.PathValue("id")); err != nil && !errors.Is(err, transcript.NotFound) {
		return err
	}
	back := reading{Transcript: transcript.Transcript{Platform: key.Platform, ExternalID: key.ExternalID, Lang: key.Language}}
	return r.Redirect(back.Here() + "/share" + back.Language() + "&ended=1")
}
