// Package endpoints has the routes of webhooks: the endpoints of an account, and the deliveries to
// them. Package delivery decides and works.
package endpoints

import (
	"context"
	"net/http"

	"github.com/transcriptkit/transcriptkit/library/webhook"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Endpoints makes, shows and changes the endpoints of an account, and shows their deliveries.
type Endpoints struct{ *resource.Shared }

// Routes are the routes of endpoints and of their deliveries.
func (e *Endpoints) Routes() []edge.Route {
	return append([]edge.Route{
		e.createRoute(),
		{
			Method: http.MethodGet, Pattern: "/v1/webhooks",
			Operation: "listWebhooks", Tag: "webhooks",
			Summary: "List the webhooks of the account, newest first.",
			Scope:   account.Transcripts, Handle: e.listWebhooks,
			Answers: []edge.Answer{{Status: http.StatusOK, Body: WebhookList{}}},
		},
		{
			Method: http.MethodGet, Pattern: "/v1/webhooks/{webhookId}",
			Operation: "getWebhook", Tag: "webhooks",
			Summary: "Read a webhook.",
			Scope:   account.Transcripts, Handle: e.getWebhook,
			Path:    byID.Path(new(string)),
			Answers: []edge.Answer{{Status: http.StatusOK, Body: OneWebhook{}}},
			Codes:   []transcript.Code{transcript.NotFound},
		},
		{
			Method: http.MethodPatch, Pattern: "/v1/webhooks/{webhookId}",
			Operation: "changeWebhook", Tag: "webhooks",
			Summary: "Change a webhook, pause it, or make it active again.",
			Scope:   account.Transcripts, Handle: e.changeWebhook,
			Path: byID.Path(new(string)), Body: new(webhookChange).table(),
			Answers: []edge.Answer{{Status: http.StatusOK, Body: OneWebhook{}}},
			Codes:   []transcript.Code{transcript.InvalidRequest, transcript.NotFound},
		},
		{
			Method: http.MethodDelete, Pattern: "/v1/webhooks/{webhookId}",
			Operation: "deleteWebhook", Tag: "webhooks",
			Summary: "Delete a webhook with its deliveries.",
			Scope:   account.Transcripts, Handle: byID.Delete(e.Pipeline.Webhooks.Delete),
			Path:    byID.Path(new(string)),
			Answers: []edge.Answer{{Status: http.StatusNoContent}},
			Codes:   []transcript.Code{transcript.NotFound},
		},
		e.rotateRoute(),
	}, e.deliveryRoutes()...)
}

// byID are endpoints as paths name them.
var byID = resource.One{Param: "webhookId", About: "The id of a webhook.", None: "There is no such webhook."}

// OneWebhook is the body of an answer about one webhook.
type OneWebhook struct {
	Webhook webhook.Endpoint `json:"webhook"` // the current state of the webhook
}

// WebhookList is all webhooks of an account.
type WebhookList struct {
	Webhooks []webhook.Endpoint `json:"webhooks"` // the webhooks, newest first
}

// listWebhooks is GET /v1/webhooks.
func (e *Endpoints) listWebhooks(w http.ResponseWriter, r *http.Request) error {
	all, err := e.Pipeline.Webhooks.List(r.Context(), edge.Principal(r).Account)
	return resource.Respond(w, WebhookList{all}, err)
}

// getWebhook is GET /v1/webhooks/{webhookId}.
func (e *Endpoints) getWebhook(w http.ResponseWriter, r *http.Request) error {
	id, err := byID.ID(r)
	if err != nil {
		return err
	}
	found, err := e.Pipeline.Webhooks.Get(r.Context(), edge.Principal(r).Account, id)
	if err != nil {
		return err
	}
	return edge.RespondJSON(w, http.StatusOK, OneWebhook{*found})
}

// webhookChange is the body of PATCH /v1/webhooks/{webhookId}.
type webhookChange struct {
	webhook.Params
	status webhook.Status
}

func (c *webhookChange) table() request.Table {
	return request.Table{
		Name: "ChangeWebhookRequest",
		Fields: append(request.WithoutDefaults(webhookFields(&c.Params)),
			// A disabled status passes here, because change can say more about it.
			request.New("status", &c.status, request.Enum([]webhook.Status{webhook.Active, webhook.Paused}, webhook.Disabled)).
				About("\"paused\" stops the deliveries; \"active\" sends the events from now on, also after the service has disabled the webhook.")),
	}
}

// change is what a body says, after table has read it. Members that were not sent are nil.
func (c *webhookChange) change(table request.Table) (change webhook.Change, err error) {
	if c.status == webhook.Disabled {
		return change, request.Invalid(http.StatusUnprocessableEntity, transcript.Issue{
			Path: "status", Reason: transcript.IssueChoice, Message: "may be active or paused: the service alone disables a webhook",
		})
	}
	sent := table.Canonical()
	if _, ok := sent["url"]; ok {
		change.URL = &c.URL
	}
	if _, ok := sent["events"]; ok {
		change.Events = &c.Events
	}
	if _, ok := sent["description"]; ok {
		change.Description = &c.Description
	}
	if c.status != "" {
		change.Status = &c.status
	}
	return change, nil
}

// changeWebhook is PATCH /v1/webhooks/{webhookId}.
func (e *Endpoints) changeWebhook(w http.ResponseWriter, r *http.Request) error {
	var c webhookChange
	if err := resource.CheckJSON(r); err != nil {
		return err
	}
	table := c.table()
	if err := resource.ReadJSON(w, r, table); err != nil {
		return err
	}
	change, err := c.change(table)
	if err != nil {
		return err
	}
	id, err := byID.ID(r)
	if err != nil {
		return err
	}
	if change.URL != nil {
		if err := e.judged(r.Context(), c.URL); err != nil {
			return err
		}
	}
	changed, err := e.Pipeline.Webhooks.Change(context.WithoutCancel(r.Context()), edge.Principal(r).Account, id, change)
	if err != nil {
		return err
	}
	return edge.RespondJSON(w, http.StatusOK, OneWebhook{*changed})
}
