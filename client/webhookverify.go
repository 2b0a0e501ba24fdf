package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/webhooksign"
	"github.com/transcriptkit/transcriptkit/library/webhook"
)

// VerifyWebhook checks a request that a receiver has got from the service, and returns its
// event. It needs no [Client]. body is the body as it arrived, byte for byte: a receiver that
// decodes and encodes the body first breaks the signature.
//
// secrets are the secret ("whsec_…") or the public key ("whpk_…") of the endpoint. While the
// keys change, a receiver passes the old and the new one; a single match is enough. Empty
// secrets count as absent.
//
// Each error is a [webhook.Fault]. 400 is a good answer to each. The mistake behind a
// [webhook.FaultSecret] is the receiver's own, so 500 tells it better. Any answer outside 2xx
// makes the service try again. The service may send an event more than once, so the receiver
// remembers the ids of its events for as long as the service tries.
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
