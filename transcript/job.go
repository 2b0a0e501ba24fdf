package transcript

// JobStatus says whether a job waits, runs or has ended, and how it ended.
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

// Stage is the step of the work that a job is in, or was in when it ended.
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

// Progress is how much of a job's media has been recognized.
type Progress struct {
	Fraction     float64 `json:"fraction" minimum:"0" maximum:"1"` // how much of the media has been recognized, from 0 to 1
	ProcessedSec float64 `json:"processedSec" minimum:"0"`         // how many seconds of the media have been recognized
	TotalSec     float64 `json:"totalSec" minimum:"0"`             // the length of the media in seconds
}

// Job is the work that makes a transcript for an account.
//
// If the job has succeeded, its JSON object has the members of the job and those of the
// [Result]. So a Job can decode every 2xx answer of POST /v1/transcript: the transcript
// of a 200 sets Status and Result, and leaves JobID empty.
type Job struct {
	JobID          string         `json:"jobId" format:"uuid"`      // the job's id, for its routes
	Status         JobStatus      `json:"status"`                   // whether the job waits, runs or has ended, and how it ended
	Stage          Stage          `json:"stage"`                    // the stage of the work, or the last stage if the job has ended
	Sequence       int            `json:"sequence" minimum:"1"`     // grows by one with every change of status or stage
	Attempt        int            `json:"attempt" minimum:"1"`      // how often the work was started: it grows when the service retries after a fault, up to 4
	Progress       *Progress      `json:"progress,omitempty"`       // how much of the media is recognized, while recognition runs
	MetadataStatus MetadataStatus `json:"metadataStatus,omitempty"` // how much is known about the content
	CreatedAt      Time           `json:"createdAt"`                // when the job was accepted
	UpdatedAt      Time           `json:"updatedAt"`                // when the job last changed, including its progress

	// LastError is why the service retries the work, or why the work waits. It is nil
	// until an attempt fails or a platform blocks the service, and nil again after the
	// work has succeeded. A failed job keeps the error of its last attempt.
	LastError *LastError `json:"lastError"`
	// Error is set when Status is failed.
	Error *Error `json:"error,omitempty"`
	// TranscriptRef is the id of the transcript when Status is success.
	TranscriptRef string `json:"transcriptRef,omitempty" format:"uuid"`
	// Result is the transcript with its metadata. It is set if Status is success and
	// the answer contains the text. In JSON, the members of Result are members of the
	// job's object.
	Result *Result `json:"-"`
}
