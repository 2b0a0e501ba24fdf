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

// Job is an account's job of work.
type Job struct {
	ID      string `bun:",pk"` // UUIDv7, the jobId of the API; made when empty
	Account string
	WorkID  string `bun:"extraction_id"`

	State          lifecycle.State `bun:"embed:"`
	Sequence       int             // of the last transition, from 1
	Attempt        int
	Progress       *transcript.Progress
	MetadataStatus transcript.MetadataStatus
	LastError      *transcript.LastError // as of the work
	Error          *transcript.Error     // when State is failed
	TranscriptID   string                // when State is success
	Cached, Stale  bool                  // what the result says of itself

	// The following members are from the POST.
	Format        transcript.Format
	OmitTimestamp bool
	SendMetadata  bool
	// Limits are those under which the request was accepted.
	Limits Limits
	// Turn is Limits.Turn, for the queue.
	Turn string
	// Reserved is what is set aside for it of its account's allowance: see AllowancesTx.Reserve.
	Reserved Allowance `bun:"embed:reserved_"`
	// Trace is by what a tracer knows the request; empty means that it is not traced.
	Trace string
	// Asked says that a request of its own has asked for the job, and Batched that
	// items of batches wait for it. A job that only batches wait for goes after the
	// others.
	Asked, Batched bool

	CreatedAt time.Time
	UpdatedAt time.Time // also moved by progress
	EndedAt   *time.Time
}

// Limits are the limits of the plan of a job's account when the job was made. They
// are stored as one JSON object, so that a new member needs no column. A change that
// adds a member also fills it in for running jobs. The zero value permits nothing; a
// number of -1 is no limit.
type Limits struct {
	// ASR permits speech recognition.
	ASR bool `json:"asr,omitempty"`
	// Speakers permits telling who speaks.
	Speakers bool `json:"speakers,omitempty"`
	// MaxDuration is the longest media that is recognized, in seconds.
	MaxDuration int64 `json:"maxDuration"`
	// MaxBytes is the largest file behind a direct link; below 0: no bound. 0 means no such
	// links.
	MaxBytes int64 `json:"maxBytes,omitempty"`
	// Period is when the period began from whose allowance the job is paid:
	// Transcripts and ASRMinutes.
	Period      time.Time `json:"period"`
	Transcripts int64     `json:"transcripts"`
	ASRMinutes  int64     `json:"asrMinutes"`
	// ASRConcurrency is how many recordings of the account are recognized at once,
	// ASRWaiting how many more wait.
	ASRConcurrency int `json:"asrConcurrency"`
	ASRWaiting     int `json:"asrWaiting"`
	// RecognizeBlockedAfter is for how many seconds the captions of a link may be blocked before
	// its sound is recognized. 0: as the service's configuration says; negative: the job waits.
	RecognizeBlockedAfter int64 `json:"recognizeBlockedAfter,omitempty"`
	// Turn names the turn that the account shares with others in each queue; empty means
	// that it has one of its own.
	Turn string `json:"turn,omitempty"`
	// ActionLabel and ActionURL say where there is more.
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

// Owned returns the account's job, or ErrNotFound, also for another's job.
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

// SetAsked notes that a request names the content of a job by itself, with the limits of that request.
func (w JobsTx) SetAsked(ctx context.Context, j *Job) error {
	j.Asked = true
	res, err := w.db.NewUpdate().Model(j).Column("asked", "limits").WherePK().Exec(ctx)
	if err := mustAffect("job "+j.ID, res, err); err != nil {
		return err
	}
	return w.BringForward(ctx, j)
}

// Traces returns the traces of the running jobs of the work, oldest first, at most
// n.
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

// Abandoned returns the running jobs of skipped items of a batch that no request,
// no other item and no follow waits for.
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

// Insert stores a new job and its first event, or returns ErrExists
// where the account has a running job of the work. Id, sequence, attempt
// and times that are zero are filled in.
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

// Waits is the job as one that waits for a step.
func (j *Job) Waits() queue.Waiting {
	return queue.Waiting{Turns: []string{cmp.Or(j.Turn, j.Account)}, Asked: j.Asked}
}

// JobEvent is one transition of a job. The job's row has the further members of a
// terminal event.
type JobEvent struct {
	Sequence       int
	State          lifecycle.State `bun:"embed:"`
	Attempt        int
	MetadataStatus transcript.MetadataStatus
	LastError      *transcript.LastError
	At             time.Time
}

// Events returns the transitions of a job after the given sequence, in order. The
// caller has checked the account of the job.
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

// record writes the event that each job's present state is, and touches the jobs.
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
