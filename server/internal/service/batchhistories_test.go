package service_test

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/batcher"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/lifecycle"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/internal/view"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Some happen to batches more often than others.
var batchHappenings = []string{
	"links", "links", "links", "links", "list", "list", "many links", "link", "link", "link",
	"let", "let", "let", "let", "let", "let", "let", "no captions", "no captions", "fault", "fault", "gone", "gone", "block",
	"cancel job", "cancel job", "cancel", "cancel", "retry", "retry", "retry", "delete", "together", "together",
	"rest", "rest", "crash", "stop",
}

var batchHistory = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) event {
	return event{
		What:    rapid.SampledFrom(batchHappenings).Draw(t, "what"),
		Account: rapid.IntRange(0, 1).Draw(t, "account"),
		Content: rapid.IntRange(0, 5).Draw(t, "content"),
		Pick:    rapid.IntRange(0, 1000).Draw(t, "pick"),
	}
}), 10, 40)

// Whatever happens to batches and to the jobs of their items, at every moment their
// counts agree with their items and their state, all of them move only as they may, and
// the laws of the tables hold. As soon as the platforms answer, everything ends by
// itself.
func TestHistoriesOfBatches(t *testing.T) {
	t.Parallel()
	checks, err := strconv.Atoi(flag.Lookup("rapid.checks").Value.String())
	require.NoError(t, err)
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) { // 3 histories, by TestMain
		w := newBatchWorld(t, o)
		for seed := range checks / 10 {
			w.live(batchHistory.Example(seed))
		}
	})
}

// batchWorld is a service at which things happen to batches.
type batchWorld struct {
	t      *testing.T
	store  *db.Store
	tables *sql.DB
	scene  *scene
	follow func(*service.Config)
	short  string // the address of a site of short links
	*bench

	histories int
	batches   []*seenBatch
	ghosts    []*bench // processes that were taken for dead
}

// seenBatch is a batch, as it was seen last.
type seenBatch struct {
	account, id string
	deleted     bool
	job         *batch.Job
	items       map[string]batch.Item
}

func newBatchWorld(t *testing.T, o db.Options) *batchWorld {
	t.Helper()
	w := &batchWorld{t: t, store: dbtest.Open(t, o), tables: storetest.SQL(t, store.Options(o)), scene: &scene{sound: recording(t, 3, 1)}}
	w.follow, w.short = shortener(t, func(path string) string {
		if strings.HasPrefix(path, "/none") {
			return "404"
		}
		return "https://www.youtube.com/watch?v=" + strings.TrimPrefix(path, "/")
	})
	keepTrail(t, w.tables, storetest.IsPostgres(store.Options(o)))
	w.begin()
	t.Cleanup(func() { w.stop(w.bench) })
	return w
}

// begin starts a process.
func (w *batchWorld) begin() {
	w.bench = prepare(w.t, w.store, &w.scene.script, w.follow, func(c *service.Config) {
		c.Engine.Captions, c.Engine.Audio, c.Engine.Recognizer = []engine.CaptionSource{w.scene}, w.scene, w.scene
		c.Engine.Lists = w.scene
		c.PauseBriefly()
	})
	require.NoError(w.t, w.Start(w.t.Context()))
}

func (w *batchWorld) stop(b *bench) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	require.NoError(w.t, b.Stop(ctx))
}

func (w *batchWorld) live(history []event) {
	w.histories++
	w.batches = nil
	w.scene.hold()
	for i, e := range history {
		w.happen(e)
		if e.Pick%3 > 0 {
			w.rest()
		}
		w.check(fmt.Sprintf("history %d, after event %d: %v", w.histories, i, history[:i+1]))
	}
	w.scene.passAll()
	for _, ghost := range w.ghosts {
		w.stop(ghost)
	}
	w.ghosts = nil
	w.end(fmt.Sprintf("history %d: %v", w.histories, history))
}

// end waits until everything has ended by itself.
func (w *batchWorld) end(history string) {
	var broken []string
	defer func() {
		if w.t.Failed() {
			w.t.Log(history, broken)
		}
	}()
	require.Eventually(w.t, func() bool {
		var err error
		broken, err = dbtest.Broken(w.t.Context(), w.tables, true)
		require.NoError(w.t, err)
		return len(broken) == 0
	}, time.Minute, 20*time.Millisecond, "not everything ends")
	w.check(history)
	for _, b := range w.batches {
		if b.deleted {
			continue
		}
		require.True(w.t, b.job.Status.Terminal(), history)
		require.Zero(w.t, b.job.Counts.Pending, history)
		for _, item := range b.items {
			require.Equal(w.t, item.Status == batch.ItemFailed, item.Error != nil, history)
			if item.Status == batch.ItemSuccess {
				_, err := w.Jobs.Transcript(w.t.Context(), b.account, *item.TranscriptRef, view.View{})
				require.NoError(w.t, err, history)
			}
		}
	}
	w.checkTrail(history)
}

func (w *batchWorld) account(n int) string   { return fmt.Sprintf("account-%d-%d", w.histories, n) }
func (w *batchWorld) contentID(n int) string { return fmt.Sprintf("%03d-%07d", n, w.histories) }

func (w *batchWorld) happen(e event) {
	switch e.What {
	case "links":
		w.create(e, w.entries(e, 1+e.Pick%7))
	case "many links":
		w.create(e, w.entries(e, 90))
	case "list":
		w.create(e, nil)
	case "link":
		s := link(w.contentID(e.Content), languagesOf(e.Pick))
		s.Account, s.Plan = w.account(e.Account), planOf(e.Pick)
		_, err := w.Submit(w.t.Context(), s)
		if coded := (*transcript.Error)(nil); !errors.As(err, &coded) || coded.HTTPStatus() != 402 && coded.Code != transcript.ASRConcurrencyLimit {
			require.NoError(w.t, err)
		}
	case "let":
		w.scene.let(e.Pick, nil)
	case "no captions":
		w.scene.let(e.Pick, errNothing)
	case "fault":
		w.scene.let(e.Pick, transcript.Errorf(transcript.UpstreamFailed, "It may pass."))
	case "gone":
		w.scene.let(e.Pick, transcript.Errorf(transcript.Unavailable, "It is gone."))
	case "block":
		w.scene.let(e.Pick, blocksBriefly())
	case "rest":
		for range 10 {
			w.scene.let(e.Pick, nil)
			w.rest()
		}
	case "crash":
		w.ghosts = append(w.ghosts, w.bench)
		buryAll(w.t, w.store)
		w.begin()
	case "stop":
		w.stop(w.bench)
		w.begin()
	case "together":
		var all sync.WaitGroup
		for _, what := range []func(event){w.cancelJob, w.cancel, w.retry, w.remove, func(e event) { w.scene.let(e.Pick, nil) }} {
			all.Go(func() { what(e) })
		}
		all.Wait()
	case "cancel job":
		w.cancelJob(e)
	case "cancel":
		w.cancel(e)
	case "retry":
		w.retry(e)
	case "delete":
		w.remove(e)
	}
}

func languagesOf(n int) string { return []string{"en", "en", "asr", "de,en", "de", ""}[n%6] }

// entries are n entries: contents that are in many batches, some of them twice, what
// names no content, and short links.
func (w *batchWorld) entries(e event, n int) []batcher.Entry {
	dice := rand.New(rand.NewPCG(uint64(e.Pick), uint64(e.Content))) //nolint:gosec // not negative
	all := []batcher.Entry{entry(w.contentID(e.Content))}
	for len(all) < n {
		id := w.contentID(dice.IntN(max(6, n)))
		switch dice.IntN(8) {
		case 0:
			all = append(all, badEntry(id, transcript.InvalidVideo))
		case 1:
			all = append(all, w.Batches.EntryOf("http://"+w.short+"/"+id))
		case 2:
			all = append(all, w.Batches.EntryOf("http://"+w.short+"/none"+id))
		default:
			all = append(all, entry(id))
		}
	}
	return all
}

// create makes a batch; of a list without entries.
func (w *batchWorld) create(e event, entries []batcher.Entry) {
	r := batchOf(entries...)
	r.Account, r.Plan, r.MaxItems = w.account(e.Account), planOf(e.Pick), e.Pick%4*3
	if r.Languages = nil; languagesOf(e.Pick) != "" {
		r.Languages, _ = transcript.ParseLanguageList(languagesOf(e.Pick))
	}
	if entries == nil {
		r.Mode, r.Plan.BatchItems = batch.Playlist, 4
		r.List = &engine.List{Platform: transcript.VideoSite, Kind: engine.PlaylistList,
			ID: fmt.Sprint(w.histories), URL: fmt.Sprintf("https://www.youtube.com/playlist?list=%d", w.histories)}
	}
	made, err := w.Batches.Create(w.t.Context(), r)
	require.NoError(w.t, err)
	require.NoError(w.t, lifecycle.CheckBatch(made))
	w.batches = append(w.batches, &seenBatch{account: r.Account, id: made.ID, job: made, items: map[string]batch.Item{}})
}

// which is the batch that an event is of; nil: there is none.
func (w *batchWorld) which(e event) *seenBatch {
	if len(w.batches) == 0 {
		return nil
	}
	return w.batches[e.Pick%len(w.batches)]
}

// conflicts holds that a batch was refused a change for its state, or is gone.
func (w *batchWorld) conflicts(err error) {
	if err != nil && !errors.Is(err, transcript.NotFound) {
		assert.ErrorIs(w.t, err, transcript.StateConflict)
	}
}

func (w *batchWorld) cancel(e event) {
	if b := w.which(e); b != nil {
		job, err := w.Batches.Cancel(w.t.Context(), b.account, b.id, nil)
		if err == nil {
			assert.Equal(w.t, batch.Cancelled, job.Status)
			assert.NoError(w.t, lifecycle.CheckBatch(job))
		}
		w.conflicts(err)
	}
}

func (w *batchWorld) retry(e event) {
	b := w.which(e)
	if b == nil {
		return
	}
	r := batcher.RetryRequest{Account: b.account, Plan: planOf(e.Pick / 2), Batch: b.id}
	if e.Pick%3 == 0 {
		for id := range b.items {
			r.Items = append(r.Items, id)
		}
	}
	if e.Pick%5 == 0 {
		r.Codes = []transcript.Code{transcript.UpstreamFailed, transcript.StateConflict}
	}
	_, err := w.Batches.Retry(w.t.Context(), r)
	w.conflicts(err)
}

func (w *batchWorld) remove(e event) {
	if b := w.which(e); b != nil {
		w.conflicts(w.Batches.Delete(w.t.Context(), b.account, b.id))
	}
}

// cancelJob cancels a job that runs, an item's or another.
func (w *batchWorld) cancelJob(e event) {
	var account, id string
	err := w.tables.QueryRowContext(w.t.Context(), fmt.Sprintf(`SELECT account, id FROM jobs
		WHERE status IN ('pending', 'processing') ORDER BY id LIMIT 1 OFFSET %d`, e.Content)).Scan(&account, &id)
	if errors.Is(err, sql.ErrNoRows) {
		return
	}
	assert.NoError(w.t, err)
	_, err = w.Cancel(w.t.Context(), account, id, nil)
	w.conflicts(err)
}

// rest waits until all that is at work waits for the platforms, but not for long: some
// things take their time.
func (w *batchWorld) rest() {
	for range 25 {
		var running int
		row := w.tables.QueryRowContext(w.t.Context(), "SELECT count(*) FROM river_job WHERE state = 'running'")
		require.NoError(w.t, row.Scan(&running))
		if running == w.scene.held() {
			return
		}
		<-time.After(2 * time.Millisecond)
	}
}

// check compares all batches with what they may be, and with what they were.
func (w *batchWorld) check(when string) {
	broken, err := dbtest.Broken(w.t.Context(), w.tables, false)
	require.NoError(w.t, err)
	require.Empty(w.t, broken, when)
	for _, b := range w.batches {
		if !b.deleted {
			w.look(b, when)
		}
	}
	require.False(w.t, w.t.Failed(), when)
}

// look sees how a batch stands.
func (w *batchWorld) look(b *seenBatch, when string) {
	var items []db.BatchItem
	var counts batch.Counts
	err := w.store.InTx(w.t.Context(), func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Batches.LockOwned(ctx, b.account, b.id) // no item of it ends until this does
		if err != nil {
			return err
		}
		state, err := tx.Batches.Owned(ctx, b.account, b.id)
		if err != nil {
			return err
		}
		counts = state.Counts
		items, err = tx.Items.All(ctx, b.id)
		return err
	})
	if errors.Is(err, db.ErrNotFound) {
		require.True(w.t, b.job.Status.Terminal() || strings.Contains(when, "together"), "%s: a batch that runs is gone", when)
		b.deleted = true
		return
	}
	require.NoError(w.t, err)
	want := batch.Counts{Total: len(items)}
	for _, item := range items {
		switch item.Status {
		case batch.ItemPending:
			want.Pending++
		case batch.ItemSuccess:
			want.Success++
		case batch.ItemFailed:
			want.Failed++
		}
	}
	require.Equal(w.t, want, counts, when)

	job, err := w.Batches.Get(w.t.Context(), b.account, b.id)
	require.NoError(w.t, err)
	require.NoError(w.t, lifecycle.CheckBatch(job), when)
	require.True(w.t, reaches(batchStates, lifecycle.CanMoveBatch, b.job.Status, job.Status), "%s: a batch from %s to %s", when, b.job.Status, job.Status)
	require.True(w.t, b.job.Total == 0 || b.job.Total == job.Total, "%s: from %d items to %d", when, b.job.Total, job.Total)
	b.job = job
	for _, item := range w.items(w.t, b.account, b.id, 500) {
		old := b.items[item.ID]
		require.True(w.t, reaches(itemStates, lifecycle.CanMoveItem, old.Status, item.Status), "%s: an item from %s to %s", when, old.Status, item.Status)
		require.GreaterOrEqual(w.t, item.Attempts, old.Attempts, when)
		require.Equal(w.t, item.Status == batch.ItemSuccess, item.TranscriptRef != nil, when)
		b.items[item.ID] = item
	}
}

var (
	batchStates = []batch.Status{batch.Pending, batch.Processing, batch.Completed, batch.Failed, batch.Cancelled}
	itemStates  = []batch.ItemStatus{batch.ItemPending, batch.ItemProcessing, batch.ItemSuccess, batch.ItemFailed, batch.ItemSkipped}
)

// reaches reports whether permitted moves lead from one state to another.
func reaches[S comparable](states []S, canMove func(from, to S) bool, from, to S) bool {
	seen, next := map[S]bool{from: true}, []S{from}
	for ; len(next) > 0; next = next[1:] {
		for _, one := range states {
			if canMove(next[0], one) && !seen[one] {
				seen[one], next = true, append(next, one)
			}
		}
	}
	return seen[to]
}

// keepTrail lets the database write down every change of the state of a batch and of an
// item.
func keepTrail(t *testing.T, tables *sql.DB, postgres bool) {
	t.Helper()
	do := func(statement string) {
		_, err := tables.ExecContext(t.Context(), statement)
		require.NoError(t, err, statement)
	}
	id := "INTEGER PRIMARY KEY AUTOINCREMENT"
	if postgres {
		id = "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
	}
	do("CREATE TABLE trail (id " + id + ", what text NOT NULL, was text NOT NULL, became text NOT NULL)")
	for _, table := range []string{"batches", "batch_items"} {
		for _, on := range [][3]string{
			{"INSERT", "''", "NEW.status"}, {"UPDATE", "OLD.status", "NEW.status"}, {"DELETE", "OLD.status", "'deleted'"},
		} {
			note := fmt.Sprintf("INSERT INTO trail (what, was, became) VALUES ('%s', %s, %s);", table, on[1], on[2])
			name := table + "_" + strings.ToLower(on[0])
			if postgres {
				do(fmt.Sprintf("CREATE FUNCTION %s() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN %s RETURN NULL; END $$", name, note))
				do(fmt.Sprintf("CREATE TRIGGER %s AFTER %s ON %s FOR EACH ROW EXECUTE FUNCTION %s()", name, on[0], table, name))
			} else {
				do(fmt.Sprintf("CREATE TRIGGER %s AFTER %s ON %s FOR EACH ROW BEGIN %s END", name, on[0], table, note))
			}
		}
	}
}

// checkTrail holds every change of a state against the moves that there are. What is
// written down knows no items that are processing.
func (w *batchWorld) checkTrail(history string) {
	rows, err := w.tables.QueryContext(w.t.Context(), "SELECT DISTINCT what, was, became FROM trail")
	require.NoError(w.t, err)
	defer rows.Close()
	n := 0
	for ; rows.Next(); n++ {
		var what, was, became string
		require.NoError(w.t, rows.Scan(&what, &was, &became))
		may := was == became || lifecycle.CanMoveItem(batch.ItemStatus(was), batch.ItemStatus(became)) || became == "deleted"
		if what == "batches" {
			may = was == became || lifecycle.CanMoveBatch(batch.Status(was), batch.Status(became)) || became == "deleted" && batch.Status(was).Terminal()
		}
		require.True(w.t, may, "%s from %q to %q, %s", what, was, became, history)
	}
	require.NoError(w.t, rows.Err())
	require.True(w.t, n > 0 || len(w.batches) == 0, "nothing is written down")
}

// scene is an engine each of whose calls waits for what becomes of it.
type scene struct {
	script
	sound []byte

	mu     sync.Mutex
	passes bool // no call waits
	calls  []chan error
}

// errNothing is the outcome of a question for captions of a content that has none; of
// any other it is a fault.
var errNothing = transcript.Errorf(transcript.Internal, "There is nothing.")

// wait keeps a call until its outcome is decided.
func (s *scene) wait(ctx context.Context) error {
	call := make(chan error, 1)
	s.mu.Lock()
	if s.passes {
		s.mu.Unlock()
		return nil
	}
	s.calls = append(s.calls, call)
	s.mu.Unlock()
	select {
	case err := <-call:
		return err
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, c := range s.calls {
		if c == call {
			s.calls = append(s.calls[:i], s.calls[i+1:]...)
			break
		}
	}
	return context.Cause(ctx)
}

func (s *scene) held() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.calls)
}

// let decides the outcome of one of the calls, if there is one.
func (s *scene) let(n int, outcome error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.calls) > 0 {
		i := n % len(s.calls)
		s.calls[i] <- outcome
		s.calls = append(s.calls[:i], s.calls[i+1:]...)
	}
}

func (s *scene) hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.passes = false
}

func (s *scene) passAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.passes = true
	for _, call := range s.calls {
		call <- nil
	}
	s.calls = nil
}

func (s *scene) Origin(p transcript.Platform) (transcript.Origin, bool) {
	return transcript.OriginDownloader, p == transcript.VideoSite
}

// Captions knows every content, that of most in English.
func (s *scene) Captions(ctx context.Context, c engine.Content, pick func([]transcript.Track) (int, bool)) (engine.Captions, error) {
	found := captioned(c.ExternalID)
	switch err := s.wait(ctx); {
	case errors.Is(err, errNothing):
		return engine.Captions{Metadata: found.Metadata}, nil
	case err != nil:
		return engine.Captions{}, err
	}
	if _, ok := pick(found.Tracks); !ok {
		found.Track, found.Segments = nil, nil
	}
	return found, nil
}

func (s *scene) Audio(ctx context.Context, _ engine.Content, dir string, _ engine.AudioOptions) (string, error) {
	if err := s.wait(ctx); err != nil {
		return "", err
	}
	path := filepath.Join(dir, "audio.wav")
	return path, os.WriteFile(path, s.sound, 0o600)
}

func (s *scene) Recognize(ctx context.Context, _ engine.Audio, _ engine.RecognizeOptions) (engine.Recognition, error) {
	return heard("hello"), s.wait(ctx)
}

func (*scene) Lists(p transcript.Platform) bool { return p == transcript.VideoSite }

// List knows lists of up to six contents, one of which is there twice, and one of which
// is none. How many there are depends on when it is asked.
func (s *scene) List(ctx context.Context, l engine.List, offset, n int) (engine.ListPage, error) {
	if err := s.wait(ctx); err != nil {
		return engine.ListPage{}, err
	}
	var history int
	if _, err := fmt.Sscan(l.ID, &history); err != nil {
		return engine.ListPage{}, err
	}
	s.mu.Lock()
	s.begun++
	all := []int{3, 1, 3, -1, 5, 0}[:s.begun%7]
	s.mu.Unlock()
	page := engine.ListPage{Title: "A list", Last: true}
	for i, content := range all {
		if i >= offset && i < offset+n {
			page.Entries = append(page.Entries, engine.ListEntry{ID: fmt.Sprintf("%03d-%07d", content, history)})
		}
	}
	page.Last = offset+n >= len(all)
	return page, nil
}
