package settings

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/library/webhook"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// webhooksPage shows the webhooks of an account, and a form to make one.
type webhooksPage struct {
	Webhooks []webhook.Endpoint
	Form     webhookForm
	Made     *newKeys // the keys of the webhook that was just made; nil: none was
	Deleted  bool     // whether a webhook has just been deleted
	Most     int
}

// newKeys are the keys of a webhook, shown only this once.
type newKeys struct {
	URL, Secret, PublicKey string
	PreviousUntil          *transcript.Time // until then the keys before sign too; nil: there are none
}

// webhookForm is the form as the visitor filled it in, with its fault.
type webhookForm struct {
	ID          string // makes sending the form twice one request
	URL         string
	Description string
	Events      []webhook.EventType

	Trouble *web.Trouble // of a field: "url", "events", "description"; nil: no fault
}

// Has reports whether a type of events is checked.
func (f webhookForm) Has(e webhook.EventType) bool { return slices.Contains(f.Events, e) }

// AllEvents returns the types of events to choose from. Every webhook receives tests.
func (webhookForm) AllEvents() []webhook.EventType {
	return slices.DeleteFunc(webhook.EventTypes(), func(e webhook.EventType) bool { return e == webhook.Test })
}

func newWebhookForm() webhookForm {
	f := webhookForm{ID: uuid.NewString()}
	f.Events = f.AllEvents()
	return f
}

// webhooks are the pages of webhooks.
type webhooks struct{ *web.Site }

// list shows the visitor's webhooks.
func (p webhooks) list(r *web.Request) error {
	return p.show(r, http.StatusOK, webhooksPage{Form: newWebhookForm(), Deleted: r.FormValue("deleted") != ""})
}

func (p webhooks) show(r *web.Request, status int, shown webhooksPage) (err error) {
	if shown.Webhooks, err = p.API.Webhooks.List(r.Context()); err != nil && shown.Form.Trouble == nil { // a refused form is shown without the list
		return err
	}
	shown.Most = webhook.MaxEndpoints
	return r.Show(status, "webhooks", shown)
}

// create makes a webhook and shows its secret in the answer, which no cache stores.
// Reloading the page, or sending the form again, shows that the webhook exists, but not its
// secret.
func (p webhooks) create(r *web.Request) error {
	form := webhookForm{
		ID: r.PostFormValue("id"), URL: strings.TrimSpace(r.PostFormValue("url")), Description: strings.TrimSpace(r.PostFormValue("description")),
	}
	for _, e := range r.PostForm["event"] {
		form.Events = append(form.Events, webhook.EventType(e))
	}
	once, err := uuid.Parse(form.ID)
	switch {
	case err != nil:
		return p.refuse(r, form, "", "webhooks.badForm")
	case form.URL == "":
		return p.refuse(r, form, "url", "webhooks.noURL")
	case len(form.Events) == 0: // would mean all
		return p.refuse(r, form, "events", "webhooks.noEvents")
	}
	var answer client.Response
	params := webhook.Params{URL: form.URL, Events: form.Events, Description: form.Description}
	made, err := p.API.Webhooks.Create(r.Context(), params, client.WithIdempotencyKey(once.String()), client.WithResponse(&answer))
	var refused *client.Error
	switch {
	case errors.As(err, &refused) && refused.Err == nil:
		form.Trouble = r.Trouble(err)
		form.Trouble.Field, _, _ = strings.Cut(web.FirstIssue(refused.Details).Path, ".")
		return p.show(r, form.Trouble.Status, webhooksPage{Form: form})
	case err != nil:
		return err
	case replayed(answer):
		form := newWebhookForm()
		form.Trouble = &web.Trouble{Status: http.StatusConflict, Message: r.Text("webhooks.madeBefore")}
		return p.show(r, http.StatusConflict, webhooksPage{Form: form})
	}
	return p.show(r, http.StatusCreated, webhooksPage{
		Form: newWebhookForm(), Made: &newKeys{URL: made.Webhook.URL, Secret: made.Secret.Reveal(), PublicKey: made.Webhook.PublicKey},
	})
}

// refuse shows the form again, with the fault.
func (p webhooks) refuse(r *web.Request, form webhookForm, field, text string) error {
	form.Trouble = r.Invalid(field, text)
	return p.show(r, form.Trouble.Status, webhooksPage{Form: form})
}

// replayed reports whether the API has repeated the answer of an earlier request.
func replayed(a client.Response) bool { return a.Header.Get("Idempotency-Replayed") != "" }

// pathOfWebhook returns the path of the page of a webhook.
func pathOfWebhook(id string) string { return "/webhooks/" + url.PathEscape(id) }

// webhookPage is a webhook with a page of its deliveries.
type webhookPage struct {
	webhook.Endpoint
	Deliveries []webhook.Delivery
	Failed     bool     // only failed deliveries are shown
	Older      string   // the address of the next page; empty: none
	Later      bool     // whether this is not the first page
	Resent     int      // how many deliveries were just sent again; 0: none
	Skipped    int      // how many were not, because they had been a short while before
	Early      bool     // whether what was asked for was sent again a short while before
	Tested     bool     // whether a test has just been sent
	Made       *newKeys // the keys that were just made; nil: none were
	Again      bool     // whether the form for new keys was sent before
	Rotation   string   // makes sending the form for new keys twice one request
}

// Soon reports whether a delivery that is shown is to be attempted within a minute.
func (p webhookPage) Soon() bool {
	return slices.ContainsFunc(p.Deliveries, func(d webhook.Delivery) bool {
		return d.NextAt != nil && time.Until(d.NextAt.Time) < time.Minute
	})
}

// Answered returns the status of the last answer to a delivery; 0: there was none.
func (webhookPage) Answered(d webhook.Delivery) int {
	if d.LastStatus == nil {
		return 0
	}
	return *d.LastStatus
}

// one shows a webhook and what became of its events.
func (p webhooks) one(r *web.Request) error {
	count := func(name string) int {
		n, _ := strconv.Atoi(r.FormValue(name)) // the address may be invented: then none were
		return min(max(n, 0), webhook.MaxResend)
	}
	return p.showOne(r, http.StatusOK, webhookPage{
		Resent: count("resent"), Skipped: count("skipped"), Early: r.FormValue("early") != "", Tested: r.FormValue("tested") != "",
	})
}

func (p webhooks) showOne(r *web.Request, status int, shown webhookPage) error {
	id, query := r.PathValue("id"), client.DeliveryParams{}
	if r.Method == http.MethodGet {
		query.Token = r.FormValue("page")
		if shown.Failed = r.FormValue("status") == string(webhook.Failed); shown.Failed {
			query.Status = webhook.Failed
		}
	}
	found, err := p.API.Webhooks.Get(r.Context(), id)
	if err != nil {
		return err
	}
	deliveries, err := p.API.Webhooks.Deliveries(r.Context(), id, query)
	if err != nil {
		return err
	}
	shown.Endpoint, shown.Deliveries, shown.Later, shown.Rotation = *found, deliveries.Items, query.Token != "", uuid.NewString()
	if deliveries.Next != "" {
		older := url.Values{"page": {deliveries.Next}}
		if shown.Failed {
			older.Set("status", string(webhook.Failed))
		}
		shown.Older = pathOfWebhook(id) + "?" + older.Encode()
	}
	return r.Show(status, "webhook", shown)
}

// rotate gives a webhook new keys and shows them in the answer, as create does.
func (p webhooks) rotate(r *web.Request) error {
	once, err := uuid.Parse(r.PostFormValue("rotation"))
	if err != nil {
		return r.Refuse(transcript.InvalidRequest, "webhooks.badForm")
	}
	var answer client.Response
	made, err := p.API.Webhooks.Rotate(r.Context(), r.PathValue("id"), client.WithIdempotencyKey(once.String()), client.WithResponse(&answer))
	if err != nil {
		return err
	}
	if replayed(answer) {
		return p.showOne(r, http.StatusConflict, webhookPage{Again: true})
	}
	keys := newKeys{Secret: made.Secret.Reveal(), PublicKey: made.PublicKey, PreviousUntil: &made.PreviousUntil}
	return p.showOne(r, http.StatusOK, webhookPage{Made: &keys})
}

// change pauses a webhook, makes it active again, sends it a test, or deletes it.
func (p webhooks) change(r *web.Request) error {
	id, to := r.PathValue("id"), pathOfWebhook(r.PathValue("id"))
	var err error
	switch path.Base(r.URL.Path) {
	case "pause":
		_, err = p.API.Webhooks.Change(r.Context(), id, webhook.Change{Status: new(webhook.Paused)})
	case "resume":
		_, err = p.API.Webhooks.Change(r.Context(), id, webhook.Change{Status: new(webhook.Active)})
	case "test":
		_, err = p.API.Webhooks.Test(r.Context(), id)
		to += "?tested=1"
	default:
		err, to = p.API.Webhooks.Delete(r.Context(), id), "/webhooks?deleted=1"
	}
	if tooEarly(err) {
		err, to = nil, pathOfWebhook(id)+"?early=1"
	}
	return r.Done(err, to)
}

// tooEarly reports whether the API refuses to send again what it sent again a short while before.
func tooEarly(err error) bool {
	var refused *client.Error
	return errors.As(err, &refused) && refused.Code == transcript.StateConflict && refused.RetryAfter > 0
}

// resend sends one delivery of a webhook again, or all that have failed.
func (p webhooks) resend(r *web.Request) error {
	id, done := r.PathValue("id"), "resent=1"
	if delivery := r.PathValue("delivery"); delivery != "" {
		_, err := p.API.Webhooks.Resend(r.Context(), id, delivery)
		if tooEarly(err) {
			err, done = nil, "early=1"
		}
		if err != nil {
			return err
		}
	} else {
		all, err := p.API.Webhooks.ResendRange(r.Context(), id, webhook.Resend{Since: time.Now().Add(-2 * webhook.Retention)})
		if err != nil {
			return err
		}
		done = fmt.Sprintf("resent=%d&skipped=%d", all.Resent, all.Skipped)
	}
	return r.Redirect(pathOfWebhook(id) + "?" + done)
}
