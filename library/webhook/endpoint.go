package webhook

import "github.com/transcriptkit/transcriptkit/transcript"

// Endpoint is an address to which the service sends the events of an account.
type Endpoint struct {
	ID  string `json:"id" format:"uuid"` // the id
	URL string `json:"url" format:"uri"` // where the events go
	// Events are the types that the endpoint receives. An empty list means all types,
	// including those of later versions, but without FollowEnded. An endpoint always
	// receives test events.
	Events      []EventType `json:"events"`
	Description string      `json:"description"` // the account's own words; may be empty
	Status      Status      `json:"status"`      // what to branch on
	// DisabledReason says why the service has disabled the endpoint. It is nil unless
	// Status is disabled.
	DisabledReason *string `json:"disabledReason"`
	// Verified says whether URL has answered a test event with 2xx. Until then, the
	// endpoint receives only test events, and its other deliveries wait. The service
	// sends a test event when the endpoint is made and when its address changes.
	Verified bool `json:"verified"`
	// OldestWaitingAt is the CreatedAt of the oldest pending delivery. It is nil if no
	// delivery is pending.
	OldestWaitingAt *transcript.Time `json:"oldestWaitingAt"`
	// PublicKey checks the signatures "v1a" of the endpoint, and is not a secret: "whpk_"
	// and the base64 of an ed25519 key.
	PublicKey string          `json:"publicKey"`
	CreatedAt transcript.Time `json:"createdAt"` // when the endpoint was made
	UpdatedAt transcript.Time `json:"updatedAt"` // when its address, events, description, status or keys last changed
}

// Status is the state of an endpoint.
type Status string

// The states of an endpoint. A paused or disabled endpoint receives nothing. Its
// waiting deliveries fail, and so do the deliveries of new events. [Resend] can send
// them later.
const (
	Active   Status = "active"
	Paused   Status = "paused"   // by the account
	Disabled Status = "disabled" // by the service, after days of failure or the answer 410
)

// Params describe a new endpoint.
type Params struct {
	URL         string      `json:"url"`                   // where the events go: http or https, at most MaxURL characters
	Events      []EventType `json:"events,omitempty"`      // the types that the endpoint receives; empty means the same as in Endpoint
	Description string      `json:"description,omitempty"` // at most MaxDescription characters; may be empty
}

// Change is a change of an endpoint. A nil member keeps the value.
type Change struct {
	URL         *string      `json:"url,omitempty"`         // as in Params
	Events      *[]EventType `json:"events,omitempty"`      // as in Params; may be an empty list
	Description *string      `json:"description,omitempty"` // as in Params: an empty text removes the description
	// Status is active or paused. Active also enables an endpoint that the service has
	// disabled.
	Status *Status `json:"status,omitempty"`
}

// Created is a new endpoint with its secret. The service does not return the secret
// again.
type Created struct {
	Webhook Endpoint `json:"webhook"` // the endpoint
	Secret  Secret   `json:"secret"`  // checks the signatures "v1" of the endpoint
}

// Rotated has the new keys of an endpoint. The service does not return the secret
// again.
type Rotated struct {
	Secret    Secret `json:"secret"`    // the new secret
	PublicKey string `json:"publicKey"` // the new public key
	// PreviousUntil is until when the old keys sign too. Until then, a receiver can
	// check requests with the old keys or the new ones.
	PreviousUntil transcript.Time `json:"previousUntil"`
}
