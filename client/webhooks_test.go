package client_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/jarcoal/httpmock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/library/webhook"
)

// An answer that lacks what its caller needs is an error, and no half result.
func TestWebhookAnswersThatAreNone(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	whole := object{"id": "w1", "status": "active"}
	for name, tc := range map[string]struct {
		body object
		ask  func(*client.Client) (any, error)
	}{
		"created, no secret":   {object{"webhook": whole}, func(c *client.Client) (any, error) { return c.Webhooks.Create(ctx, webhook.Params{}) }},
		"created, no webhook":  {object{"secret": "whsec_x"}, func(c *client.Client) (any, error) { return c.Webhooks.Create(ctx, webhook.Params{}) }},
		"secret of a number":   {object{"webhook": whole, "secret": 5}, func(c *client.Client) (any, error) { return c.Webhooks.Create(ctx, webhook.Params{}) }},
		"no webhooks":          {object{}, func(c *client.Client) (any, error) { return c.Webhooks.List(ctx) }},
		"one without a status": {object{"webhooks": []object{{"id": "w1"}}}, func(c *client.Client) (any, error) { return c.Webhooks.List(ctx) }},
		"got none":             {object{}, func(c *client.Client) (any, error) { return c.Webhooks.Get(ctx, "w1") }},
		"changed none":         {object{}, func(c *client.Client) (any, error) { return c.Webhooks.Change(ctx, "w1", webhook.Change{}) }},
		"rotated, no secret":   {object{"publicKey": "whpk_x"}, func(c *client.Client) (any, error) { return c.Webhooks.Rotate(ctx, "w1") }},
		"tested, no delivery":  {object{}, func(c *client.Client) (any, error) { return c.Webhooks.Test(ctx, "w1") }},
		"no deliveries":        {object{}, func(c *client.Client) (any, error) { return c.Webhooks.Deliveries(ctx, "w1", client.DeliveryParams{}) }},
		"delivery without id":  {object{"deliveries": []object{{"status": "failed"}}}, func(c *client.Client) (any, error) { return c.Webhooks.Deliveries(ctx, "w1", client.DeliveryParams{}) }},
		"resent none":          {object{}, func(c *client.Client) (any, error) { return c.Webhooks.Resend(ctx, "w1", "d1") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, mt := mocked(t)
			mt.RegisterNoResponder(httpmock.NewJsonResponderOrPanic(200, tc.body))
			got, err := tc.ask(c)
			require.Error(t, err)
			assert.Empty(t, got)
			assert.NotContains(t, err.Error(), "whsec_")
		})
	}
}

// An id never names another route.
func TestWebhookIDs(t *testing.T) {
	t.Parallel()
	c, mt := mocked(t)
	for _, id := range []string{"", ".", ".."} {
		for name, ask := range map[string]func() error{
			"get":        func() error { _, err := c.Webhooks.Get(t.Context(), id); return err },
			"delete":     func() error { return c.Webhooks.Delete(t.Context(), id) },
			"rotate":     func() error { _, err := c.Webhooks.Rotate(t.Context(), id); return err },
			"test":       func() error { _, err := c.Webhooks.Test(t.Context(), id); return err },
			"deliveries": func() error { _, err := c.Webhooks.Deliveries(t.Context(), id, client.DeliveryParams{}); return err },
			"resend":     func() error { _, err := c.Webhooks.Resend(t.Context(), id, "d1"); return err },
			"delivery":   func() error { _, err := c.Webhooks.Resend(t.Context(), "w1", id); return err },
			"range":      func() error { _, err := c.Webhooks.ResendRange(t.Context(), id, webhook.Resend{}); return err },
		} {
			require.Error(t, ask(), "%s %q", name, id)
		}
	}
	assert.Zero(t, mt.GetTotalCallCount())
}

// An empty list of events means all types, and nil leaves the types alone.
func TestWebhookChangeOfEvents(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]webhook.Change{
		`{}`:                       {},
		`{"events":[]}`:            {Events: new([]webhook.EventType)},
		`{"events":["test"]}`:      {Events: &[]webhook.EventType{webhook.Test}},
		`{"description":""}`:       {Description: new(string)},
		`{"status":"active"}`:      {Status: new(webhook.Active)},
		`{"url":"https://h.test"}`: {URL: new("https://h.test")},
	} {
		c, mt := mocked(t)
		var sent string
		mt.RegisterResponder("PATCH", base+"/v1/webhooks/w1", func(r *http.Request) (*http.Response, error) {
			body, err := io.ReadAll(r.Body)
			sent = string(body)
			resp, _ := httpmock.NewJsonResponse(200, object{"webhook": object{"id": "w1", "status": "active"}})
			return resp, err
		})
		_, err := c.Webhooks.Change(t.Context(), "w1", change)
		require.NoError(t, err)
		assert.JSONEq(t, want, sent)
	}
}
