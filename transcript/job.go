package transcript

// JobStatus is the outcome side of a job's state; callers branch on it.
type JobStatus string

// The job states. The last three are terminal.
const (
	JobPending    JobStatus = "pending"
	JobProcessing JobStatus = "processing"
	JobSuccess    JobStatus = "success"
	JobFailed     JobStatus = "failed"
	JobCancelled  JobStatus = "cancelled"
)

// Terminal reports whether the job has ended.
func (s JobStatus) Terminal() bool { return s == JobSuccess || s == JobFailed || s == JobCancelled }

// Stage is the step a job is in, or was in when it ended.
type Stage string

// The stages, in their order.
const (
	StageQueued        Stage = "queued"
	StageCaptionFetch  Stage = "caption_fetch"
	StageDurationCheck Stage = "duration_check"
	StageASRQueued     Stage = "asr_queued"
	StageASRRunning    Stage = "asr_running"
	StagePublishing    Stage = "publishing"
	StageDone          Stage = "done"
)

// Progress is how far the recognition of a job has come.
type Progress struct {
	Fraction     float64 `json:"fraction" minimum:"0" maximum:"1"` // how much of the media has been recognized, from 0 to 1
	ProcessedSec float64 `json:"processedSec" minimum:"0"`         // how much that is, in seconds of media
	TotalSec     float64 `json:"totalSec" minimum:"0"`             // the length of the media in seconds
}

// Job is one account's claim on the making of a transcript.
//
// Its JSON form on success is a superset of a [Result]'s: the members of both in
// one object. So a Job decodes every answer of POST /v1/transcript too; a 200
// sets Status and Result and leaves JobID empty.
type Job struct {
	JobID          string         `json:"jobId" format:"uuid"`      // the id, for the routes of the job
	Status         JobStatus      `json:"status"`                   // what to branch on
	Stage          Stage          `json:"stage"`                    // the step that it is in, or was in when it ended
	Sequence       int            `json:"sequence" minimum:"1"`     // grows by one with every change of status or stage
	Attempt        int            `json:"attempt" minimum:"1"`      // how often the work was begun: grows when it is tried again after a fault, up to 4
	Progress       *Progress      `json:"progress,omitempty"`       // how far recognition has come, while it runs
	MetadataStatus MetadataStatus `json:"metadataStatus,omitempty"` // how much is known about the content
	CreatedAt      Time           `json:"createdAt"`                // when it was accepted
	UpdatedAt      Time           `json:"updatedAt"`                // when it last changed; progress is a change too

	// LastError is why the work is tried again or waits. It is nil until an attempt has failed
	// or a platform has blocked, and again once the work has succeeded. A failed job keeps the
	// error of its last attempt.
	LastError *LastError `json:"lastError"`
	// Error is set when Status is failed.
	Error *Error `json:"error,omitempty"`
	// TranscriptRef is the id of the transcript when Status is success.
	TranscriptRef string `json:"transcriptRef,omitempty" format:"uuid"`
	// Result is the answer to POST. Result is set if Status is success and the answer
	// carried the text. In JSON, the members of Result stand next to those of the job.
	Result *Result `json:"-"`
}
