package transcript

// Code is an error code of the API. A Code is an error, so that errors.Is(err,
// transcript.NoTranscript) works with the errors of the client, of jobs and of engines.
type Code string

// Error returns the code.
func (c Code) Error() string { return string(c) }

// The error codes of the API, each with what it means and what to do about it; see
// docs/reference/errors.md.
const (
	// InvalidRequest: the request cannot be read (400), a value of its body is out of bounds (422), or it needs an
	// If-Match (428). Correct what details.issues lists, up to 20 faults, each with path and message.
	InvalidRequest Code = "INVALID_REQUEST"
	// CSVParseError: the CSV body of a batch cannot be read. Correct the line in details.line, counted from 1.
	CSVParseError Code = "CSV_PARSE_ERROR"
	// InvalidVideo: the link or id names no content of its platform. Send the link of a single video, or its whole id.
	InvalidVideo Code = "INVALID_VIDEO"
	// UnsupportedPlatform: the link is to a host that the service does not know, or the platform has no links. Send a
	// link of one of the platforms; details.host is the host that is not known.
	UnsupportedPlatform Code = "UNSUPPORTED_PLATFORM"
	// UploadInvalid: the uploaded file is missing or empty, cannot be
	// decoded, has no sound, or does not match its Content-Digest. Send one whole audio or video file in the part
	// "file".
	UploadInvalid Code = "UPLOAD_INVALID"
	// MediaTooLarge: the recording is larger or longer than permitted. Send a smaller
	// file (details.limitBytes) or a shorter one (details.limitSec).
	MediaTooLarge Code = "MEDIA_TOO_LARGE"
	// UpgradeRequired: the account or its plan does not include this. Show actionUrl to
	// the person who chooses the plan.
	UpgradeRequired Code = "UPGRADE_REQUIRED"
	// TranscriptQuotaExceeded: no transcript is left in this period: details.used,
	// including running jobs, of details.limit. Wait until details.periodEnd, or show
	// actionUrl.
	TranscriptQuotaExceeded Code = "TRANSCRIPT_QUOTA_EXCEEDED"
	// InsufficientCredits: a service that bills by itself accepts no more work for this
	// account. Pay the bill of the service.
	InsufficientCredits Code = "INSUFFICIENT_CREDITS"
	// VideoTooLong: the recording is longer than the plan lets the service recognize:
	// details.durationSec, if it is known, of details.limitSec. Send a shorter
	// recording, or show actionUrl.
	VideoTooLong Code = "VIDEO_TOO_LONG"
	// ASRQuotaExceeded: the recording needs more minutes of recognition
	// (details.neededMinutes) than are left (details.used of details.limit are used).
	// Wait until details.periodEnd, or show actionUrl.
	ASRQuotaExceeded Code = "ASR_QUOTA_EXCEEDED"
	// BatchLimitExceeded: the batch has more items (details.requested) than the plan
	// (402) or any plan (422) permits (details.limit). Make several batches, or send a
	// playlist or channel with maxItems; after a 402, a larger plan helps too.
	BatchLimitExceeded Code = "BATCH_LIMIT_EXCEEDED"
	// Forbidden: the key is valid, but lacks the scope that the route requires. Use a
	// key with the scope in details.requiredScope.
	Forbidden Code = "FORBIDDEN"
	// NoTranscript: there is no text: the content has no captions and may not be
	// recognized, or the account has not saved it. Send it to POST /v1/transcript, if
	// necessary on a plan with recognition.
	NoTranscript Code = "NO_TRANSCRIPT"
	// LanguageNotAvailable: there are captions only in other languages, and the plan
	// does not include recognition. Ask for one of availableLanguages.
	LanguageNotAvailable Code = "LANGUAGE_NOT_AVAILABLE"
	// Unavailable: the content is removed, private, blocked in the service's country,
	// or has no sound that can be read. Send other content: the service cannot get
	// this.
	Unavailable Code = "UNAVAILABLE"
	// NotFound: there is no such job, batch or path, or it belongs to another account.
	// Correct the id or the path.
	NotFound Code = "NOT_FOUND"
	// IdempotencyConflict: the Idempotency-Key was used with a different request. Use a
	// new key for a new request.
	IdempotencyConflict Code = "IDEMPOTENCY_CONFLICT"
	// IdempotencyInProgress: the first request with this Idempotency-Key is still running. Repeat after Retry-After.
	IdempotencyInProgress Code = "IDEMPOTENCY_IN_PROGRESS"
	// StateConflict: the job, batch, webhook or saved item is in a state
	// (details.status) that does not permit this, the text has another revision (412,
	// details.revision), or the account already has as many webhooks as it may have
	// (details.limit). If it still runs, wait for its end; if it was canceled, start a
	// new job or batch; if the text has changed, read it again; activate the webhook,
	// or delete one.
	StateConflict Code = "STATE_CONFLICT"
	// ASRConcurrencyLimit: the account cannot have one more recording recognized or
	// waiting: details.inUse of details.limit run, and details.waiting of
	// details.waitingLimit wait. Repeat when one has ended.
	ASRConcurrencyLimit Code = "ASR_CONCURRENCY_LIMIT"
	// ASRRequiresAsync: only in a captions report: no captions match, so the text needs
	// speech recognition. Send the request to POST /v1/transcript.
	ASRRequiresAsync Code = "ASR_REQUIRES_ASYNC"
	// RateLimited: too many requests; in a job, a recognizer has refused all attempts
	// of the service. Repeat after Retry-After.
	RateLimited Code = "RATE_LIMITED"
	// UpstreamFailed: the platform or a remote recognizer failed, or its answer could
	// not be read; this says nothing about the content. Repeat with growing pauses.
	UpstreamFailed Code = "UPSTREAM_FAILED"
	// IPBlocked: the platform blocks the service at the moment; this says nothing about
	// the content. Repeat after Retry-After.
	IPBlocked Code = "IP_BLOCKED"
	// POTokenRequired: the platform requires a token that the service does not have.
	// Send other content, or tell the operator of the service.
	POTokenRequired Code = "PO_TOKEN_REQUIRED"
	// LoginRequired: the platform shows the content only to users who log in. Send
	// other content, or the file itself.
	LoginRequired Code = "LOGIN_REQUIRED"
	// ConfigError: the service lacks a program, or its configuration is wrong. Tell its
	// operator, who can find the cause in the log.
	ConfigError Code = "CONFIG_ERROR"
	// NotImplemented: this service has no engine that can do it. Repeat without it: the
	// message names what is missing, and details.known the languages that a recognizer
	// knows.
	NotImplemented Code = "NOT_IMPLEMENTED"
	// ServiceUnavailable: the service's own database, disk or speech recognizer is not
	// available at the moment, no process runs that could do the work, or its quota at
	// the video site is used up. Repeat after Retry-After.
	ServiceUnavailable Code = "SERVICE_UNAVAILABLE"
	// Internal: the service failed; in a job, all attempts have failed. Report the
	// requestId; you may send the request again.
	Internal Code = "INTERNAL"
)

// The codes of requests that are refused before the API reads them. No answer contains
// these codes: it contains a flat string, the [Code.Slug]. RateLimited, Internal and
// the NotFound of an unknown path are sent as flat strings too. errors.Is compares the
// client's errors with all of these codes.
const (
	// Unauthorized: the request carries no credential. Send an API key.
	Unauthorized Code = "UNAUTHORIZED"
	// InvalidCredential: the credential is malformed, unknown, revoked, expired or in
	// the query, or the request has two credentials. Send one valid key, in one header.
	InvalidCredential Code = "INVALID_CREDENTIAL"
	// MethodNotAllowed: the path does not support this method. Use a method from the
	// header Allow.
	MethodNotAllowed Code = "METHOD_NOT_ALLOWED"
	// RequestTimeout: the body arrived too slowly, or stopped. Send it again over a
	// faster connection.
	RequestTimeout Code = "REQUEST_TIMEOUT"
	// UnsupportedMediaType: the body has a type that the path does not accept, or has a
	// Content-Encoding. Send it as one of the types in the message.
	UnsupportedMediaType Code = "UNSUPPORTED_MEDIA_TYPE"
)

// Retry says whether and how to repeat a refused request.
type Retry int

// The values of Retry.
const (
	// RetryNever: the same request fails again.
	RetryNever Retry = iota
	// RetryNow: the request may be repeated after Retry-After.
	RetryNow
	// RetryBackoff: repeat with growing pauses, if the request is safe to repeat.
	RetryBackoff
	// RetryWait: repeat the request after the state that prevents it has changed.
	RetryWait
)

// Codes returns every code that error objects may have, in the order of the
// documentation. It leaves out the codes that are always flat strings: see [FlatCodes].
func Codes() []Code { return codesOf(codeTable) }

// FlatCodes returns every code that an answer may contain as a flat string.
func FlatCodes() []Code {
	all := codesOf(flatTable)
	for _, row := range codeTable {
		if row.slug != "" {
			all = append(all, row.code)
		}
	}
	return all
}

func codesOf(table []codeRow) []Code {
	out := make([]Code, len(table))
	for i, row := range table {
		out[i] = row.code
	}
	return out
}

// Status returns the HTTP status of answers with c; 500 for an unknown code.
func (c Code) Status() int {
	row, ok := c.row()
	if !ok {
		return 500
	}
	return row.status
}

// Retry returns whether and how to repeat a request after c; [RetryNever] for an
// unknown code.
func (c Code) Retry() Retry {
	row, _ := c.row()
	return row.retry
}

// Slug returns the flat string for c in an answer, such as "rate_limited"; empty for a
// code that only error objects have, and for an unknown code.
func (c Code) Slug() string {
	row, _ := c.row()
	return row.slug
}

// Meaning returns a sentence for programmers about what c means; empty for an unknown
// code.
func (c Code) Meaning() string {
	row, _ := c.row()
	return row.meaning
}

// Cure returns a sentence for programmers about what to do about c; empty for an
// unknown code.
func (c Code) Cure() string {
	row, _ := c.row()
	return row.cure
}

func (c Code) row() (codeRow, bool) {
	for _, table := range [][]codeRow{codeTable, flatTable} {
		for _, row := range table {
			if row.code == c {
				return row, true
			}
		}
	}
	return codeRow{}, false
}
