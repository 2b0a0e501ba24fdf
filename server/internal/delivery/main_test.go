package delivery_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/webhooksign"
	"github.com/transcriptkit/transcriptkit/library/webhook"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/delivery"
	"github.com/transcriptkit/transcriptkit/server/internal/queue"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const acme = "acme"

// clock is the clock of a service, which a test moves.
type clock struct {
	mu  sync.Mutex
	off time.Duration
}

func (c *clock) now(context.Context) (time.Time, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.off), nil
}

func (c *clock) move(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.off += by
}

// service delivers to webhooks.
type service struct {
	*delivery.Store
	name  string // of the process
	db    *db.Store
	clock *clock
	log   *logged
}

// logged keeps what is logged.
type logged struct {
	mu   sync.Mutex
	text []byte
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, p...)
	return len(p), nil
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text)
}

// prepare makes a service that delivers nothing yet. It trusts all addresses, and sends as fast as
// it can, unless a change says otherwise.
func prepare(s *db.Store, changes ...func(*delivery.Config)) *service {
	v := &service{name: "p", db: s, clock: new(clock), log: new(logged)}
	c := delivery.Config{
		Store: s, Log: slog.New(slog.NewTextHandler(v.log, nil)),
		Client: func() *http.Client { return &http.Client{Transport: http.DefaultTransport} },
		Trust:  true,
		Times:  delivery.Times{Now: v.clock.now, Look: 20 * time.Millisecond, Window: time.Nanosecond},
	}
	for _, change := range changes {
		change(&c)
	}
	v.Store = delivery.New(c)
	return v
}

// start makes a service that delivers until the test ends.
func start(t *testing.T, s *db.Store, changes ...func(*delivery.Config)) *service {
	t.Helper()
	v := prepare(s, changes...)
	v.work(t)
	return v
}

// work lets a service deliver until the test ends.
func (v *service) work(t *testing.T) {
	t.Helper()
	runner, err := v.db.Queue.NewRunner(queue.Workers{
		Process: v.name + "-" + t.Name(),
		Workers: []queue.Worker{queue.NewWorker(time.Minute, v.Sender.Work), queue.NewWorker(time.Minute, v.Sweep)},
		Queues:  map[string]int{delivery.Queue: delivery.StepsAtOnce, delivery.SlowQueue: delivery.StepsAtOnce},
	})
	require.NoError(t, err)
	require.NoError(t, runner.Start(t.Context()))
	var beats sync.WaitGroup
	beats.Go(func() { // without heartbeats a process begins no step after a while
		for tick := time.NewTicker(time.Second); ; {
			select {
			case <-tick.C:
				_ = runner.Beat(t.Context()) // fails when the test ends
			case <-t.Context().Done():
				tick.Stop()
				return
			}
		}
	})
	t.Cleanup(func() {
		beats.Wait()
		assert.NoError(t, runner.Stop(context.WithoutCancel(t.Context())))
		assert.NoError(t, runner.Leave(context.WithoutCancel(t.Context())))
	})
}

// endpoint makes an endpoint of an account.
func (v *service) endpoint(t *testing.T, account, url string, events ...webhook.EventType) *webhook.Created {
	t.Helper()
	c, err := v.Create(t.Context(), account, webhook.Params{URL: url, Events: events}, nil)
	require.NoError(t, err)
	return c
}

// end ends a job of an account: with the code, or with success.
func (v *service) end(t testing.TB, account, job string, code transcript.Code) {
	t.Helper()
	end := db.End{Status: transcript.JobSuccess}
	if code != "" {
		end = db.End{Status: transcript.JobFailed, Error: transcript.Errorf(code, "It is gone.")}
	}
	require.NoError(t, v.db.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		return v.JobsEnded(ctx, tx, &db.Work{Platform: transcript.VideoSite, ExternalID: "v-" + job}, []db.Job{{ID: job, Account: account}}, end)
	}))
}

// deliveries are the deliveries of an endpoint, newest first.
func (v *service) deliveries(t testing.TB, account, id string) []webhook.Delivery {
	t.Helper()
	all, err := v.Deliveries(t.Context(), account, id, "", "", 100)
	require.NoError(t, err)
	return all
}

// got is a request that a receiver has got.
type got struct {
	header http.Header
	body   []byte
	at     time.Time
}

// receiver is the server of an account.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	got    []got
	answer func(w http.ResponseWriter, r *http.Request, n int) // to the nth request; nil: 204
}

func newReceiver(t testing.TB, answer func(w http.ResponseWriter, r *http.Request, n int)) *receiver {
	t.Helper()
	r := &receiver{answer: answer}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.CloseClientConnections) // before Close, which waits for them
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	r.mu.Lock()
	r.got = append(r.got, got{req.Header, body, time.Now()})
	n := len(r.got)
	answer := r.answer
	r.mu.Unlock()
	if answer != nil {
		answer(w, req, n)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func (r *receiver) all() []got {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]got(nil), r.got...)
}

// says answers with a status.
func says(status int) func(http.ResponseWriter, *http.Request, int) {
	return func(w http.ResponseWriter, _ *http.Request, _ int) { w.WriteHeader(status) }
}

// eventually waits until a condition is met, and says what is missing.
func eventually(t *testing.T, condition func(c *assert.CollectT)) {
	t.Helper()
	require.EventuallyWithT(t, condition, time.Minute, 10*time.Millisecond)
}

// verify checks the signatures of a request.
func (g got) verify(t testing.TB, secret string) {
	t.Helper()
	id, err := webhooksign.Verify([]string{secret}, g.header, g.body, time.Now())
	require.NoError(t, err)
	require.Equal(t, g.header.Get("Webhook-Id"), id)
}

// status describes deliveries: "type status attempts".
func status(all []webhook.Delivery) (texts []string) {
	for _, d := range all {
		texts = append(texts, fmt.Sprint(d.Type, " ", d.Status, " ", d.Attempts))
	}
	return texts
}
