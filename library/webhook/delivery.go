package webhook

import (
	"time"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// Delivery is the sending of one event to one endpoint, with all its attempts.
type Delivery struct {
	ID       string         `json:"id" format:"uuid"`      // the id, which the receiver gets as the header webhook-id
	Type     EventType      `json:"type"`                  // what has happened
	JobID    *string        `json:"jobId" format:"uuid"`   // the job of a transcript event, otherwise nil
	BatchID  *string        `json:"batchId" format:"uuid"` // the batch of a batch event, otherwise nil
	Status   DeliveryStatus `json:"status"`                // what to branch on
	Attempts int            `json:"attempts" minimum:"0"`  // how many requests the service has made
	// LastStatus is the status code of the last answer. It is nil if the last attempt had no
	// answer, and before the first attempt.
	LastStatus *int `json:"lastStatus"`
	// LastError says why the last attempt failed. It is nil after a success.
	LastError *string `json:"lastError"`
	// NextAt is when the service tries again. It is nil if Status is not pending, and
	// while the endpoint is not verified.
	NextAt    *transcript.Time `json:"nextAt"`
	CreatedAt transcript.Time  `json:"createdAt"` // when the event happened
}

// DeliveryStatus is the state of a delivery.
type DeliveryStatus string

// The states of a delivery. A delivery that is sent again is pending again.
const (
	Pending   DeliveryStatus = "pending"   // the service keeps trying
	Delivered DeliveryStatus = "delivered" // the endpoint has answered with 2xx
	Failed    DeliveryStatus = "failed"    // the service has stopped trying
)

// Resend selects the deliveries of an endpoint that are sent again: those that were
// created from Since to Until. Since is included, Until is not.
type Resend struct {
	Since  time.Time      `json:"since"`            // the start; required
	Until  time.Time      `json:"until,omitzero"`   // the end; zero means now
	Status DeliveryStatus `json:"status,omitempty"` // delivered or failed; empty means failed
}

// Resent is the result of sending several deliveries again.
type Resent struct {
	Resent int `json:"resent" minimum:"0"` // how many deliveries are sent again, the oldest of the range
	// Skipped is how many deliveries of the range were not sent, because they were sent
	// again less than a minute ago.
	Skipped int `json:"skipped" minimum:"0"`
	// Next is the start of the rest of the range, if the range has more deliveries than
	// MaxResend. It is nil if nothing is left.
	Next *transcript.Time `json:"next"`
}
