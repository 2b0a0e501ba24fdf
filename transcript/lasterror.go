package transcript

// LastError says why work is tried again, or what the work waits for.
type LastError struct {
	Code    Code    `json:"code"`                // why the last attempt failed; of a block that is waited for, its code
	Message string  `json:"message"`             // a sentence for people; its wording may change
	Cure    *string `json:"cure"`                // what the caller or the operator can do; nil where nothing is known
	At      Time    `json:"at"`                  // when the attempt failed, or when the block was met last
	Attempt int     `json:"attempt" minimum:"1"` // the attempt that failed or was blocked
}
