// Package pipeline does the work: from an accepted request to a published
// transcript. It knows no HTTP.
//
//	p, err := pipeline.New(pipeline.Config{Store: s, Engine: e})
//	err = p.Start(ctx)
//	upload, err := p.Receive(ctx, file, limit)              // streamed, hashed
//	outcome, err := p.Submit(ctx, pipeline.Submission{…})   // a transcript, or a job
//	job, err := p.Wait(ctx, account, outcome.Job.JobID, pipeline.View{}, 2*time.Second)
//	err = p.Stop(ctx)
//
// The work on one content is an extraction; an account's job is a claim on it.
// An extraction moves in short steps, each a job of the queue: prepare (probe,
// decode, cut), one step for each chunk of speech, publish. Every step first
// looks what is already done, so it may run again after a crash.
package pipeline

import (
	"context"
	"errors"
	"io"
	"iter"
	"log/slog"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// ErrNothingMore is returned by Watch for a job that has ended and whose end
// the watcher has already seen.
var ErrNothingMore = errors.New("pipeline: the job has ended and its end was seen")

// Config says what a pipeline works with.
type Config struct {
	Store  *store.Store // required
	Engine engine.Engine
	// Dir is for scratch files. Required; the caller removes it after Stop.
	Dir string
	// Log receives what operators should know; nil: nothing is logged.
	Log *slog.Logger
	// ASRWorkers is how many chunks this process recognises at once; 0: one per
	// processor.
	ASRWorkers int
	// MaxMediaDuration is the longest media that is decoded; 0: 12 h.
	MaxMediaDuration time.Duration
	// ProgressInterval is the shortest time between two progress reports of a
	// job; 0: one second (contract 6).
	ProgressInterval time.Duration
	// StopTimeout is how long Stop lets a running step go on before it takes the
	// work back; 0: not at all.
	StopTimeout time.Duration
}

// Pipeline accepts requests and works on them. Safe for concurrent use.
type Pipeline struct{}

// New checks the configuration and prepares a pipeline. Until Start it accepts
// requests but does no work.
func New(c Config) (*Pipeline, error) { panic("unwritten") }

// Start takes up the work, also what a process that died has left behind.
// Before it, on SQLite, the caller must hold store.Serve.
func (p *Pipeline) Start(ctx context.Context) error { panic("unwritten") }

// Stop ends the work: running steps are given back, to be run again, without
// counting an attempt. It returns when all of them have ended, or ctx's error.
func (p *Pipeline) Stop(ctx context.Context) error { panic("unwritten") }

// Check returns what the engine lacks for its work, by capability ("asr",
// "media"); empty when all is well. For /readyz.
func (p *Pipeline) Check(ctx context.Context) map[string]error { panic("unwritten") }

// Upload is a received file. Whoever does not hand it to Submit discards it.
type Upload struct {
	Key    string // the blob
	SHA256 [32]byte
	Size   int64  // bytes
	Name   string // the file name that the caller gave, may be empty
}

// Receive streams a file into the blobs and hashes it on the way. More than
// limit bytes are MEDIA_TOO_LARGE with details.limitBytes, nothing is
// UPLOAD_INVALID; an error of r is returned as it is. Nothing stays behind
// after an error.
func (p *Pipeline) Receive(ctx context.Context, r io.Reader, limit int64) (*Upload, error) {
	panic("unwritten")
}

// Discard removes a received file that will not be submitted.
func (p *Pipeline) Discard(ctx context.Context, u *Upload) { panic("unwritten") }

// Submission is a valid request of an account.
type Submission struct {
	Account string
	Upload  *Upload
	// Languages is the caller's list; nil when none was sent.
	Languages transcript.LanguageList
	View      View
	// Remember, when set, is called in the transaction that writes what the answer
	// speaks of: the idempotency key is finished there (contract 7).
	Remember func(ctx context.Context, tx *store.Tx, a store.Answer) error
}

// View is how a caller wants to see a result.
type View struct {
	Format        transcript.Format // JSON when empty
	OmitTimestamp bool
	SendMetadata  bool
}

// Outcome is what became of a submission: exactly one member is set.
type Outcome struct {
	Result *Result // from the cache
	Job    *Job
}

// Result is a result with its segments rendered: Transcript.Segments is empty,
// SegmentsJSON holds them. See format.AppendResult.
type Result struct {
	transcript.Result
	SegmentsJSON  []byte
	TranscriptRef string
}

// Job is a job as its owner sees it. On success with a result, SegmentsJSON
// holds the segments. See format.AppendJob.
type Job struct {
	transcript.Job
	SegmentsJSON []byte
}

// Submit answers from the cache, joins running work, or starts new work. It
// takes the upload over: on return the file is either in use or gone. Errors
// carry codes of contract 2: NOT_IMPLEMENTED without a recognizer.
func (p *Pipeline) Submit(ctx context.Context, s Submission) (*Outcome, error) { panic("unwritten") }

// Job returns a job with its result as v wants it; nil: as the POST asked.
// NOT_FOUND for an unknown id and for another account's job.
func (p *Pipeline) Job(ctx context.Context, account, id string, v *View) (*Job, error) {
	panic("unwritten")
}

// Wait returns the job as soon as it has ended, or as it stands after at most d.
// When ctx ends first it returns the job as it stands, too.
func (p *Pipeline) Wait(ctx context.Context, account, id string, v *View, d time.Duration) (*Job, error) {
	panic("unwritten")
}

// Cancel ends the account's claim; the work stops when no other claim is left.
// STATE_CONFLICT with details.status when the job has ended.
func (p *Pipeline) Cancel(ctx context.Context, account, id string) (*Job, error) { panic("unwritten") }

// Event is an event with, on success, the rendered segments of its job.
type Event struct {
	transcript.Event
	SegmentsJSON []byte
}

// Watch follows a job from the transition after the sequence a watcher has seen,
// in order and without a gap, then live, until the terminal event. With an
// unusable sequence (0, negative, or larger than the last) it begins with a
// snapshot. Progress between two transitions is merged: a slow watcher sees the
// latest, and no transition less. The sequence ends with an error only when ctx
// ends or the store fails. NOT_FOUND as for Job; ErrNothingMore when the end was
// seen.
func (p *Pipeline) Watch(ctx context.Context, account, id string, after int) (iter.Seq2[Event, error], error) {
	panic("unwritten")
}
