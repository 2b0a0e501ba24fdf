package page

import (
	"cmp"
	"errors"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// trouble describes a failure and its cure, for people.
type trouble struct {
	Status                 int
	Code                   transcript.Code // empty: a fault of the website
	Message, Cure          string          // a sentence each; a cure may be empty
	ActionLabel, ActionURL string
	Languages              []string // available languages to choose instead
	Wait                   int      // seconds until the next try; 0: not known
	RequestID              string   // the id by which an operator finds the log entry

	// Link is a content that can be requested in another language; empty: none.
	Link string
	// Sent is the refused form, to send it again; nil: none. Back is the page with the form; empty:
	// not known.
	Sent *sentForm
	Back string
}

// problem shows an error as a page: the API's errors by their codes, all others as a fault
// of the website, which is logged.
func (p *pages) problem(w http.ResponseWriter, r *http.Request, err error) {
	found := p.troubleOf(r, err)
	if found.ActionURL == signInPath && r.Method == http.MethodGet { // and return to this page
		found.ActionURL += "?next=" + url.QueryEscape(r.URL.RequestURI())
	}
	if r.Method == http.MethodPost {
		found.Sent = p.sentAgain(r, found)
		if back := p.pageOf(r); back != "/" {
			found.Back = back
		}
	}
	found.announce(w)
	if err := p.show(w, r, found.Status, "problem", found); err != nil {
		p.Log.ErrorContext(r.Context(), "page", "route", r.Pattern, "err", err)
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
	}
}

// announce sets the header that tells browsers and programs when to try again.
func (t trouble) announce(w http.ResponseWriter) {
	if t.Wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(t.Wait))
	}
}

// maxWait bounds the wait that the API asks for: more than a day is not useful.
const maxWait = 24 * time.Hour

// maxLanguages bounds the languages that are offered instead.
const maxLanguages = 40

// troubleOf converts any error. It logs a fault of the website, once, with the request id that
// the page shows. The API has logged its own faults.
func (p *pages) troubleOf(r *http.Request, err error) trouble {
	var told *client.Error
	var own *transcript.Error
	switch {
	case errors.As(err, &told) && told.Err == nil && told.Response.StatusCode >= 400:
		found := trouble{
			Status: told.Response.StatusCode, Code: told.Code, Cure: p.strings.cure(told.Code),
			Message:     p.strings.sentence(told.Code, told.Details),
			ActionLabel: told.ActionLabel, ActionURL: told.ActionURL, RequestID: told.Response.RequestID,
			Languages: told.AvailableLanguages[:min(len(told.AvailableLanguages), maxLanguages)],
			Wait:      int(math.Ceil(min(told.RetryAfter, maxWait).Seconds())),
		}
		if found.Status == http.StatusUnauthorized && found.ActionURL == "" {
			found.ActionURL = signInPath
		}
		if found.ActionURL == signInPath {
			found.ActionLabel = p.strings.text("sign.in")
		}
		return found
	case errors.As(err, &own):
		found := p.troubleIn(own)
		found.Message = cmp.Or(own.Message, found.Message)
		return found
	}
	found := trouble{Status: http.StatusInternalServerError, Message: p.strings.text("problem.fault"), Cure: p.strings.cure(transcript.Internal)}
	var broken *brokenError
	switch {
	case told != nil:
		found.RequestID = told.Response.RequestID
	case errors.As(err, &broken):
		found.RequestID = broken.requestID
	}
	found.RequestID = cmp.Or(found.RequestID, uuid.NewString())
	if !errors.Is(err, errBroken) && r.Context().Err() == nil { // a visitor who has gone reads no page, and is no fault
		p.Log.ErrorContext(r.Context(), "page", "route", r.Pattern, "request", found.RequestID, "err", err)
	}
	return found
}

// troubleIn converts the error of a job.
func (p *pages) troubleIn(e *transcript.Error) trouble {
	return trouble{
		Status: e.HTTPStatus(), Code: e.Code, Message: p.strings.sentence(e.Code, e.Details), Cure: p.strings.cure(e.Code),
		ActionLabel: e.ActionLabel, ActionURL: e.ActionURL, RequestID: e.RequestID,
		Languages: e.AvailableLanguages[:min(len(e.AvailableLanguages), maxLanguages)],
		Wait:      int(math.Ceil(min(time.Duration(e.RetryAfter)*time.Second, maxWait).Seconds())),
	}
}

// nothing answers requests for a missing page.
func (p *pages) nothing(http.ResponseWriter, *http.Request) error {
	return transcript.Errorf(transcript.NotFound, "%s", p.strings.text("problem.nothing"))
}
