package webhook

import (
	"time"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Delivery is one event on its way to one endpoint.
type Delivery struct {
	ID       string         `json:"id" format:"uuid"`      // the id, which the receiver gets as the header webhook-id
	Type     EventType      `json:"type"`                  // what has happened
	JobID    *string        `json:"jobId" format:"uuid"`   // the job of a transcript event, else nil
	BatchID  *string        `json:"batchId" format:"uuid"` // the batch of a batch event, else nil
	Status   DeliveryStatus `json:"status"`                // what to branch on
	Attempts int            `json:"attempts" minimum:"0"`  // how many requests the service has made
	// LastStatus is the status code of the last answer. It is nil if the last attempt had no
	// answer, and before the first attempt.
	LastStatus *int `json:"lastStatus"`
	// LastError says why the last attempt failed. It is nil after a success.
	LastError *string `json:"lastError"`
	// NextAt is when the service tries again. It is nil unless Status is pending, and while the
	// delivery waits for the address of the endpoint to answer a test event.
	NextAt    *transcript.Time `json:"nextAt"`
	CreatedAt transcript.Time  `json:"createdAt"` // when the event happened
}

// DeliveryStatus is where a delivery stands.
type DeliveryStatus string

// The states of a delivery. A resend leads back to pending.
const (
	Pending   DeliveryStatus = "pending"   // the service goes on trying
	Delivered DeliveryStatus = "delivered" // the endpoint has answered with 2xx
	Failed    DeliveryStatus = "failed"    // the service has stopped trying
)

// Resend says which deliveries of an endpoint are sent again: those that were created from
// Since to Until, Since included and Until not.
type Resend struct {
	Since  time.Time      `json:"since"`            // the start; required
	Until  time.Time      `json:"until,omitzero"`   // the end; zero: now
	Status DeliveryStatus `json:"status,omitempty"` // delivered or failed; empty: failed
}

// Resent is what a resend of several deliveries has done.
type Resent struct {
	Resent int `json:"resent" minimum:"0"` // how many deliveries are sent again, the oldest of the range
	// Skipped is how many deliveries of the range were sent again less than a minute ago, and stay as
	// they are.
	Skipped int `json:"skipped" minimum:"0"`
	// Next is the start of the rest of the range, if the range has more deliveries than
	// MaxResend. It is nil if nothing is left.
	Next *transcript.Time `json:"next"`
}
