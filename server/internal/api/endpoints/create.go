package endpoints

import (
	"context"
	"net/http"

	"github.com/transcriptkit/transcriptkit/library/webhook"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func (e *Endpoints) createRoute() edge.Route {
	return edge.Route{
		Method: http.MethodPost, Pattern: "/v1/webhooks",
		Operation: "createWebhook", Tag: "webhooks",
		Summary: "Register an address to which the service sends events.",
		Scope:   account.Transcripts, Handle: e.createWebhook,
		Body:    newWebhookTable(new(webhook.Params)),
		Answers: []edge.Answer{{Status: http.StatusCreated, Body: CreatedWebhook{}, Headers: []edge.Header{edge.HeaderLocation, edge.HeaderReplayed}}},
		Codes:   resource.PostCodes(),
	}
}

func (e *Endpoints) rotateRoute() edge.Route {
	return edge.Route{
		Method: http.MethodPost, Pattern: "/v1/webhooks/{webhookId}/rotate",
		Operation: "rotateWebhook", Tag: "webhooks",
		Summary: "Give a webhook a new secret. For a day, the service also signs with the old one.",
		Scope:   account.Transcripts, Handle: e.rotateWebhook,
		Path:    byID.Path(new(string)),
		Answers: []edge.Answer{{Status: http.StatusOK, Body: RotatedWebhook{}, Headers: []edge.Header{edge.HeaderReplayed}}},
		Codes:   resource.PostCodes(),
	}
}

// newWebhookTable is the table of the JSON body of a new endpoint.
func newWebhookTable(p *webhook.Params) request.Table {
	fields := webhookFields(p)
	fields[0].Required()
	return request.Table{Name: "CreateWebhookRequest", Fields: fields}
}

// webhookFields are the members that an account sets, the address first.
func webhookFields(p *webhook.Params) []*request.Field {
	types := webhook.EventTypes()
	return []*request.Field{
		request.New("url", &p.URL, request.WebAddress(webhook.MaxURL)).About("Where the events go."),
		request.New("events", &p.Events, request.List(request.Enum(types), 0, len(types))).
			About("The types that the webhook receives. An empty list means all types except `follow.ended`. Every webhook receives test events."),
		request.New("description", &p.Description, request.Text(0, webhook.MaxDescription)).About("Words of your own."),
	}
}

// CreatedWebhook is a new webhook with its secret.
type CreatedWebhook struct {
	Webhook webhook.Endpoint `json:"webhook"` // the webhook
	Secret  string           `json:"secret"`  // checks the signatures of version v1; only this answer has it
}

// RotatedWebhook has the new keys of a webhook.
type RotatedWebhook struct {
	Secret        string          `json:"secret"`        // the new secret; only this answer has it
	PublicKey     string          `json:"publicKey"`     // the new public key
	PreviousUntil transcript.Time `json:"previousUntil"` // until then the old keys sign too
}

// judged checks whether the service may send requests to an address, as far as the address
// itself shows that. The error is an INVALID_REQUEST about the field url.
func (e *Endpoints) judged(ctx context.Context, address string) error {
	if err := e.Judge(ctx, "webhook", address); err != nil {
		return request.Invalid(http.StatusUnprocessableEntity, transcript.Issue{
			Path: "url", Reason: transcript.IssueRefused, Message: "is an address to which this service sends nothing: name a public address on port 80 or 443, or let the operator permit this one",
		})
	}
	return nil
}

// createWebhook is POST /v1/webhooks.
func (e *Endpoints) createWebhook(w http.ResponseWriter, r *http.Request) error {
	if err := resource.CheckJSON(r); err != nil {
		return err
	}
	own := edge.Principal(r).Account
	var params webhook.Params
	return e.Edge.Once(w, r, edge.Post{
		Read: func() (map[string]any, error) {
			canonical, err := resource.JSONBody(newWebhookTable(&params), edge.MaxJSONBody)(w, r)
			if err == nil {
				err = e.judged(r.Context(), params.URL)
			}
			return canonical, err
		},
		Do: func(key *db.HeldKey) (edge.Reply, error) {
			return e.createdReply(e.Pipeline.Webhooks.Create(context.WithoutCancel(r.Context()), own, params, key))
		},
		Again: func(a db.Answer) (edge.Reply, error) {
			return e.createdReply(e.Pipeline.Webhooks.Created(r.Context(), own, a))
		},
	})
}

func (e *Endpoints) createdReply(c *webhook.Created, err error) (edge.Reply, error) {
	if err != nil {
		return edge.Reply{}, err
	}
	header := map[string]string{"Location": e.BasePath + "/v1/webhooks/" + c.Webhook.ID}
	return edge.ReplyJSON(http.StatusCreated, header, CreatedWebhook{c.Webhook, c.Secret.Reveal()})
}

// rotateWebhook is POST /v1/webhooks/{webhookId}/rotate.
func (e *Endpoints) rotateWebhook(w http.ResponseWriter, r *http.Request) error {
	return resource.Post[*webhook.Rotated]{
		Body: resource.OptionalBody(request.Table{}), Do: e.Pipeline.Webhooks.Rotate, Again: e.Pipeline.Webhooks.Rotated,
		Reply: func(keys *webhook.Rotated) (edge.Reply, error) {
			return edge.ReplyJSON(http.StatusOK, nil, RotatedWebhook{keys.Secret.Reveal(), keys.PublicKey, keys.PreviousUntil})
		},
	}.Answer(e.Edge, byID, w, r)
}
