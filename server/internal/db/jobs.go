package db

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/lifecycle"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Job is an account's job on a piece of work.
type Job struct {
	ID      string `bun:",pk"` // UUIDv7, the jobId of the API; made if it is empty
	Account string
	WorkID  string `bun:"extraction_id"`

	State          lifecycle.State `bun:"embed:"`
	Sequence       int             // of the last transition, from 1
	Attempt        int
	Progress       *transcript.Progress
	MetadataStatus transcript.MetadataStatus
	LastError      *transcript.LastError // the same as in the work
	Error          *transcript.Error     // if State is failed
	TranscriptID   string                // if State is success
	Cached, Stale  bool                  // facts about the result

	// The following members are from the POST.
	Format        transcript.Format
	OmitTimestamp bool
	SendMetadata  bool
	// Limits are the limits under which the request was accepted.
	Limits Limits
	// Turn is Limits.Turn, for the queue.
	Turn string
	// Reserved is the part of the account's allowance that is reserved for the job: see
	// AllowancesTx.Reserve.
	Reserved Allowance `bun:"embed:reserved_"`
	// Trace identifies the request for a tracer; empty if the request is not traced.
	Trace string
	// Asked says that a single request asked for the job, and Batched that items of batches
	// wait for it. A job for which only batches wait runs after the others.
	Asked, Batched bool

	CreatedAt time.Time
	UpdatedAt time.Time // progress changes it too
	EndedAt   *time.Time
}

// Limits are the limits of the plan of a job's account when the job was made. They are stored as
// one JSON object, so that a new member needs no column. A change that adds a member also fills in
// the member for running jobs. The zero value permits nothing; -1 means no limit.
type Limits struct {
	// ASR permits speech recognition.
	ASR bool `json:"asr,omitempty"`
	// Speakers permits telling speakers apart.
	Speakers bool `json:"speakers,omitempty"`
	// MaxDuration is the longest media that is recognized, in seconds.
	MaxDuration int64 `json:"maxDuration"`
	// MaxBytes is the largest file behind a direct link. A negative value means no limit. 0
	// permits no direct links.
	MaxBytes int64 `json:"maxBytes,omitempty"`
	// Period is the start of the period whose allowances pay for the job: Transcripts and ASRMinutes.
	Period      time.Time `json:"period"`
	Transcripts int64     `json:"transcripts"`
	ASRMinutes  int64     `json:"asrMinutes"`
	// ASRConcurrency is how many recordings of the account are recognized at the same time,
	// and ASRWaiting how many more may wait.
	ASRConcurrency int `json:"asrConcurrency"`
	ASRWaiting     int `json:"asrWaiting"`
	// RecognizeBlockedAfter is for how many seconds the captions of a link may be blocked before
	// its sound is recognized. 0 means the value in the service's configuration; a negative
	// value means that the job waits.
	RecognizeBlockedAfter int64 `json:"recognizeBlockedAfter,omitempty"`
	// Turn names the turn that the account shares with others in each queue; empty means
	// that it has its own turn.
	Turn string `json:"turn,omitempty"`
	// ActionLabel and ActionURL are the link to a larger plan.
	ActionLabel string `json:"actionLabel,omitempty"`
	ActionURL   string `json:"actionUrl,omitempty"`
}

// Jobs reads jobs and their events.
type Jobs struct{ *source }

// JobsTx reads and changes jobs.
type JobsTx struct {
	Jobs
	tx *Tx
}

// Owned returns the account's job. The error is ErrNotFound if there is no such job, or
// if it belongs to another account.
func (r Jobs) Owned(ctx context.Context, account, id string) (*Job, error) {
	return scanOne[Job](ctx, r.db.NewSelect().Where("id = ? AND account = ?", id, account), "job "+id)
}

// ByID returns a job of any account, or ErrNotFound.
func (r Jobs) ByID(ctx context.Context, id string) (*Job, error) {
	return scanOne[Job](ctx, r.db.NewSelect().Where("id = ?", id), "job "+id)
}

// Running returns the account's running job of the work, or ErrNotFound.
func (w JobsTx) Running(ctx context.Context, account, workID string) (*Job, error) {
	q := w.db.NewSelect().Where("extraction_id = ? AND account = ?", workID, account).Where(running)
	return scanOne[Job](ctx, q, "running job on extraction "+workID)
}

// SetAsked records that a single request asks for the content of a job, with the limits of that
// request.
func (w JobsTx) SetAsked(ctx context.Context, j *Job) error {
	j.Asked = true
	res, err := w.db.NewUpdate().Model(j).Column("asked", "limits").WherePK().Exec(ctx)
	if err := mustAffect("job "+j.ID, res, err); err != nil {
		return err
	}
	return w.BringForward(ctx, j)
}

// Traces returns the traces of at most n running jobs of the work, oldest first.
func (r Jobs) Traces(ctx context.Context, workID string, n int64) ([]string, error) {
	var traces []string
	err := r.db.NewSelect().Model((*Job)(nil)).Column("trace").
		Where("extraction_id = ?", workID).
		Where(running).
		Where("trace <> ''").
		Order("id").Limit(n).
		Scan(ctx, &traces)
	return traces, wrap("traces of extraction "+workID, err)
}

// Abandoned returns the running jobs of a batch's skipped items for which no request, no
// other item and no follow waits.
func (r Jobs) Abandoned(ctx context.Context, batchID string) ([]Job, error) {
	var jobs []Job
	err := r.db.NewSelect().Model(&jobs).
		Where("id IN (SELECT job_id FROM batch_items WHERE batch_id = ? AND status = 'skipped' AND job_id <> '')", batchID).
		Where(running + " AND NOT asked").
		Where("NOT EXISTS (SELECT 1 FROM batch_items AS i WHERE i.job_id = job.id AND i.job_id <> '' AND i.status = 'pending')").
		Where("NOT EXISTS (SELECT 1 FROM follow_items AS f WHERE f.job_id = job.id AND f.job_id <> '' AND f.status = 'submitted')").
		Order("id").
		Scan(ctx)
	return jobs, wrap("abandoned claims of batch "+batchID, err)
}

// Insert stores a new job and its first event, or returns ErrExists if the account has a running
// job of the work. An empty id, and a zero sequence, attempt and times are filled in.
func (w JobsTx) Insert(ctx context.Context, j *Job) error {
	if !lifecycle.CanMove(lifecycle.State{}, j.State) {
		return fmt.Errorf("store: insert job: it cannot begin as %s/%s", j.State.Status, j.State.Stage)
	}
	if err := sqldb.NewID(&j.ID); err != nil {
		return err
	}
	j.Sequence, j.Attempt, j.Turn = 1, max(j.Attempt, 1), j.Limits.Turn
	sqldb.Stamp(&j.CreatedAt, &j.UpdatedAt)
	if err := insertNew(ctx, w.db, "job", j); err != nil {
		return err
	}
	return w.record(ctx, []Job{*j})
}

// BringForward moves the waiting steps of the work of a job that joins running work, if
// the account's turn comes before the steps.
func (w JobsTx) BringForward(ctx context.Context, j *Job) error {
	return w.tx.Queue.BringForward(ctx, j.WorkID, j.Waits())
}

// Waits is the job as an entry that waits for a step.
func (j *Job) Waits() queue.Waiting {
	return queue.Waiting{Turns: []string{cmp.Or(j.Turn, j.Account)}, Asked: j.Asked}
}

// JobEvent is one transition of a job. The job's row has the other members of a terminal event.
type JobEvent struct {
	Sequence       int
	State          lifecycle.State `bun:"embed:"`
	Attempt        int
	MetadataStatus transcript.MetadataStatus
	LastError      *transcript.LastError
	At             time.Time
}

// Events returns the transitions of a job after the given sequence, in order. The caller
// has checked the account of the job.
func (r Jobs) Events(ctx context.Context, jobID string, after int) ([]JobEvent, error) {
	var events []JobEvent
	err := r.db.NewSelect().Model(&events).
		Where("job_id = ? AND sequence > ?", jobID, after).
		Order("sequence").
		Scan(ctx)
	return events, wrap("events of job "+jobID, err)
}

// eventRow is a JobEvent with its job.
type eventRow struct {
	JobID    string
	JobEvent `bun:",extend"`
}

// record writes the event of each job's current state, and wakes the watchers of the jobs.
func (w JobsTx) record(ctx context.Context, jobs []Job) error {
	if len(jobs) == 0 {
		return nil
	}
	events := make([]eventRow, len(jobs))
	for i, j := range jobs {
		events[i] = eventRow{j.ID, JobEvent{j.Sequence, j.State, j.Attempt, j.MetadataStatus, j.LastError, j.UpdatedAt}}
		w.tx.touch(j.ID)
	}
	_, err := w.db.NewInsert().Model(&events).ModelTableExpr("job_events").Exec(ctx)
	return wrap("record events", err)
}
