package web

import (
	"net/http"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Request is a request for a page, with its answer, in the visitor's language.
type Request struct {
	*http.Request
	*Catalog // the texts in the visitor's language

	W    http.ResponseWriter
	site *Site
}

// Visitor returns who sends the request.
func (r *Request) Visitor() visitor.Visitor { return visitor.From(r.Context()) }

// Redirect answers with the address of another page of the site.
func (r *Request) Redirect(to string) error {
	http.Redirect(r.W, r.Request, to, http.StatusSeeOther)
	return nil
}

// Done ends the answer to a form: it returns the error, or redirects if there is none.
func (r *Request) Done(err error, to string) error {
	if err != nil {
		return err
	}
	return r.Redirect(to)
}

// Refuse returns an error with a code, and with the text of a key and its values as its message.
func (r *Request) Refuse(code transcript.Code, key string, values ...any) *transcript.Error {
	return transcript.Errorf(code, "%s", r.Text(key, values...))
}

// Invalid returns the fault of a form's field, with the text of a key.
func (r *Request) Invalid(field, key string) *Trouble {
	return &Trouble{Status: http.StatusUnprocessableEntity, Field: field, Message: r.Text(key)}
}
