package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"

	"github.com/transcriptkit/transcriptkit/library/webhook"
)

// WebhookService manages the endpoints of an account: addresses that the service
// notifies when jobs and batches end. The receiver of the notifications checks them
// with [VerifyWebhook].
type WebhookService struct{ client *Client }

// Create makes an endpoint. An account has at most [webhook.MaxEndpoints]. Keep the
// secret in the result: the service does not return it again.
func (s *WebhookService) Create(ctx context.Context, p webhook.Params, opts ...RequestOption) (*webhook.Created, error) {
	return askWebhook(ctx, s, http.MethodPost, "/v1/webhooks", p, opts, func(c *webhook.Created) error {
		return errors.Join(checkSecret(c.Secret), checkEndpoints(c.Webhook))
	})
}

// List returns all endpoints of the account, newest first.
func (s *WebhookService) List(ctx context.Context, opts ...RequestOption) ([]webhook.Endpoint, error) {
	type list struct {
		Webhooks []webhook.Endpoint `json:"webhooks"`
	}
	all, err := askWebhook(ctx, s, http.MethodGet, "/v1/webhooks", nil, opts, func(l *list) error {
		if l.Webhooks == nil {
			return errors.New("it has no webhooks")
		}
		return checkEndpoints(l.Webhooks...)
	})
	if err != nil {
		return nil, err
	}
	return all.Webhooks, nil
}

// Get returns the current state of an endpoint.
func (s *WebhookService) Get(ctx context.Context, id string, opts ...RequestOption) (*webhook.Endpoint, error) {
	return s.one(ctx, http.MethodGet, id, nil, opts)
}

// Change changes the settings of an endpoint, pauses it, or activates it again.
func (s *WebhookService) Change(ctx context.Context, id string, c webhook.Change, opts ...RequestOption) (*webhook.Endpoint, error) {
	if c.Events != nil && *c.Events == nil {
		c.Events = &[]webhook.EventType{} // nil would be null
	}
	return s.one(ctx, http.MethodPatch, id, c, opts)
}

func (s *WebhookService) one(ctx context.Context, method, id string, in any, opts []RequestOption) (*webhook.Endpoint, error) {
	path, err := webhookPath(id, "")
	if err != nil {
		return nil, err
	}
	type body struct {
		Webhook webhook.Endpoint `json:"webhook"`
	}
	one, err := askWebhook(ctx, s, method, path, in, opts, func(b *body) error { return checkEndpoints(b.Webhook) })
	if err != nil {
		return nil, err
	}
	return &one.Webhook, nil
}

// Delete removes an endpoint with its deliveries. The service sends nothing to it from
// then on.
func (s *WebhookService) Delete(ctx context.Context, id string, opts ...RequestOption) error {
	path, err := webhookPath(id, "")
	if err != nil {
		return err
	}
	_, err = s.client.send(ctx, http.MethodDelete, path, payload{}, opts)
	return err
}

// Rotate gives an endpoint a new secret and a new public key. Until PreviousUntil, the
// old keys sign too. Keep the secret in the result: the service does not return it
// again.
func (s *WebhookService) Rotate(ctx context.Context, id string, opts ...RequestOption) (*webhook.Rotated, error) {
	path, err := webhookPath(id, "/rotate")
	if err != nil {
		return nil, err
	}
	return askWebhook(ctx, s, http.MethodPost, path, nil, opts, func(r *webhook.Rotated) error { return checkSecret(r.Secret) })
}

// Test sends a test event to an active endpoint. [WebhookService.Deliveries] shows
// whether the event arrived.
func (s *WebhookService) Test(ctx context.Context, id string, opts ...RequestOption) (*webhook.Delivery, error) {
	path, err := webhookPath(id, "/test")
	if err != nil {
		return nil, err
	}
	return s.delivery(ctx, path, opts)
}

// DeliveryParams select a page of an endpoint's deliveries.
type DeliveryParams struct {
	Status webhook.DeliveryStatus // deliveries in this state; empty: in any state
	PageParams
}

// Deliveries returns a page of the deliveries of an endpoint, newest first. A page has
// p.Size deliveries: 50 by default, 200 at most.
func (s *WebhookService) Deliveries(ctx context.Context, id string, p DeliveryParams, opts ...RequestOption) (*Page[webhook.Delivery], error) {
	path, err := webhookPath(id, "/deliveries")
	if err != nil {
		return nil, err
	}
	query := p.query()
	if p.Status != "" {
		query.Set("status", string(p.Status))
	}
	type body struct {
		Deliveries []webhook.Delivery `json:"deliveries"`
		Next       string             `json:"nextPageToken"`
	}
	page, err := askWebhook(ctx, s, http.MethodGet, path+"?"+query.Encode(), nil, opts, func(b *body) error {
		if b.Deliveries == nil {
			return errors.New("it has no deliveries")
		}
		return checkDeliveries(b.Deliveries...)
	})
	if err != nil {
		return nil, err
	}
	return &Page[webhook.Delivery]{Items: page.Deliveries, Next: page.Next}, nil
}

// AllDeliveries yields the deliveries of an endpoint, newest first, starting with the
// page that p names. It requests a page when the loop reaches it. An error is the last
// value of the sequence.
func (s *WebhookService) AllDeliveries(ctx context.Context, id string, p DeliveryParams, opts ...RequestOption) iter.Seq2[webhook.Delivery, error] {
	opts = slices.Clone(opts)
	return all(p.PageParams, func(at PageParams) (*Page[webhook.Delivery], error) {
		return s.Deliveries(ctx, id, DeliveryParams{p.Status, at}, opts...)
	})
}

// Resend sends a delivery of an active endpoint again, under the same id.
func (s *WebhookService) Resend(ctx context.Context, id, deliveryID string, opts ...RequestOption) (*webhook.Delivery, error) {
	escaped, err := segment("delivery id", deliveryID)
	if err != nil {
		return nil, err
	}
	path, err := webhookPath(id, "/deliveries/"+escaped+"/resend")
	if err != nil {
		return nil, err
	}
	return s.delivery(ctx, path, opts)
}

// ResendRange sends the deliveries in a range of time again, oldest first. One call
// sends at most [webhook.MaxResend]. If the result has a Next, call ResendRange again
// with Next as Since to send the rest.
func (s *WebhookService) ResendRange(ctx context.Context, id string, r webhook.Resend, opts ...RequestOption) (*webhook.Resent, error) {
	path, err := webhookPath(id, "/resend")
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("client: request body: %w", err)
	}
	answer, err := s.client.send(ctx, http.MethodPost, path, jsonPayload(data), opts)
	if err != nil {
		return nil, err
	}
	var sent webhook.Resent
	if err := answer.decode(&sent); err != nil {
		return nil, err
	}
	if !answer.has("resent") {
		return nil, answer.malformed(errors.New("it does not say how many deliveries are sent again"))
	}
	return &sent, nil
}

// delivery sends a POST whose answer is a delivery.
func (s *WebhookService) delivery(ctx context.Context, path string, opts []RequestOption) (*webhook.Delivery, error) {
	type body struct {
		Delivery webhook.Delivery `json:"delivery"`
	}
	one, err := askWebhook(ctx, s, http.MethodPost, path, nil, opts, func(b *body) error { return checkDeliveries(b.Delivery) })
	if err != nil {
		return nil, err
	}
	return &one.Delivery, nil
}

// askWebhook sends in as JSON, or no body if in is nil. It returns the answer, unless check
// returns why the answer is none.
func askWebhook[T any](ctx context.Context, s *WebhookService, method, path string, in any, opts []RequestOption, check func(*T) error) (*T, error) {
	var content payload
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return nil, fmt.Errorf("client: request body: %w", err)
		}
		content = jsonPayload(data)
	}
	answer, err := s.client.send(ctx, method, path, content, opts)
	if err != nil {
		return nil, err
	}
	out := new(T)
	if err := answer.decode(out); err != nil {
		return nil, err
	}
	if err := check(out); err != nil {
		return nil, answer.malformed(err)
	}
	return out, nil
}

func webhookPath(id, below string) (string, error) {
	escaped, err := segment("webhook id", id)
	return "/v1/webhooks/" + escaped + below, err
}

func checkSecret(s webhook.Secret) error {
	if s.Reveal() == "" {
		return errors.New("it has no secret")
	}
	return nil
}

func checkEndpoints(all ...webhook.Endpoint) error {
	if slices.ContainsFunc(all, func(e webhook.Endpoint) bool { return e.ID == "" || e.Status == "" }) {
		return errors.New("it has a webhook without an id or a status")
	}
	return nil
}

func checkDeliveries(all ...webhook.Delivery) error {
	if slices.ContainsFunc(all, func(d webhook.Delivery) bool { return d.ID == "" || d.Status == "" }) {
		return errors.New("it has a delivery without an id or a status")
	}
	return nil
}
