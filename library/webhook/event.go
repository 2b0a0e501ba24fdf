package webhook

import (
	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// EventType says what has happened.
type EventType string

// The types of events. A canceled job or batch has no event.
const (
	TranscriptCompleted EventType = "transcript.completed" // a job has its text
	TranscriptFailed    EventType = "transcript.failed"    // a job has ended without a text
	BatchCompleted      EventType = "batch.completed"      // a batch has ended, and an item succeeded or none failed
	BatchFailed         EventType = "batch.failed"         // a batch has ended without a text
	// FollowEnded says that the publisher has ended a followed feed, which pauses the
	// follow. An endpoint receives it only if its Events contain this type.
	FollowEnded EventType = "follow.ended"
	Test        EventType = "test" // the account has asked for a test
)

// EventTypes returns all types.
func EventTypes() []EventType {
	return []EventType{TranscriptCompleted, TranscriptFailed, BatchCompleted, BatchFailed, FollowEnded, Test}
}

// Event is the body of a request to an endpoint. It has ids but no text: the receiver
// gets the text from the service.
type Event struct {
	// ID is the value of the header webhook-id: the id of the delivery, which is the
	// same in all attempts. An endpoint may receive a delivery more than once, so
	// remember the ids.
	ID        string          `json:"-"`
	Type      EventType       `json:"type"`      // what has happened
	Timestamp transcript.Time `json:"timestamp"` // when it happened
	Data      Data            `json:"data"`      // the job, batch or follow
}

// Data names the job, the batch or the follow of an event. It is empty in a test event.
type Data struct {
	JobID      string              `json:"jobId,omitempty" format:"uuid"`    // the job, of a transcript event
	BatchID    string              `json:"batchId,omitempty" format:"uuid"`  // the batch, of a batch event
	FollowID   string              `json:"followId,omitempty" format:"uuid"` // the follow, of a follow event
	Platform   transcript.Platform `json:"platform,omitempty"`               // where the content of the job is
	ExternalID string              `json:"externalId,omitempty"`             // the platform's id of the content of the job
	Error      *transcript.Code    `json:"error,omitempty"`                  // why the job or the batch has failed
	Counts     *batch.Counts       `json:"counts,omitempty"`                 // the items of the batch
}
