package transcript

// EventType names an event of a job's stream.
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

// Closing is the data of a stream.closing event: the service ends a live stream.
type Closing struct {
	// Reason is why: the process stops, the stream has lived for 30 minutes, or the
	// credential is no longer good.
	Reason string `json:"reason" enum:"shutdown,max_age,unauthorized"`
	// RetryMS is how long to wait before the next connection, in milliseconds.
	// There is to be none where the credential is no longer good.
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
