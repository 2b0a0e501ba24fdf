package openapi

import (
	"github.com/swaggest/openapi-go"
	"github.com/swaggest/openapi-go/openapi31"

	"github.com/transcriptkit/transcriptkit/server/internal/edge"
)

func headers() map[edge.Header]openapi31.Header {
	describe := func(required bool, description string, schema map[string]any, example any) openapi31.Header {
		return openapi31.Header{Description: &description, Required: &required, Schema: schema, Example: &example}
	}
	text := map[string]any{"type": "string"}
	seconds := map[string]any{"type": "integer", "minimum": 1}
	count := map[string]any{"type": "integer", "minimum": 0}
	return map[edge.Header]openapi31.Header{
		edge.HeaderRequestID: describe(true, "Names the request in logs: the caller's own id where it is fit for that.",
			map[string]any{"type": "string", "pattern": edge.RequestIDPattern}, "019321a0-7c11-7c3e-9a55-2f6d1f0c9b11"),
		edge.HeaderLocation: describe(true, "The path of the job or the batch.", map[string]any{"type": "string", "format": "uri-reference"},
			"/v1/transcript/job/019321a0-7c11-7c3e-9a55-2f6d1f0c9b11"),
		edge.HeaderRetryAfter:    describe(true, "Seconds to wait before the next request.", seconds, 2),
		edge.HeaderMayRetryAfter: describe(false, "Seconds to wait before the next request, where waiting helps.", seconds, 2),
		edge.HeaderETag:          describe(true, "Names this form of the answer, for If-None-Match.", text, `"7c3e9a552f6d1f0c9b11"`),
		edge.HeaderReplayed: describe(false, "true: this is the answer to an earlier request with the same Idempotency-Key.",
			map[string]any{"type": "string", "enum": []string{"true"}}, "true"),
		edge.HeaderDisposition:  describe(true, "attachment, with a name for the file.", text, `attachment; filename="talk.srt"`),
		edge.HeaderAcceptRanges: describe(true, "bytes: the route sends ranges of bytes.", text, "bytes"),
		edge.HeaderContentRange: describe(true, "Which bytes the answer has, and of how many.", text, "bytes 0-1023/146515"),
		edge.HeaderChallenge:    describe(true, "How to authenticate.", text, "Bearer"),
		edge.HeaderLimit: describe(false, "Requests that the account may make in the window that this one counted in. Absent: any number.",
			count, 300),
		edge.HeaderRemaining: describe(false, "Requests that are left in the window.", count, 299),
		edge.HeaderReset:     describe(false, "When the window ends, as Unix time in seconds.", count, 1772629200),
		edge.HeaderPolicy: describe(false, "The windows of requests (q in w seconds): requests, and polling for requests that ask for the progress of work.",
			text, `"requests";q=300;w=60, "polling";q=1500;w=60`),
		edge.HeaderRateLimit: describe(false, "What is left of both windows: r requests, for t seconds.",
			text, `"requests";r=299;t=33, "polling";r=1500;t=33`),
		edge.HeaderUploadComplete: describe(false, "?1: the whole file has arrived, and the answer is that of POST /v1/transcript. ?0: the upload waits for more bytes.",
			map[string]any{"type": "string", "enum": []string{"?0", "?1"}}, "?0"),
		edge.HeaderUploadOffset: describe(false, "How many bytes of the file have arrived: continue there.", count, 8388608),
		edge.HeaderUploadLength: describe(false, "How many bytes the whole file has, if this is known.", count, 73400320),
		edge.HeaderUploadLimit:  describe(false, "The limits of uploads: max-size in bytes, max-age in seconds from the last request on.", text, "max-size=4294967296, max-age=86400"),
	}
}

// withHeaders lets an answer of the document refer to headers.
func withHeaders(cor openapi.ContentOrReference, names ...edge.Header) {
	resp := cor.(*openapi31.ResponseOrReference).Response
	if resp.Headers == nil {
		resp.Headers = map[string]openapi31.HeaderOrReference{}
	}
	for _, name := range names {
		resp.Headers[name.Name()] = openapi31.HeaderOrReference{
			Reference: &openapi31.Reference{Ref: "#/components/headers/" + string(name)},
		}
	}
}
