package web

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

// Trouble describes a failure and its cure, for people.
type Trouble struct {
	Status                 int
	Code                   transcript.Code // empty: a fault of the website
	Field                  string          // of the form that is shown again; empty: the whole form
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

// Is reports whether a field of a form is at fault. A nil trouble is none.
func (t *Trouble) Is(field string) bool { return t != nil && t.Field == field }

// problem shows an error as a page: the API's errors by their codes, all others as a fault
// of the website, which is logged.
func (r *Request) problem(err error) {
	found := r.Trouble(err)
	if found.ActionURL == SignInPath && r.Method == http.MethodGet { // and return to this page
		found.ActionURL += "?next=" + url.QueryEscape(r.URL.RequestURI())
	}
	if r.Method == http.MethodPost {
		found.Sent = r.sentAgain(found)
		if back := r.pageOf(); back != "/" {
			found.Back = back
		}
	}
	if err := r.Show(found.Status, "problem", found); err != nil {
		r.site.Log.ErrorContext(r.Context(), "page", "route", r.Pattern, "err", err)
		http.Error(r.W, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
	}
}

// maxWait bounds the wait that the API asks for: more than a day is not useful.
const maxWait = 24 * time.Hour

// maxLanguages bounds the languages that are offered instead.
const maxLanguages = 40

// Trouble converts any error, and sets the header that tells browsers and programs when to try
// again.
func (r *Request) Trouble(err error) *Trouble {
	found := r.troubleOf(err)
	if found.Wait > 0 {
		r.W.Header().Set("Retry-After", strconv.Itoa(found.Wait))
	}
	return found
}

// troubleOf converts any error. It logs a fault of the website, once, with the request id that
// the page shows. The API has logged its own faults.
func (r *Request) troubleOf(err error) *Trouble {
	var told *client.Error
	var own *transcript.Error
	switch {
	case errors.As(err, &told) && told.Err == nil && told.Response.StatusCode >= 400:
		found := r.TroubleIn(&transcript.Error{
			Status: told.Response.StatusCode, Code: told.Code, Details: told.Details, ActionLabel: told.ActionLabel, ActionURL: told.ActionURL,
			RequestID: told.Response.RequestID, AvailableLanguages: told.AvailableLanguages, RetryAfter: int(math.Ceil(min(told.RetryAfter, maxWait).Seconds())),
		})
		if found.Status == http.StatusUnauthorized && found.ActionURL == "" {
			found.ActionURL = SignInPath
		}
		if found.ActionURL == SignInPath {
			found.ActionLabel = r.Text("sign.in")
		}
		return found
	case errors.As(err, &own):
		found := r.TroubleIn(own)
		found.Message = cmp.Or(own.Message, found.Message)
		return found
	}
	found := &Trouble{Status: http.StatusInternalServerError, Message: r.Text("problem.fault"), Cure: r.Cure(transcript.Internal)}
	var broken *brokenError
	switch {
	case told != nil:
		found.RequestID = told.Response.RequestID
	case errors.As(err, &broken):
		found.RequestID = broken.requestID
	}
	found.RequestID = cmp.Or(found.RequestID, uuid.NewString())
	if !errors.Is(err, errBroken) && r.Context().Err() == nil { // a visitor who has gone reads no page, and is no fault
		r.site.Log.ErrorContext(r.Context(), "page", "route", r.Pattern, "request", found.RequestID, "err", err)
	}
	return found
}

// TroubleIn converts the error of a job.
func (r *Request) TroubleIn(e *transcript.Error) *Trouble {
	return &Trouble{
		Status: e.HTTPStatus(), Code: e.Code, Message: r.Sentence(e.Code, e.Details), Cure: r.Cure(e.Code),
		ActionLabel: e.ActionLabel, ActionURL: e.ActionURL, RequestID: e.RequestID,
		Languages: e.AvailableLanguages[:min(len(e.AvailableLanguages), maxLanguages)],
		Wait:      min(e.RetryAfter, int(maxWait.Seconds())),
	}
}

// Nothing answers requests for a missing page.
func Nothing(r *Request) error {
	return r.Refuse(transcript.NotFound, "problem.nothing")
}
