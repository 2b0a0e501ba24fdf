package server

import (
	"strings"

	"github.com/swaggest/openapi-go"
	"github.com/swaggest/openapi-go/openapi31"
)

// header names a response header in the document's components.
type header string

const (
	headerRequestID   header = "X-Request-Id"
	headerLocation    header = "Location"
	headerRetryAfter  header = "Retry-After"
	headerETag        header = "ETag"
	headerReplayed    header = "Idempotency-Replayed"
	headerChallenge   header = "WWW-Authenticate"
	headerDisposition header = "Content-Disposition"
	headerLimit       header = "X-RateLimit-Limit"
	headerRemaining   header = "X-RateLimit-Remaining"
	headerReset       header = "X-RateLimit-Reset"

	// headerMayRetryAfter is Retry-After where an answer may go without: a
	// reference cannot say so.
	headerMayRetryAfter header = "Retry-After" + sometimes
)

const sometimes = "-Sometimes"

// wire is the header's name in an answer.
func (h header) wire() string { return strings.TrimSuffix(string(h), sometimes) }

func headers() map[header]openapi31.Header {
	describe := func(required bool, description string, schema map[string]any, example any) openapi31.Header {
		return openapi31.Header{Description: &description, Required: &required, Schema: schema, Example: &example}
	}
	text := map[string]any{"type": "string"}
	seconds := map[string]any{"type": "integer", "minimum": 1}
	count := map[string]any{"type": "integer", "minimum": 0}
	return map[header]openapi31.Header{
		headerRequestID: describe(true, "Names the request in logs: the caller's own id where it is fit for that.",
			map[string]any{"type": "string", "pattern": callersID.String()}, "019321a0-7c11-7c3e-9a55-2f6d1f0c9b11"),
		headerLocation: describe(true, "Where the job or the batch is read.", map[string]any{"type": "string", "format": "uri-reference"},
			"/v1/transcript/job/019321a0-7c11-7c3e-9a55-2f6d1f0c9b11"),
		headerRetryAfter:    describe(true, "Seconds to wait before the next request.", seconds, 2),
		headerMayRetryAfter: describe(false, "Seconds to wait before the next request, where waiting helps.", seconds, 2),
		headerETag:          describe(true, "Names this form of the answer, for If-None-Match.", text, `"7c3e9a552f6d1f0c9b11"`),
		headerReplayed: describe(false, "true: this is the answer to an earlier request with the same Idempotency-Key.",
			map[string]any{"type": "string", "enum": []string{"true"}}, "true"),
		headerDisposition: describe(true, "attachment, with a name for the file.", text, `attachment; filename="talk.srt"`),
		headerChallenge:   describe(true, "How to authenticate.", text, "Bearer"),
		headerLimit: describe(false, "Requests that the account may make in the window that this one counted in. Absent: any number.",
			count, 300),
		headerRemaining: describe(false, "Requests that are left in the window.", count, 299),
		headerReset:     describe(false, "When the window ends, as Unix time in seconds.", count, 1772629200),
	}
}

// withHeaders lets an answer of the document refer to headers.
func withHeaders(cor openapi.ContentOrReference, names ...header) {
	resp := cor.(*openapi31.ResponseOrReference).Response
	if resp.Headers == nil {
		resp.Headers = map[string]openapi31.HeaderOrReference{}
	}
	for _, name := range names {
		resp.Headers[name.wire()] = openapi31.HeaderOrReference{
			Reference: &openapi31.Reference{Ref: "#/components/headers/" + string(name)},
		}
	}
}
