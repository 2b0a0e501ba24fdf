package client_test

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jarcoal/httpmock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// bubble is when the clock of a synctest bubble begins.
var bubble = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// timed is what a stream brings, each piece at its time in the bubble. After the last one
// it ends, is silent, or breaks.
type timed struct {
	pieces []piece
	end    error // nil: silent until the connection is given up
	ctx    context.Context
	read   io.Reader
}

type piece struct {
	at   time.Duration
	text string
}

func (s *timed) Read(p []byte) (int, error) {
	for {
		if s.read != nil {
			if n, err := s.read.Read(p); err == nil {
				return n, nil
			}
		}
		var due <-chan time.Time
		switch {
		case len(s.pieces) > 0:
			due = time.After(time.Until(bubble.Add(s.pieces[0].at)))
		case s.end != nil:
			return 0, s.end
		}
		select {
		case <-due:
			s.read, s.pieces = strings.NewReader(s.pieces[0].text), s.pieces[1:]
		case <-s.ctx.Done():
			return 0, s.ctx.Err()
		}
	}
}

// pings are the heartbeats of a stream from one time to another.
func pings(from, to time.Duration) (all []piece) {
	for at := from; at < to; at += 15 * time.Second {
		all = append(all, piece{at, ping})
	}
	return all
}

// However a service's events fare, the end of a job is noticed: at once where they tell
// of it, else at one of the next questions.
func TestWaitFollowsEvents(t *testing.T) {
	t.Parallel()
	const end = 5 * time.Minute // when the job ends, unless a case says otherwise
	const asked = 7500 * time.Millisecond
	stream := func(last error, pieces ...piece) httpmock.Responder {
		slices.SortFunc(pieces, func(a, b piece) int { return cmp.Compare(a.at, b.at) })
		return func(r *http.Request) (*http.Response, error) {
			resp := httpmock.NewStringResponse(200, "")
			resp.Header.Set("Content-Type", "text/event-stream")
			resp.Body = io.NopCloser(&timed{pieces: pieces, end: last, ctx: r.Context()})
			return resp, nil
		}
	}
	refusing := func(status int, header ...string) httpmock.Responder {
		resp := httpmock.NewStringResponse(status, "<html>")
		if header != nil {
			resp.Header.Set(header[0], header[1])
		}
		return httpmock.ResponderFromResponse(resp)
	}
	running := piece{0, snapshot(2, "asr_running")}
	long := block(6, "job.completed", jobBody("success", "done", 6, object{"transcriptRef": "x"}))
	closing := func(reason string, retryMS int) string {
		return block(0, "stream.closing", object{"reason": reason, "retryMs": retryMS})
	}
	for name, tc := range map[string]struct {
		streams []httpmock.Responder
		late    time.Duration // at most
		asks    int           // at most; 0: as often as it likes
		opened  int           // streams; 0: as many as it likes
		hint    string        // Retry-After of the job while it runs
		key     time.Duration // when the key is revoked; 0: never
		is      error
		opts    []client.RequestOption
	}{
		"they tell of it": {streams: []httpmock.Responder{stream(nil, append([]piece{running, {end, completed(3)}}, pings(0, end)...)...)}, asks: 11, opened: 1},
		"told by progress on the way": {streams: []httpmock.Responder{stream(nil, running, piece{10 * time.Second, progress(2, 0.1)},
			piece{25 * time.Second, progress(2, 0.5)}, piece{end, completed(3)})}, late: asked},
		"a text too long for an event": {streams: []httpmock.Responder{stream(nil, append([]piece{running, {end, long}}, pings(0, end)...)...)}, asks: 12, opened: 1},
		"held back by a proxy":         {streams: []httpmock.Responder{stream(nil, piece{end, snapshot(2, "asr_running") + completed(3)})}, late: asked},
		"of another job":               {streams: []httpmock.Responder{stream(nil, running, piece{time.Second, ofAnotherJob()}, piece{2 * time.Second, completed(3)})}, late: asked},
		"not a byte":                   {streams: []httpmock.Responder{stream(nil)}, late: asked},
		"silent after the first":       {streams: []httpmock.Responder{stream(nil, running)}, late: 30 * time.Second},
		"cut, and resumed": {streams: []httpmock.Responder{stream(io.ErrUnexpectedEOF, running, piece{time.Second, transition(3, "asr_running")}),
			stream(nil, append([]piece{{2 * time.Second, transition(4, "asr_running")}, {end, completed(5)}}, pings(0, end)...)...)}, opened: 2, asks: 14},
		"cut always":              {streams: []httpmock.Responder{stream(io.ErrUnexpectedEOF, running)}, late: 30 * time.Second},
		"cut, and not resumed":    {streams: []httpmock.Responder{stream(io.EOF, running)}, late: asked, opened: 1, opts: []client.RequestOption{client.WithRetry(client.NoRetry)}},
		"the service goes on":     {streams: []httpmock.Responder{stream(nil, running, piece{time.Second, closing("shutdown", 1000)}), stream(nil, append([]piece{running, {end, completed(3)}}, pings(0, end)...)...)}, asks: 12, opened: 2},
		"the end is lost":         {streams: []httpmock.Responder{stream(nil, append([]piece{running}, pings(0, 2*end)...)...)}, late: 30 * time.Second, asks: 12, opened: 1},
		"none, in an old service": {streams: []httpmock.Responder{refusing(404)}, late: asked, opened: 1},
		"not implemented":         {streams: []httpmock.Responder{refusing(501)}, late: asked, opened: 1},
		"gone":                    {streams: []httpmock.Responder{refusing(410)}, late: asked, opened: 1},
		"nothing follows":         {streams: []httpmock.Responder{refusing(204)}, late: asked, opened: 1},
		"no stream but a page":    {streams: []httpmock.Responder{refusing(200, "Content-Type", "text/html")}, late: asked, opened: 1},
		"too many streams":        {streams: []httpmock.Responder{refusing(429, "Retry-After", "5")}, late: asked, opened: 10},
		"a conflict":              {streams: []httpmock.Responder{refusing(409)}, late: asked, opened: 1},
		"a gateway that is lost":  {streams: []httpmock.Responder{refusing(504)}, late: asked, opened: 1},
		"no more than is asked for": {streams: []httpmock.Responder{refusing(404)}, hint: "20", late: 20 * time.Second,
			asks: 16},
		"events nobody can read": {streams: []httpmock.Responder{stream(nil, piece{0, block(0, "job.progress", object{"jobId": 5}) + snapshot(2, "queued")})}, late: asked, opened: 1},
		"a key revoked midway": {streams: []httpmock.Responder{stream(nil, append([]piece{running, {time.Minute, closing("unauthorized", 0)}}, pings(0, time.Minute)...)...)},
			key: time.Minute, late: asked, opened: 1, is: transcript.Unauthorized},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				opened, asks := 0, []time.Time{}
				transport := roundTrip(func(r *http.Request) (resp *http.Response, err error) {
					if !strings.HasSuffix(r.URL.Path, "/events") {
						asks = append(asks, time.Now())
						switch since := time.Since(began); {
						case tc.key > 0 && since >= tc.key:
							return httpmock.NewStringResponse(401, `{"error":"invalid_credential"}`), nil
						case since >= end:
							return httpmock.NewJsonResponse(200, doneBody(6))
						}
						resp, err = httpmock.NewJsonResponse(200, jobBody("processing", "asr_running", 2))
						resp.Header.Set("Retry-After", tc.hint)
						return resp, err
					}
					opened++
					return tc.streams[min(opened, len(tc.streams))-1](r)
				})
				c, err := client.New(base, client.WithHTTPClient(&http.Client{Transport: transport}))
				require.NoError(t, err)
				result, err := c.Jobs.Wait(t.Context(), jobID, tc.opts...)
				ended := end
				if tc.key > 0 {
					ended = tc.key
				}
				assert.LessOrEqual(t, time.Since(began)-ended, tc.late)
				assert.GreaterOrEqual(t, time.Since(began), ended)
				if tc.asks > 0 {
					assert.LessOrEqual(t, len(asks), tc.asks)
				}
				if tc.opened > 0 {
					assert.Equal(t, tc.opened, opened)
				}
				for i := 1; i < len(asks) && tc.hint != ""; i++ {
					assert.GreaterOrEqual(t, asks[i].Sub(asks[i-1]), 20*time.Second)
				}
				if tc.is != nil {
					require.ErrorIs(t, err, tc.is)
					var e *client.WaitError
					require.ErrorAs(t, err, &e)
					assert.Equal(t, transcript.StageASRRunning, e.Job.Stage, "the last state seen")
					return
				}
				require.NoError(t, err)
				assert.Equal(t, "hello there", result.Transcript.Segments[0].Text)
			})
		})
	}
}

// The end of ctx ends a wait at once, in the middle of a stream as in a pause, and
// nothing of it is left.
func TestWaitEndsWithTheContext(t *testing.T) {
	srv := &eventServer{next: []connection{hanging(snapshot(2, "queued"), transition(3, "asr_running"))}}
	heard := make(chan struct{}, 100)
	c := served(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/events") {
			heard <- struct{}{}
			srv.ServeHTTP(w, r)
			return
		}
		writeJSON(w, 200, jobBody("processing", "caption_fetch", 2))
	})
	before := goleak.IgnoreCurrent()
	for range 5 {
		ctx, cancel := context.WithCancelCause(t.Context())
		errQuit := errors.New("the user left")
		go func() {
			<-heard
			cancel(errQuit)
		}()
		_, err := c.Jobs.Wait(ctx, jobID)
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, errQuit)
		var e *client.WaitError
		require.ErrorAs(t, err, &e)
		assert.Equal(t, transcript.JobProcessing, e.Job.Status)
	}
	require.EventuallyWithT(t, func(c *assert.CollectT) { // the service notices when it comes to it
		assert.NoError(c, goleak.Find(before, goleak.IgnoreTopFunction("internal/poll.runtime_pollWait"),
			goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"), goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop")))
	}, time.Minute, time.Millisecond)
}

// A lost connection is told to who waits, whichever of the two it was, and one after the
// other.
func TestWaitTellsOfLostConnections(t *testing.T) {
	t.Parallel()
	srv := &eventServer{next: []connection{broken(snapshot(2, "asr_running")), streamOf(completed(3))}}
	c := served(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/events") {
			srv.ServeHTTP(w, r)
			return
		}
		writeJSON(w, 200, jobBody("processing", "asr_running", 2))
	})
	var told []error
	_, err := c.Jobs.Wait(t.Context(), jobID, client.WithRetryNotify(func(err error, _ time.Duration) { told = append(told, err) }))
	require.NoError(t, err)
	require.Len(t, told, 1)
	require.ErrorIs(t, told[0], io.ErrUnexpectedEOF)
}

// The end of a batch is told by an answer that was held until then. A service, or what
// stands before it, that does not hold answers is asked in pauses.
func TestBatchesWaitHeld(t *testing.T) {
	t.Parallel()
	const end = 25 * time.Second
	for name, tc := range map[string]struct {
		opts []client.RequestOption
		hold time.Duration // longest that the service holds an answer; 0: it does not
		cut  time.Duration // what is held for longer is cut; 0: nothing is
		late time.Duration
		asks int // at most
	}{
		"held":            {hold: 10 * time.Second, asks: 3},
		"in short turns":  {hold: time.Minute, asks: 14, opts: []client.RequestOption{client.WithAttemptTimeout(4 * time.Second)}},
		"an old service":  {late: 7500 * time.Millisecond, asks: 15},
		"cut by a proxy":  {hold: 10 * time.Second, cut: 3 * time.Second, late: 7500 * time.Millisecond, asks: 20},
		"held too little": {hold: time.Second, late: 7500 * time.Millisecond, asks: 15},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, mt := mocked(t)
				began := time.Now()
				asks := 0
				mt.RegisterResponder("GET", batchURL, func(r *http.Request) (*http.Response, error) {
					asks++
					wait, _ := time.ParseDuration(r.URL.Query().Get("waitMs") + "ms") // 0: none
					wait = min(wait, tc.hold, max(0, end-time.Since(began)))
					if tc.cut > 0 && wait > tc.cut {
						time.Sleep(tc.cut) // of the bubble's clock
						return nil, errBroken
					}
					time.Sleep(wait) // of the bubble's clock
					if time.Since(began) >= end {
						return httpmock.NewJsonResponse(200, batchPageBody("completed", 3, 3))
					}
					return httpmock.NewJsonResponse(200, batchPageBody("processing", 1, 3))
				})
				job, err := c.Batches.Wait(t.Context(), batchID, tc.opts...)
				require.NoError(t, err)
				assert.Equal(t, batch.Completed, job.Status)
				assert.LessOrEqual(t, time.Since(began)-end, tc.late)
				assert.LessOrEqual(t, asks, tc.asks)
			})
		})
	}
}
