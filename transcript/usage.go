package transcript

// Usage is the answer of GET /v1/usage: what an account may have, and how much of it
// is used. A limit that is nil is none.
type Usage struct {
	Account UsageAccount `json:"account"`
	// Period is the time for which the allowances are given.
	Period      UsagePeriod `json:"period"`
	Transcripts Allowance   `json:"transcripts"` // made, not from the cache
	// ASRMinutes are minutes of recognized sound; each begun minute of a recording
	// counts.
	ASRMinutes     Allowance      `json:"asrMinutes"`
	ASRConcurrency ASRConcurrency `json:"asrConcurrency"`
	Credits        Credits        `json:"credits"`
	Limits         UsageLimits    `json:"limits"`
	// RateLimit is the window in which most requests count; nil where requests are not
	// limited. Those that ask how work goes have one of their own: see the headers of
	// their answers.
	RateLimit *RateWindow `json:"rateLimit"`
	// Key is the API key that asked; nil where none did.
	Key *UsageKey `json:"key"`
}

// UsageAccount is an account, and the plan that it is on.
type UsageAccount struct {
	ID   string `json:"id"`
	Plan string `json:"plan"`
	Paid bool   `json:"paid"`
}

// UsagePeriod is the time from Start up to End, both midnight UTC.
type UsagePeriod struct {
	Start Time `json:"start"`
	End   Time `json:"end"` // from then on there is a new allowance
}

// Allowance is what may be used in a period.
type Allowance struct {
	Used     int64 `json:"used" minimum:"0"`
	Reserved int64 `json:"reserved" minimum:"0"` // for jobs that run; what they do not need is given back
	// Remaining is what is left of Limit. It is 0, and not less, where more is used than
	// the limit of today permits. Both are nil where there is no limit.
	Limit     *int64 `json:"limit" minimum:"0"`
	Remaining *int64 `json:"remaining" minimum:"0"`
}

// ASRConcurrency is how many recordings are being recognized, and how many more wait
// for their turn.
type ASRConcurrency struct {
	InUse        int64  `json:"inUse" minimum:"0"`
	Limit        *int64 `json:"limit" minimum:"0"`
	Waiting      int64  `json:"waiting" minimum:"0"`
	WaitingLimit *int64 `json:"waitingLimit" minimum:"0"`
}

// Credits are what an account can pay with, where a service has such a thing.
type Credits struct {
	Balance *float64 `json:"balance"` // nil: it has not
}

// UsageLimits is what a plan permits beside its allowances. A limit of 0 permits
// nothing.
type UsageLimits struct {
	MaxDurationSec *int64 `json:"maxDurationSec" minimum:"0"` // of media that is recognized, in seconds
	MaxUploadBytes *int64 `json:"maxUploadBytes" minimum:"0"`
	BatchItems     *int64 `json:"batchItems" minimum:"0"`
	BatchExport    bool   `json:"batchExport"`
	Upload         bool   `json:"upload"`
	ASR            bool   `json:"asr"` // speech recognition, which uploads need too
	EventStreams   *int64 `json:"eventStreams" minimum:"0"`
}

// RateWindow is a window of time in which requests are counted.
type RateWindow struct {
	Limit     int64 `json:"limit" minimum:"0"`
	Remaining int64 `json:"remaining" minimum:"0"` // after the request that asked
	Reset     int64 `json:"reset" minimum:"0"`     // when the next window begins: Unix time in seconds
	WindowSec int64 `json:"windowSec" minimum:"1"` // seconds
}

// UsageKey is what is known of an API key.
type UsageKey struct {
	ID         string   `json:"id"`
	Prefix     string   `json:"prefix"` // what people see of the key
	Name       string   `json:"name"`
	Scopes     []string `json:"scopes"`
	ExpiresAt  *Time    `json:"expiresAt"`  // nil: never
	LastUsedAt *Time    `json:"lastUsedAt"` // exact to a minute
}
