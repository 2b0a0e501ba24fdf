package openapi

import "github.com/transcriptkit/transcriptkit/transcript"

// The bodies of this file are for the document only: package wire writes a result and a job by
// hand, so that no other Go type has their form. The tests compare every answer with them.

// TranscriptResult is the 200 body of POST /v1/transcript.
type TranscriptResult struct {
	Status         transcript.JobStatus      `json:"status" enum:"success"` // always success
	Format         transcript.Format         `json:"format"`
	Transcript     TranscriptOrText          `json:"transcript"` // an object when format is json, its text when it is text
	Text           string                    `json:"text,omitempty" description:"The same text as in transcript, when format is text."`
	Cached         bool                      `json:"cached"`
	Stale          bool                      `json:"stale,omitempty"`
	NothingHeard   bool                      `json:"nothingHeard,omitempty"`
	Language       string                    `json:"language"`
	MetadataStatus transcript.MetadataStatus `json:"metadataStatus"`
	LengthSeconds  *int                      `json:"lengthSeconds"`
	LengthText     *string                   `json:"lengthText"`
	Recognizer     *transcript.Recognizer    `json:"recognizer,omitempty"`
	transcript.Sound
	Metadata map[string]any `json:"metadata" nullable:"true"`
}

// TranscriptOrText is an object when the format is json, a string when it is text.
type TranscriptOrText struct{}

// JSONSchemaOneOf lists the two types for the reflector.
func (TranscriptOrText) JSONSchemaOneOf() []any { return []any{transcript.Transcript{}, ""} }

// Job is a job. After success, the members of the result are next to the members of the job.
type Job struct {
	JobID          string                    `json:"jobId" format:"uuid"`
	Status         transcript.JobStatus      `json:"status"`
	Stage          transcript.Stage          `json:"stage"`
	Sequence       int                       `json:"sequence" minimum:"1"`
	Attempt        int                       `json:"attempt" minimum:"1"`
	Progress       *transcript.Progress      `json:"progress,omitempty"`
	MetadataStatus transcript.MetadataStatus `json:"metadataStatus,omitempty"`
	CreatedAt      transcript.Time           `json:"createdAt"`
	UpdatedAt      transcript.Time           `json:"updatedAt"`
	LastError      *transcript.LastError     `json:"lastError"`
	Error          *transcript.Error         `json:"error,omitempty"`
	TranscriptRef  string                    `json:"transcriptRef,omitempty" format:"uuid"`

	Format        transcript.Format       `json:"format,omitempty"`
	Transcript    *TranscriptOrText       `json:"transcript,omitempty"` // an object when format is json, its text when it is text; missing where it has been deleted since, and in large events
	Text          string                  `json:"text,omitempty"`
	Cached        bool                    `json:"cached,omitempty"`
	Stale         bool                    `json:"stale,omitempty"`
	NothingHeard  bool                    `json:"nothingHeard,omitempty"`
	Language      string                  `json:"language,omitempty"`
	LengthSeconds *int                    `json:"lengthSeconds,omitempty" nullable:"true"`
	LengthText    *string                 `json:"lengthText,omitempty" nullable:"true"`
	Recognizer    *transcript.Recognizer  `json:"recognizer,omitempty"`
	AudioTracks   []transcript.AudioTrack `json:"audioTracks,omitempty"`
	CutOff        *transcript.CutOff      `json:"cutOff,omitempty" nullable:"true"`
	UnreadBytes   int64                   `json:"unreadBytes,omitempty" minimum:"0"`
	Heard         *transcript.Heard       `json:"heard,omitempty" nullable:"true"`
	Diarizer      *transcript.Diarizer    `json:"diarizer,omitempty" nullable:"true"`
	Metadata      map[string]any          `json:"metadata,omitempty" nullable:"true"`
}

// TimedWord is a word of a segment.
type TimedWord struct {
	Text       string  `json:"text"`                                         // the word, with the punctuation at it
	Start      float64 `json:"start" minimum:"0"`                            // seconds from the start of the media
	Duration   float64 `json:"duration" minimum:"0"`                         // how long it is said, in seconds
	Confidence float64 `json:"confidence,omitempty" minimum:"0" maximum:"1"` // how sure the source is, from 0 to 1; present only when it says so
}
