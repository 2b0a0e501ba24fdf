package transcript

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// EventType names an event of a job's stream (contract 6).
type EventType string

// The events of a job's stream.
const (
	EventSnapshot  EventType = "job.snapshot"
	EventProgress  EventType = "job.progress"
	EventCompleted EventType = "job.completed"
	EventFailed    EventType = "job.failed"
	EventCancelled EventType = "job.cancelled"
	EventClosing   EventType = "stream.closing"
)

// Event is one event of a job's stream.
type Event struct {
	Type EventType
	// ID is the job's sequence for a transition; 0 for a snapshot, for the
	// progress reports between two transitions, and for stream.closing.
	ID int
	// Job is the job as the event shows it; zero on stream.closing. A progress
	// event leaves its CreatedAt zero and puts the moment of the event in
	// UpdatedAt.
	Job Job
	// Closing is set on stream.closing only.
	Closing *Closing
}

// ProgressData is the data of a job.progress event.
type ProgressData struct {
	JobID          string         `json:"jobId" format:"uuid"`
	Status         JobStatus      `json:"status"`
	Stage          Stage          `json:"stage"`
	Sequence       int            `json:"sequence" minimum:"1"`
	Attempt        int            `json:"attempt" minimum:"1"`
	Progress       *Progress      `json:"progress,omitempty"`
	MetadataStatus MetadataStatus `json:"metadataStatus,omitempty"`
	At             Time           `json:"at"`
}

// Closing is the data of a stream.closing event: the service ends a live stream.
type Closing struct {
	// Reason is ClosingShutdown, ClosingMaxAge or ClosingUnauthorized.
	Reason string `json:"reason" enum:"shutdown,max_age,unauthorized"`
	// RetryMS is how long to wait before the next connection, in milliseconds; 0
	// where there is to be none.
	RetryMS int `json:"retryMs,omitempty" minimum:"1"`
}

// Why the service ends a live stream.
const (
	ClosingShutdown = "shutdown" // it stops; another process may go on
	ClosingMaxAge   = "max_age"  // the stream has lived for half an hour
	// ClosingUnauthorized: the key is no longer good. It was revoked or has expired,
	// or its account is suspended.
	ClosingUnauthorized = "unauthorized"
)

// DecodeEvent reads a server-sent event: its `event`, `id` and `data` fields.
// An event of an unknown name, from a later version of the service, comes back
// with its Type and ID only; callers skip it. An id that is neither empty nor a
// sequence, and data that is not the event's JSON, are errors.
func DecodeEvent(name, id string, data []byte) (Event, error) {
	e := Event{Type: EventType(name)}
	if id != "" {
		n, err := strconv.Atoi(id)
		if err != nil || n < 0 {
			return Event{}, fmt.Errorf("transcript: event id %q is not a sequence", id)
		}
		e.ID = n
	}
	if err := e.decodeData(data); err != nil {
		return Event{}, fmt.Errorf("transcript: event %s: %w", name, err)
	}
	return e, nil
}

func (e *Event) decodeData(data []byte) error {
	switch e.Type {
	case EventSnapshot, EventCompleted, EventFailed, EventCancelled:
		return json.Unmarshal(data, &e.Job)
	case EventProgress:
		var p ProgressData
		if err := json.Unmarshal(data, &p); err != nil {
			return err
		}
		e.Job = Job{JobID: p.JobID, Status: p.Status, Stage: p.Stage, Sequence: p.Sequence, Attempt: p.Attempt,
			Progress: p.Progress, MetadataStatus: p.MetadataStatus, UpdatedAt: p.At}
	case EventClosing:
		e.Closing = &Closing{}
		return json.Unmarshal(data, e.Closing)
	}
	return nil
}

// EventData is the `data` field of the server-sent event e: one line of JSON. A snapshot never carries
// the result; a completed event carries what Job.Result holds (package format
// writes it faster when the segments are rendered already). An unknown Type is an error.
func EventData(e Event) ([]byte, error) {
	switch e.Type {
	case EventSnapshot:
		job := e.Job
		job.Result = nil
		return json.Marshal(job)
	case EventProgress:
		j := e.Job
		return json.Marshal(ProgressData{JobID: j.JobID, Status: j.Status, Stage: j.Stage, Sequence: j.Sequence,
			Attempt: j.Attempt, Progress: j.Progress, MetadataStatus: j.MetadataStatus, At: j.UpdatedAt})
	case EventCompleted, EventFailed, EventCancelled:
		return json.Marshal(e.Job)
	case EventClosing:
		return json.Marshal(e.Closing)
	}
	return nil, fmt.Errorf("transcript: event %q is unknown", e.Type)
}
