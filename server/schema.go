package server

import (
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The bodies as the document shows them, where the Go type that writes them says
// less than the wire: package transcript writes a result and a finished job by
// hand. Every answer of every test is held against these.

// resultAnswer is the 200 body of POST /v1/transcript.
type resultAnswer struct {
	Status         transcript.JobStatus      `json:"status" enum:"success"`
	Format         transcript.Format         `json:"format"`
	Transcript     transcriptOrText          `json:"transcript"`
	Text           string                    `json:"text,omitempty" description:"The same text as in transcript, when format is text."`
	Cached         bool                      `json:"cached"`
	Stale          bool                      `json:"stale,omitempty"`
	Language       string                    `json:"language"`
	MetadataStatus transcript.MetadataStatus `json:"metadataStatus"`
	LengthSeconds  *int                      `json:"lengthSeconds"`
	LengthText     *string                   `json:"lengthText"`
	Metadata       map[string]any            `json:"metadata" nullable:"true"`
}

// transcriptOrText is an object when the format is json, a string when it is text.
type transcriptOrText struct{}

// JSONSchemaOneOf says so to the reflector.
func (transcriptOrText) JSONSchemaOneOf() []any { return []any{transcript.Transcript{}, ""} }

// jobAnswer is a job; on success the members of a result stand beside its own.
type jobAnswer struct {
	JobID          string                    `json:"jobId" format:"uuid"`
	Status         transcript.JobStatus      `json:"status"`
	Stage          transcript.Stage          `json:"stage"`
	Sequence       int                       `json:"sequence" minimum:"1"`
	Attempt        int                       `json:"attempt" minimum:"1"`
	Progress       *transcript.Progress      `json:"progress,omitempty"`
	MetadataStatus transcript.MetadataStatus `json:"metadataStatus,omitempty"`
	CreatedAt      transcript.Time           `json:"createdAt"`
	UpdatedAt      transcript.Time           `json:"updatedAt"`
	Error          *transcript.Error         `json:"error,omitempty"`
	TranscriptRef  string                    `json:"transcriptRef,omitempty" format:"uuid"`

	Format        transcript.Format `json:"format,omitempty"`
	Transcript    *transcriptOrText `json:"transcript,omitempty"`
	Text          string            `json:"text,omitempty"`
	Cached        bool              `json:"cached,omitempty"`
	Stale         bool              `json:"stale,omitempty"`
	Language      string            `json:"language,omitempty"`
	LengthSeconds *int              `json:"lengthSeconds,omitempty" nullable:"true"`
	LengthText    *string           `json:"lengthText,omitempty" nullable:"true"`
	Metadata      map[string]any    `json:"metadata,omitempty" nullable:"true"`
}

// header names a response header of the document.
type header string

const (
	headerRequestID  header = "X-Request-Id"
	headerLocation   header = "Location"
	headerRetryAfter header = "Retry-After"
	headerETag       header = "ETag"
	headerReplayed   header = "Idempotency-Replayed"
	headerChallenge  header = "WWW-Authenticate"
)

type headerEntry struct {
	name        header
	description string
	schema      map[string]any
}

func headerEntries() []headerEntry {
	text := map[string]any{"type": "string"}
	return []headerEntry{
		{headerRequestID, "Names the request in logs: the caller's own id where it is fit for that.", map[string]any{"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"}},
		{headerLocation, "Where the job is read.", map[string]any{"type": "string", "format": "uri-reference"}},
		{headerRetryAfter, "Seconds to wait before the next request.", map[string]any{"type": "integer", "minimum": 1}},
		{headerETag, "For If-None-Match.", text},
		{headerReplayed, "true: this is the answer to an earlier request with the same Idempotency-Key.", map[string]any{"type": "string", "enum": []string{"true"}}},
		{headerChallenge, "How to authenticate.", text},
	}
}
