package transcript

// codeRow describes a code. The OpenAPI document shows the rows. The comments of the
// constants repeat meaning and cure word for word: a test compares them with this table.
type codeRow struct {
	code          Code
	status        int // of HTTP, as a number, because this package does not import net/http
	retry         Retry
	slug          string // its flat form; empty means that it has none
	meaning, cure string // a sentence each, one line
}

// codeTable is the only table of the codes of error objects. The server, the client, the
// jobs and the OpenAPI document read codeTable. If a refusal has another status than the
// table, it sets Error.Status: INVALID_REQUEST may have 422, and BATCH_LIMIT_EXCEEDED may
// have 422 if the batch exceeds the limit of the service itself. ASR_REQUIRES_ASYNC is a
// part of a captions report, with status 200.
var codeTable = []codeRow{
	{
		InvalidRequest, 400, RetryNever, "",
		"The request cannot be read (400), a value of its body is out of bounds (422), or it needs an If-Match (428).",
		"Correct what details.issues lists, up to 20 faults, each with path and message.",
	},
	{
		CSVParseError, 400, RetryNever, "",
		"The CSV body of a batch cannot be read.",
		"Correct the line in details.line, counted from 1.",
	},
	{
		InvalidVideo, 422, RetryNever, "",
		"The link or id names no content of its platform.",
		"Send the link of a single video, or its whole id.",
	},
	{
		UnsupportedPlatform, 422, RetryNever, "",
		"The link is to a host that the service does not know, or the platform has no links.",
		"Send a link of one of the platforms; details.host is the host that is not known.",
	},
	{
		UploadInvalid, 422, RetryNever, "",
		"The uploaded file is missing or empty, cannot be decoded, has no sound, or does not match its Content-Digest.",
		"Send one whole audio or video file in the part \"file\".",
	},
	{
		MediaTooLarge, 422, RetryNever, "",
		"The recording is larger or longer than permitted.",
		"Send a smaller file (details.limitBytes) or a shorter one (details.limitSec).",
	},
	{
		UpgradeRequired, 402, RetryNever, "",
		"The account or its plan does not include this.",
		"Show actionUrl to the person who chooses the plan.",
	},
	{
		TranscriptQuotaExceeded, 402, RetryNever, "",
		"No transcript is left in this period: details.used, including running jobs, of details.limit.",
		"Wait until details.periodEnd, or show actionUrl.",
	},
	{
		InsufficientCredits, 402, RetryNever, "",
		"A service that bills by itself accepts no more work for this account.",
		"Pay the bill of the service.",
	},
	{
		VideoTooLong, 402, RetryNever, "",
		"The recording is longer than the plan lets the service recognize: details.durationSec, if it is known, of details.limitSec.",
		"Send a shorter recording, or show actionUrl.",
	},
	{
		ASRQuotaExceeded, 402, RetryNever, "",
		"The recording needs more minutes of recognition (details.neededMinutes) than are left (details.used of details.limit are used).",
		"Wait until details.periodEnd, or show actionUrl.",
	},
	{
		BatchLimitExceeded, 402, RetryNever, "",
		"The batch has more items (details.requested) than the plan (402) or any plan (422) permits (details.limit).",
		"Make several batches, or send a playlist or channel with maxItems; after a 402, a larger plan helps too.",
	},
	{
		Forbidden, 403, RetryNever, "",
		"The key is valid, but lacks the scope that the route requires.",
		"Use a key with the scope in details.requiredScope.",
	},
	{
		NoTranscript, 404, RetryNever, "",
		"There is no text: the content has no captions and may not be recognized, or the account has not saved it.",
		"Send it to POST /v1/transcript, if necessary on a plan with recognition.",
	},
	{
		LanguageNotAvailable, 404, RetryNever, "",
		"There are captions only in other languages, and the plan does not include recognition.",
		"Ask for one of availableLanguages.",
	},
	{
		Unavailable, 404, RetryNever, "",
		"The content is removed, private, blocked in the service's country, or has no sound that can be read.",
		"Send other content: the service cannot get this.",
	},
	{
		NotFound, 404, RetryNever, "not_found",
		"There is no such job, batch or path, or it belongs to another account.",
		"Correct the id or the path.",
	},
	{
		IdempotencyConflict, 409, RetryNever, "",
		"The Idempotency-Key was used with a different request.",
		"Use a new key for a new request.",
	},
	{
		IdempotencyInProgress, 409, RetryNow, "",
		"The first request with this Idempotency-Key is still running.",
		"Repeat after Retry-After.",
	},
	{
		StateConflict, 409, RetryWait, "",
		"The job, batch, webhook or saved item is in a state (details.status) that does not permit this, the text has another revision (412, details.revision), or the account already has as many webhooks as it may have (details.limit).",
		"If it still runs, wait for its end; if it was canceled, start a new job or batch; if the text has changed, read it again; activate the webhook, or delete one.",
	},
	{
		ASRConcurrencyLimit, 409, RetryWait, "",
		"The account cannot have one more recording recognized or waiting: details.inUse of details.limit run, and details.waiting of details.waitingLimit wait.",
		"Repeat when one has ended.",
	},
	{
		ASRRequiresAsync, 200, RetryNever, "",
		"Only in a captions report: no captions match, so the text needs speech recognition.",
		"Send the request to POST /v1/transcript.",
	},
	{
		RateLimited, 429, RetryNow, "rate_limited",
		"Too many requests; in a job, a recognizer has refused all attempts of the service.",
		"Repeat after Retry-After.",
	},
	{
		UpstreamFailed, 502, RetryBackoff, "",
		"The platform or a remote recognizer failed, or its answer could not be read; this says nothing about the content.",
		"Repeat with growing pauses.",
	},
	{
		IPBlocked, 503, RetryNow, "",
		"The platform blocks the service at the moment; this says nothing about the content.",
		"Repeat after Retry-After.",
	},
	{
		POTokenRequired, 503, RetryNever, "",
		"The platform requires a token that the service does not have.",
		"Send other content, or tell the operator of the service.",
	},
	{
		LoginRequired, 503, RetryNever, "",
		"The platform shows the content only to users who log in.",
		"Send other content, or the file itself.",
	},
	{
		ConfigError, 503, RetryNever, "",
		"The service lacks a program, or its configuration is wrong.",
		"Tell its operator, who can find the cause in the log.",
	},
	{
		NotImplemented, 503, RetryNever, "",
		"This service has no engine that can do it.",
		"Repeat without it: the message names what is missing, and details.known the languages that a recognizer knows.",
	},
	{
		ServiceUnavailable, 503, RetryNow, "",
		"The service's own database, disk or speech recognizer is not available at the moment, no process runs that could do the work, or its quota at the video site is used up.",
		"Repeat after Retry-After.",
	},
	{
		Internal, 500, RetryBackoff, "internal_error",
		"The service failed; in a job, all attempts have failed.",
		"Report the requestId; you may send the request again.",
	},
}

// flatTable is the table of the codes that are always flat strings.
var flatTable = []codeRow{
	{
		Unauthorized, 401, RetryNever, "unauthorized",
		"The request carries no credential.",
		"Send an API key.",
	},
	{
		InvalidCredential, 401, RetryNever, "invalid_credential",
		"The credential is malformed, unknown, revoked, expired or in the query, or the request has two credentials.",
		"Send one valid key, in one header.",
	},
	{
		MethodNotAllowed, 405, RetryNever, "method_not_allowed",
		"The path does not support this method.",
		"Use a method from the header Allow.",
	},
	{
		RequestTimeout, 408, RetryNever, "request_timeout",
		"The body arrived too slowly, or stopped.",
		"Send it again over a faster connection.",
	},
	{
		UnsupportedMediaType, 415, RetryNever, "unsupported_media_type",
		"The body has a type that the path does not accept, or has a Content-Encoding.",
		"Send it as one of the types in the message.",
	},
}
