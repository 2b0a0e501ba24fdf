package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/transcriptkit/transcriptkit/internal/silence"
)

// payload is what a call sends: nothing (the zero value), bytes, or an upload.
type payload struct {
	contentType string
	content     any     // nil, []byte or retryablehttp.ReaderFunc
	upload      *upload // behind the ReaderFunc
}

func jsonPayload(data []byte) payload {
	return payload{contentType: "application/json", content: data}
}

// call is one operation and the attempts at it. It is used by one goroutine.
type call struct {
	settings
	client       *Client
	method, path string // path without query, and without secrets
	payload      payload
	streamed     bool   // a 2xx answer is handed out unread
	begun        *begun // of a POST that begins work; nil: it begins none

	http    http.Client // the client's own with the timeout of this call
	running attempt

	attempts int
	counted  int           // the attempts that count, see again
	ownKey   bool          // the client made the idempotency key
	pauses   *pauses       // nil before the first failure
	answer   *answer       // of the last attempt, when it succeeded
	err      error         // of the last attempt, when it did not
	refusal  *Error        // the last answer that was an error
	unsure   bool          // an attempt may have done its work unseen
	away     time.Time     // since when the service takes no connections; zero: it does
	wait     time.Duration // before the next attempt
}

// send carries a request through its attempts and returns its 2xx answer.
func (c *Client) send(ctx context.Context, method, path string, p payload, opts []RequestOption) (*answer, error) {
	return c.carry(ctx, path, &call{method: method, payload: p}, opts)
}

// open is send of a GET whose answer the caller reads, and closes.
func (c *Client) open(ctx context.Context, path string, opts []RequestOption) (*answer, error) {
	return c.carry(ctx, path, &call{method: http.MethodGet, streamed: true}, opts)
}

func (c *Client) carry(ctx context.Context, path string, k *call, opts []RequestOption) (*answer, error) {
	if err := k.begin(ctx, c, path, opts); err != nil {
		return nil, err
	}
	noted := ctx
	if k.begun != nil {
		noted = k.begun.watch(ctx)
	}
	req, err := retryablehttp.NewRequestWithContext(noted, k.method, c.base+path, k.payload.content)
	if err != nil {
		return nil, fmt.Errorf("client: %s %s: %w", k.method, k.path, err)
	}
	k.prepare(req.Request)
	k.bound()
	answer, err := k.run(ctx, req)
	if err != nil && ctx.Err() != nil && k.begun != nil && k.begun.lost {
		return k.lookUp(ctx, req, err)
	}
	return answer, err
}

// begin prepares the call for its requests.
func (k *call) begin(ctx context.Context, c *Client, path string, opts []RequestOption) (err error) {
	if k.settings, err = c.settings(opts); err != nil {
		return err
	}
	k.client = c
	if k.path == "" {
		k.path, _, _ = strings.Cut(path, "?")
	}
	if ctx.Err() != nil {
		return k.ended(ctx)
	}
	if k.payload.upload != nil {
		k.payload.upload.report = k.progress
	}
	if k.ownKey = k.method == http.MethodPost && k.idempotencyKey == ""; k.ownKey {
		k.idempotencyKey = rand.Text()
	}
	k.http = *c.http
	k.http.Transport, err = wrap(c.http.Transport, k.middleware)
	return err
}

// prepare sets the headers of the request, the same for every attempt.
func (k *call) prepare(req *http.Request) {
	k.client.identify(req.Header, k.settings)
	req.Header.Set("Accept", "application/json")
	if k.streamed {
		req.Header.Set("Accept", "*/*")
	}
	if k.payload.contentType != "" {
		req.Header.Set("Content-Type", k.payload.contentType)
	}
	if k.payload.upload != nil {
		req.ContentLength = k.payload.upload.length()
		// A refusal comes before the file is sent, not while it is.
		req.Header.Set("Expect", "100-continue")
	}
	if k.method == http.MethodPost {
		req.Header.Set("Idempotency-Key", k.idempotencyKey)
	}
	k.custom(req.Header)
}

// custom sets the headers that the caller wants, in place of the client's.
func (k *call) custom(h http.Header) {
	for key, values := range k.header {
		h[key] = values
	}
}

// identify says who asks.
func (c *Client) identify(h http.Header, s settings) {
	h.Set("User-Agent", c.userAgent)
	if s.apiKey != "" {
		h.Set("Authorization", "Bearer "+s.apiKey)
	}
}

// run sends the request until it succeeds or must not be repeated. The repeating
// client is made for this call alone: its policy is this call's state.
func (k *call) run(ctx context.Context, req *retryablehttp.Request) (*answer, error) {
	repeating := retryablehttp.Client{
		HTTPClient: &k.http,
		RetryMax:   math.MaxInt, // check counts
		RequestLogHook: func(retryablehttp.Logger, *http.Request, int) {
			k.attempts++
			k.running.begin()
			if k.begun != nil {
				k.begun.wrote.Store(false)
			}
		},
		CheckRetry:   k.check,
		Backoff:      func(_, _ time.Duration, _ int, _ *http.Response) time.Duration { return k.wait },
		ErrorHandler: retryablehttp.PassthroughErrorHandler,
	}
	_, err := repeating.Do(req) //nolint:bodyclose // check has read and closed every body, but one that is handed out
	if err != nil && ctx.Err() != nil {
		return nil, k.ended(ctx)
	}
	if k.err != nil {
		return nil, k.err
	}
	if err != nil {
		return nil, fmt.Errorf("client: %s %s: %w", k.method, k.path, err)
	}
	return k.answer, nil
}

// bound bounds the time of each attempt.
func (k *call) bound() {
	limit := k.attemptTimeout
	switch {
	case k.streamed: // the bound is on silence, not on the whole
		k.http.Transport = &silence.Answers{Transport: k.http.Transport, Limit: cmp.Or(limit, attemptTimeout)}
		return
	case limit > 0:
		k.http.Timeout = 0
	case k.http.Timeout == 0 && k.payload.upload == nil:
		limit = attemptTimeout
	default:
		return
	}
	k.running = attempt{rt: k.http.Transport, limit: limit}
	k.http.Transport = &k.running
}

// check takes in the outcome of an attempt and says whether to make another.
func (k *call) check(ctx context.Context, resp *http.Response, err error) (bool, error) {
	k.over(ctx, k.method, k.path, resp, err)
	if k.err == nil || !k.again(ctx) {
		return false, nil
	}
	k.tryingAgain(k.err, k.wait)
	return true, nil
}

// over ends an attempt, takes in its outcome, and logs it.
func (k *call) over(ctx context.Context, method, path string, resp *http.Response, err error) {
	k.take(method, path, resp, err)
	k.running.over()
	if k.payload.upload != nil {
		k.payload.upload.over()
	}
	k.client.log(ctx, method, path, k.attempts, k.running.began, resp, k.err)
}

// take reads the answer to its end, so that an answer that breaks off counts as a
// broken connection.
func (k *call) take(method, path string, resp *http.Response, err error) {
	k.answer, k.err = nil, nil
	var body []byte
	if err == nil && k.streamed && resp.StatusCode/100 == 2 {
		r := newResponse(resp, k.attempts)
		k.answer = &answer{Response: r, method: method, path: path, stream: resp}
		if k.response != nil {
			*k.response = r
		}
		return
	}
	if err == nil {
		body, err = readBody(resp)
		err = k.running.reason(err)
		resp.Body = http.NoBody
	}
	if k.payload.upload != nil && err != nil {
		if source := k.payload.upload.failure(); source != nil {
			k.err = source
			return
		}
	}
	if err != nil && !errors.Is(err, errTooLarge) {
		broken := &transportError{method, path, err}
		k.client.connected(broken)
		k.unsure = k.unsure || !broken.refused()
		if k.begun != nil {
			k.begun.lost = k.begun.lost || k.begun.wrote.Load()
		}
		k.err = broken
		return
	}
	k.client.connected(nil)
	r := newResponse(resp, k.attempts)
	a := &answer{Response: r, method: method, path: path, body: body, asked: k.response}
	switch {
	case err != nil:
		k.err = a.malformed(err)
	case r.StatusCode/100 == 2, k.alreadyDeleted(r.StatusCode):
		k.answer = a
	default:
		k.refusal = newError(method, path, r, body)
		k.refusal.step = method != k.method
		k.err = k.refusal
	}
	if k.response != nil {
		*k.response = r
	}
}

// alreadyDeleted reports whether a 404 tells that an earlier, unseen attempt to delete
// succeeded.
func (k *call) alreadyDeleted(status int) bool {
	return status == http.StatusNotFound && k.method == http.MethodDelete && k.unsure
}

// ended is the error of a call whose context ended. The last refusal, which was
// being waited out, is part of it.
func (k *call) ended(ctx context.Context) error {
	if k.refusal != nil {
		return fmt.Errorf("client: %s %s: %w, after %w", k.method, k.path, contextError(ctx), k.refusal)
	}
	return fmt.Errorf("client: %s %s: %w", k.method, k.path, contextError(ctx))
}
