package dataapi_test

import "net/http"

// refusal is an error of the API, in its own words.
type refusal struct {
	status int
	body   string
}

func (r refusal) send(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(r.status)
	_, _ = w.Write([]byte(r.body)) // a client that is gone needs no answer
}

// The refusals, as the API writes them.
var (
	keyInvalid = refusal{400, `{"error": {"code": 400, "message": "API key not valid. Please pass a valid API key.",
		"errors": [{"message": "API key not valid. Please pass a valid API key.", "domain": "global", "reason": "badRequest"}],
		"status": "INVALID_ARGUMENT",
		"details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com",
			"metadata": {"service": "youtube.googleapis.com"}},
			{"@type": "type.googleapis.com/google.rpc.LocalizedMessage", "locale": "en-US", "message": "API key not valid."}]}}`}
	keyInvalidOld = refusal{400, `{"error": {"errors": [{"domain": "usageLimits", "reason": "keyInvalid", "message": "Bad Request"}], "code": 400, "message": "Bad Request"}}`}
	noKey         = refusal{403, `{"error": {"code": 403, "message": "Method doesn't allow unregistered callers (callers without established identity).",
		"errors": [{"message": "Method doesn't allow unregistered callers.", "domain": "global", "reason": "forbidden"}], "status": "PERMISSION_DENIED"}}`}
	notConfigured = refusal{403, `{"error": {"code": 403, "message": "YouTube Data API v3 has not been used in project 123 before or it is disabled.",
		"errors": [{"message": "YouTube Data API v3 has not been used in project 123 before or it is disabled.", "domain": "usageLimits",
			"reason": "accessNotConfigured", "extendedHelp": "https://console.developers.google.com"}],
		"status": "PERMISSION_DENIED",
		"details": [{"@type": "type.googleapis.com/google.rpc.Help", "links": [{"description": "x", "url": "https://console.developers.google.com"}]},
			{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "SERVICE_DISABLED", "domain": "googleapis.com"}]}}`}
	keyBlocked = refusal{403, `{"error": {"code": 403, "message": "The provided API key has an IP address restriction. The originating IP address of the call (192.0.2.1) violates this restriction.",
		"errors": [{"message": "The provided API key has an IP address restriction.", "domain": "global", "reason": "forbidden"}],
		"status": "PERMISSION_DENIED",
		"details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_IP_ADDRESS_BLOCKED", "domain": "googleapis.com"}]}}`}
	quotaExceeded = refusal{403, `{"error": {"code": 403,
		"message": "The request cannot be completed because you have exceeded your <a href=\"/youtube/v3/getting-started#quota\">quota</a>.",
		"errors": [{"message": "The request cannot be completed because you have exceeded your <a href=\"/youtube/v3/getting-started#quota\">quota</a>.",
			"domain": "youtube.quota", "reason": "quotaExceeded"}]}}`}
	searchesPerDay = refusal{429, `{"error": {"code": 429,
		"message": "Quota exceeded for quota metric 'Search Queries' and limit 'Search Queries per day' of service 'youtube.googleapis.com'.",
		"errors": [{"message": "Quota exceeded for quota metric 'Search Queries'.", "domain": "global", "reason": "rateLimitExceeded"}],
		"status": "RESOURCE_EXHAUSTED",
		"details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "RATE_LIMIT_EXCEEDED", "domain": "googleapis.com",
			"metadata": {"quota_limit": "SearchQueriesPerDayPerProject", "quota_limit_value": "100", "consumer": "projects/123"}}]}}`}
	rateLimit = refusal{403, `{"error": {"errors": [{"domain": "usageLimits", "reason": "rateLimitExceeded", "message": "Rate Limit Exceeded"}],
		"code": 403, "message": "Rate Limit Exceeded"}}`}
	perMinute = refusal{429, `{"error": {"code": 429, "message": "Quota exceeded for quota metric 'Queries' and limit 'Queries per minute'.",
		"errors": [{"message": "Quota exceeded", "domain": "global", "reason": "rateLimitExceeded"}], "status": "RESOURCE_EXHAUSTED",
		"details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "RATE_LIMIT_EXCEEDED", "domain": "googleapis.com",
			"metadata": {"quota_limit": "defaultPerMinutePerProject"}}]}}`}
	backendError  = refusal{503, `{"error": {"code": 503, "message": "The service is currently unavailable.", "errors": [{"message": "The service is currently unavailable.", "domain": "global", "reason": "backendError"}], "status": "UNAVAILABLE"}}`}
	badPageToken  = refusal{400, `{"error": {"code": 400, "message": "The request specifies an invalid page token.", "errors": [{"message": "The request specifies an invalid page token.", "domain": "youtube.parameter", "reason": "invalidPageToken", "location": "pageToken", "locationType": "parameter"}]}}`}
	badParameter  = refusal{400, `{"error": {"code": 400, "message": "Request contains an invalid argument.", "errors": [{"message": "Request contains an invalid argument.", "domain": "global", "reason": "badRequest"}], "status": "INVALID_ARGUMENT"}}`}
	badChannelID  = refusal{400, `{"error": {"code": 400, "message": "The channelId parameter specified an invalid channel ID.", "errors": [{"message": "The channelId parameter specified an invalid channel ID.", "domain": "youtube.search", "reason": "invalidChannelId"}]}}`}
	notAccessible = refusal{403, `{"error": {"code": 403, "message": "The request is not properly authorized to retrieve the specified playlist.", "errors": [{"message": "The request is not properly authorized to retrieve the specified playlist.", "domain": "youtube.playlistItem", "reason": "playlistItemsNotAccessible"}]}}`}

	playlistNotFound = refusal{404, `{"error": {"code": 404,
		"message": "The playlist identified with the request's <code>playlistId</code> parameter cannot be found.",
		"errors": [{"message": "The playlist identified with the request's <code>playlistId</code> parameter cannot be found.",
			"domain": "youtube.playlistItem", "reason": "playlistNotFound", "location": "playlistId", "locationType": "parameter"}]}}`}
)
