package db

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/lifecycle"
	"github.com/transcriptkit/transcriptkit/server/internal/sqldb"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/uptrace/bun"
)

// running is the condition of the rows that have not ended.
const running = "status IN ('pending', 'processing')"

// withAudio is the condition of the rows whose audio may be among the blobs: see LeaveAudio.
const withAudio = "(" + running + " OR audio_ended_at IS NOT NULL)"

// Work is the making of one transcript, for all accounts that have asked for it.
type Work struct {
	bun.BaseModel `bun:"table:extractions,alias:extraction"`

	ID         string `bun:",pk"` // UUIDv7; made when empty
	Owner      string // the account for an upload, "" for what all may share
	Platform   transcript.Platform
	ExternalID string
	Languages  string          // the canonical language list; "" when none was sent
	State      lifecycle.State `bun:"embed:"`
	Attempt    int             // from 1
	SourceURL  string          // the canonical link; "" of an upload
	Metadata   transcript.Metadata
	Tried      []Tried // the caption sources that were passed over, in order
	MediaKey   string  // the blob of an upload; "" when there is none
	// MediaType and MediaBytes describe an upload whose account wants to keep it for KeepMedia
	// seconds after the work has succeeded; 0 means that it does not.
	MediaType  string
	MediaBytes int64
	KeepMedia  int64
	Prompt     string // of the account when its upload was accepted; "" for none
	Listening  transcript.Listening
	Duration   float64 // seconds, measured; 0 if not known yet
	// WaitingSince is the time since which the work waits for a passing fault, by the
	// database's clock: a platform that blocks, a full disk, a database that is away. nil
	// means that the work does not wait.
	WaitingSince *time.Time
	LastError    *transcript.LastError // why the work is tried again or waits
	// MovedAt is the time of the last change of state; nil if not known.
	MovedAt   *time.Time
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Tried is a caption source that was asked and did not answer.
type Tried struct {
	Source transcript.Origin `json:"source"`
	Code   transcript.Code   `json:"code"` // why it was passed over
	Reason string            `json:"reason"`
}

// Works reads work.
type Works struct{ *source }

// WorksTx reads and changes pieces of work.
type WorksTx struct {
	Works
	tx *Tx
}

// LockRunning returns the work of this content, list, prompt and way of listening that has not ended,
// locked as by Lock, or ErrNotFound. It waits for a transaction that moves the work. It
// does not find a piece of work that this transaction ends.
func (w WorksTx) LockRunning(ctx context.Context, owner string, p transcript.Platform, externalID, languages, prompt string, l transcript.Listening) (*Work, error) {
	q := w.db.NewSelect().
		Where("owner = ? AND platform = ? AND external_id = ? AND languages = ? AND prompt = ? AND listening = ?",
			owner, p, externalID, languages, prompt, listeningText(l)).
		Where(running)
	return scanOne[Work](ctx, w.tx.sql.ForUpdate(q), "running extraction of "+externalID)
}

// listeningText is a way of listening as the column has it.
func listeningText(l transcript.Listening) string {
	b, _ := json.Marshal(l) // strings, a number and a boolean: it cannot fail
	return string(b)
}

// ByID returns a piece of work by id, or ErrNotFound.
func (r Works) ByID(ctx context.Context, id string) (*Work, error) {
	return scanOne[Work](ctx, r.db.NewSelect().Where("id = ?", id), "extraction "+id)
}

// Lock is ByID. No other transaction can move or lock the work until this transaction
// ends.
func (w WorksTx) Lock(ctx context.Context, id string) (*Work, error) {
	q := w.tx.sql.ForUpdate(w.db.NewSelect().Where("id = ?", id))
	return scanOne[Work](ctx, q, "extraction "+id)
}

// Insert stores new work, or returns ErrExists if a piece of work of the same content,
// list, prompt and way of listening runs. Insert fills in the id, the attempt and the times that are zero.
func (w WorksTx) Insert(ctx context.Context, e *Work) error {
	if !lifecycle.CanMove(lifecycle.State{}, e.State) {
		return fmt.Errorf("store: insert extraction: it cannot begin as %s/%s", e.State.Status, e.State.Stage)
	}
	if err := sqldb.NewID(&e.ID); err != nil {
		return err
	}
	e.Attempt = max(e.Attempt, 1)
	e.Metadata = Clean(e.Metadata)
	if e.Tried == nil {
		e.Tried = []Tried{}
	}
	sqldb.Stamp(&e.CreatedAt, &e.UpdatedAt)
	e.MovedAt = new(e.UpdatedAt)
	return insertNew(ctx, w.db, "extraction of "+e.ExternalID, e)
}

// SetKeepMedia notes that the account wants the upload kept. This
// transaction must have read the work with Lock or LockRunning.
func (w WorksTx) SetKeepMedia(ctx context.Context, e *Work) error {
	res, err := w.db.NewUpdate().Model(e).Column("media_type", "media_bytes", "keep_media").WherePK().Exec(ctx)
	return mustAffect("recording of extraction "+e.ID, res, err)
}

// SetDuration notes the measured length of the media in seconds.
func (w WorksTx) SetDuration(ctx context.Context, workID string, sec float64) error {
	res, err := w.db.NewUpdate().Model((*Work)(nil)).
		Set("duration = ?, updated_at = ?", sec, sqldb.Moment(time.Now())).
		Where("id = ?", workID).
		Exec(ctx)
	return mustAffect("duration of extraction "+workID, res, err)
}

// SetMetadata notes the platform's metadata of the content, and notes for the running jobs
// how complete the metadata is.
func (w WorksTx) SetMetadata(ctx context.Context, workID string, m transcript.Metadata) error {
	now := sqldb.Moment(time.Now())
	res, err := w.db.NewUpdate().Model(&Work{ID: workID, Metadata: Clean(m), UpdatedAt: now}).
		Column("metadata", "updated_at").
		WherePK().
		Exec(ctx)
	if err := mustAffect("metadata of extraction "+workID, res, err); err != nil {
		return err
	}
	_, err = w.db.NewUpdate().Model((*Job)(nil)).
		Set("metadata_status = ?, updated_at = ?", m.Status(), now).
		Where("extraction_id = ?", workID).
		Where(running).
		Exec(ctx)
	return wrap("metadata status of extraction "+workID, err)
}

// SetTried notes the caption sources that did not answer.
func (w WorksTx) SetTried(ctx context.Context, workID string, tried []Tried) error {
	for i := range tried {
		tried[i].Reason = sqldb.Text(tried[i].Reason)
	}
	res, err := w.db.NewUpdate().Model(&Work{ID: workID, Tried: tried, UpdatedAt: sqldb.Moment(time.Now())}).
		Column("tried", "updated_at").
		WherePK().
		Exec(ctx)
	return mustAffect("sources tried for extraction "+workID, res, err)
}

// Divide gives a locked work to the account of one of its jobs alone. For the other jobs
// it inserts rest, a piece of work in the same state; nil means that there is no other
// job.
func (w WorksTx) Divide(ctx context.Context, e *Work, jobs []Job, keep Job) (rest *Work, err error) {
	others := *e
	e.Owner, others.ID = keep.Account, ""
	_, err = w.db.NewUpdate().Model(e).Column("owner").WherePK().Exec(ctx)
	if err != nil || len(jobs) < 2 {
		return nil, wrap("own extraction "+e.ID, err)
	}
	if err = w.Insert(ctx, &others); err == nil {
		_, err = w.db.NewUpdate().Model((*Job)(nil)).Set("extraction_id = ?", others.ID).Where("extraction_id = ? AND id <> ?", e.ID, keep.ID).Where(running).Exec(ctx)
	}
	return &others, wrap("divide extraction "+e.ID, err)
}

// Clear removes the chunks, speakers and sound of work that has ended. Most have neither.
func (w WorksTx) Clear(ctx context.Context, workID string) error {
	var any bool
	err := w.db.NewRaw(`SELECT EXISTS (SELECT 1 FROM chunks WHERE extraction_id = ?0) OR EXISTS (SELECT 1 FROM speakers WHERE extraction_id = ?0)
		OR EXISTS (SELECT 1 FROM sounds WHERE extraction_id = ?0)`,
		workID).Scan(ctx, &any)
	if err != nil || !any {
		return wrap("chunks and speakers of extraction "+workID, err)
	}
	_, err = w.db.NewDelete().Model((*Speaker)(nil)).Where("extraction_id = ?", workID).Exec(ctx)
	return errors.Join(w.tx.Chunks.Delete(ctx, workID), w.tx.Sounds.Delete(ctx, workID), wrap("delete speakers of extraction "+workID, err))
}

// SetWaiting records why a piece of work waits for a passing fault, also for its running jobs,
// and wakes their watchers. With nil, the work no longer waits. This transaction must have
// read the work with Lock. SetWaiting updates e.
func (w WorksTx) SetWaiting(ctx context.Context, e *Work, why *transcript.LastError) error {
	next := *e
	switch {
	case why == nil && e.WaitingSince == nil:
		return nil
	case why == nil:
		next.WaitingSince = nil
	default:
		next.WaitingSince, next.LastError = cmp.Or(e.WaitingSince, new(sqldb.Moment(why.At.Time))), why
	}
	res, err := w.db.NewUpdate().Model(&next).Column("waiting_since", "last_error").WherePK().Exec(ctx)
	if err := mustAffect("waiting of extraction "+e.ID, res, err); err != nil {
		return err
	}
	if *e = next; why == nil {
		return nil
	}
	var jobs []string
	err = w.db.NewUpdate().Model(&Job{LastError: why, UpdatedAt: sqldb.Moment(time.Now())}).Column("last_error", "updated_at").
		Where("extraction_id = ?", e.ID).Where(running).Returning("id").Scan(ctx, &jobs)
	w.tx.touch(jobs...)
	return wrap("waiting of extraction "+e.ID, err)
}

// The audio of work stays among the blobs for some time after the work has ended: a
// database that loses the commit of the end goes on with the work, and an upload cannot be fetched
// again.

// LeaveAudio notes in the transaction that ends a piece of work that its audio is left. If the work
// has ended before, the time of the end is now.
func (w WorksTx) LeaveAudio(ctx context.Context, id string) error {
	_, err := w.db.NewRaw(`UPDATE extractions SET audio_ended_at = ? WHERE id = ?`, w.tx.sql.Ago(0), id).Exec(ctx)
	return wrap("leave audio of extraction "+id, err)
}

// WithAudio returns pieces of work that ended at least age ago and whose audio is left, the first to
// end first, at most 200.
func (s *Store) WithAudio(ctx context.Context, age time.Duration) (ended []Work, err error) {
	err = s.db.NewSelect().Model(&ended).Where("audio_ended_at <= (SELECT ?)", s.sql.Ago(age)).Order("audio_ended_at").Limit(portion).Scan(ctx)
	return ended, wrap("ended extractions with audio", err)
}

// AudioGoes notes that the audio of work that has ended goes now. The caller deletes the
// audio afterwards: a step may note meanwhile that it has left more.
func (s *Store) AudioGoes(ctx context.Context, id string) error {
	_, err := s.sql.Do(ctx, `UPDATE extractions SET audio_ended_at = NULL WHERE id = ?`, id)
	return wrap("audio of extraction "+id, err)
}
