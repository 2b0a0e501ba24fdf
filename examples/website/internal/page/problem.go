package page

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// trouble is why a page cannot be shown, for people.
type trouble struct {
	Status                 int
	Code                   transcript.Code // empty: a fault of the website
	Message                string
	ActionLabel, ActionURL string
	RequestID              string // what an operator finds it by in the log
}

// problem shows an error as a page: what the API says as it is, all else as a fault,
// which the log tells of.
func (p *pages) problem(w http.ResponseWriter, r *http.Request, err error) {
	found := p.troubleOf(r, err)
	if err := p.show(w, r, found.Status, "problem", found); err != nil {
		p.Log.ErrorContext(r.Context(), "page", "path", r.URL.Path, "err", err)
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
	}
}

func (p *pages) troubleOf(r *http.Request, err error) trouble {
	var told *client.Error
	var own *transcript.Error
	switch {
	case errors.As(err, &told) && told.Err == nil:
		message := told.Message
		if message == "" {
			message = told.Code.Meaning()
		}
		action := told.ActionURL
		if action == signInPath && r.Method == http.MethodGet { // and come back
			action += "?next=" + url.QueryEscape(r.URL.RequestURI())
		}
		return trouble{told.Response.StatusCode, told.Code, message, told.ActionLabel, action, told.Response.RequestID}
	case errors.As(err, &own):
		return trouble{own.HTTPStatus(), own.Code, own.Message, own.ActionLabel, own.ActionURL, ""}
	}
	p.Log.ErrorContext(r.Context(), "page", "path", r.URL.Path, "err", err)
	return trouble{Status: http.StatusInternalServerError, Message: p.strings.text("problem.fault")}
}

// nothing is the page where there is none.
func (p *pages) nothing(http.ResponseWriter, *http.Request) error {
	return transcript.Errorf(transcript.NotFound, "%s", p.strings.text("problem.nothing"))
}
