package page

import (
	"cmp"
	"errors"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// trouble is why something did not work, and what can be done about it, for people.
type trouble struct {
	Status                 int
	Code                   transcript.Code // empty: a fault of the website
	Message, Cure          string          // a sentence each; a cure may be empty
	ActionLabel, ActionURL string
	Languages              []string // that can be had instead
	Wait                   int      // seconds until it may be tried again; 0: nobody says
	RequestID              string   // what an operator finds it by in the log

	// Link is what can be asked for again, in another language; empty: nothing.
	Link string
}

// problem shows an error as a page: what the API says as it is, all else as a fault,
// which the log tells of.
func (p *pages) problem(w http.ResponseWriter, r *http.Request, err error) {
	found := p.troubleOf(r, err)
	if found.ActionURL == signInPath && r.Method == http.MethodGet { // and come back
		found.ActionURL += "?next=" + url.QueryEscape(r.URL.RequestURI())
	}
	found.announce(w)
	if err := p.show(w, r, found.Status, "problem", found); err != nil {
		p.Log.ErrorContext(r.Context(), "page", "path", r.URL.Path, "err", err)
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
	}
}

// announce tells browsers and programs when it may be tried again.
func (t trouble) announce(w http.ResponseWriter) {
	if t.Wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(t.Wait))
	}
}

// maxWait is how long the API may ask to wait at most: longer than a day is no answer.
const maxWait = 24 * time.Hour

// maxLanguages is how many languages are offered instead at most.
const maxLanguages = 40

// troubleOf is the trouble of any error. A fault of the website is logged here, once, with
// the request that the page names; the API has logged its own.
func (p *pages) troubleOf(r *http.Request, err error) trouble {
	var told *client.Error
	var own *transcript.Error
	switch {
	case errors.As(err, &told) && told.Err == nil && told.Response.StatusCode >= 400:
		found := trouble{
			Status: told.Response.StatusCode, Code: told.Code, Cure: p.cure(told.Code),
			Message:     p.sentence(told),
			ActionLabel: told.ActionLabel, ActionURL: told.ActionURL, RequestID: told.Response.RequestID,
			Languages: told.AvailableLanguages[:min(len(told.AvailableLanguages), maxLanguages)],
			Wait:      int(math.Ceil(min(told.RetryAfter, maxWait).Seconds())),
		}
		if found.Status == http.StatusUnauthorized && found.ActionURL == "" {
			found.ActionLabel, found.ActionURL = p.strings.text("sign.in"), signInPath
		}
		return found
	case errors.As(err, &own):
		return p.troubleIn(own)
	}
	found := trouble{Status: http.StatusInternalServerError, Message: p.strings.text("problem.fault"), Cure: p.cure(transcript.Internal)}
	var broken *brokenError
	switch {
	case told != nil:
		found.RequestID = told.Response.RequestID
	case errors.As(err, &broken):
		found.RequestID = broken.requestID
	}
	found.RequestID = cmp.Or(found.RequestID, uuid.NewString())
	if !errors.Is(err, errBroken) && r.Context().Err() == nil { // who has gone reads no page, and has broken nothing
		p.Log.ErrorContext(r.Context(), "page", "path", r.URL.Path, "request", found.RequestID, "err", err)
	}
	return found
}

// troubleIn is the trouble of an error as a job carries it, or of one of the pages' own.
func (p *pages) troubleIn(e *transcript.Error) trouble {
	return trouble{
		Status: e.HTTPStatus(), Code: e.Code, Message: cmp.Or(e.Message, p.says(e.Code)), Cure: p.cure(e.Code),
		ActionLabel: e.ActionLabel, ActionURL: e.ActionURL, RequestID: e.RequestID,
		Languages: e.AvailableLanguages[:min(len(e.AvailableLanguages), maxLanguages)],
		Wait:      int(math.Ceil(min(time.Duration(e.RetryAfter)*time.Second, maxWait).Seconds())),
	}
}

// sentence is why the API refuses something, for people. The API names a value that is
// wrong by its place in the request, and a type of a body by its name: for these the page
// has words of its own.
func (p *pages) sentence(told *client.Error) string {
	issue := firstIssue(told)
	switch {
	case told.Code == transcript.UnsupportedMediaType, told.Code == transcript.RequestTimeout, told.Message == "":
		return p.says(told.Code)
	case told.Code != transcript.InvalidRequest || issue.Path == "":
		return told.Message
	}
	return p.about(issue)
}

// about is what is wrong with a value of a request, for people.
func (p *pages) about(issue transcript.Issue) string {
	place, _, _ := strings.Cut(issue.Path, ".")
	if p.strings.has("field." + place) {
		return p.strings.text("field."+place, "says", issue.Message)
	}
	return p.says(transcript.InvalidRequest)
}

// says is what a code means, for people.
func (p *pages) says(code transcript.Code) string {
	if p.strings.has("says." + string(code)) {
		return p.strings.text("says." + string(code))
	}
	return p.strings.text("problem.fault")
}

// cure is what people can do about a code; empty for one that nobody knows.
func (p *pages) cure(code transcript.Code) string {
	if p.strings.has("cure." + string(code)) {
		return p.strings.text("cure." + string(code))
	}
	return ""
}

// nothing is the page where there is none.
func (p *pages) nothing(http.ResponseWriter, *http.Request) error {
	return transcript.Errorf(transcript.NotFound, "%s", p.strings.text("problem.nothing"))
}
