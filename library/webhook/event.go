package webhook

import (
	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// EventType is what has happened.
type EventType string

// The types of events. A canceled job or batch has no event.
const (
	TranscriptCompleted EventType = "transcript.completed" // a job has its text
	TranscriptFailed    EventType = "transcript.failed"    // a job has ended without a text
	BatchCompleted      EventType = "batch.completed"      // a batch has ended, and an item succeeded or none failed
	BatchFailed         EventType = "batch.failed"         // a batch has ended without a text
	// FollowEnded tells that the publisher has ended a followed feed, which pauses the follow. Only
	// an endpoint that names this type receives it.
	FollowEnded EventType = "follow.ended"
	Test        EventType = "test" // the account has asked for a test
)

// EventTypes lists every type.
func EventTypes() []EventType {
	return []EventType{TranscriptCompleted, TranscriptFailed, BatchCompleted, BatchFailed, FollowEnded, Test}
}

// Event is what an endpoint receives. The event holds ids, and not the text: the receiver
// asks the service for the text.
type Event struct {
	// ID is the header webhook-id: the id of the delivery, and the same in all its attempts.
	// An endpoint may receive a delivery more than once, so a receiver remembers the ids.
	ID        string          `json:"-"`
	Type      EventType       `json:"type"`      // what has happened
	Timestamp transcript.Time `json:"timestamp"` // when it happened
	Data      Data            `json:"data"`      // to what it happened
}

// Data is the job, the batch or the follow of an event. A test has none of them.
type Data struct {
	JobID      string              `json:"jobId,omitempty" format:"uuid"`    // the job, of a transcript event
	BatchID    string              `json:"batchId,omitempty" format:"uuid"`  // the batch, of a batch event
	FollowID   string              `json:"followId,omitempty" format:"uuid"` // the follow, of a follow event
	Platform   transcript.Platform `json:"platform,omitempty"`               // where the content of the job is
	ExternalID string              `json:"externalId,omitempty"`             // the platform's id of the content of the job
	Error      *transcript.Code    `json:"error,omitempty"`                  // why the job or the batch has failed
	Counts     *batch.Counts       `json:"counts,omitempty"`                 // the items of the batch
}
