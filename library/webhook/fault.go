package webhook

// Fault says why a webhook request is not valid. A Fault is an error: errors.Is and
// errors.As find it in the errors of
// [github.com/transcriptkit/transcriptkit/client.VerifyWebhook].
type Fault string

// The faults.
const (
	// FaultSecret is a mistake in the receiver: a secret or public key is invalid, or
	// there is none.
	FaultSecret Fault = "unusable secret"
	// FaultHeader is a header webhook-id, webhook-timestamp or webhook-signature that is
	// missing or malformed.
	FaultHeader Fault = "unusable header"
	// FaultTime is a request with a time that differs from the receiver's by more than
	// [Tolerance]. The request was replayed, or one of the two clocks is wrong.
	FaultTime Fault = "too far from the present time"
	// FaultSignature is a request with no signature by one of the receiver's keys.
	FaultSignature Fault = "no signature matches"
	// FaultBody is a signed request with a body that is not an event.
	FaultBody Fault = "the body is no event"
)

// Error returns the fault in words.
func (f Fault) Error() string { return string(f) }
