package view

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/internal/recordings"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// ErrNothingMore is returned by Watch for a job that has ended and whose end
// the watcher has already seen.
var ErrNothingMore = errors.New("view: the job has ended and its end was seen")

// Event is an event with, on success, the rendered segments of its job.
type Event struct {
	transcript.Event
	SegmentsJSON *packed.Bytes
}

// Jobs reads jobs and their results. It is safe for concurrent use.
type Jobs struct{ Store *db.Store }

// Job returns a job with its result as v requests it; nil means as the POST requested.
// The error is NOT_FOUND if the id is unknown, or if the job belongs to another account.
func (j *Jobs) Job(ctx context.Context, account, id string, v *View) (*Job, error) {
	row, err := j.Store.Jobs.Owned(ctx, account, id)
	if err != nil {
		return nil, JobError("reading a job", err)
	}
	return j.Show(ctx, row, v)
}

// Show adds the result to a job that has one. Such a job has ended and no longer changes,
// so the result matches the job that was read before.
func (j *Jobs) Show(ctx context.Context, row *db.Job, v *View) (*Job, error) {
	asked := View{Format: row.Format, OmitTimestamp: row.OmitTimestamp, SendMetadata: row.SendMetadata}
	job := &Job{Job: JobOf(row), Asked: asked}
	if row.TranscriptID == "" {
		return job, nil
	}
	t, err := j.Store.Transcripts.ByID(ctx, row.TranscriptID)
	if errors.Is(err, db.ErrNotFound) {
		return job, nil // its owner has deleted the text since
	}
	if err != nil {
		return nil, JobError("reading a job's transcript", err)
	}
	if v == nil {
		v = &asked
	}
	r, err := ResultOf(t, *v, row.Cached)
	if err != nil {
		return nil, err
	}
	r.Stale = row.Stale
	if r.Transcript != nil {
		if r.Transcript.Media, err = recordings.Of(ctx, j.Store.Reader, row.Account, t.Platform, t.ExternalID); err != nil {
			return nil, err
		}
	}
	job.Result, job.SegmentsJSON = &r.Result, r.SegmentsJSON
	job.TextID, job.TextChanged = r.TextID, r.TextChanged
	job.MetadataStatus = r.MetadataStatus
	return job, nil
}

// Transcript returns a transcript of the account as v requests it. The error is NOT_FOUND
// if the id is unknown, or if it is an upload of another account.
func (j *Jobs) Transcript(ctx context.Context, account, id string, v View) (*Result, error) {
	t, err := j.text(ctx, account, id, j.Store.Transcripts.ByID)
	if err != nil {
		return nil, err
	}
	if t.Media, err = recordings.Of(ctx, j.Store.Reader, account, t.Platform, t.ExternalID); err != nil {
		return nil, err
	}
	return ResultOf(t, v, true)
}

// Timed is Transcript with the words in the segments, where the text has words.
func (j *Jobs) Timed(ctx context.Context, account, id string) (*Result, error) {
	t, err := j.text(ctx, account, id, j.Store.Transcripts.Timed)
	if err != nil {
		return nil, err
	}
	if t.SegmentsJSON, err = TimedSegments(t); err != nil {
		return nil, err
	}
	return ResultOf(t, View{}, true)
}

// text reads a transcript of the account.
func (j *Jobs) text(ctx context.Context, account, id string, read func(context.Context, string) (*db.Transcript, error)) (*db.Transcript, error) {
	t, err := read(ctx, id)
	if err == nil && t.Owner != "" && t.Owner != account {
		err = db.ErrNotFound
	}
	if err != nil {
		return nil, JobError("reading a transcript", err)
	}
	return t, nil
}

// Wait returns the job as soon as it has ended. If the wait ends first, it returns the
// current state of the job.
func (j *Jobs) Wait(waiting context.Context, account, id string, v *View) (*Job, error) {
	ctx := context.WithoutCancel(waiting) // the answer is read even if the caller has disconnected
	wake, stop := j.Store.Watch(id)
	defer stop()
	for {
		row, err := j.Store.Jobs.Owned(ctx, account, id)
		if err != nil {
			return nil, JobError("waiting for a job", err)
		}
		if row.State.Status.Terminal() || waiting.Err() != nil || !attempt.Rest(waiting, wake) {
			return j.Show(ctx, row, v)
		}
	}
}

// Watch follows a job, in order and without a gap: first the transitions after the sequence that
// the watcher has seen, and then new ones, until the terminal event. With an unusable sequence
// (0, negative, or larger than the last) it begins with a snapshot. Progress between two
// transitions is merged: a slow watcher sees the latest progress, and every transition. While
// speech is recognized, the text of finished chunks comes in order: on each watch from its
// beginning. The sequence ends with an error only when ctx ends or the store fails. The error is
// NOT_FOUND as for Job, and ErrNothingMore if the watcher has seen the end.
func (j *Jobs) Watch(ctx context.Context, account, id string, after int) (iter.Seq2[Event, error], error) {
	row, err := j.Store.Jobs.Owned(ctx, account, id)
	if err != nil {
		return nil, JobError("watching a job", err)
	}
	if row.State.Status.Terminal() && after == row.Sequence {
		return nil, ErrNothingMore
	}
	return func(yield func(Event, error) bool) {
		w := watcher{jobs: j, account: account, id: id, seen: after, text: earlySegments{jobs: j}, yield: yield}
		w.follow(ctx)
	}, nil
}

// watcher is one run of a Watch.
type watcher struct {
	jobs        *Jobs
	account, id string
	seen        int       // the last transition that was yielded
	progressAt  time.Time // when the job was last touched, as far as yielded
	text        earlySegments
	yield       func(Event, error) bool
}

func (w *watcher) follow(ctx context.Context) {
	wake, stop := w.jobs.Store.Watch(w.id)
	defer stop()
	for first := true; ; first = false {
		row, err := w.jobs.Store.Jobs.Owned(ctx, w.account, w.id)
		if err != nil {
			w.yield(Event{}, JobError("watching a job", err))
			return
		}
		if first && (w.seen <= 0 || w.seen > row.Sequence) && !w.snapshot(row) {
			return
		}
		if !w.transitions(ctx, row) || !w.segments(ctx, row) || !w.progress(row) {
			return
		}
		if !attempt.Rest(ctx, wake) {
			w.yield(Event{}, context.Cause(ctx))
			return
		}
	}
}

// snapshot begins a stream that cannot be resumed. If the job has ended, its terminal
// event follows the snapshot.
func (w *watcher) snapshot(row *db.Job) bool {
	w.seen, w.progressAt = row.Sequence, row.UpdatedAt
	if row.State.Status.Terminal() {
		w.seen--
	}
	return w.yield(Event{Event: transcript.Event{Type: transcript.EventSnapshot, Job: JobOf(row)}}, nil)
}

// transitions yields the transitions after the last one seen. It returns false when the
// watch is over.
func (w *watcher) transitions(ctx context.Context, row *db.Job) bool {
	if row.Sequence <= w.seen {
		return true
	}
	events, err := w.jobs.Store.Jobs.Events(ctx, w.id, w.seen)
	if err != nil {
		w.yield(Event{}, JobError("watching a job", err))
		return false
	}
	for _, ev := range events {
		w.seen = ev.Sequence
		if ev.State.Status.Terminal() {
			w.end(ctx, ev)
			return false
		}
		job := transcript.Job{
			JobID:          w.id,
			Status:         ev.State.Status,
			Stage:          ev.State.Stage,
			Sequence:       ev.Sequence,
			Attempt:        ev.Attempt,
			MetadataStatus: ev.MetadataStatus,
			LastError:      ev.LastError,
			UpdatedAt:      transcript.At(ev.At),
		}
		w.progressAt = ev.At
		if !w.yield(Event{Event: transcript.Event{Type: transcript.EventProgress, ID: ev.Sequence, Job: job}}, nil) {
			return false
		}
	}
	return true
}

// end yields the terminal event, which carries the whole job.
func (w *watcher) end(ctx context.Context, ev db.JobEvent) {
	job, err := w.jobs.Job(ctx, w.account, w.id, nil)
	if err != nil {
		w.yield(Event{}, err)
		return
	}
	w.yield(Event{
		Event:        transcript.Event{Type: eventType(ev.State.Status), ID: ev.Sequence, Job: job.Job},
		SegmentsJSON: job.SegmentsJSON,
	}, nil)
}

// eventType names the event of a move to a status.
func eventType(to transcript.JobStatus) transcript.EventType {
	switch to {
	case transcript.JobSuccess:
		return transcript.EventCompleted
	case transcript.JobFailed:
		return transcript.EventFailed
	case transcript.JobCancelled:
		return transcript.EventCancelled
	}
	return transcript.EventProgress
}

// segments yields the text of the chunks that are finished by now.
func (w *watcher) segments(ctx context.Context, row *db.Job) bool {
	for recognizing(row.State) {
		data, err := w.text.next(ctx, row)
		if err != nil {
			w.yield(Event{}, JobError("watching a job", err))
			return false
		}
		if data == nil {
			break
		}
		job := transcript.Job{JobID: w.id}
		if !w.yield(Event{Event: transcript.Event{Type: transcript.EventSegments, Job: job, Segments: data}}, nil) {
			return false
		}
	}
	return true
}

// progress yields the progress of recognition, and why the job waits, if these have changed.
func (w *watcher) progress(row *db.Job) bool {
	if row.Sequence != w.seen || row.Progress == nil && row.LastError == nil || !row.UpdatedAt.After(w.progressAt) {
		return true
	}
	w.progressAt = row.UpdatedAt
	job := JobOf(row)
	job.CreatedAt = transcript.Time{}
	return w.yield(Event{Event: transcript.Event{Type: transcript.EventProgress, Job: job}}, nil)
}

// JobError converts the error of a call that names a job.
func JobError(doing string, err error) error {
	if errors.Is(err, db.ErrNotFound) {
		return transcript.Errorf(transcript.NotFound, "There is no such job.")
	}
	return fmt.Errorf("view: %s: %w", doing, err)
}
