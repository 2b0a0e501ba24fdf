package transcript

// EventType is the type of an event in a job's stream.
type EventType string

// The events of a job's stream.
const (
	EventSnapshot  EventType = "job.snapshot"
	EventProgress  EventType = "job.progress"
	EventSegments  EventType = "job.segments"
	EventCompleted EventType = "job.completed"
	EventFailed    EventType = "job.failed"
	EventCancelled EventType = "job.cancelled"
	EventClosing   EventType = "stream.closing"
)

// Event is one event of a job's stream.
type Event struct {
	Type EventType
	// ID is the job's Sequence after a transition. It is 0 for job.snapshot,
	// job.segments and stream.closing, and for job.progress between two transitions.
	ID int
	// Job is the state of the job; zero in stream.closing. In job.progress, CreatedAt
	// is zero, and UpdatedAt is the time of the event. In job.segments, the client
	// repeats the Job of the previous event.
	Job Job
	// Segments is set only in job.segments.
	Segments *EarlySegments
	// Closing is set only in stream.closing.
	Closing *Closing
}

// EarlySegments is the data of a job.segments event: text that has been recognized
// before the transcript is complete.
type EarlySegments struct {
	JobID string `json:"jobId" format:"uuid"` // the job of the stream
	// From is the number of the job's segments before these. It is 0 in the first
	// job.segments event of a connection.
	From int `json:"from" minimum:"0"`
	// Segments are in order and follow the earlier segments without a gap. The final
	// transcript may differ where two parts of the recording meet.
	Segments []Segment `json:"segments"`
}

// Closing is the data of a stream.closing event, with which the service ends a stream.
type Closing struct {
	// Reason is why the service ends the stream: the process stops, the stream has
	// lasted for 30 minutes, or the credential is no longer valid.
	Reason string `json:"reason" enum:"shutdown,max_age,unauthorized"`
	// RetryMS is how long to wait before the next connection, in milliseconds. It is
	// absent if the credential is no longer valid: do not connect again.
	RetryMS int `json:"retryMs,omitempty" minimum:"1"`
}

// The values of [Closing].Reason: why the service ends a stream.
const (
	ClosingShutdown = "shutdown" // the process stops; another process may continue the stream
	ClosingMaxAge   = "max_age"  // the stream has lasted for half an hour
	// ClosingUnauthorized: the key is no longer valid. It was revoked or has expired,
	// or its account is suspended.
	ClosingUnauthorized = "unauthorized"
)
