package webhook

// Fault is why a receiver refuses a request. A Fault is an error: errors.Is and errors.As find
// the Fault in the errors of [github.com/transcriptkit/transcriptkit/client.VerifyWebhook].
type Fault string

// The faults.
const (
	// FaultSecret is a mistake of the receiver: a secret or public key that cannot be read,
	// or none at all.
	FaultSecret Fault = "unusable secret"
	// FaultHeader is a header webhook-id, webhook-timestamp or webhook-signature that is
	// missing or malformed.
	FaultHeader Fault = "unusable header"
	// FaultTime is a request that is older than [Tolerance], or as far in the future. The
	// request is repeated, or one of the two clocks is wrong.
	FaultTime Fault = "too far from the present time"
	// FaultSignature is a request that no secret of the receiver has signed.
	FaultSignature Fault = "no signature matches"
	// FaultBody is a signed request whose body is no event.
	FaultBody Fault = "the body is no event"
)

// Error returns the fault in words.
func (f Fault) Error() string { return string(f) }
