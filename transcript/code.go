package transcript

// Code is an error code of the API. It is an error itself, so that
// errors.Is(err, transcript.NoTranscript) works on every error of the client,
// the server's jobs and the engines.
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
	// UploadInvalid: the uploaded file is missing, empty, declared as no media, not decodable, without sound, or not
	// what its Content-Digest says. Send one whole audio or video file in the part "file".
	UploadInvalid Code = "UPLOAD_INVALID"
	// MediaTooLarge: the media have more bytes, or are longer, than is permitted. Send a smaller file
	// (details.limitBytes) or a shorter one (details.limitSec).
	MediaTooLarge Code = "MEDIA_TOO_LARGE"
	// UpgradeRequired: the account or its plan does not include this. Show actionUrl to
	// the person who decides on the plan.
	UpgradeRequired Code = "UPGRADE_REQUIRED"
	// TranscriptQuotaExceeded: no transcript of the period is left: details.used, with what running jobs may take, of
	// details.limit. Wait until details.periodEnd, or show actionUrl.
	TranscriptQuotaExceeded Code = "TRANSCRIPT_QUOTA_EXCEEDED"
	// InsufficientCredits: a service with a bill of its own takes on no more work for this account. Settle the bill
	// with the service.
	InsufficientCredits Code = "INSUFFICIENT_CREDITS"
	// VideoTooLong: the media are longer than the plan permits recognition of: details.durationSec, as far as it is
	// known, against details.limitSec. Send something shorter, or show actionUrl.
	VideoTooLong Code = "VIDEO_TOO_LONG"
	// ASRQuotaExceeded: fewer minutes of recognition are left than the media take: details.used of details.limit, and
	// details.neededMinutes. Wait until details.periodEnd, or show actionUrl.
	ASRQuotaExceeded Code = "ASR_QUOTA_EXCEEDED"
	// BatchLimitExceeded: the batch has more items (details.requested) than the plan (402) or any plan (422) permits
	// (details.limit). Make several batches, or send a playlist or channel with maxItems; after a 402 a larger plan
	// helps too.
	BatchLimitExceeded Code = "BATCH_LIMIT_EXCEEDED"
	// Forbidden: the key is good, but lacks the scope of the route. Use a key with the scope in details.requiredScope.
	Forbidden Code = "FORBIDDEN"
	// NoTranscript: there is no text that can be had or read: the content has no captions and may not be recognized,
	// or nothing of it is saved. Send it to POST /v1/transcript, where need be on a plan with recognition.
	NoTranscript Code = "NO_TRANSCRIPT"
	// LanguageNotAvailable: there are captions in other languages only, and the plan does not include recognition. Ask
	// for one of availableLanguages.
	LanguageNotAvailable Code = "LANGUAGE_NOT_AVAILABLE"
	// Unavailable: the content is removed, private, blocked in the service's country, or has no sound that can be
	// read. Send other content: this one cannot be had.
	Unavailable Code = "UNAVAILABLE"
	// NotFound: there is no such job, batch or path; another account's is none either. Correct the id or the path.
	NotFound Code = "NOT_FOUND"
	// IdempotencyConflict: the Idempotency-Key was used with a different request. Take a new key for a new request.
	IdempotencyConflict Code = "IDEMPOTENCY_CONFLICT"
	// IdempotencyInProgress: the first request with this Idempotency-Key is still running. Repeat after Retry-After.
	IdempotencyInProgress Code = "IDEMPOTENCY_IN_PROGRESS"
	// StateConflict: the job, batch, webhook or saved item is in a state (details.status) that
	// does not permit this, the text has another revision (412, details.revision), or the account has all the webhooks
	// that it may have (details.limit). If it still runs, wait for its end; if it was canceled, start a new job or
	// batch; read the text again and change that; make the webhook active, or delete one.
	StateConflict Code = "STATE_CONFLICT"
	// ASRConcurrencyLimit: the account has no place for one more recording: details.inUse of details.limit are being
	// recognized, details.waiting of details.waitingLimit wait. Repeat when one of them has ended.
	ASRConcurrencyLimit Code = "ASR_CONCURRENCY_LIMIT"
	// ASRRequiresAsync: only in a captions report: there are no captions that match, so this takes speech recognition.
	// Send the request to POST /v1/transcript.
	ASRRequiresAsync Code = "ASR_REQUIRES_ASYNC"
	// RateLimited: too many requests; in a job, a recognizer has turned the service away to the end. Repeat after
	// Retry-After.
	RateLimited Code = "RATE_LIMITED"
	// UpstreamFailed: the platform, or a recognizer elsewhere, failed or could not be understood, which says nothing
	// about the content. Repeat with growing pauses.
	UpstreamFailed Code = "UPSTREAM_FAILED"
	// IPBlocked: the platform blocks the service for the moment, which says nothing about the content. Repeat after
	// Retry-After.
	IPBlocked Code = "IP_BLOCKED"
	// POTokenRequired: the platform wants a token that the service does not have. Send other content, or tell the
	// operator of the service.
	POTokenRequired Code = "PO_TOKEN_REQUIRED"
	// LoginRequired: the platform shows the content only to those who log in. Send other content, or the file itself.
	LoginRequired Code = "LOGIN_REQUIRED"
	// ConfigError: the service lacks a program, or is set up wrongly. Tell its operator, who finds the cause in the
	// log.
	ConfigError Code = "CONFIG_ERROR"
	// NotImplemented: this service has no engine that can do it. Ask without it: the message names what is missing,
	// details.known the languages that a recognizer knows.
	NotImplemented Code = "NOT_IMPLEMENTED"
	// ServiceUnavailable: the service's own database, disk or speech recognizer is away for the moment, none of its processes that could
	// do the work runs, or its quota at the video site is used up. Repeat after Retry-After.
	ServiceUnavailable Code = "SERVICE_UNAVAILABLE"
	// Internal: the service failed; in a job, its attempts are used up. Report the
	// requestId; you may ask for the job again.
	Internal Code = "INTERNAL"
)

// The codes of failures that stand before the API's business. No answer holds them: there
// each is a flat string, its [Code.Slug], as are a [RateLimited], an [Internal] and an
// unknown path's [NotFound]. The client's errors match them all the same.
const (
	// Unauthorized: the request carries no credential. Send an API key.
	Unauthorized Code = "UNAUTHORIZED"
	// InvalidCredential: the credential is malformed, unknown, revoked or expired, stands in the query, or there are
	// two. Send one good key, in one header.
	InvalidCredential Code = "INVALID_CREDENTIAL"
	// MethodNotAllowed: the path does not take this method. Use one that Allow names.
	MethodNotAllowed Code = "METHOD_NOT_ALLOWED"
	// RequestTimeout: the body came too slowly, or stood still. Send it again over a better line.
	RequestTimeout Code = "REQUEST_TIMEOUT"
	// UnsupportedMediaType: the body has a type that the path does not take, or an encoding. Send it as one of those
	// that the message names.
	UnsupportedMediaType Code = "UNSUPPORTED_MEDIA_TYPE"
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

// Codes lists every code of the error objects, in the order of the table. Codes leaves
// out the codes that are always flat strings: see [FlatCodes].
func Codes() []Code { return codesOf(codeTable) }

// FlatCodes lists every code that an answer may hold as a flat string.
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

// Slug is the flat string that stands for c in an answer, as "rate_limited"; empty for a
// code that only error objects have, and for an unknown one.
func (c Code) Slug() string {
	row, _ := c.row()
	return row.slug
}

// Meaning is a sentence that says what c tells of a request, for people who write
// programs; empty for an unknown code.
func (c Code) Meaning() string {
	row, _ := c.row()
	return row.meaning
}

// Cure is a sentence that says what to do about c, for people who write programs;
// empty for an unknown code.
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
