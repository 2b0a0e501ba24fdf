package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jarcoal/httpmock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The service holds the answer so long that the answer comes in time.
func TestHoldFitsTheDeadline(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		deadline time.Duration // 0: none
		wish     time.Duration // -1: none
		opts     []client.RequestOption
		want     string // empty: not sent
	}{
		"no deadline":         {0, -1, nil, ""},
		"a long deadline":     {4 * time.Second, -1, nil, ""},
		"a short deadline":    {time.Second, -1, nil, "500"},
		"a wish that fits":    {4 * time.Second, 2 * time.Second, nil, "2000"},
		"a long wish":         {4 * time.Second, 10 * time.Second, nil, "2000"},
		"no hold":             {time.Second, 0, nil, "0"},
		"beyond the bounds":   {time.Second, 20 * time.Second, nil, "20000"},
		"a short attempt":     {0, -1, []client.RequestOption{client.WithAttemptTimeout(time.Second)}, "500"},
		"a key of the caller": {time.Second, -1, []client.RequestOption{client.WithIdempotencyKey("k")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, mt := mocked(t)
				var sent struct{ WaitMS *int }
				mt.RegisterResponder("POST", base+"/v1/transcript", func(r *http.Request) (*http.Response, error) {
					assert.NoError(t, json.NewDecoder(r.Body).Decode(&sent))
					return httpmock.NewJsonResponse(202, jobBody("pending", "queued", 1))
				})
				ctx := t.Context()
				if tc.deadline > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tc.deadline)
					defer cancel()
				}
				request := transcript.Request{Source: transcript.URL(videoID)}
				if tc.wish >= 0 {
					request.Wait = &tc.wish
				}
				_, job, err := c.Transcripts.Submit(ctx, request, tc.opts...)
				require.NoError(t, err)
				assert.Equal(t, jobID, job.JobID)
				got := ""
				if sent.WaitMS != nil {
					got = strconv.Itoa(*sent.WaitMS)
				}
				assert.Equal(t, tc.want, got)
			})
		})
	}
}

// work is a service that has begun a job, and does not answer the first request. The next ones get
// the answers of next, and then none.
type work struct {
	unsent bool // the first request does not arrive whole
	next   []httpmock.Responder

	at   []time.Time
	sent []string // keys and bodies
}

func (w *work) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	w.at, w.sent = append(w.at, time.Now()), append(w.sent, r.Header.Get("Idempotency-Key")+" "+string(body))
	n := len(w.at)
	if trace := httptrace.ContextClientTrace(r.Context()); trace != nil && (n > 1 || !w.unsent) {
		trace.WroteRequest(httptrace.WroteRequestInfo{})
	}
	if n == 1 || n-2 >= len(w.next) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	return w.next[n-2](r)
}

// A context that ends while the service holds the answer loses no job, and the call ends soon.
func TestEndDuringTheAnswer(t *testing.T) {
	t.Parallel()
	const late = 2 * time.Second // at most, after the end of the context
	accepted := httpmock.NewJsonResponderOrPanic(202, jobBody("pending", "queued", 1))
	running := httpmock.NewJsonResponderOrPanic(409, object{"error": object{"code": "IDEMPOTENCY_IN_PROGRESS", "message": "It runs.", "retryAfter": 15}})
	link := transcript.URL(videoID)
	for name, tc := range map[string]struct {
		source transcript.Source
		work   work
		opts   []client.RequestOption
		asked  int // requests
		lost   bool
		took   time.Duration // after the end of the context, at most
	}{
		"a link":                 {source: link, work: work{next: []httpmock.Responder{accepted}}, asked: 2},
		"with a key":             {source: link, work: work{next: []httpmock.Responder{accepted}}, opts: []client.RequestOption{client.WithIdempotencyKey("k")}, asked: 2},
		"without repetition":     {source: link, work: work{next: []httpmock.Responder{accepted}}, opts: []client.RequestOption{client.WithRetry(client.NoRetry)}, asked: 2},
		"the first still runs":   {source: link, work: work{next: []httpmock.Responder{running, running, accepted}}, asked: 4, took: 100 * time.Millisecond},
		"a small file":           {source: (&media{content: []byte("media")}).source(5), work: work{next: []httpmock.Responder{accepted}}, asked: 2},
		"a file of unknown size": {source: (&media{content: []byte("media")}).source(-1), work: work{next: []httpmock.Responder{accepted}}, asked: 1, lost: true},
		"the service is silent":  {source: link, asked: 2, lost: true, took: late},
		"it always runs":         {source: link, work: work{next: slices.Repeat([]httpmock.Responder{running}, 20)}, asked: 8, lost: true, took: late},
		"the service refuses":    {source: link, work: work{next: []httpmock.Responder{httpmock.NewStringResponder(500, "")}}, asked: 2, lost: true},
		"not sent whole":         {source: link, work: work{unsent: true, next: []httpmock.Responder{accepted}}, asked: 1, lost: true},
	} {
		for why, is := range map[string]error{"canceled": context.Canceled, "deadline": context.DeadlineExceeded} {
			t.Run(name+"/"+why, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					w := tc.work
					c, err := client.New(base, client.WithHTTPClient(&http.Client{Transport: &w}))
					require.NoError(t, err)
					ctx, cancel := context.WithCancel(t.Context())
					if why == "deadline" {
						ctx, cancel = context.WithTimeout(t.Context(), time.Second)
					} else {
						time.AfterFunc(time.Second, cancel)
					}
					defer cancel()
					began := time.Now()
					result, err := c.Transcripts.Get(ctx, transcript.Request{Source: tc.source}, tc.opts...)
					require.Nil(t, result)
					took := time.Since(began) - time.Second
					assert.LessOrEqual(t, took, tc.took)
					assert.Len(t, w.sent, tc.asked)
					for _, sent := range w.sent {
						assert.Equal(t, w.sent[0], sent, "the same request")
					}
					require.ErrorIs(t, err, is)
					var waited *client.WaitError
					require.Equal(t, !tc.lost, errors.As(err, &waited), "%v", err)
					if !tc.lost {
						assert.Equal(t, jobID, waited.Job.JobID)
						assert.Equal(t, transcript.JobPending, waited.Job.Status)
					}
				})
			})
		}
	}
}

// A text or a batch that the service has made by then is not lost either.
func TestEndDuringOtherAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := func(status int, body object) (context.Context, *client.Client) {
			answer := httpmock.NewJsonResponderOrPanic(status, body)
			c, err := client.New(base, client.WithHTTPClient(&http.Client{Transport: &work{next: []httpmock.Responder{answer}}}))
			require.NoError(t, err)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			t.Cleanup(cancel)
			return ctx, c
		}
		ctx, c := ended(200, resultBody())
		result, err := c.Transcripts.Get(ctx, transcript.Request{Source: transcript.URL(videoID)})
		require.NoError(t, err)
		assert.Equal(t, "hello there", result.Transcript.Segments[0].Text)

		ctx, c = ended(202, object{"batch": object{"id": batchID, "status": "queued"}})
		_, err = c.Batches.Create(ctx, client.BatchParams{URLs: []string{videoID}})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		var waited *client.BatchWaitError
		require.ErrorAs(t, err, &waited)
		assert.Equal(t, batchID, waited.Batch.ID)
	})
}

// A request that the service has refused is not sent again after the end of the context.
func TestEndAfterARefusal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, mt := mocked(t)
		mt.RegisterResponder("POST", base+"/v1/transcript", httpmock.NewStringResponder(429, `{"error":"rate_limited","retryAfter":2}`).HeaderSet(http.Header{"Retry-After": {"2"}}))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, _, err := c.Transcripts.Submit(ctx, transcript.Request{Source: transcript.URL(videoID)})
		require.ErrorIs(t, err, context.Canceled)
		assert.Equal(t, 1, mt.GetTotalCallCount())
	})
}
