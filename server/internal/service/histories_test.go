package service_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/ask"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/intake"
	"github.com/transcriptkit/transcriptkit/server/internal/limits"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// event is what happens next in a history of several accounts.
type event struct {
	What    string
	Account int
	Content int
	Pick    int // of what there is to choose from
}

// Some happen more often than others.
var happenings = []string{
	"link", "link", "link", "recognition", "recognition", "upload", "captions", "let", "let", "let", "let", "let", "let",
	"rest", "fault", "failure", "cancel", "cancel", "crash", "platform", "plan", "plan",
}

var history = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) event {
	return event{
		What:    rapid.SampledFrom(happenings).Draw(t, "what"),
		Account: rapid.IntRange(0, 2).Draw(t, "account"),
		Content: rapid.IntRange(0, 2).Draw(t, "content"),
		Pick:    rapid.IntRange(0, 1000).Draw(t, "pick"),
	}
}), 10, 40)

// The lengths of the contents, in seconds, and the minutes that they take.
var (
	lengths      = [...]int{5, 65, 125}
	minutesTaken = [...]int64{1, 2, 3}
)

// Whatever happens to the jobs of several accounts, at every moment what is reserved of
// an allowance is what the running jobs hold, and what is used is what the jobs that
// have ended are to pay. In the end nothing is reserved.
func TestHistories(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) { // 30 histories, by TestMain
		t.Parallel()
		w := newWorld(t, dbtest.SQLite(t))
		rapid.Check(t, func(r *rapid.T) { w.live(history.Draw(r, "history")) })
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		if testing.Short() {
			t.Skip("the database works here; SQLite shows the race detector the same code")
		}
		w := newWorld(t, dbtest.Postgres(t))
		for seed := range 15 {
			w.live(history.Example(seed))
		}
	})
}

// world is a service at which things happen.
type world struct {
	t      *testing.T
	store  *db.Store
	tables *sql.DB
	stage  *stage
	*bench

	histories int
	plans     [3]account.Plan
	jobs      []claimed
	paid      map[string]int64 // transcripts taken by the captions route, by account and period
}

// claimed is a job that was accepted.
type claimed struct {
	account   string
	id        string
	content   int
	cancelled int64 // minutes that were paid
}

func newWorld(t *testing.T, o db.Options) *world {
	t.Helper()
	w := &world{t: t, store: dbtest.Open(t, o), tables: storetest.SQL(t, store.Options(o)), stage: newStage(t)}
	w.begin()
	t.Cleanup(func() { w.stop(w.bench) })
	return w
}

// begin starts a process.
func (w *world) begin() {
	w.bench = prepare(w.t, w.store, &w.stage.script, func(c *service.Config) {
		c.Engine.Captions, c.Engine.Audio, c.Engine.Recognizer = []engine.CaptionSource{w.stage}, w.stage, w.stage
		c.PauseBriefly()
	})
	require.NoError(w.t, w.Start(w.t.Context()))
}

func (w *world) stop(b *bench) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	require.NoError(w.t, b.Stop(ctx))
}

func (w *world) live(history []event) {
	w.histories++
	w.jobs, w.paid = nil, map[string]int64{}
	for i := range w.plans {
		w.plans[i] = plan()
	}
	w.stage.answer(0)
	for i, e := range history {
		w.happen(e)
		w.check(fmt.Sprintf("history %d, after event %d: %v", w.histories, i, history[:i+1]))
	}
	broken, err := dbtest.Broken(w.t.Context(), w.tables, false)
	require.NoError(w.t, err)
	require.Empty(w.t, broken, "%v", history)
	for i := range w.jobs {
		w.cancel(i)
	}
	w.check("at the end")
	for n := range w.plans {
		for _, period := range periods() {
			name := w.name(n)
			u, err := w.store.Allowances.Usage(w.t.Context(), name, period)
			require.NoError(w.t, err)
			require.Zero(w.t, u.Reserved, "%s, %v", name, history)
		}
	}
}

func (w *world) name(n int) string      { return fmt.Sprintf("account-%d-%d", w.histories, n) }
func (w *world) contentID(n int) string { return fmt.Sprintf("%d-%d", n, w.histories) }

// periods are those of the plans.
func periods() []time.Time {
	later := plan()
	later.PeriodAnchorDay = 28
	return []time.Time{limits.PeriodOf(plan(), time.Now()).Start, limits.PeriodOf(later, time.Now()).Start}
}

func (w *world) happen(e event) {
	submission := link(w.contentID(e.Content), "en")
	submission.Account, submission.Plan = w.name(e.Account), w.plans[e.Account]
	switch e.What {
	case "link":
		w.submit(submission, e.Content, w.Submit)
	case "recognition":
		submission.Languages, _ = transcript.ParseLanguageList("asr")
		w.submit(submission, e.Content, w.Submit)
	case "upload":
		u, err := w.Receive(w.t.Context(), bytes.NewReader(w.stage.sounds[e.Content]), 1<<30)
		require.NoError(w.t, err)
		submission.Languages = nil
		w.submit(submission, e.Content, u.Commit)
	case "captions":
		w.readCaptions(submission)
	case "let":
		w.let(e.Pick, nil)
	case "rest":
		for range 10 {
			w.let(e.Pick, nil)
		}
	case "fault":
		w.let(e.Pick, transcript.Errorf(transcript.UpstreamFailed, "It may pass."))
	case "failure":
		w.let(e.Pick, transcript.Errorf(transcript.ConfigError, "It does not."))
	case "cancel":
		if len(w.jobs) > 0 {
			w.cancel(e.Pick % len(w.jobs))
		}
	case "crash":
		if e.Pick%4 == 0 {
			dead := w.bench
			buryAll(w.t, w.store)
			w.begin()
			w.stop(dead)
		}
	case "platform":
		w.stage.answer(e.Pick)
	case "plan":
		w.plans[e.Account] = planOf(e.Pick)
	}
}

// planOf is one of some plans, each with another limit that is soon met.
func planOf(n int) account.Plan {
	p := plan()
	for i, change := range []func(){
		func() { p.TranscriptsPerPeriod = 2 },
		func() { p.ASRMinutesPerPeriod = 3 },
		func() { p.MaxDuration = time.Minute },
		func() { p.PeriodAnchorDay = 28 },
		func() { p.CacheTTL = time.Nanosecond },
		func() { p.ASRConcurrency, p.ASRWaiting = 1, 1 },
		func() { p.TranscriptsPerPeriod, p.ASRMinutesPerPeriod = account.Unlimited, account.Unlimited },
		func() { p.ASR = false },
	} {
		if n>>i&1 == 1 && n%3 == i%3 {
			change()
		}
	}
	return p
}

// let decides the outcome of one of the engine's calls, and waits until its step has
// ended.
func (w *world) let(n int, outcome error) {
	call := w.stage.next(n)
	if call == nil {
		return
	}
	call.outcome <- outcome
	require.Eventually(w.t, func() bool {
		_, err := os.Stat(call.dir)
		return errors.Is(err, os.ErrNotExist)
	}, time.Minute, 5*time.Millisecond)
}

func (w *world) submit(s intake.Submission, content int, submit submit) {
	out, err := submit(w.t.Context(), s)
	var coded *transcript.Error
	if errors.As(err, &coded) && (coded.HTTPStatus() == 402 || coded.Code == transcript.ASRConcurrencyLimit) {
		return
	}
	require.NoError(w.t, err)
	if out.Job == nil || slices.ContainsFunc(w.jobs, func(c claimed) bool { return c.id == out.Job.JobID }) {
		return
	}
	w.jobs = append(w.jobs, claimed{account: s.Account, id: out.Job.JobID, content: content})
}

func (w *world) readCaptions(s intake.Submission) {
	r, err := w.Ask.Captions(w.t.Context(), ask.Question{Account: s.Account, Plan: s.Plan, Content: s.Content, Languages: s.Languages})
	if err == nil && r.Status == "success" && !r.Cached {
		w.paid[s.Account+limits.PeriodOf(s.Plan, time.Now()).Start.String()]++
	}
	if err != nil {
		require.ErrorIs(w.t, err, transcript.TranscriptQuotaExceeded)
	}
}

// cancel cancels a job, if it still runs, and notes what it pays: the minutes of the
// chunks that are done.
func (w *world) cancel(i int) {
	c := &w.jobs[i]
	job, err := w.store.Jobs.Owned(w.t.Context(), c.account, c.id)
	require.NoError(w.t, err)
	chunks, err := w.store.Chunks.CutList(w.t.Context(), job.WorkID)
	require.NoError(w.t, err)
	heard := 0.0
	for _, chunk := range chunks {
		if chunk.Done && !chunk.Silent {
			heard += chunk.Duration
		}
	}
	_, err = w.Cancel(w.t.Context(), c.account, c.id, nil)
	if err == nil {
		c.cancelled = int64(math.Ceil(heard / 60))
		return
	}
	require.ErrorIs(w.t, err, transcript.StateConflict)
}

// check compares what is reserved and used with what the jobs say, at one moment.
func (w *world) check(when string) {
	type key struct {
		account string
		period  string
	}
	want, got := map[key]db.Usage{}, map[key]db.Usage{}
	var jobs []db.Job
	require.NoError(w.t, w.store.InTx(w.t.Context(), func(ctx context.Context, tx *db.Tx) error {
		clear(want)
		clear(got)
		jobs = nil
		for n := range w.plans {
			for _, period := range periods() {
				name := w.name(n)
				// This locks the row: what is read then belongs together.
				unlimited := db.Limits{Period: period, Transcripts: -1, ASRMinutes: -1}
				if _, err := tx.Allowances.Pay(ctx, name, unlimited, db.Allowance{}); err != nil {
					return err
				}
				u, err := tx.Allowances.Usage(ctx, name, period)
				if err != nil {
					return err
				}
				at := key{name, period.Format(time.DateOnly)}
				got[at], want[at] = u, db.Usage{Used: db.Allowance{Transcripts: w.paid[name+period.String()]}}
			}
		}
		for _, c := range w.jobs {
			job, err := tx.Jobs.Owned(ctx, c.account, c.id)
			if err != nil {
				return err
			}
			at := key{c.account, job.Limits.Period.Format(time.DateOnly)}
			u := want[at]
			u.Reserved.Transcripts += job.Reserved.Transcripts
			u.Reserved.Minutes += job.Reserved.Minutes
			switch {
			case job.State.Status == transcript.JobCancelled:
				u.Used.Minutes += c.cancelled
			case job.State.Status == transcript.JobSuccess && !job.Cached:
				text, err := tx.Transcripts.ByID(ctx, job.TranscriptID)
				if err != nil {
					return err
				}
				u.Used.Transcripts++
				if text.Source == transcript.OriginASR {
					u.Used.Minutes += minutesTaken[c.content]
				}
			}
			want[at] = u
			jobs = append(jobs, *job)
		}
		return nil
	}))
	require.Equal(w.t, want, got, when)
	for _, job := range jobs {
		if job.State.Status.Terminal() {
			require.Zero(w.t, job.Reserved, when)
		} else {
			require.EqualValues(w.t, 1, job.Reserved.Transcripts, when)
		}
	}
}

// stage is an engine whose downloads and recognitions wait for what becomes of them.
type stage struct {
	script
	*platforms
	sounds [len(lengths)][]byte

	mu    sync.Mutex
	calls []*waiting
}

// waiting is a call of the engine.
type waiting struct {
	dir     string // the folder of its step
	outcome chan error
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{platforms: newPlatforms(t, manual("en"))}
	for i, seconds := range lengths {
		s.sounds[i] = recording(t, seconds, i)
	}
	return s
}

// answer makes the platforms answer in one of some ways from now on.
func (s *stage) answer(n int) {
	s.set(func(p *platforms) {
		p.tracks, p.captions = []transcript.Track{manual("en")}, nil
		p.metadata.Duration = []float64{0, 5, 65, 130, 1e9}[n/10%5]
		switch n % 10 {
		case 1, 2, 3:
			p.tracks = nil
		case 4:
			p.tracks = []transcript.Track{manual("de")}
		case 5:
			p.captions = refusing(transcript.UpstreamFailed)
		case 6:
			p.captions = func(context.Context, int) error { return blocksBriefly() }
		}
	})
}

// wait keeps a call until its outcome is decided.
func (s *stage) wait(ctx context.Context, dir string) error {
	call := &waiting{dir, make(chan error, 1)}
	s.mu.Lock()
	s.calls = append(s.calls, call)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.calls = slices.DeleteFunc(s.calls, func(c *waiting) bool { return c == call })
	}()
	select {
	case err := <-call.outcome:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// next takes one of the calls; nil: there is none.
func (s *stage) next(n int) *waiting {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.calls) == 0 {
		return nil
	}
	i := n % len(s.calls)
	call := s.calls[i]
	s.calls = slices.Delete(s.calls, i, i+1)
	return call
}

func (s *stage) Audio(ctx context.Context, c engine.Content, dir string, o engine.AudioOptions) (string, error) {
	s.platforms.mu.Lock()
	metadata := s.metadata
	s.platforms.mu.Unlock()
	if err := o.Known(metadata); err != nil {
		return "", err
	}
	if err := s.wait(ctx, filepath.Dir(dir)); err != nil {
		return "", err
	}
	path := filepath.Join(dir, "audio.wav")
	return path, os.WriteFile(path, s.sounds[c.ExternalID[0]-'0'], 0o600)
}

func (s *stage) Recognize(ctx context.Context, a engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
	return heard("hello"), s.wait(ctx, filepath.Dir(a.Path))
}
