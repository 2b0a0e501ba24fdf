package transcript

// codeRow is all that is said of a code. The OpenAPI document shows the rows. The
// constants' comments repeat meaning and cure word for word: a test holds them to this table.
type codeRow struct {
	code          Code
	status        int // of HTTP, as a number: this package does not import net/http
	retry         Retry
	slug          string // its flat form; empty: it has none
	meaning, cure string // a sentence each, one line
}

// codeTable is the one table of the codes of error objects. The server, the client, the
// jobs and the OpenAPI document read codeTable. A refusal with another status than the
// table's sets Error.Status: INVALID_REQUEST may have 422, and so may
// BATCH_LIMIT_EXCEEDED over the bound of the service itself. ASR_REQUIRES_ASYNC stands
// in a captions report, with 200.
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
		"The uploaded file is missing, empty, declared as no media, not decodable, without sound, or not what its Content-Digest says.",
		"Send one whole audio or video file in the part \"file\".",
	},
	{
		MediaTooLarge, 422, RetryNever, "",
		"The media have more bytes, or are longer, than is permitted.",
		"Send a smaller file (details.limitBytes) or a shorter one (details.limitSec).",
	},
	{
		UpgradeRequired, 402, RetryNever, "",
		"The account or its plan does not include this.",
		"Show actionUrl to the person who decides on the plan.",
	},
	{
		TranscriptQuotaExceeded, 402, RetryNever, "",
		"No transcript of the period is left: details.used, with what running jobs may take, of details.limit.",
		"Wait until details.periodEnd, or show actionUrl.",
	},
	{
		InsufficientCredits, 402, RetryNever, "",
		"A service with a bill of its own takes on no more work for this account.",
		"Settle the bill with the service.",
	},
	{
		VideoTooLong, 402, RetryNever, "",
		"The media are longer than the plan permits recognition of: details.durationSec, as far as it is known, against details.limitSec.",
		"Send something shorter, or show actionUrl.",
	},
	{
		ASRQuotaExceeded, 402, RetryNever, "",
		"Fewer minutes of recognition are left than the media take: details.used of details.limit, and details.neededMinutes.",
		"Wait until details.periodEnd, or show actionUrl.",
	},
	{
		BatchLimitExceeded, 402, RetryNever, "",
		"The batch has more items (details.requested) than the plan (402) or any plan (422) permits (details.limit).",
		"Make several batches, or send a playlist or channel with maxItems; after a 402 a larger plan helps too.",
	},
	{
		Forbidden, 403, RetryNever, "",
		"The key is good, but lacks the scope of the route.",
		"Use a key with the scope in details.requiredScope.",
	},
	{
		NoTranscript, 404, RetryNever, "",
		"There is no text that can be had or read: the content has no captions and may not be recognized, or nothing of it is saved.",
		"Send it to POST /v1/transcript, where need be on a plan with recognition.",
	},
	{
		LanguageNotAvailable, 404, RetryNever, "",
		"There are captions in other languages only, and the plan does not include recognition.",
		"Ask for one of availableLanguages.",
	},
	{
		Unavailable, 404, RetryNever, "",
		"The content is removed, private, blocked in the service's country, or has no sound that can be read.",
		"Send other content: this one cannot be had.",
	},
	{
		NotFound, 404, RetryNever, "not_found",
		"There is no such job, batch or path; another account's is none either.",
		"Correct the id or the path.",
	},
	{
		IdempotencyConflict, 409, RetryNever, "",
		"The Idempotency-Key was used with a different request.",
		"Take a new key for a new request.",
	},
	{
		IdempotencyInProgress, 409, RetryNow, "",
		"The first request with this Idempotency-Key is still running.",
		"Repeat after Retry-After.",
	},
	{
		StateConflict, 409, RetryWait, "",
		"The job, batch, webhook or saved item is in a state (details.status) that does not permit this, the text has another revision (412, details.revision), or the account has all the webhooks that it may have (details.limit).",
		"If it still runs, wait for its end; if it was canceled, start a new job or batch; read the text again and change that; make the webhook active, or delete one.",
	},
	{
		ASRConcurrencyLimit, 409, RetryWait, "",
		"The account has no place for one more recording: details.inUse of details.limit are being recognized, details.waiting of details.waitingLimit wait.",
		"Repeat when one of them has ended.",
	},
	{
		ASRRequiresAsync, 200, RetryNever, "",
		"Only in a captions report: there are no captions that match, so this takes speech recognition.",
		"Send the request to POST /v1/transcript.",
	},
	{
		RateLimited, 429, RetryNow, "rate_limited",
		"Too many requests; in a job, a recognizer has turned the service away to the end.",
		"Repeat after Retry-After.",
	},
	{
		UpstreamFailed, 502, RetryBackoff, "",
		"The platform, or a recognizer elsewhere, failed or could not be understood, which says nothing about the content.",
		"Repeat with growing pauses.",
	},
	{
		IPBlocked, 503, RetryNow, "",
		"The platform blocks the service for the moment, which says nothing about the content.",
		"Repeat after Retry-After.",
	},
	{
		POTokenRequired, 503, RetryNever, "",
		"The platform wants a token that the service does not have.",
		"Send other content, or tell the operator of the service.",
	},
	{
		LoginRequired, 503, RetryNever, "",
		"The platform shows the content only to those who log in.",
		"Send other content, or the file itself.",
	},
	{
		ConfigError, 503, RetryNever, "",
		"The service lacks a program, or is set up wrongly.",
		"Tell its operator, who finds the cause in the log.",
	},
	{
		NotImplemented, 503, RetryNever, "",
		"This service has no engine that can do it.",
		"Ask without it: the message names what is missing, details.known the languages that a recognizer knows.",
	},
	{
		ServiceUnavailable, 503, RetryNow, "",
		"The service's own database, disk or speech recognizer is away for the moment, none of its processes that could do the work runs, or its quota at the video site is used up.",
		"Repeat after Retry-After.",
	},
	{
		Internal, 500, RetryBackoff, "internal_error",
		"The service failed; in a job, its attempts are used up.",
		"Report the requestId; you may ask for the job again.",
	},
}

// flatTable is the table of the codes that are only ever flat.
var flatTable = []codeRow{
	{
		Unauthorized, 401, RetryNever, "unauthorized",
		"The request carries no credential.",
		"Send an API key.",
	},
	{
		InvalidCredential, 401, RetryNever, "invalid_credential",
		"The credential is malformed, unknown, revoked or expired, stands in the query, or there are two.",
		"Send one good key, in one header.",
	},
	{
		MethodNotAllowed, 405, RetryNever, "method_not_allowed",
		"The path does not take this method.",
		"Use one that Allow names.",
	},
	{
		RequestTimeout, 408, RetryNever, "request_timeout",
		"The body came too slowly, or stood still.",
		"Send it again over a better line.",
	},
	{
		UnsupportedMediaType, 415, RetryNever, "unsupported_media_type",
		"The body has a type that the path does not take, or an encoding.",
		"Send it as one of those that the message names.",
	},
}
