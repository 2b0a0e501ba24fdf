package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/webhooksign"
	"github.com/transcriptkit/transcriptkit/library/webhook"
)

// VerifyWebhook checks the signature and the time of a webhook request from the
// service, and returns the event. It needs no [Client]. body must be the body of the
// request, byte for byte: the signature does not match a body that was decoded and
// encoded again.
//
// secrets holds the secret ("whsec_…") or the public key ("whpk_…") of the endpoint.
// While you rotate the keys, pass the old and the new one: one match is enough. Empty
// strings are ignored.
//
// Every error is a [webhook.Fault]. Answer it with the status 400, or with 500 if it is
// a [webhook.FaultSecret], because then the receiver's own secrets are wrong. The
// service sends the event again after any answer other than 2xx. It may also send an
// event more than once, so remember the ids of events for as long as the service
// retries.
func VerifyWebhook(secrets []string, header http.Header, body []byte) (*webhook.Event, error) {
	id, err := webhooksign.Verify(secrets, header, body, time.Now())
	if err != nil {
		return nil, fmt.Errorf("client: webhook: %w", err)
	}
	event := webhook.Event{ID: id}
	if err := json.Unmarshal(body, &event); err != nil {
		return nil, fmt.Errorf("client: webhook: %w: %w", webhook.FaultBody, err)
	}
	if event.Type == "" {
		return nil, fmt.Errorf("client: webhook: %w: it has no type", webhook.FaultBody)
	}
	return &event, nil
}
