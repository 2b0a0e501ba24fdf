package transcript

// EventType names an event of a job's stream.
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
	// ID is the job's sequence for a transition; 0 for a snapshot, for the
	// progress reports between two transitions, for job.segments, and for stream.closing.
	ID int
	// Job is the job as the event shows it; zero on stream.closing. A progress
	// event leaves its CreatedAt zero and puts the moment of the event in
	// UpdatedAt. On job.segments, a client repeats the job of the event before.
	Job Job
	// Segments is set on job.segments only.
	Segments *EarlySegments
	// Closing is set on stream.closing only.
	Closing *Closing
}

// EarlySegments is the data of a job.segments event: recognized text ahead of the
// transcript.
type EarlySegments struct {
	JobID string `json:"jobId" format:"uuid"` // the job of the stream
	// From counts the segments of the job that come before these. From is 0 on the first
	// of these events of a connection.
	From int `json:"from" minimum:"0"`
	// Segments are in order, and continue the segments before them without a gap. The
	// transcript may have other segments where two chunks of the recording meet.
	Segments []Segment `json:"segments"`
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
