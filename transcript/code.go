package transcript

import "net/http"

// Code is an error code of the API. It is an error itself, so that
// errors.Is(err, transcript.NoTranscript) works on every error of the client,
// the server's jobs and the engines.
type Code string

// Error returns the code.
func (c Code) Error() string { return string(c) }

// The error codes of the specification and its completion (contract 2).
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

// Retry says what a repetition of a refused request can achieve.
type Retry int

// The classes of the table in contract 2.
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
	status int
	retry  Retry
}

// codeTable is the one table from a code to its HTTP status and retry class
// (contract 2). The server, the client, the jobs and the OpenAPI document read
// it. INVALID_REQUEST is also answered with 422, BATCH_LIMIT_EXCEEDED with 422
// over the service's own bound: the place that knows says so in Error.Status.
var codeTable = []codeRow{
	{InvalidRequest, http.StatusBadRequest, RetryNever},
	{CSVParseError, http.StatusBadRequest, RetryNever},
	{InvalidVideo, http.StatusUnprocessableEntity, RetryNever},
	{UnsupportedPlatform, http.StatusUnprocessableEntity, RetryNever},
	{UploadInvalid, http.StatusUnprocessableEntity, RetryNever},
	{MediaTooLarge, http.StatusUnprocessableEntity, RetryNever},
	{UpgradeRequired, http.StatusPaymentRequired, RetryNever},
	{TranscriptQuotaExceeded, http.StatusPaymentRequired, RetryNever},
	{InsufficientCredits, http.StatusPaymentRequired, RetryNever},
	{VideoTooLong, http.StatusPaymentRequired, RetryNever},
	{ASRQuotaExceeded, http.StatusPaymentRequired, RetryNever},
	{BatchLimitExceeded, http.StatusPaymentRequired, RetryNever},
	{Forbidden, http.StatusForbidden, RetryNever},
	{NoTranscript, http.StatusNotFound, RetryNever},
	{LanguageNotAvailable, http.StatusNotFound, RetryNever},
	{Unavailable, http.StatusNotFound, RetryNever},
	{NotFound, http.StatusNotFound, RetryNever},
	{IdempotencyConflict, http.StatusConflict, RetryNever},
	{IdempotencyInProgress, http.StatusConflict, RetryNow},
	{StateConflict, http.StatusConflict, RetryWait},
	{ASRConcurrencyLimit, http.StatusConflict, RetryWait},
	{ASRRequiresAsync, http.StatusOK, RetryNever}, // inside the captions report only
	{RateLimited, http.StatusTooManyRequests, RetryNow},
	{UpstreamFailed, http.StatusBadGateway, RetryBackoff},
	{IPBlocked, http.StatusServiceUnavailable, RetryNow},
	{POTokenRequired, http.StatusServiceUnavailable, RetryNever},
	{LoginRequired, http.StatusServiceUnavailable, RetryNever},
	{ConfigError, http.StatusServiceUnavailable, RetryNever},
	{NotImplemented, http.StatusServiceUnavailable, RetryNever},
	{ServiceUnavailable, http.StatusServiceUnavailable, RetryNow},
	{Internal, http.StatusInternalServerError, RetryBackoff},
}

// Codes lists every known code in the order of the table.
func Codes() []Code {
	out := make([]Code, len(codeTable))
	for i, row := range codeTable {
		out[i] = row.code
	}
	return out
}

// Enum lists the values for schema reflection.
func (Code) Enum() []any { return enumOf(Codes()) }

// Status is the HTTP status that answers carry with c: 500 for an unknown code.
func (c Code) Status() int {
	row, ok := c.row()
	if !ok {
		return http.StatusInternalServerError
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
