package client_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/jarcoal/httpmock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/library/webhook"
)

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
