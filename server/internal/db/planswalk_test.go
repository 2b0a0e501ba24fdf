package db_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/library/follow"
	"github.com/transcriptkit/transcriptkit/library/webhook"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/ask"
	"github.com/transcriptkit/transcriptkit/server/internal/audio"
	"github.com/transcriptkit/transcriptkit/server/internal/batcher"
	"github.com/transcriptkit/transcriptkit/server/internal/blobs"
	"github.com/transcriptkit/transcriptkit/server/internal/cluster"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/delivery"
	"github.com/transcriptkit/transcriptkit/server/internal/follower"
	"github.com/transcriptkit/transcriptkit/server/internal/joblist"
	"github.com/transcriptkit/transcriptkit/server/internal/labels"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/server/internal/retention"
	"github.com/transcriptkit/transcriptkit/server/internal/search"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/server/internal/shares"
	"github.com/transcriptkit/transcriptkit/server/internal/tables"
	"github.com/transcriptkit/transcriptkit/server/internal/textfeed"
	workroom "github.com/transcriptkit/transcriptkit/server/internal/work"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// walk calls what a store can do, so that the store sends each of its statements. Most
// calls are rolled back.
type walk struct {
	*testing.T
	*db.Store
}

// Context gives the database long: on a busy machine, each statement of the walk may take seconds.
func (w walk) Context() context.Context { return db.Unhurried(w.T.Context()) }

var errRollback = errors.New("no change is kept")

// walkStore asks and does everything with a store whose tables are full.
func walkStore(t *testing.T, s *db.Store) {
	t.Helper()
	w := walk{t, s}
	w.accounts()
	w.cache()
	w.keys()
	w.uploads()
	w.jobs()
	w.places()
	w.chunks()
	w.batches()
	w.items()
	w.lists()
	w.rows()
	w.shared()
	w.corrections()
	w.labels()
	w.words()
	w.feeds()
	w.follows()
	w.shares()
	w.recordings()
	w.webhooks()
	w.queue()
	w.housekeeping()
	w.expired()
	w.export()
	w.removals()
}

// must fails the test if a call fails otherwise than because there is no such row.
func (w walk) must(errs ...error) {
	w.Helper()
	for _, err := range errs {
		if !errors.Is(err, db.ErrNotFound) {
			assert.NoError(w, err)
		}
	}
}

// in runs fn in a transaction that is rolled back.
func (w walk) in(fn func(ctx context.Context, tx *db.Tx)) {
	w.Helper()
	err := w.InTx(w.Context(), func(ctx context.Context, tx *db.Tx) error {
		fn(ctx, tx)
		return errRollback
	})
	require.ErrorIs(w, err, errRollback)
}

// second is the error of a call that returns something else before.
func second[V any](_ V, err error) error { return err }

func (w walk) uploads() {
	ctx := w.Context()
	u := &db.Upload{Account: "acme", Sum: []byte{1}}
	w.must(w.Uploads.Begin(ctx, u, 1, db.Unfinished{Count: 1 << 20, Bytes: -1}), w.Uploads.Keep(ctx, u, 0), second(w.Uploads.Take(ctx, "acme", u.ID)), second(w.Uploads.Look(ctx, "acme", u.ID)), second(w.Uploads.Held(ctx, u)))
	u.Turn, u.Complete = 2, true
	w.must(w.Uploads.Keep(ctx, u, 0))
	w.in(func(ctx context.Context, tx *db.Tx) {
		w.must(tx.Uploads.Record(ctx, "acme", u.ID, db.Answer{Kind: db.JobAnswer, ID: "job"}))
	})
	w.must(second(w.Works.NeedMedia(ctx, blobs.PartKey("uploads/"+u.ID, 0, 1))), second(w.Uploads.Remove(ctx, "acme", u.ID)))
}

func (w walk) feeds() {
	ctx, feeds := w.Context(), textfeed.New(w.SQL())
	_, token, err := feeds.Renew(ctx, "acme")
	w.must(err, second(feeds.Of(ctx, "acme")), second(feeds.At(ctx, token)))
	entries, err := feeds.Entries(ctx, "acme")
	w.must(err, feeds.Excerpts(ctx, entries), feeds.Delete(ctx, "acme"))
}

func (w walk) labels() {
	keep(w.T, w.Store, "acme", said("called", "en", "one two"))
	w.in(func(ctx context.Context, tx *db.Tx) {
		w.must(labels.Set(ctx, tx.SQL(), "acme", library.Key{Platform: transcript.VideoSite, ExternalID: "called"}, library.Label{Title: new("A talk")}))
	})
}

func (w walk) shares() {
	ctx, links := w.Context(), shares.New(w.Store)
	keep(w.T, w.Store, "acme", said("handed on", "en", "one two"))
	key := library.Key{Platform: transcript.VideoSite, ExternalID: "handed on"}
	state, err := w.Idempotency.Take(ctx, db.IdempotencyKey{Account: "acme", Method: "POST", Route: "/v1/shares", Key: "one"}, nil)
	w.must(err)
	made, _, err := links.Create(ctx, "acme", key, nil, state.Held)
	w.must(err, second(links.List(ctx, "acme", key)))
	_, token, err := links.Renew(ctx, "acme", made.ID)
	w.must(err)
	_, _, err = links.At(ctx, token)
	w.must(err, links.Delete(ctx, "acme", key, made.ID))
}

// follows makes follows of two feeds, of which one cannot be read, and works on them.
func (w walk) follows() {
	feeds := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/gone" {
			answer.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = io.WriteString(answer, `<rss version="2.0"><channel><title>A</title>
			<item><guid>1</guid><link>https://www.youtube.com/watch?v=talk-000001</link></item><item><guid>2</guid><link>https://nowhere.example/</link></item></channel></rss>`)
	}))
	w.Cleanup(feeds.Close)
	refused, later := false, time.Duration(0)
	fs := follower.New(follower.Config{
		Store: w.Store, Cluster: cluster.New(cluster.Config{}), Sites: site.Default(), Log: slog.New(slog.DiscardHandler),
		Client: func() *http.Client { return feeds.Client() }, Trace: func(context.Context) string { return "" },
		Submit: func(context.Context, follower.Item) func(context.Context, *db.Tx) (string, error) {
			return func(context.Context, *db.Tx) (string, error) {
				if refused = !refused; refused {
					return "", transcript.Errorf(transcript.TranscriptQuotaExceeded, "None is left.")
				}
				return rowID(0), nil
			}
		},
		Failing: func(context.Context, *db.Tx, string) error { return nil },
		Times: follower.Times{FailAfter: time.Nanosecond, Now: func(ctx context.Context) (time.Time, error) {
			now, err := w.Now(ctx)
			return now.Add(later), err
		}},
	})
	ctx, plan := w.Context(), account.WithoutLimits("p")
	plan.FollowItemsPerDay = 100
	want := func(path string) follower.Want { return follower.Want{Kind: follow.Feed, URL: feeds.URL + path} }
	request := follower.Request{Account: "acme", Plan: plan, MaxItems: 2, Wants: []follower.Want{want("/a"), want("/gone")}}
	for range 2 {
		made, err := fs.Create(ctx, request)
		w.must(err)
		for _, m := range made {
			require.Nil(w, m.Err)
			request.Wants[0].Row = 1
			w.must(second(fs.Get(ctx, "acme", m.Follow.ID)), second(fs.Pause(ctx, "acme", plan, m.Follow.ID, true)), second(fs.Pause(ctx, "acme", plan, m.Follow.ID, false)))
		}
	}
	shown, err := fs.List(ctx, "acme", rowID(20000), 10)
	w.must(err)
	require.NotEmpty(w, shown)
	for range 4 { // looks and items that fail are tried again
		w.must(fs.Work(ctx, queue.Row{}, follower.Step{}))
		var turns []follower.Step
		w.must(w.SQL().Reader().NewRaw("SELECT account, slow, step AS number FROM follow_lines WHERE step_at IS NOT NULL").Scan(ctx, &turns))
		for _, step := range turns {
			w.must(fs.Work(ctx, queue.Row{}, step))
		}
		w.must(fs.Work(ctx, queue.Row{}, follower.Step{}))
		later += 25 * time.Hour
	}
	mine, err := fs.List(ctx, "acme", "", 2)
	w.must(err)
	for _, f := range mine {
		_, _, err := fs.Items(ctx, "acme", f.ID, 5, 10)
		w.must(err, second(func() (string, error) { a, _, err := follower.ByID(ctx, w.Store, f.ID); return a, err }()))
		w.in(func(ctx context.Context, tx *db.Tx) {
			w.must(fs.Reopen(ctx, tx, []string{rowID(0)}, transcript.Errorf(transcript.TranscriptQuotaExceeded, "None is left.")))
		})
		w.must(fs.Delete(ctx, "acme", plan, f.ID))
	}
}

// webhooks makes two endpoints, of which one fails, and delivers to them.
func (w walk) webhooks() {
	receiver := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/gone" {
			answer.WriteHeader(http.StatusGone)
		}
	}))
	w.Cleanup(receiver.Close)
	later := time.Duration(0)
	hooks := delivery.New(delivery.Config{
		Store: w.Store, Log: slog.New(slog.DiscardHandler), Client: receiver.Client,
		Times: delivery.Times{Now: func(ctx context.Context) (time.Time, error) {
			now, err := w.Now(ctx)
			return now.Add(later), err
		}},
	})
	ctx := w.Context()
	for _, path := range []string{"/", "/gone"} {
		made, err := hooks.Create(ctx, "acme", webhook.Params{URL: receiver.URL + path}, nil)
		w.must(err)
		id := made.Webhook.ID
		test, err := hooks.Test(ctx, "acme", id, nil)
		w.must(err, second(hooks.Rotate(ctx, "acme", id, nil)))
		w.in(func(ctx context.Context, tx *db.Tx) {
			w.must(hooks.JobsEnded(ctx, tx, &db.Work{Platform: transcript.VideoSite, ExternalID: "v"}, []db.Job{{ID: rowID(1), Account: "acme"}}, db.End{Status: transcript.JobSuccess}),
				hooks.BatchEnded(ctx, tx, &db.Batch{ID: rowID(1), Account: "acme", Status: batch.Completed}))
		})
		for range 4 {
			later += time.Minute // for the rate of the host
			w.must(hooks.Sender.Work(ctx, queue.Row{}, delivery.Step{Endpoint: id, Number: 1}))
		}
		for _, status := range []webhook.DeliveryStatus{"", webhook.Delivered} {
			w.must(second(hooks.Deliveries(ctx, "acme", id, status, "", 10)), second(hooks.Deliveries(ctx, "acme", id, status, test.ID, 10)))
		}
		w.must(second(hooks.Delivery(ctx, "acme", db.Answer{ID: test.ID, Note: id})), second(hooks.List(ctx, "acme")), second(hooks.Get(ctx, "acme", id)))
		for _, status := range []webhook.Status{webhook.Paused, webhook.Active} {
			w.must(second(hooks.Change(ctx, "acme", id, webhook.Change{Status: &status})))
		}
		w.must(second(hooks.Resend(ctx, "acme", id, test.ID, nil)),
			second(hooks.ResendRange(ctx, "acme", id, webhook.Resend{Status: webhook.Delivered}, nil)),
			second(hooks.ResendRange(ctx, "acme", id, webhook.Resend{Until: time.Now().Add(time.Hour)}, nil)))
		later += time.Hour + time.Minute
		w.must(hooks.Sweep(ctx, queue.Row{}, delivery.SweepStep{}), hooks.Delete(ctx, "acme", id))
	}
	later += webhook.Retention
	w.must(hooks.Sweep(ctx, queue.Row{}, delivery.SweepStep{}))
}

func (w walk) accounts() {
	ctx, at := w.Context(), now()
	limits := db.Limits{Period: at, Transcripts: 10, ASRMinutes: 10}
	_, _, err := w.Keys.ByPrefix(ctx, "tr_7")
	w.must(err,
		second(w.Accounts.ByID(ctx, "acme")), second(w.Accounts.All(ctx)), second(w.Accounts.Prompt(ctx, "acme")),
		second(w.Accounts.Standing(ctx, "acme", rowID(0), at)), second(w.Allowances.Usage(ctx, "acme", at)),
		second(w.Keys.All(ctx)), second(w.Keys.OwnedBy(ctx, "a7")), w.TouchKey(ctx, rowID(7), at),
		second(w.CountRequest(ctx, db.RequestWindow{Account: "acme", Class: db.MainRequests, Length: time.Minute}, 10)))
	w.in(func(ctx context.Context, tx *db.Tx) {
		w.must(tx.Accounts.Put(ctx, db.Account{ID: "new", Plan: "free"}),
			second(tx.Keys.Count(ctx, "a7", at, at)), tx.Keys.Insert(ctx, db.Key{Account: "acme", Prefix: "tr_new", Hash: []byte("x"), Scopes: []string{}}),
			tx.Keys.Revoke(ctx, "tr_7", at), tx.Keys.RevokeOwned(ctx, "acme", "tr_7", at),
			second(tx.Allowances.Pay(ctx, "acme", limits, db.Allowance{Transcripts: 1, Minutes: 1})))
		j := &db.Job{ID: rowID(10), Account: "acme", Limits: limits}
		w.must(second(tx.Allowances.Reserve(ctx, j, db.Allowance{Transcripts: 1, Minutes: 1})), tx.Allowances.Settle(ctx, j, db.Allowance{Transcripts: 1}))
	})
}

// cache asks for what is stored of contents, and stores more.
func (w walk) cache() {
	ctx, at := w.Context(), now()
	text := said("v5010", "en", "one two")
	w.must(second(w.Contents.Get(ctx, transcript.VideoSite, "v7")), second(w.Contents.Shelf(ctx, "", "acme", transcript.VideoSite, "v7")))
	for range 2 { // a text is put for the first time, and again
		id := put(w.T, w.Store, text)
		w.must(second(w.Transcripts.ByID(ctx, id)), second(w.Transcripts.ChangedAt(ctx, id, at)), second(w.Transcripts.Timed(ctx, id)), second(w.Transcripts.Sound(ctx, id)))
	}
	question := func() *ask.Lookup {
		return &ask.Lookup{Platform: transcript.VideoSite, ExternalID: "v7", Languages: "en"}
	}
	w.in(func(ctx context.Context, tx *db.Tx) {
		w.must(second(tx.Contents.Shelf(ctx, "", "acme", transcript.VideoSite, "v7")), tx.Contents.Put(ctx, &db.Content{Platform: transcript.VideoSite, ExternalID: "v7"}))
		first, lookups := question(), ask.Lookups{Tx: tx}
		w.must(second(lookups.Put(ctx, first, time.Minute)), second(lookups.Put(ctx, question(), -time.Minute)),
			second(ask.LookupByID(ctx, tx.Reader, first.ID)), lookups.Answer(ctx, first.ID, ask.Answered{}, false), lookups.Answer(ctx, first.ID, ask.Answered{}, true))
	})
}

// keys takes idempotency keys and lets go of them.
func (w walk) keys() {
	ctx := w.Context()
	key := func(k string) db.IdempotencyKey {
		return db.IdempotencyKey{Account: "acme", Method: "POST", Route: "/v1/transcripts", Key: k}
	}
	answer := db.Answer{Kind: db.TranscriptAnswer, ID: rowID(7)}
	for i, end := range []func(db.HeldKey) error{
		func(h db.HeldKey) error { return second(w.Idempotency.Settle(ctx, h, answer)) },
		func(h db.HeldKey) error { return second(w.Idempotency.Settle(ctx, h, db.Answer{})) },
		func(h db.HeldKey) error { return w.Idempotency.Release(ctx, h) },
	} {
		state, err := w.Idempotency.Take(ctx, key(fmt.Sprint(i)), nil)
		w.must(err, w.Idempotency.Beat(ctx, *state.Held))
		w.in(func(ctx context.Context, tx *db.Tx) { w.must(tx.Idempotency.Record(ctx, state.Held, answer, false)) })
		w.must(second(w.Idempotency.Take(ctx, key(fmt.Sprint(i)), nil)), end(*state.Held))
		if _, err := w.Idempotency.Settle(ctx, *state.Held, answer); err != nil {
			require.ErrorIs(w, err, db.ErrKeyLost)
		}
	}
	w.must(second(w.Idempotency.Take(ctx, key("dead"), nil)), second(w.Idempotency.TakeAnswered(ctx, key("answered"), nil, answer)),
		second(w.Idempotency.TakeAnswered(ctx, key("answered"), nil, answer)), w.Idempotency.FreeAll(ctx))
}

func (w walk) jobs() {
	ctx := w.Context()
	w.must(second(w.Jobs.Owned(ctx, "acme", rowID(10))), second(w.Jobs.ByID(ctx, rowID(10))), second(w.Queue.Waiting(ctx, rowID(10))),
		second(w.Jobs.Traces(ctx, rowID(10), 3)), second(w.Jobs.Events(ctx, rowID(10), 0)),
		second(w.Works.ByID(ctx, rowID(10))), second(w.Works.NeedMedia(ctx, "audio/77")), second(w.WithAudio(ctx, time.Hour)), w.AudioGoes(ctx, rowID(10)), second(w.Now(ctx)))
	w.in(func(ctx context.Context, tx *db.Tx) {
		e := &db.Work{Platform: transcript.VideoSite, ExternalID: "v5", Languages: "de", State: queued}
		j := &db.Job{Account: "acme", State: queued, Format: transcript.JSON}
		w.must(tx.Works.Insert(ctx, e))
		w.must(tx.Queue.Enqueue(ctx, stepOf{e.ID}))
		j.WorkID = e.ID
		w.must(tx.Jobs.Insert(ctx, j), tx.Jobs.SetAsked(ctx, j), second(tx.Jobs.Running(ctx, "acme", e.ID)),
			second(tx.Works.LockRunning(ctx, "", transcript.VideoSite, "v5", "de", "", transcript.Listening{})), second(tx.Works.Lock(ctx, e.ID)),
			tx.Works.SetDuration(ctx, e.ID, 1), tx.Works.SetMetadata(ctx, e.ID, transcript.Metadata{Title: "T"}),
			tx.Works.SetTried(ctx, e.ID, nil), tx.Works.Move(ctx, e, db.Move{To: durationCheck, Waits: true, Why: &transcript.LastError{}}),
			tx.Works.SetWaiting(ctx, e, nil), tx.Works.SetWaiting(ctx, e, &transcript.LastError{}),
			tx.Jobs.SetProgress(ctx, e.ID, &transcript.Progress{Fraction: 0.5}))
		jobs, err := tx.Jobs.LockRunning(ctx, e.ID)
		w.must(err, second(tx.Works.End(ctx, e, jobs, db.End{Status: transcript.JobCancelled})))
	})
	w.in(func(ctx context.Context, tx *db.Tx) {
		e := &db.Work{Platform: transcript.VideoSite, ExternalID: "v7", State: queued}
		w.must(tx.Works.Insert(ctx, e))
		for _, account := range []string{"acme", "other"} {
			w.must(tx.Jobs.Insert(ctx, &db.Job{Account: account, State: queued, Format: transcript.JSON, WorkID: e.ID}))
		}
		jobs, err := tx.Jobs.LockRunning(ctx, e.ID)
		w.must(err, second(tx.Works.Divide(ctx, e, jobs, jobs[0])))
	})
	w.in(func(ctx context.Context, tx *db.Tx) {
		e := &db.Work{Platform: transcript.VideoSite, ExternalID: "v6", State: queued}
		w.must(tx.Works.Insert(ctx, e))
		j := &db.Job{Account: "acme", State: queued, Format: transcript.JSON, WorkID: e.ID, Limits: db.Limits{Transcripts: -1}}
		w.must(tx.Jobs.Insert(ctx, j), tx.Queue.EnqueueFor(ctx, stepOf{e.ID}, j.Waits()), second(tx.Allowances.Hold(ctx, j)),
			tx.Chunks.Insert(ctx, []db.Chunk{{WorkID: e.ID}}))
		jobs, err := tx.Jobs.LockRunning(ctx, e.ID)
		w.must(err, second(tx.Works.End(ctx, e, jobs, db.End{Status: transcript.JobCancelled})), tx.Works.Clear(ctx, e.ID), tx.Works.LeaveAudio(ctx, e.ID))
	})
}

func (w walk) places() {
	ctx := w.Context()
	w.must(second(w.Places.InUse(ctx, "acme")), second(w.Places.ByWork(ctx, rowID(10))),
		second(w.Places.NextReady(ctx, "acme")), second(w.Places.NextOutside(ctx, "acme")))
	w.in(func(ctx context.Context, tx *db.Tx) {
		j := &db.Job{ID: rowID(510), Account: "acme", WorkID: rowID(510)}
		w.must(tx.Places.Lock(ctx, "acme"), tx.Places.StandOutside(ctx, j.WorkID), second(tx.Places.Take(ctx, j)),
			tx.Places.SetState(ctx, j.WorkID, db.Ready), tx.Places.Pass(ctx, j), tx.Places.Delete(ctx, j.WorkID))
	})
}

func (w walk) chunks() {
	ctx := w.Context()
	w.must(second(w.Chunks.ByNumber(ctx, rowID(10), 1)), second(w.Chunks.CutList(ctx, rowID(10))), second(w.Chunks.All(ctx, rowID(10))),
		second(w.Chunks.Next(ctx, rowID(10), 1, 2)), second(w.Speakers.All(ctx, rowID(10))), second(w.Works.Sound(ctx, rowID(90_000))))
	w.in(func(ctx context.Context, tx *db.Tx) {
		for range 2 {
			_, _, err := tx.Chunks.Finish(ctx, rowID(10), 1, []byte("{}"), db.Recognizer{})
			w.must(err)
		}
		w.must(tx.Chunks.Insert(ctx, []db.Chunk{{WorkID: rowID(2000)}}), tx.Chunks.Delete(ctx, rowID(10)),
			tx.Speakers.Put(ctx, []db.Speaker{{WorkID: rowID(10), Name: "B"}}),
			tx.Works.SetSound(ctx, rowID(10), []byte("{}")))
	})
}

func (w walk) batches() {
	ctx := w.Context()
	w.must(second(w.Batches.Owned(ctx, "acme", rowID(10))), second(w.Batches.ByID(ctx, rowID(10))))
	for _, status := range []batch.Status{"", batch.Pending, batch.Completed} {
		for _, before := range []string{"", rowID(5000)} {
			w.must(second(w.Batches.Page(ctx, "acme", status, before, 20)))
		}
	}
	w.in(func(ctx context.Context, tx *db.Tx) {
		b := &db.Batch{Account: "acme", Mode: batch.Playlist, Status: batch.Pending, Title: "T"}
		w.must(tx.Batches.Insert(ctx, b), second(tx.Batches.Lock(ctx, b.ID)), second(tx.Batches.LockOwned(ctx, "acme", b.ID)),
			second(tx.Batches.LockWaiting(ctx, []string{rowID(10), rowID(11)})), tx.Batches.Save(ctx, b), tx.Batches.SetExport(ctx, "acme", b.ID, "ref", "mime"),
			second(tx.BatchStranded(ctx, b.ID)), tx.Library.ShowBatch(ctx, b, transcript.VideoSite), tx.Library.RetitleBatch(ctx, b),
			tx.Library.HideBatch(ctx, "acme", b.ID), tx.Batches.Delete(ctx, b.ID))
	})
}

func (w walk) items() {
	ctx, of := w.Context(), rowID(10)
	w.must(second(w.Items.Page(ctx, "acme", of, 3, 20)), second(w.Items.WithoutJob(ctx, of, 3)), second(w.Items.ShortLinks(ctx, of)),
		second(w.Items.All(ctx, of)), second(w.Items.Open(ctx, of, 3)), second(w.Items.Counts(ctx, of)),
		second(w.Jobs.Abandoned(ctx, of)), second(w.Items.ForExport(ctx, "acme", of)))
	w.in(func(ctx context.Context, tx *db.Tx) {
		items := []db.BatchItem{{BatchID: of, Position: 100, Platform: transcript.VideoSite, ExternalID: "x", Status: batch.ItemPending}}
		w.must(tx.Items.Insert(ctx, items), tx.Items.SetContent(ctx, &items[0]), tx.Items.SetJob(ctx, items[0].ID, &db.Job{ID: rowID(10), WorkID: rowID(10)}, true),
			tx.Items.End(ctx, items[0].ID, batch.ItemSuccess, db.ItemEnd{TranscriptID: rowID(10)}),
			second(tx.Items.EndOfJobs(ctx, of, []string{rowID(10), rowID(11)}, batch.ItemSuccess, db.ItemEnd{TranscriptID: rowID(10)})),
			second(tx.Items.SetSound(ctx, rowID(11))), tx.Items.Reopen(ctx, of, []string{rowID(100), rowID(101)}), tx.Items.Skip(ctx, of))
	})
}

// lists reads the lists of a library.
func (w walk) lists() {
	ctx := w.Context()
	for _, change := range []func(*library.Query){
		func(*library.Query) {},
		func(q *library.Query) { q.View = library.History },
		func(q *library.Query) { q.View = library.Starred },
		func(q *library.Query) { q.Sort = library.Oldest },
		func(q *library.Query) { q.Sort = library.Title },
		func(q *library.Query) { q.Page = 100 },
		func(q *library.Query) { q.Lang = "de" },
		func(q *library.Query) { q.Platform = "video_site" },
		func(q *library.Query) { q.Platform = library.Batches },
		func(q *library.Query) { q.ExternalID = "v7" },
		func(q *library.Query) { q.Platform, q.ExternalID = "video_site", "v7" },
		func(q *library.Query) { q.Q = "talk 12" },
		func(q *library.Query) { q.Q, q.Sort = "talk 12", library.Title },
		func(q *library.Query) { q.Tags = []string{"a", "b"} },
	} {
		q := library.Query{View: library.All, Sort: library.Recent, Page: 1, PageSize: 24}
		change(&q)
		w.must(second(w.Library.Page(ctx, "acme", q)))
	}
	row, err := w.Library.Row(ctx, "acme", library.Key{Platform: transcript.VideoSite, ExternalID: "v5030"})
	w.must(err, second(w.Library.Related(ctx, row, 5)), second(w.Library.All(ctx, "acme")), second(w.Library.Transcript(ctx, "acme", rowID(5030))))
	for _, key := range []library.Key{
		{Platform: transcript.VideoSite, ExternalID: "v5030"},
		{Platform: transcript.VideoSite, ExternalID: "v5030", Language: "en", Row: rowID(5030)},
	} {
		w.must(second(w.Library.Saved(ctx, "acme", key)), second(w.Library.Row(ctx, "acme", key)))
		w.in(func(ctx context.Context, tx *db.Tx) {
			w.must(tx.Library.Star(ctx, "acme", key, true), tx.Library.Remove(ctx, "acme", key))
		})
	}
}

// rows writes the rows of a library: of work that begins and ends, of texts, and of
// texts of the account alone.
func (w walk) rows() {
	touchLibrary(w.T, w.Store)
	own := said("own", "en", "one two")
	own.Owner = "acme"
	id := put(w.T, w.Store, own)
	w.in(func(ctx context.Context, tx *db.Tx) {
		w.must(tx.Library.Save(ctx, id, "acme", "en"), tx.Library.Remove(ctx, "acme", library.Key{Platform: transcript.VideoSite, ExternalID: "own", Language: "en"}))
	})
}

// shared ends work for two accounts, of which one has the text already, and saves so many
// texts that the account's index is to grow.
func (w walk) shared() {
	e, jobs := newWork(w.T, w.Store, "acme", "beta")
	text := said(e.ExternalID, "en", "one")
	text.Platform = e.Platform
	id := put(w.T, w.Store, text)
	w.in(func(ctx context.Context, tx *db.Tx) {
		w.must(tx.Library.Save(ctx, id, "acme", ""), tx.Library.ShowJob(ctx, e, jobs[0]), tx.Library.ShowJob(ctx, e, jobs[1]),
			tx.Library.EndJobs(ctx, e, []db.Job{*jobs[0], *jobs[1]}, db.End{Status: transcript.JobSuccess, TranscriptID: id}))
		for i := range 80 {
			w.must(tx.Library.Save(ctx, rowID(5001+10*i), "acme", ""))
		}
	})
}

// words searches texts, and puts them into volumes and takes them out again.
func (w walk) words() {
	ctx := w.Context()
	var texts []*db.Transcript
	for i := range 6 {
		texts = append(texts, said(fmt.Sprint("w", i), "en", "apple bread", "cake apple"))
	}
	keep(w.T, w.Store, "wordy", texts...)
	find := func() {
		for _, q := range []string{"apple", `"apple bread"`, "app*"} {
			for _, s := range []db.Search{{}, {Platform: "video_site", Lang: "en"}} {
				s.Account, s.Query, s.N = "wordy", search.Parse(q), 10
				w.must(second(w.Library.Search(ctx, s)))
			}
		}
	}
	find()
	w.must(w.BindTexts(ctx, "wordy", len(texts)))
	find()
	bound, err := w.Library.All(ctx, "wordy")
	require.NotEmpty(w, bound)
	w.must(err)
	w.in(func(ctx context.Context, tx *db.Tx) {
		w.must(tx.Library.Save(ctx, bound[0].TranscriptID, "other", ""), tx.Library.Remove(ctx, "wordy", library.Key{Platform: transcript.VideoSite, ExternalID: "w5"}))
	})
	keep(w.T, w.Store, "wordier", texts[0])
	w.must(w.BindTexts(ctx, "wordier", 1), w.BindTexts(ctx, "wordy", 1))
	put(w.T, w.Store, said("w1", "en", "something else"))
	w.must(w.PurgeTexts(ctx, "wordy"))
	for _, n := range []int{0, 2, 3} { // the first is in two libraries
		put(w.T, w.Store, said(fmt.Sprint("w", n), "en", "something else"))
	}
	w.must(w.BindTexts(ctx, "wordy", 1))
}

// queue does what the steps of the queue do with their own rows.
func (w walk) queue() {
	ctx := w.Context()
	w.must(second(w.Queue.TakenUp(ctx, rowID(10), []string{"p1"})), second(w.Stranded(ctx)), second(w.Status(ctx)),
		second(joblist.Running(ctx, w.SQL(), 50)), second(joblist.Failed(ctx, w.SQL(), 50)),
		w.Ping(ctx), w.Queue.WakeWaiting(ctx, []string{"default"}), second(w.Queue.SingleWaits(ctx, "default")))
	lost, err := w.Queue.Lost(ctx)
	w.must(err)
	w.in(func(ctx context.Context, tx *db.Tx) {
		w.must(second(tx.Queue.Requeue(ctx, lost[0])), second(tx.Queue.RunAgain(ctx, lost[1], stepOf{rowID(10)}, 0)),
			second(tx.Queue.RunAgain(ctx, lost[2], stepOf{rowID(10)}, time.Minute)), second(tx.Queue.Requeue(ctx, lost[3])),
			second(tx.WorkStranded(ctx, rowID(10))),
			tx.Jobs.SetAsked(ctx, &db.Job{ID: rowID(11), Account: "a11", WorkID: rowID(11)}))
	})
	r := runner(w.T, w.Store, queue.Workers{Process: "walker", Queues: map[string]int{"walk": 2}, Workers: workers(func(context.Context, queue.Row, work) error { return nil })})
	w.must(r.Beat(ctx), second(r.Unheard(ctx)))
	w.must(r.Leave(ctx))
}

// housekeeping removes what is old, and names hooks and processes.
// recordings keeps recordings of uploads, and deletes them.
func (w walk) recordings() {
	ctx, at := w.Context(), now()
	w.must(second(w.Recordings.Of(ctx, "acme", "v20", at)), second(w.Recordings.Kept(ctx, "acme", at)), second(w.Recordings.Promised(ctx, "acme")),
		second(w.Recordings.MediaKept(ctx, "uploads/20")), second(w.Works.NeedMedia(ctx, "uploads/20")))
	w.in(func(ctx context.Context, tx *db.Tx) {
		r := &db.Recording{Account: "acme", ExternalID: "v1040", MediaKey: "uploads/new", Until: at.Add(time.Hour)}
		w.must(tx.Recordings.LockAccount(ctx, "acme"), second(tx.Recordings.Keep(ctx, r)), second(tx.Recordings.SetCopy(ctx, r)),
			second(tx.Recordings.Delete(ctx, "acme", "v1040", at)), second(tx.Recordings.DeleteWithText(ctx, "acme", "v40")), tx.LockSubmissions(ctx, "acme", engine.Content{Platform: transcript.Upload, ExternalID: "v40"}),
			tx.Works.SetKeepMedia(ctx, &db.Work{ID: rowID(20), KeepMedia: 60}))
	})
}

func (w walk) housekeeping() {
	ctx := w.Context()
	_, hold, err := w.HoldBlobs(ctx)
	w.must(err, second(w.BlobsHeld(ctx)), hold.Release(ctx), second(w.Tables(ctx)), w.NamedBlobs(ctx, func(tables.Blob) error { return nil }))
	w.must(w.SetHook(ctx, db.JobHook), second(w.HasHook(ctx, db.JobHook, now())))
	all, err := w.Queue.Processes(ctx)
	require.NotEmpty(w, all)
	w.must(err, second(w.Queue.EndedProcesses(ctx, []queue.Process{{Session: 1}})), second(w.Queue.Bury(ctx, all[0])))
	release, err := w.Serve(ctx)
	w.must(err, release())
	w.must(dbtest.Sweep(ctx, w.Store, time.Since(time.Date(2026, 1, 1, 0, 20, 0, 0, time.UTC)), 10*365*24*time.Hour), w.BeginAnew(ctx))
}

// expired removes what the plan of an account keeps no longer.
func (w walk) expired() {
	ctx, old := w.Context(), time.Date(2026, 1, 1, 0, 20, 0, 0, time.UTC)
	plans := retention.Expiry{
		Store: w.Store, Keep: workroom.Retention{Jobs: time.Since(old)},
		Audio: &audio.Files{Store: w.Store, Log: slog.New(slog.DiscardHandler)},
		PlanOf: func(_ context.Context, name string) account.Plan {
			if name != "a7" {
				return account.Plan{}
			}
			return account.Plan{KeepLibrary: time.Since(old), KeepJobs: time.Since(old)}
		},
	}
	w.must(second(plans.Report(ctx, now())), plans.Sweep(ctx, now()))
	w.in(func(ctx context.Context, tx *db.Tx) {
		b := &db.Batch{Account: "a7", Mode: batch.Links, Status: batch.Completed}
		w.must(tx.Batches.Insert(ctx, b), batcher.RemoveEnded(ctx, tx, "a7", b.ID))
	})
}

// export reads everything of an account that has few rows.
func (w walk) export() {
	w.must(w.LongSnapshot(w.Context(), func(ctx context.Context, r db.Reader) error {
		for _, table := range service.Tables() {
			if table.Export != nil {
				w.must(table.Rows(ctx, r.DB(), "a7", func(map[string]any) error { return nil }))
			}
		}
		w.must(second(r.TextsOf(ctx, "a7")), second(r.RecordingsOf(ctx, "a7")))
		return nil
	}))
}

// removals removes an account that has few rows, so that a plan by an index is the best one.
func (w walk) removals() {
	ctx := w.Context()
	w.in(func(ctx context.Context, tx *db.Tx) {
		w.must(tx.Removals.Begin(ctx, "nobody"), tx.Removals.Begin(ctx, "a7"), tx.Removals.Forget(ctx, "beta"))
		for _, table := range service.Tables() {
			if table.Removal != nil && (!table.Removal.ByFeature || table.Removal.Rows != "") {
				w.must(second(tx.Removals.DeleteSome(ctx, table, "a7")))
			}
		}
		w.must(tx.Library.Remove(ctx, "a7", library.Key{Platform: transcript.VideoSite, ExternalID: "v1"}),
			second(tx.Recordings.DeleteSome(ctx, "a7")), second(tx.Queue.DeleteOf(ctx, "a7")))
	})
	w.in(func(ctx context.Context, tx *db.Tx) {
		w.must(tx.Accounts.Put(ctx, db.Account{ID: "bare", Plan: "free"}), tx.Removals.Begin(ctx, "bare"), tx.Removals.End(ctx, "bare"), tx.Removals.Forget(ctx, "bare"))
	})
	w.must(second(w.Removals.All(ctx)), second(w.Removals.Marked(ctx, "a7")), second(w.Jobs.RunningOf(ctx, "a7")), second(w.Works.EndedOf(ctx, "a7", "", 200)),
		second(w.Library.Contents(ctx, "a7", 200)), second(w.Uploads.IDs(ctx, "a7")))
	w.must(w.InTx(ctx, func(ctx context.Context, tx *db.Tx) error { return tx.Removals.Begin(ctx, "a7") }))
	w.must(second(batcher.New(batcher.Config{Store: w.Store}).RemoveAll(ctx, "a7")))
}

// touchLibrary does what has to do with one content in a library.
func touchLibrary(t *testing.T, s *db.Store) {
	t.Helper()
	id := put(t, s, &db.Transcript{Transcript: transcript.Transcript{
		Platform: transcript.VideoSite, ExternalID: "v1", Lang: "en", Source: transcript.OriginASR, Status: transcript.Ready,
	}, SegmentsJSON: packed.Pack([]byte("[]"))})
	for _, end := range []db.End{
		{Status: transcript.JobSuccess, TranscriptID: id},
		{Status: transcript.JobFailed, Error: transcript.Errorf(transcript.NoTranscript, "None.")},
		{Status: transcript.JobCancelled},
	} {
		e, jobs := newWork(t, s, "acme")
		inTx(t, s, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Library.ShowJob(ctx, e, jobs[0]))
			require.NoError(t, tx.Library.DescribeJobs(ctx, e, transcript.Metadata{Title: "T"}))
			require.NoError(t, tx.Library.EndJobs(ctx, e, []db.Job{*jobs[0]}, end))
			running, err := tx.Jobs.LockRunning(ctx, e.ID)
			require.NoError(t, err)
			_, err = tx.Works.End(ctx, e, running, db.End{Status: transcript.JobCancelled})
			require.NoError(t, err)
		})
	}
	key := library.Key{Platform: transcript.VideoSite, ExternalID: "v1", Language: "en"}
	inTx(t, s, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Library.Save(ctx, id, "acme", "")) })
	_, err := s.Library.Saved(t.Context(), "acme", key)
	require.NoError(t, err)
	_, err = s.Library.Row(t.Context(), "acme", key)
	require.NoError(t, err)
	_, err = s.Library.Page(t.Context(), "acme", library.Query{View: library.History, Sort: library.Recent, Platform: "video_site", ExternalID: "v1", Page: 1, PageSize: 10})
	require.NoError(t, err)
	inTx(t, s, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Library.Star(ctx, "acme", key, true))
		require.NoError(t, tx.Library.Remove(ctx, "acme", key))
		b := &db.Batch{Account: "acme", Mode: batch.Playlist, Status: batch.Pending, Title: "T"}
		require.NoError(t, tx.Batches.Insert(ctx, b))
		require.NoError(t, tx.Library.ShowBatch(ctx, b, transcript.VideoSite))
		require.NoError(t, tx.Library.RetitleBatch(ctx, b))
		require.NoError(t, tx.Library.HideBatch(ctx, "acme", b.ID))
	})
}
