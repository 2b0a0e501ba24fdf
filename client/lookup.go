package client

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	// lookUpTime is how long a call goes on at most after the end of its context, to learn what
	// its request has begun.
	lookUpTime = 2 * time.Second
	// lookUpPause is the first pause between two questions.
	lookUpPause = 25 * time.Millisecond
	// usualHold is how long the service holds the answer to a request that does not say.
	usualHold = 2 * time.Second
)

// begun notes whether the request of a call may have begun work.
type begun struct {
	wrote atomic.Bool // the running attempt has sent its request whole
	lost  bool        // the answer to such a request has not come
}

// watch returns the context of a request whose attempts are noted.
func (b *begun) watch(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest: func(i httptrace.WroteRequestInfo) { b.wrote.Store(i.Err == nil) },
	})
}

// start is send of a POST that begins work. If ctx ends before the answer comes, start asks for
// the answer: then the answer is late.
func (c *Client) start(ctx context.Context, path string, p payload, opts []RequestOption) (*answer, error) {
	return c.carry(ctx, path, &call{method: http.MethodPost, payload: p, begun: new(begun)}, opts)
}

// lookUp sends a request whose context has ended once more. The key makes both the same request,
// so the service answers with what the first has begun. ended is the error if there is no such
// answer.
func (k *call) lookUp(ctx context.Context, req *retryablehttp.Request, ended error) (*answer, error) {
	if u := k.payload.upload; u != nil && (u.size < 0 || u.size >= resumableFrom) {
		return nil, ended // the file is too large to send it again in this time
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookUpTime)
	defer cancel()
	k.retry = NoRetry
	for pause := lookUpPause; ; pause *= 2 {
		answer, err := k.run(ctx, req.WithContext(ctx))
		switch {
		case err == nil:
			answer.late = ended
			return answer, nil
		// The service is about to see that the first connection has ended. Its Retry-After is
		// meant for requests whose process died.
		case !errors.Is(err, transcript.IdempotencyInProgress), sleep(ctx, pause) != nil:
			return nil, ended
		}
	}
}

// lookUp asks for the answer to the last append after the end of the context. It returns nil if
// the service does not have the whole file.
func (s *sending) lookUp(ctx context.Context, ended error) *answer {
	if s.at == "" || s.upload.farthest() < s.upload.size {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookUpTime)
	defer cancel()
	s.known = false
	for range 2 { // how far the upload has come, and the answer
		if s.known && s.offset < s.upload.size {
			return nil
		}
		answer, err := s.step(ctx)
		if err != nil || s.at == "" {
			return nil
		}
		if answer != nil {
			answer.late = ended
			return answer
		}
	}
	return nil
}

// fittingHold returns how long the service holds the answer: as wished, or at most half of the
// time in which the answer must come. nil is the service's usual time.
func (c *Client) fittingHold(ctx context.Context, wish *time.Duration, opts []RequestOption) (*time.Duration, error) {
	set, err := c.settings(opts)
	if err != nil {
		return nil, err
	}
	if set.idempotencyKey != "" {
		return wish, nil // the same call made again must be the same request
	}
	left := cmp.Or(set.attemptTimeout, c.http.Timeout, attemptTimeout)
	if deadline, ok := ctx.Deadline(); ok {
		left = max(0, min(left, time.Until(deadline)))
	}
	wished := usualHold
	if wish != nil {
		wished = *wish
	}
	if wished <= left/2 || wished > longestHold { // which the service refuses
		return wish, nil
	}
	return new(left / 2), nil
}
