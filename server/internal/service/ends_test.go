package service_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/lifecycle"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// TestEveryEnd leads jobs to each end that there is, and finds that the one
// function which settles ends has ended them, and what belongs to an end.
func TestEveryEnd(t *testing.T) {
	t.Parallel()
	for name, lead := range map[string]func(t *testing.T, w *ends){
		"captions":                 endWithCaptions,
		"a text made meanwhile":    endWithANewerText,
		"a stale text, captions":   endWithAStaleText,
		"a stale text, download":   endWithAStaleTextForADownload,
		"recognition":              endWithRecognition,
		"silence":                  endWithSilence,
		"captions fail":            endOfCaptions(1, transcript.Unavailable),
		"captions, 4th attempt":    endOfCaptions(4, transcript.UpstreamFailed),
		"blocked for too long":     endByBlock,
		"no recognizer":            endWithoutARecognizer,
		"download fails":           endOfDownload(1, transcript.Unavailable),
		"download, 4th attempt":    endOfDownload(4, transcript.UpstreamFailed),
		"no sound":                 endOfNoSound,
		"recognition fails":        endOfRecognition(transcript.ConfigError),
		"recognition, 4 attempts":  endOfRecognition(transcript.Internal),
		"recognition, turned away": endOfRecognition(transcript.RateLimited),
		"publishing fails":         endOfPublishing,
		"lost too often":           endOfLostWork,
		"plan without ASR":         endByPlan,
		"plan, beside another":     endByPlanAlone,
		"plan, when it returns":    endByPlanLater,
		"cancel, queued":           endByCancel,
		"cancel, running":          endByCancelOfRunning,
		"cancel, half-way":         endByCancelHalfWay,
		"cancel, one of several":   endByCancelOfOne,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dbtest.Each(t, func(t *testing.T, s *db.Store) {
				w := &ends{store: s, settled: map[string]transcript.JobStatus{}, platforms: newPlatforms(t, manual("en")), script: &script{}}
				lead(t, w)
				require.NotZero(t, w.ended, "the test has ended nothing")
			})
		})
	}
}

// ends is a store on which jobs come to their ends.
type ends struct {
	*platforms
	*script
	store *db.Store
	heard map[string]int64 // minutes that were recognized of a canceled job
	reads map[string]int64 // texts of the captions route
	ended int              // jobs that were seen to have ended as they should

	jobs []*db.Job

	mu      sync.Mutex
	settled map[string]transcript.JobStatus // what settle has said, by job
}

func (w *ends) config(c *service.Config) {
	c.PauseBriefly()
	c.Engine.Captions, c.Engine.Audio = []engine.CaptionSource{w.platforms}, w.platforms
	c.OnEnd(func(jobs []db.Job) {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, job := range jobs {
			w.settled[job.ID] = job.State.Status
		}
	})
}

func (w *ends) start(t *testing.T, change ...func(*service.Config)) *bench {
	t.Helper()
	return start(t, w.store, w.script, append([]func(*service.Config){w.config}, change...)...)
}

func (w *ends) prepare(t *testing.T) *bench {
	t.Helper()
	return prepare(t, w.store, w.script, w.config)
}

// job submits and returns the job.
func (w *ends) job(t *testing.T, b *bench, s intake.Submission) *db.Job {
	t.Helper()
	out, err := b.Submit(t.Context(), s)
	require.NoError(t, err)
	require.NotNil(t, out.Job, "the cache has answered")
	job, err := w.store.Jobs.Owned(t.Context(), s.Account, out.Job.JobID)
	require.NoError(t, err)
	w.jobs = append(w.jobs, job)
	return job
}

// ends waits for a job's end, and for that of the work if over says so.
func (w *ends) ends(t *testing.T, b *bench, job *db.Job, want transcript.JobStatus, code transcript.Code, over bool) {
	t.Helper()
	shown, err := b.Jobs.Wait(t.Context(), job.Account, job.ID, nil)
	require.NoError(t, err)
	require.Equal(t, want, shown.Status, "%v", shown.Error)
	if code != "" {
		require.Equal(t, code, shown.Error.Code, "%v", shown.Error)
	}
	w.mu.Lock()
	assert.Equal(t, want, w.settled[job.ID], "the claim has ended by another way")
	w.mu.Unlock()

	e, err := w.store.Works.ByID(t.Context(), job.WorkID)
	require.NoError(t, err)
	require.Equal(t, over, e.State.Status.Terminal())
	chunks, err := w.store.Chunks.CutList(t.Context(), e.ID)
	require.NoError(t, err)
	if over {
		place, err := w.store.Places.ByWork(t.Context(), e.ID)
		require.NoError(t, err)
		assert.Zero(t, place)
		assert.Empty(t, chunks)
		b.nothingLeft(t)
	}
	w.showsWhatItMust(t, job, shown)
	w.paysWhatItMust(t, job.Account)
	w.ended++
}

// showsWhatItMust looks at what the end of a job leaves in the library of its account:
// a text, a failure, or nothing.
func (w *ends) showsWhatItMust(t *testing.T, job *db.Job, shown *view.Job) {
	t.Helper()
	rows, err := w.store.Library.All(t.Context(), job.Account)
	require.NoError(t, err)
	if shown.Status == transcript.JobCancelled {
		assert.Empty(t, rows)
		return
	}
	require.Len(t, rows, 1)
	row := rows[0]
	if shown.Status == transcript.JobSuccess {
		assert.Equal(t, library.KindTranscript, row.Kind)
		assert.Equal(t, shown.TranscriptRef, row.TranscriptID)
		assert.Equal(t, []string{shown.Result.Language, "", ""}, []string{row.Lang, row.Languages, row.JobID})
		return
	}
	assert.Equal(t, library.KindFailed, row.Kind)
	assert.Equal(t, job.ID, row.JobID)
	assert.Equal(t, shown.Error.Code, row.ErrorCode)
}

// paysWhatItMust looks at what the ends of an account's jobs mean for its allowance:
// what was made for one is paid, five seconds of recognized sound as a minute, and only
// what runs still holds something.
func (w *ends) paysWhatItMust(t *testing.T, account string) {
	t.Helper()
	var want db.Usage
	for _, c := range w.jobs {
		if c.Account != account {
			continue
		}
		job, err := w.store.Jobs.Owned(t.Context(), c.Account, c.ID)
		require.NoError(t, err)
		if !job.State.Status.Terminal() {
			want.Reserved.Transcripts++
			want.Reserved.Minutes += job.Reserved.Minutes
			continue
		}
		assert.Equal(t, db.Allowance{}, job.Reserved)
		want.Used.Minutes += w.heard[job.ID]
		if job.State.Status == transcript.JobSuccess && !job.Cached {
			text, err := w.store.Transcripts.ByID(t.Context(), job.TranscriptID)
			require.NoError(t, err)
			want.Used.Transcripts++
			if text.Source == transcript.OriginASR {
				want.Used.Minutes++
			}
		}
	}
	want.Used.Transcripts += w.reads[account]
	assert.Equal(t, want, usage(t, w.store, account), account)
}

// poor is a submission of an account whose plan does not permit recognition.
func poor(s intake.Submission) intake.Submission {
	s.Account, s.Plan.ASR = "poor", false
	return s
}

func endWithCaptions(t *testing.T, w *ends) {
	b := w.prepare(t)
	one := w.job(t, b, link("v1", "en"))
	two := w.job(t, b, poor(link("v1", "en")))
	b.startOne(t)
	w.ends(t, b, one, transcript.JobSuccess, "", true)
	w.ends(t, b, two, transcript.JobSuccess, "", true)
}

func endWithANewerText(t *testing.T, w *ends) {
	b := w.prepare(t)
	job := w.job(t, b, link("v1", "en"))
	report, err := b.Ask.Captions(t.Context(), question("en"))
	require.NoError(t, err)
	require.NotNil(t, report.Transcript)
	w.reads = map[string]int64{question("en").Account: 1}
	b.startOne(t)
	w.ends(t, b, job, transcript.JobSuccess, "", true)
	assert.Equal(t, 1, w.questions())
}

// expired makes a text of v1 and lets the plan of the next request find it too old.
func (w *ends) expired(t *testing.T, b *bench, languages string) intake.Submission {
	t.Helper()
	s := link("v1", languages)
	s.Account = "first"
	b.succeed(t, s)
	s = link("v1", languages)
	s.Plan.CacheTTL = time.Nanosecond
	return s
}

func endWithAStaleText(t *testing.T, w *ends) {
	b := w.start(t)
	s := w.expired(t, b, "en")
	w.set(func(p *platforms) { p.captions = func(context.Context, int) error { return blocksBriefly() } })
	w.ends(t, b, w.job(t, b, s), transcript.JobSuccess, "", true)
}

func endWithAStaleTextForADownload(t *testing.T, w *ends) {
	b := w.start(t)
	s := w.expired(t, b, "asr")
	w.set(func(p *platforms) { p.audio = func(context.Context) error { return blocksBriefly() } })
	w.ends(t, b, w.job(t, b, s), transcript.JobSuccess, "", true)
}

func endWithRecognition(t *testing.T, w *ends) {
	b := w.start(t)
	w.ends(t, b, w.job(t, b, link("v1", "asr")), transcript.JobSuccess, "", true)
}

func endWithSilence(t *testing.T, w *ends) {
	w.sound = silentRecording(t, 5)
	b := w.start(t)
	w.ends(t, b, w.job(t, b, link("v1", "asr")), transcript.JobSuccess, "", true)
	assert.Zero(t, w.calls())
}

func endOfCaptions(attempt int, code transcript.Code) func(t *testing.T, w *ends) {
	return func(t *testing.T, w *ends) {
		w.captions = refusing(code)
		e := &db.Work{Platform: transcript.VideoSite, ExternalID: "v1", Languages: "en", Attempt: attempt}
		job := w.leaves(t, e, left{kind: "captions", queue: "captions"}, noMore)
		w.ends(t, w.start(t), job, transcript.JobFailed, code, true)
	}
}

func endByBlock(t *testing.T, w *ends) {
	w.captions = refusing(transcript.IPBlocked)
	b := w.start(t, func(c *service.Config) { c.WaitNoLonger() })
	w.ends(t, b, w.job(t, b, link("v1", "en")), transcript.JobFailed, transcript.IPBlocked, true)
}

func endWithoutARecognizer(t *testing.T, w *ends) {
	w.tracks = nil
	b := w.start(t, func(c *service.Config) { c.Engine.Recognizer = nil })
	w.ends(t, b, w.job(t, b, link("v1", "en")), transcript.JobFailed, transcript.NotImplemented, true)
}

func endOfDownload(attempt int, code transcript.Code) func(t *testing.T, w *ends) {
	return func(t *testing.T, w *ends) {
		w.audio = func(context.Context) error { return transcript.Errorf(code, "No.") }
		e := &db.Work{Platform: transcript.VideoSite, ExternalID: "v1", Languages: "asr", Attempt: attempt}
		job := w.leaves(t, e, left{kind: "prepare", queue: "download"}, noMore)
		w.ends(t, w.start(t), job, transcript.JobFailed, code, true)
	}
}

func endOfNoSound(t *testing.T, w *ends) {
	w.probe = func() (engine.MediaInfo, error) { return engine.MediaInfo{Format: "mp4"}, nil }
	b := w.start(t)
	id := b.job(t, recording(t, 5, 1)).JobID
	job, err := w.store.Jobs.Owned(t.Context(), acme, id)
	require.NoError(t, err)
	w.jobs = append(w.jobs, job)
	w.ends(t, b, job, transcript.JobFailed, transcript.UploadInvalid, true)
}

func endOfRecognition(code transcript.Code) func(t *testing.T, w *ends) {
	return func(t *testing.T, w *ends) {
		w.recognize = func(context.Context, int, engine.Audio, engine.RecognizeOptions) (engine.Recognition, error) {
			return engine.Recognition{}, transcript.Errorf(code, "No.")
		}
		b := w.start(t)
		w.ends(t, b, w.job(t, b, link("v1", "asr")), transcript.JobFailed, code, true)
	}
}

// left is a step that a process has left in the queue.
type left struct {
	Work  string `json:"extraction"`
	kind  string
	queue string
}

func (l left) Kind() string  { return l.kind }
func (l left) Queue() string { return l.queue }

// leaves stores work and a job of it as a process has left it, with the step that
// is to be done next.
func (w *ends) leaves(t *testing.T, e *db.Work, step left, also func(ctx context.Context, tx *db.Tx) error) *db.Job {
	t.Helper()
	e.ID, e.State = uuid.NewString(), lifecycle.Of(transcript.StageQueued)
	job := &db.Job{Account: acme, WorkID: e.ID, State: e.State, Attempt: e.Attempt, Limits: db.Limits{ASR: true, Period: limits.PeriodOf(plan(), time.Now()).Start, MaxDuration: -1, Transcripts: -1, ASRMinutes: -1, ASRConcurrency: -1, ASRWaiting: -1}}
	require.NoError(t, w.store.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		if err := tx.Works.Insert(ctx, e); err != nil {
			return err
		}
		if err := tx.Jobs.Insert(ctx, job); err != nil {
			return err
		}
		if err := tx.Library.ShowJob(ctx, e, job); err != nil {
			return err
		}
		if _, err := tx.Allowances.Reserve(ctx, job, db.Allowance{Transcripts: 1}); err != nil {
			return err
		}
		if err := also(ctx, tx); err != nil {
			return err
		}
		step.Work = e.ID
		return tx.Queue.Enqueue(ctx, step)
	}))
	w.jobs = append(w.jobs, job)
	return job
}

func noMore(context.Context, *db.Tx) error { return nil }

// The result of a chunk cannot be read.
func endOfPublishing(t *testing.T, w *ends) {
	e := &db.Work{Owner: acme, Platform: transcript.Upload, ExternalID: "x", Attempt: 4}
	job := w.leaves(t, e, left{kind: "publish", queue: "publish"}, func(ctx context.Context, tx *db.Tx) error {
		for _, stage := range []transcript.Stage{transcript.StageDurationCheck, transcript.StageASRQueued} {
			if err := tx.Works.Move(ctx, e, db.Move{To: lifecycle.Of(stage)}); err != nil {
				return err
			}
		}
		return tx.Chunks.Insert(ctx, []db.Chunk{{WorkID: e.ID, Duration: 5, Result: []byte("{")}})
	})
	b := w.start(t)
	w.ends(t, b, job, transcript.JobFailed, transcript.Internal, true)
}

// The last attempt is lost with its process.
func endOfLostWork(t *testing.T, w *ends) {
	begun, end := make(chan struct{}), make(chan struct{})
	w.audio = func(context.Context) error {
		close(begun)
		<-end
		return context.Canceled
	}
	e := &db.Work{Platform: transcript.PhotoSite, ExternalID: "x", Attempt: 4}
	job := w.leaves(t, e, left{kind: "prepare", queue: "download"}, noMore)
	w.start(t)
	defer close(end) // before it stops
	wait(t, begun)
	buryAll(t, w.store)
	heir := w.start(t)
	w.ends(t, heir, job, transcript.JobFailed, transcript.Internal, true)
}

func endByPlan(t *testing.T, w *ends) {
	w.tracks = []transcript.Track{manual("de")}
	b := w.start(t)
	w.ends(t, b, w.job(t, b, poor(link("v1", "en"))), transcript.JobFailed, transcript.LanguageNotAvailable, true)
}

// One may not have recognition, whether it was there before or comes late.
func endByPlanAlone(t *testing.T, w *ends) {
	w.tracks = nil
	hold := make(chan struct{})
	release := sync.OnceFunc(func() { close(hold) })
	defer release()
	w.recognize = func(context.Context, int, engine.Audio, engine.RecognizeOptions) (engine.Recognition, error) {
		<-hold
		return heard("hello"), nil
	}
	b := w.prepare(t)
	rich := w.job(t, b, link("v1", "en"))
	early := w.job(t, b, poor(link("v1", "en")))
	b.startOne(t)
	defer release() // before it stops
	w.ends(t, b, early, transcript.JobFailed, transcript.NoTranscript, false)
	require.Eventually(t, func() bool { return w.calls() > 0 }, time.Minute, time.Millisecond)
	late := w.job(t, b, poor(link("v1", "en")))
	assert.True(t, late.State.Status.Terminal(), "judged on joining, as captions are over")
	w.ends(t, b, late, transcript.JobFailed, transcript.NoTranscript, false)
	release()
	w.ends(t, b, rich, transcript.JobSuccess, "", true)
}

// One who may not have recognition joins work that waits for its second attempt at
// the sound.
func endByPlanLater(t *testing.T, w *ends) {
	w.tracks = nil
	e := &db.Work{Platform: transcript.VideoSite, ExternalID: "v1", Languages: "en", Attempt: 2}
	rich := w.leaves(t, e, left{kind: "prepare", queue: "download"}, noMore)
	b := w.prepare(t)
	late := w.job(t, b, poor(link("v1", "en")))
	require.Equal(t, rich.WorkID, late.WorkID)
	b.startOne(t)
	w.ends(t, b, rich, transcript.JobSuccess, "", true)
	w.ends(t, b, late, transcript.JobFailed, transcript.NoTranscript, true)
}

func (w *ends) cancel(t *testing.T, b *bench, job *db.Job) {
	t.Helper()
	_, err := b.Cancel(t.Context(), job.Account, job.ID, nil)
	require.NoError(t, err)
}

func endByCancel(t *testing.T, w *ends) {
	b := w.prepare(t)
	job := w.job(t, b, link("v1", "en"))
	w.cancel(t, b, job)
	w.ends(t, b, job, transcript.JobCancelled, "", true)
}

func endByCancelOfRunning(t *testing.T, w *ends) {
	w.recognize = func(ctx context.Context, _ int, _ engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
		<-ctx.Done()
		return engine.Recognition{}, ctx.Err()
	}
	b := w.start(t)
	job := w.job(t, b, link("v1", "asr"))
	require.Eventually(t, func() bool { return w.calls() > 0 }, time.Minute, time.Millisecond)
	w.cancel(t, b, job)
	w.ends(t, b, job, transcript.JobCancelled, "", true)
}

// What was recognized by then is paid: a minute of the two.
func endByCancelHalfWay(t *testing.T, w *ends) {
	w.sound = recording(t, 65, 1)
	w.recognize = func(ctx context.Context, call int, _ engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
		if call == 1 {
			return heard("hello"), nil
		}
		<-ctx.Done()
		return engine.Recognition{}, ctx.Err()
	}
	b := w.start(t, func(c *service.Config) { c.ASRWorkers = 1 })
	job := w.job(t, b, link("v1", "asr"))
	require.Eventually(t, func() bool { return w.calls() > 1 }, time.Minute, time.Millisecond)
	assert.Equal(t, db.Usage{Reserved: db.Allowance{Transcripts: 1, Minutes: 2}}, usage(t, w.store, acme))
	w.heard = map[string]int64{job.ID: 1}
	w.cancel(t, b, job)
	w.ends(t, b, job, transcript.JobCancelled, "", true)
}

func endByCancelOfOne(t *testing.T, w *ends) {
	b := w.prepare(t)
	one := w.job(t, b, link("v1", "en"))
	two := w.job(t, b, poor(link("v1", "en")))
	w.cancel(t, b, one)
	w.ends(t, b, one, transcript.JobCancelled, "", false)
	b.startOne(t)
	w.ends(t, b, two, transcript.JobSuccess, "", true)
}
