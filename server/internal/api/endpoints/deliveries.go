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

func (e *Endpoints) deliveryRoutes() []edge.Route {
	codes := resource.PostCodes()
	replayed := []edge.Header{edge.HeaderReplayed}
	return []edge.Route{
		{
			Method: http.MethodPost, Pattern: "/v1/webhooks/{webhookId}/test",
			Operation: "testWebhook", Tag: "webhooks",
			Summary: "Send a test event to an active webhook.",
			Scope:   account.Transcripts, Handle: e.testWebhook,
			Path:    byID.Path(new(string)),
			Answers: []edge.Answer{{Status: http.StatusAccepted, Body: OneDelivery{}, Headers: replayed}},
			Codes:   codes,
		},
		{
			Method: http.MethodGet, Pattern: "/v1/webhooks/{webhookId}/deliveries",
			Operation: "listDeliveries", Tag: "webhooks",
			Summary: "List the deliveries of a webhook, newest first, with the result of each.",
			Scope:   account.Transcripts, Polls: true, Handle: e.listDeliveries,
			Path: byID.Path(new(string)), Query: new(deliveriesQuery).table(),
			Answers: []edge.Answer{{Status: http.StatusOK, Body: DeliveryList{}}},
			Codes:   []transcript.Code{transcript.InvalidRequest, transcript.NotFound},
		},
		{
			Method: http.MethodPost, Pattern: "/v1/webhooks/{webhookId}/deliveries/{deliveryId}/resend",
			Operation: "resendDelivery", Tag: "webhooks",
			Summary: "Send a delivery of an active webhook again.",
			Scope:   account.Transcripts, Handle: e.resendDelivery,
			Path:    deliveryPath(new(string), new(string)),
			Answers: []edge.Answer{{Status: http.StatusAccepted, Body: OneDelivery{}, Headers: replayed}},
			Codes:   codes,
		},
		{
			Method: http.MethodPost, Pattern: "/v1/webhooks/{webhookId}/resend",
			Operation: "resendDeliveries", Tag: "webhooks",
			Summary: "Send the deliveries of a time range again.",
			Scope:   account.Transcripts, Handle: e.resendDeliveries,
			Path: byID.Path(new(string)), Body: resendTable(new(webhook.Resend)),
			Answers: []edge.Answer{{Status: http.StatusAccepted, Body: webhook.Resent{}, Headers: replayed}},
			Codes:   codes,
		},
	}
}

// OneDelivery is the body of an answer about one delivery.
type OneDelivery struct {
	Delivery webhook.Delivery `json:"delivery"` // the current state of the delivery
}

// DeliveryList is a page of deliveries.
type DeliveryList struct {
	Deliveries    []webhook.Delivery `json:"deliveries"`              // the deliveries of the page, newest first
	NextPageToken string             `json:"nextPageToken,omitempty"` // for the next page; empty means that there is no more
}

// Pages of deliveries.
const (
	mostDeliveries  = 200
	usualDeliveries = 50
)

// deliveriesQuery is the query of GET /v1/webhooks/{webhookId}/deliveries.
type deliveriesQuery struct {
	resource.Paging
	status webhook.DeliveryStatus
}

func (q *deliveriesQuery) table() request.Table {
	return request.Table{Fields: append(
		q.Fields(mostDeliveries, usualDeliveries),
		request.New("status", &q.status, request.Enum([]webhook.DeliveryStatus{webhook.Pending, webhook.Delivered, webhook.Failed})).
			About("Only deliveries in this state."),
	)}
}

// listDeliveries is GET /v1/webhooks/{webhookId}/deliveries.
func (e *Endpoints) listDeliveries(w http.ResponseWriter, r *http.Request) error {
	var q deliveriesQuery
	return resource.Newest(w, r, q.table(), &q.Paging, func(before string, most int) ([]webhook.Delivery, error) {
		id, err := byID.ID(r)
		if err != nil {
			return nil, err
		}
		return e.Pipeline.Webhooks.Deliveries(r.Context(), edge.Principal(r).Account, id, q.status, before, most)
	}, func(d webhook.Delivery) string { return d.ID }, func(page []webhook.Delivery, next string) any { return DeliveryList{page, next} })
}

// testWebhook is POST /v1/webhooks/{webhookId}/test.
func (e *Endpoints) testWebhook(w http.ResponseWriter, r *http.Request) error {
	return e.delivered(e.Pipeline.Webhooks.Test).Answer(e.Edge, byID, w, r)
}

// deliveryPath is the path of the routes of one delivery.
func deliveryPath(id, delivery *string) request.Table {
	table := byID.Path(id)
	table.Fields = append(table.Fields, request.New("deliveryId", delivery, request.UUID()).Required().About("The id of a delivery."))
	return table
}

// resendDelivery is POST /v1/webhooks/{webhookId}/deliveries/{deliveryId}/resend.
func (e *Endpoints) resendDelivery(w http.ResponseWriter, r *http.Request) error {
	return e.delivered(func(ctx context.Context, owner, id string, key *db.HeldKey) (*webhook.Delivery, error) {
		var delivery string
		if !deliveryPath(&id, &delivery).ReadPath(r.PathValue) {
			return nil, transcript.Errorf(transcript.NotFound, "There is no such delivery of this webhook.")
		}
		return e.Pipeline.Webhooks.Resend(ctx, owner, id, delivery, key)
	}).Answer(e.Edge, byID, w, r)
}

// delivered is a POST that makes a delivery pending.
func (e *Endpoints) delivered(do func(ctx context.Context, owner, id string, key *db.HeldKey) (*webhook.Delivery, error)) resource.Post[*webhook.Delivery] {
	return resource.Post[*webhook.Delivery]{
		Body: resource.OptionalBody(request.Table{}), Do: do, Again: e.Pipeline.Webhooks.Delivery,
		Reply: func(d *webhook.Delivery) (edge.Reply, error) {
			return edge.ReplyJSON(http.StatusAccepted, nil, OneDelivery{*d})
		},
	}
}

// resendTable is the table of the body of POST /v1/webhooks/{webhookId}/resend.
func resendTable(r *webhook.Resend) request.Table {
	return request.Table{
		Name: "ResendRequest",
		Fields: []*request.Field{
			request.New("since", &r.Since, request.Moment()).Required().About("The start of the range. Deliveries of earlier events are not sent."),
			request.New("until", &r.Until, request.Moment()).About("The end of the range (exclusive). Without it, the present time."),
			request.New("status", &r.Status, request.Enum([]webhook.DeliveryStatus{webhook.Delivered, webhook.Failed}, webhook.Pending).Default(webhook.Failed)).
				About("Only deliveries in this state."),
		},
	}
}

// resendDeliveries is POST /v1/webhooks/{webhookId}/resend.
func (e *Endpoints) resendDeliveries(w http.ResponseWriter, r *http.Request) error {
	var which webhook.Resend
	return resource.Post[*webhook.Resent]{
		Body: resource.JSONBody(resendTable(&which), edge.MaxJSONBody),
		Do: func(ctx context.Context, owner, id string, key *db.HeldKey) (*webhook.Resent, error) {
			if err := checkResend(which); err != nil {
				return nil, err
			}
			return e.Pipeline.Webhooks.ResendRange(ctx, owner, id, which, key)
		},
		Again: func(_ context.Context, _ string, a db.Answer) (*webhook.Resent, error) {
			return e.Pipeline.Webhooks.ResentRange(a)
		},
		Reply: func(made *webhook.Resent) (edge.Reply, error) { return edge.ReplyJSON(http.StatusAccepted, nil, made) },
	}.Answer(e.Edge, byID, w, r)
}

func checkResend(which webhook.Resend) error {
	switch {
	case which.Status == webhook.Pending:
		return request.Invalid(http.StatusUnprocessableEntity, transcript.Issue{
			Path: "status", Reason: transcript.IssueChoice, Message: "may be delivered or failed: the service sends pending deliveries by itself",
		})
	case !which.Until.IsZero() && !which.Until.After(which.Since):
		return request.Invalid(http.StatusUnprocessableEntity, transcript.Issue{Path: "until", Reason: transcript.IssueConflict, Message: "must be later than since"})
	}
	return nil
}
