package transcript

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
	// ID is the job's sequence for a transition, 0 for a snapshot and for the
	// progress reports between two transitions.
	ID int
	// Job is the job as the event shows it. A progress event leaves its
	// CreatedAt zero and puts the moment of the event in UpdatedAt.
	Job Job
}
