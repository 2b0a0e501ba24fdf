package webhook

import "github.com/transcriptkit/transcriptkit/transcript"

// Endpoint is an address to which the service sends the events of an account.
type Endpoint struct {
	ID  string `json:"id" format:"uuid"` // the id
	URL string `json:"url" format:"uri"` // where the events go
	// Events are the types that the endpoint receives. An empty list means all types, also
	// those that later versions add, except FollowEnded. An endpoint receives test events in any case.
	Events      []EventType `json:"events"`
	Description string      `json:"description"` // the account's own words; may be empty
	Status      Status      `json:"status"`      // what to branch on
	// DisabledReason says why the service has switched the endpoint off. It is nil unless
	// Status is disabled.
	DisabledReason *string `json:"disabledReason"`
	// Verified tells that URL has answered a test event with 2xx. Until then the endpoint gets test
	// events alone, and its other deliveries wait. The service sends the first test event by itself
	// when the endpoint is made, and when its address changes.
	Verified bool `json:"verified"`
	// OldestWaitingAt is the CreatedAt of the oldest delivery that is pending. It is nil if none is.
	OldestWaitingAt *transcript.Time `json:"oldestWaitingAt"`
	// PublicKey checks the signatures "v1a" of the endpoint, and is no secret: "whpk_" and
	// the base64 of an ed25519 key.
	PublicKey string          `json:"publicKey"`
	CreatedAt transcript.Time `json:"createdAt"` // when the endpoint was made
	UpdatedAt transcript.Time `json:"updatedAt"` // when its address, events, description, status or keys changed last
}

// Status is where an endpoint stands.
type Status string

// The states of an endpoint. A paused or disabled endpoint receives nothing. Its deliveries that
// wait, and those of the events that happen meanwhile, have failed, so that [Resend] can send
// them later.
const (
	Active   Status = "active"
	Paused   Status = "paused"   // by the account
	Disabled Status = "disabled" // by the service, after days of failure or the answer 410
)

// Params describe a new endpoint.
type Params struct {
	URL         string      `json:"url"`                   // where the events go: http or https, at most MaxURL characters
	Events      []EventType `json:"events,omitempty"`      // the types that the endpoint receives; empty: as in Endpoint
	Description string      `json:"description,omitempty"` // at most MaxDescription characters; may be empty
}

// Change is a change of an endpoint. A nil member leaves its value alone.
type Change struct {
	URL         *string      `json:"url,omitempty"`         // as in Params
	Events      *[]EventType `json:"events,omitempty"`      // as in Params, also an empty list
	Description *string      `json:"description,omitempty"` // as in Params: an empty text removes the description
	// Status is active or paused. An endpoint that the service has disabled becomes active
	// again by Active.
	Status *Status `json:"status,omitempty"`
}

// Created is a new endpoint with its secret. The service shows the secret this once.
type Created struct {
	Webhook Endpoint `json:"webhook"` // the endpoint
	Secret  Secret   `json:"secret"`  // checks the signatures "v1" of the endpoint
}

// Rotated has the new keys of an endpoint. The service shows the secret this once.
type Rotated struct {
	Secret    Secret `json:"secret"`    // the new secret
	PublicKey string `json:"publicKey"` // the new public key
	// PreviousUntil is the end of the time in which the keys before sign too. Until then a
	// receiver accepts requests with the old keys or the new ones.
	PreviousUntil transcript.Time `json:"previousUntil"`
}
