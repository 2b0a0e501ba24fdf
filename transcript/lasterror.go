package transcript

// LastError says why the service retries work, or why the work waits.
type LastError struct {
	Code    Code    `json:"code"`                // why the last attempt failed, or how the platform blocks the work that waits
	Message string  `json:"message"`             // a sentence for people; the wording may change
	Cure    *string `json:"cure"`                // what the caller or the operator can do; nil if that is not known
	At      Time    `json:"at"`                  // when the attempt failed, or when the platform last blocked it
	Attempt int     `json:"attempt" minimum:"1"` // the attempt that failed or was blocked
}
