package order

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/text"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// startPage is the content of the start page.
type startPage struct {
	Form    linkForm
	Trouble *web.Trouble       // why the form was refused; nil: it was not
	Guests  *visitor.Allowance // nil: the visitor is not a guest

	Example, Uncaptioned string // links to try; empty: none
}

// libraryPage is the start page of a visitor with an account: above the library's rows stands
// what begins a text.
type libraryPage struct {
	startPage
	*text.Library
	Upload *uploads // nil: the visitor may not upload files
}

// uploads describes the files that a visitor may upload.
type uploads struct {
	MaxBytes int64        // 0: the service's own bound
	Keep     *web.Keeping // for how long recordings may be kept; nil: not at all
}

// orders are the start page and the forms that ask for texts.
type orders struct{ *web.Site }

// start shows the start page: a field for links, a place for files, and the latest texts.
func (p orders) start(r *web.Request) error {
	form := readLinkForm(r.URL.Query())
	if form.Links == "" {
		form.Links = p.sharedLinks(r.URL.Query())
	}
	return p.show(r, http.StatusOK, form, nil)
}

// library shows a view of a visitor's library.
func (p orders) library(r *web.Request) error {
	rows, err := text.OpenLibrary(r, p.Site, r.URL.Query())
	if err != nil {
		return err
	}
	return p.showLibrary(r, rows.Status(), startPage{}, rows)
}

func (p orders) showLibrary(r *web.Request, status int, above startPage, rows *text.Library) error {
	above.Example, above.Uncaptioned = p.Example, p.Uncaptioned
	return r.Show(status, "library", libraryPage{above, rows, p.uploads(r.Context())})
}

func (p orders) show(r *web.Request, status int, form linkForm, wrong *web.Trouble) error {
	shown := startPage{Form: form, Trouble: wrong, Example: p.Example, Uncaptioned: p.Uncaptioned}
	if r.Visitor().Known() {
		rows, err := text.OpenLibrary(r, p.Site, nil)
		if err != nil { // the field for links still works
			p.Log.WarnContext(r.Context(), "the library cannot be read", "err", err)
			rows = &text.Library{Refused: r.Trouble(err).Message}
		}
		return p.showLibrary(r, status, shown, rows)
	}
	left, isGuest, err := p.Visitors.Allowance(r.Context())
	switch {
	case err != nil: // the field for links still works
		p.Log.WarnContext(r.Context(), "what a guest may have is not known", "err", err)
	case isGuest:
		shown.Guests = &left
	}
	return r.Show(status, "start", shown)
}

// uploads returns nil also if the limits cannot be read: the field for links still works.
func (p orders) uploads(ctx context.Context) *uploads {
	usage, err := p.API.Usage.Get(ctx)
	switch {
	case err != nil:
		p.Log.WarnContext(ctx, "what may be uploaded is not known", "err", err)
		return nil
	case !usage.Limits.Upload || !usage.Limits.ASR:
		return nil
	}
	may := &uploads{Keep: web.KeepingOf(usage, 1)}
	if usage.Limits.MaxUploadBytes != nil {
		may.MaxBytes = *usage.Limits.MaxUploadBytes
	}
	return may
}

// atMost bounds the wait of a form for a text that is already in the cache.
const atMost = 1500 * time.Millisecond

// maxLinks exceeds the size of a form with the longest list of links, in bytes.
const maxLinks = 8 << 20

// submit takes the pasted input, and redirects to the text, to its job, or to the batch. On a
// fault it shows the form again with the input.
func (p orders) submit(r *web.Request) error {
	if err := r.ParseForm(); err != nil {
		e := r.Refuse(transcript.InvalidRequest, "start.unreadable")
		return p.refuse(r, linkForm{}, "links", e)
	}
	form := readLinkForm(r.PostForm)
	language, err := form.languages()
	if err != nil {
		e := r.Refuse(transcript.InvalidRequest, "start.badLanguage", "why", err)
		e.Status = http.StatusUnprocessableEntity
		return p.refuse(r, form, "language", e)
	}
	to, err := p.send(r, form.Links, language)
	if err != nil {
		return p.refuse(r, form, "links", err)
	}
	return r.Redirect(to)
}

// send requests the pasted input, and returns the page of the result.
func (p orders) send(r *web.Request, pasted string, language []string) (string, error) {
	found, err := readPasted(pasted, p.Sites)
	switch {
	case err != nil:
		return "", explained(r, err)
	case found.single != "":
		to, err := p.sendSource(r, transcript.URL(found.single), found.single, language)
		return found.passed.Onto(to), err
	case !r.Visitor().Known():
		e := r.Refuse(transcript.Unauthorized, "start.manyNeedAccount")
		e.ActionLabel, e.ActionURL = r.Text("sign.in"), web.SignInPath
		return "", e
	}
	found.batch.Language = language
	to, err := p.sendBatch(r, found.batch)
	return found.passed.Onto(to), err
}

// sendBatch requests a batch, and returns its page.
func (p orders) sendBatch(r *web.Request, asked client.BatchParams) (string, error) {
	made, err := p.API.Batches.Create(r.Context(), asked)
	if err != nil {
		return "", err
	}
	return "/batches/" + url.PathEscape(made.ID), nil
}

// sendSource requests a text, and returns the page of the text or of its job. The link is for the
// page of the job; empty: there is none.
func (p orders) sendSource(r *web.Request, source transcript.Source, link string, language []string) (string, error) {
	wait := atMost
	result, job, err := p.API.Transcripts.Submit(r.Context(), transcript.Request{Source: source, Language: language, SendMetadata: true, Wait: &wait})
	if err != nil {
		return "", err
	}
	if result != nil {
		return web.ResultPath(result), nil
	}
	return jobPath(job.JobID, link, language), nil
}

// explained is the refusal of input that is not a link, with a suggestion.
func explained(r *web.Request, err error) error {
	var fault *pasteFault
	if !errors.As(err, &fault) {
		return err
	}
	e := r.Refuse(transcript.InvalidVideo, fault.key, "link", fault.link)
	if fault.words != "" {
		e.ActionLabel, e.ActionURL = r.Text("start.search"), web.WithQuery("/discover", "q", fault.words)
	}
	return e
}

// refuse shows a form again, with its input and its fault.
func (p orders) refuse(r *web.Request, form linkForm, field string, err error) error {
	found := r.Trouble(err)
	if found.ActionURL == web.SignInPath { // and return to the input
		found.ActionURL = web.WithQuery(found.ActionURL, "next", ChangePath(form))
	}
	found.Link, found.Field = form.Links, field
	return p.show(r, found.Status, form, found)
}

// ChangePath returns the start page with a filled-in form.
func ChangePath(form linkForm) string { return "/?" + form.query().Encode() }

// jobPath returns the page of a job. Its query holds the request, which a job does not have, so
// that the page can show and repeat the request.
func jobPath(id, link string, language []string) string {
	form := linkForm{Links: link, Language: strings.Join(language, ",")}
	return "/jobs/" + url.PathEscape(id) + "?" + form.query().Encode()
}

// inLanguage requests the content of a text in another language, and redirects to the text or to its
// job.
func (p orders) inLanguage(r *web.Request) error {
	language, err := parseLanguages(strings.TrimSpace(r.FormValue("language")))
	if err != nil {
		return r.Refuse(transcript.InvalidRequest, "transcript.badLanguage")
	}
	platform, id := transcript.Platform(r.PathValue("platform")), r.PathValue("externalId")
	content, _ := p.Sites.Content(platform, id) // without a content there is no link
	to, err := p.sendSource(r, transcript.ID(platform, id), content.URL, language)
	return r.Done(err, to)
}
