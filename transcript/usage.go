package transcript

// Usage is the answer of GET /v1/usage: what an account may have, and how much of it
// is used. A limit that is nil is none.
type Usage struct {
	Account UsageAccount `json:"account"` // whose key it is
	// Period is the time for which the allowances are given.
	Period      UsagePeriod `json:"period"`
	Transcripts Allowance   `json:"transcripts"` // transcripts that were made, not taken from the cache
	// ASRMinutes are minutes of recognized sound; each begun minute of a recording
	// counts.
	ASRMinutes     Allowance      `json:"asrMinutes"`
	ASRConcurrency ASRConcurrency `json:"asrConcurrency"` // recordings that are recognized, and recordings that wait
	KeptMedia      KeptRecordings `json:"keptMedia"`      // recordings that are kept
	Library        LibraryUsage   `json:"library"`        // texts of the account's own
	Credits        Credits        `json:"credits"`        // what is left to spend, where the service has a bill of its own
	Limits         UsageLimits    `json:"limits"`         // what the plan permits
	// RateLimit is the window in which most requests count; nil if requests are not
	// limited. Requests for the progress of work count in a window of their own: see
	// the headers of their answers.
	RateLimit *RateWindow `json:"rateLimit"`
	// Key is the API key that asked; nil where none did.
	Key *UsageKey `json:"key"`
}

// UsageAccount is an account, and the plan that it is on.
type UsageAccount struct {
	ID   string `json:"id"`   // names the account in logs
	Plan string `json:"plan"` // the name of its plan
	Paid bool   `json:"paid"` // whether the plan is a paid one
}

// UsagePeriod is the time from Start up to End, both midnight UTC.
type UsagePeriod struct {
	Start Time `json:"start"` // when the period began
	End   Time `json:"end"`   // when it ends: from then on there is a new allowance
}

// Allowance is what may be used in a period.
type Allowance struct {
	Used     int64 `json:"used" minimum:"0"`     // how much of it is used in this period
	Reserved int64 `json:"reserved" minimum:"0"` // how much running jobs may still take; what they do not need is given back
	// Remaining is what is left of Limit. It is 0, and not less, where more is used than
	// the limit of today permits. Both are nil where there is no limit.
	Limit     *int64 `json:"limit" minimum:"0"`
	Remaining *int64 `json:"remaining" minimum:"0"`
}

// ASRConcurrency is how many recordings are being recognized, and how many more wait
// for their turn.
type ASRConcurrency struct {
	InUse        int64  `json:"inUse" minimum:"0"`        // recordings of the account that are being recognized
	Limit        *int64 `json:"limit" minimum:"0"`        // how many may be at once; nil: any number
	Waiting      int64  `json:"waiting" minimum:"0"`      // recordings that wait for a place
	WaitingLimit *int64 `json:"waitingLimit" minimum:"0"` // how many may wait; nil: any number
}

// KeptRecordings are the recordings of uploads that are kept for an account.
type KeptRecordings struct {
	Recordings int64 `json:"recordings" minimum:"0"` // how many there are
	Bytes      int64 `json:"bytes" minimum:"0"`      // their size; copies that the service makes for playing do not count
	// Limit is how many bytes may be kept at once; nil: any number.
	Limit *int64 `json:"limit" minimum:"0"`
}

// LibraryUsage is how much the texts of an account take.
type LibraryUsage struct {
	// Bytes are the bytes of the lines and words of the texts that belong to the account alone, and
	// of the revisions of the texts in its library.
	Bytes    int64  `json:"bytes" minimum:"0"`
	MaxBytes *int64 `json:"maxBytes" minimum:"0"` // how many there may be; nil: any number
}

// Credits are what an account can pay with, where a service has such a thing.
type Credits struct {
	Balance *float64 `json:"balance"` // what is left to spend; nil: the service has no bill
}

// UsageLimits are the limits of a plan other than its allowances. A limit of 0 permits
// nothing.
type UsageLimits struct {
	MaxDurationSec *int64 `json:"maxDurationSec" minimum:"0"` // the longest media that is recognized, in seconds; nil: any length
	MaxUploadBytes *int64 `json:"maxUploadBytes" minimum:"0"` // the largest file that can be uploaded, in bytes; nil: the bound of the service
	// MaxKeepMediaSec is how long a recording may be kept, in seconds; nil: any time.
	MaxKeepMediaSec *int64 `json:"maxKeepMediaSec" minimum:"0"`
	BatchItems      *int64 `json:"batchItems" minimum:"0"`   // how many items a batch may have; nil: the bound of the service
	BatchExport     bool   `json:"batchExport"`              // whether a batch can be exported
	Upload          bool   `json:"upload"`                   // whether files can be uploaded
	ASR             bool   `json:"asr"`                      // whether speech is recognized, which uploads need too
	EventStreams    *int64 `json:"eventStreams" minimum:"0"` // how many event streams may be open at once, in each process; nil: any number
}

// RateWindow is a window of time in which requests are counted.
type RateWindow struct {
	Limit     int64 `json:"limit" minimum:"0"`     // requests in one window
	Remaining int64 `json:"remaining" minimum:"0"` // requests that are left after the one that asked
	Reset     int64 `json:"reset" minimum:"0"`     // when the next window begins: Unix time in seconds
	WindowSec int64 `json:"windowSec" minimum:"1"` // how long a window lasts, in seconds
}

// UsageKey is what is known of an API key.
type UsageKey struct {
	ID         string   `json:"id"`         // names the key in logs
	Prefix     string   `json:"prefix"`     // what people see of the key
	Name       string   `json:"name"`       // the name that it was given
	Scopes     []string `json:"scopes"`     // the scopes that it has
	ExpiresAt  *Time    `json:"expiresAt"`  // when it ends; nil: never
	LastUsedAt *Time    `json:"lastUsedAt"` // when it was last used, exact to a minute; nil: never
}
