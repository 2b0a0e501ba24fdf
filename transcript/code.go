package transcript

// Code is an error code of the API. It is an error itself, so that
// errors.Is(err, transcript.NoTranscript) works on every error of the client,
// the server's jobs and the engines.
type Code string

// Error returns the code.
func (c Code) Error() string { return string(c) }

// The error codes of the API. API.md, Errors, tells what each of them means.
const (
	InvalidRequest          Code = "INVALID_REQUEST"
	CSVParseError           Code = "CSV_PARSE_ERROR"
	InvalidVideo            Code = "INVALID_VIDEO"
	UnsupportedPlatform     Code = "UNSUPPORTED_PLATFORM"
	UploadInvalid           Code = "UPLOAD_INVALID"
	MediaTooLarge           Code = "MEDIA_TOO_LARGE"
	UpgradeRequired         Code = "UPGRADE_REQUIRED"
	TranscriptQuotaExceeded Code = "TRANSCRIPT_QUOTA_EXCEEDED"
	InsufficientCredits     Code = "INSUFFICIENT_CREDITS"
	VideoTooLong            Code = "VIDEO_TOO_LONG"
	ASRQuotaExceeded        Code = "ASR_QUOTA_EXCEEDED"
	BatchLimitExceeded      Code = "BATCH_LIMIT_EXCEEDED"
	Forbidden               Code = "FORBIDDEN"
	NoTranscript            Code = "NO_TRANSCRIPT"
	LanguageNotAvailable    Code = "LANGUAGE_NOT_AVAILABLE"
	Unavailable             Code = "UNAVAILABLE"
	NotFound                Code = "NOT_FOUND"
	IdempotencyConflict     Code = "IDEMPOTENCY_CONFLICT"
	IdempotencyInProgress   Code = "IDEMPOTENCY_IN_PROGRESS"
	StateConflict           Code = "STATE_CONFLICT"
	ASRConcurrencyLimit     Code = "ASR_CONCURRENCY_LIMIT"
	ASRRequiresAsync        Code = "ASR_REQUIRES_ASYNC"
	RateLimited             Code = "RATE_LIMITED"
	UpstreamFailed          Code = "UPSTREAM_FAILED"
	IPBlocked               Code = "IP_BLOCKED"
	POTokenRequired         Code = "PO_TOKEN_REQUIRED"
	LoginRequired           Code = "LOGIN_REQUIRED"
	ConfigError             Code = "CONFIG_ERROR"
	NotImplemented          Code = "NOT_IMPLEMENTED"
	ServiceUnavailable      Code = "SERVICE_UNAVAILABLE"
	Internal                Code = "INTERNAL"
)

// Retry says whether to repeat a request that was refused.
type Retry int

// The classes of codes.
const (
	// RetryNever: the same request fails again.
	RetryNever Retry = iota
	// RetryNow: the request may be repeated after Retry-After.
	RetryNow
	// RetryBackoff: repeat with growing pauses, if the request is safe to repeat.
	RetryBackoff
	// RetryWait: wait until the state that stands in the way has changed.
	RetryWait
)

type codeRow struct {
	code   Code
	status int // of HTTP, as a number: this package does not import net/http
	retry  Retry
}

// codeTable is the one table from a code to its HTTP status and retry class. The
// server, the client, the jobs and the OpenAPI document read it. INVALID_REQUEST
// is also answered with 422, and so is BATCH_LIMIT_EXCEEDED over the bound of the
// service itself: whoever refuses such a request sets Error.Status.
var codeTable = []codeRow{
	{InvalidRequest, 400, RetryNever},
	{CSVParseError, 400, RetryNever},
	{InvalidVideo, 422, RetryNever},
	{UnsupportedPlatform, 422, RetryNever},
	{UploadInvalid, 422, RetryNever},
	{MediaTooLarge, 422, RetryNever},
	{UpgradeRequired, 402, RetryNever},
	{TranscriptQuotaExceeded, 402, RetryNever},
	{InsufficientCredits, 402, RetryNever},
	{VideoTooLong, 402, RetryNever},
	{ASRQuotaExceeded, 402, RetryNever},
	{BatchLimitExceeded, 402, RetryNever},
	{Forbidden, 403, RetryNever},
	{NoTranscript, 404, RetryNever},
	{LanguageNotAvailable, 404, RetryNever},
	{Unavailable, 404, RetryNever},
	{NotFound, 404, RetryNever},
	{IdempotencyConflict, 409, RetryNever},
	{IdempotencyInProgress, 409, RetryNow},
	{StateConflict, 409, RetryWait},
	{ASRConcurrencyLimit, 409, RetryWait},
	{ASRRequiresAsync, 200, RetryNever}, // inside the captions report only
	{RateLimited, 429, RetryNow},
	{UpstreamFailed, 502, RetryBackoff},
	{IPBlocked, 503, RetryNow},
	{POTokenRequired, 503, RetryNever},
	{LoginRequired, 503, RetryNever},
	{ConfigError, 503, RetryNever},
	{NotImplemented, 503, RetryNever},
	{ServiceUnavailable, 503, RetryNow},
	{Internal, 500, RetryBackoff},
}

// Codes lists every known code in the order of the table.
func Codes() []Code {
	out := make([]Code, len(codeTable))
	for i, row := range codeTable {
		out[i] = row.code
	}
	return out
}

// Status is the HTTP status that answers carry with c: 500 for an unknown code.
func (c Code) Status() int {
	row, ok := c.row()
	if !ok {
		return 500
	}
	return row.status
}

// Retry is the retry class of c: RetryNever for an unknown code.
func (c Code) Retry() Retry {
	row, _ := c.row()
	return row.retry
}

func (c Code) row() (codeRow, bool) {
	for _, row := range codeTable {
		if row.code == c {
			return row, true
		}
	}
	return codeRow{}, false
}
