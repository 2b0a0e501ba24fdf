package transcript

// Usage is the answer of GET /v1/usage: the limits of an account, and how much of them
// is used. A limit that is nil does not exist.
type Usage struct {
	Account UsageAccount `json:"account"` // the account of the key
	// Period is the time to which the allowances apply.
	Period      UsagePeriod `json:"period"`
	Transcripts Allowance   `json:"transcripts"` // transcripts that the service made, without answers from the cache
	// ASRMinutes are minutes of recognized media. Each recording is rounded up to whole
	// minutes.
	ASRMinutes     Allowance      `json:"asrMinutes"`
	ASRConcurrency ASRConcurrency `json:"asrConcurrency"` // recordings that are being recognized, and recordings that wait
	KeptMedia      KeptRecordings `json:"keptMedia"`      // the kept recordings
	Library        LibraryUsage   `json:"library"`        // the texts of the account
	Credits        Credits        `json:"credits"`        // what is left to spend, if the service bills
	Limits         UsageLimits    `json:"limits"`         // what the plan permits
	// RateLimit is the window for most requests; nil if requests are not limited.
	// Requests that poll the progress of work have a window of their own: see the
	// headers of their answers.
	RateLimit *RateWindow `json:"rateLimit"`
	// Key is the API key of the request; nil if the request was made without a key.
	Key *UsageKey `json:"key"`
}

// UsageAccount is an account with its plan.
type UsageAccount struct {
	ID   string `json:"id"`   // the name of the account in logs
	Plan string `json:"plan"` // the name of the plan
	Paid bool   `json:"paid"` // whether the plan is a paid one
}

// UsagePeriod is the time from Start to End. Start is in the period, End is not. Both
// are midnight UTC.
type UsagePeriod struct {
	Start Time `json:"start"` // when the period began
	End   Time `json:"end"`   // when the period ends and a new allowance begins
}

// Allowance is how much an account may use in a period, and how much it has used.
type Allowance struct {
	Used     int64 `json:"used" minimum:"0"`     // how much is used in this period
	Reserved int64 `json:"reserved" minimum:"0"` // how much running jobs may still use; what they do not need is released
	// Remaining is what is left of Limit. It is 0, never less, if the account has used
	// more than its limit now permits. Both are nil if there is no limit.
	Limit     *int64 `json:"limit" minimum:"0"`
	Remaining *int64 `json:"remaining" minimum:"0"`
}

// ASRConcurrency counts the recordings of an account that are being recognized and
// those that wait.
type ASRConcurrency struct {
	InUse        int64  `json:"inUse" minimum:"0"`        // recordings of the account that are being recognized
	Limit        *int64 `json:"limit" minimum:"0"`        // how many may be recognized at once; nil if there is no limit
	Waiting      int64  `json:"waiting" minimum:"0"`      // recordings that wait for their turn
	WaitingLimit *int64 `json:"waitingLimit" minimum:"0"` // how many may wait; nil if there is no limit
}

// KeptRecordings is the number and size of the recordings of uploads that the service
// keeps for an account.
type KeptRecordings struct {
	Recordings int64 `json:"recordings" minimum:"0"` // the number of kept recordings
	Bytes      int64 `json:"bytes" minimum:"0"`      // their size, without the copies that the service makes for playing
	// Limit is how many bytes the account may keep at once; nil if there is no limit.
	Limit *int64 `json:"limit" minimum:"0"`
}

// LibraryUsage is the size of an account's texts.
type LibraryUsage struct {
	// Bytes is the size of the texts that belong to the account alone, with their
	// words, and of the revisions of the texts in its library.
	Bytes    int64  `json:"bytes" minimum:"0"`
	MaxBytes *int64 `json:"maxBytes" minimum:"0"` // how many bytes there may be; nil if there is no limit
}

// Credits is the balance of an account on a service that bills.
type Credits struct {
	Balance *float64 `json:"balance"` // what the account has left to spend; nil if the service does not bill
}

// UsageLimits are the limits of a plan other than its allowances. A limit of 0 permits
// nothing.
type UsageLimits struct {
	MaxDurationSec *int64 `json:"maxDurationSec" minimum:"0"` // the longest recording that may be recognized, in seconds; nil if there is no limit
	MaxUploadBytes *int64 `json:"maxUploadBytes" minimum:"0"` // the largest file that may be uploaded, in bytes; nil means the service's limit
	// MaxKeepMediaSec is how long a recording may be kept, in seconds; nil if there is
	// no limit.
	MaxKeepMediaSec *int64 `json:"maxKeepMediaSec" minimum:"0"`
	BatchItems      *int64 `json:"batchItems" minimum:"0"`   // how many items a batch may have; nil means the service's limit
	BatchExport     bool   `json:"batchExport"`              // whether batches can be exported
	Upload          bool   `json:"upload"`                   // whether files can be uploaded
	ASR             bool   `json:"asr"`                      // whether speech can be recognized, which uploads need too
	Speakers        bool   `json:"speakers"`                 // whether the service tells who speaks in a recording
	EventStreams    *int64 `json:"eventStreams" minimum:"0"` // how many event streams may be open at once, in each process; nil if there is no limit
}

// RateWindow is the state of a rate limit: how many requests an account may send in a
// window of time.
type RateWindow struct {
	Limit     int64 `json:"limit" minimum:"0"`     // how many requests a window permits
	Remaining int64 `json:"remaining" minimum:"0"` // how many requests are left after this one
	Reset     int64 `json:"reset" minimum:"0"`     // when the next window begins: Unix time in seconds
	WindowSec int64 `json:"windowSec" minimum:"1"` // how long a window lasts, in seconds
}

// UsageKey describes an API key.
type UsageKey struct {
	ID         string   `json:"id"`         // the name of the key in logs
	Prefix     string   `json:"prefix"`     // the part of the key that is shown to people
	Name       string   `json:"name"`       // the name that the owner gave it
	Scopes     []string `json:"scopes"`     // what the key permits
	ExpiresAt  *Time    `json:"expiresAt"`  // when the key expires; nil if it never expires
	LastUsedAt *Time    `json:"lastUsedAt"` // when the key was last used, to the minute; nil if it was never used
}
