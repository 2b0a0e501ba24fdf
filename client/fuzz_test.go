package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// scripted answers every request alike.
type scripted struct {
	status                        int
	contentType, body, retryAfter string
}

func (s scripted) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: s.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r, ContentLength: -1,
		Header: http.Header{"Content-Type": {s.contentType}, "Retry-After": {s.retryAfter}, "X-Request-Id": {s.retryAfter}},
		Body:   io.NopCloser(strings.NewReader(s.body)),
	}, nil
}

// calls are one of each kind of question.
var calls = []func(context.Context, *client.Client) error{
	func(ctx context.Context, c *client.Client) error {
		r, job, err := c.Transcripts.Submit(ctx, transcript.Request{Source: transcript.URL("x")})
		return oneOf(err, r != nil || job != nil)
	},
	func(ctx context.Context, c *client.Client) error {
		r, err := c.Transcripts.Info(ctx, transcript.URL("x"))
		return oneOf(err, r != nil)
	},
	func(ctx context.Context, c *client.Client) error {
		r, err := c.Transcripts.Captions(ctx, "x", nil)
		return oneOf(err, r != nil)
	},
	func(ctx context.Context, c *client.Client) error {
		r, err := c.Jobs.Get(ctx, jobID)
		return oneOf(err, r != nil)
	},
	func(ctx context.Context, c *client.Client) error {
		r, err := c.Usage.Get(ctx)
		return oneOf(err, r != nil)
	},
	func(ctx context.Context, c *client.Client) error {
		r, err := c.Batches.Create(ctx, client.BatchParams{URLs: []string{"x"}})
		return oneOf(err, r != nil)
	},
	func(ctx context.Context, c *client.Client) error {
		r, err := c.Batches.Items(ctx, jobID, client.PageParams{})
		return oneOf(err, r != nil)
	},
	func(ctx context.Context, c *client.Client) error {
		r, err := c.Batches.Retry(ctx, jobID, client.RetryParams{})
		return oneOf(err, r != nil)
	},
	func(ctx context.Context, c *client.Client) error {
		d, err := c.Batches.Export(ctx, jobID, client.ExportParams{Format: batch.ExportFormats()[0]})
		if err == nil {
			_, err = io.Copy(io.Discard, d)
			err = errors.Join(err, d.Close())
		}
		return err
	},
	func(ctx context.Context, c *client.Client) error {
		r, err := c.Library.Get(ctx, library.Key{Platform: transcript.VideoSite, ExternalID: "x"})
		return oneOf(err, r != nil)
	},
	func(ctx context.Context, c *client.Client) error {
		r, err := c.Library.List(ctx, library.Query{})
		return oneOf(err, r != nil)
	},
	func(ctx context.Context, c *client.Client) error {
		r, err := c.Library.Search(ctx, library.Search{Q: "x"}, client.PageParams{})
		return oneOf(err, r != nil)
	},
	func(ctx context.Context, c *client.Client) error {
		r, err := c.Videos.Search(ctx, video.Search{Q: "x"}, client.PageParams{})
		return oneOf(err, r != nil)
	},
	func(ctx context.Context, c *client.Client) error {
		r, err := c.Videos.Get(ctx, []string{"x"})
		return oneOf(err, r != nil)
	},
}

var errNothing = errors.New("neither an answer nor an error")

func oneOf(err error, there bool) error {
	if (err == nil) != there {
		return errNothing
	}
	return err
}

// Whatever is answered, a call returns what it promises or an error of a few words: an
// *Error, for what no retry helps against.
func FuzzAnswers(f *testing.F) {
	f.Add(uint8(0), uint16(200), "application/json", `{"status":"success","transcript":{"segments":[]}}`, "")
	f.Add(uint8(3), uint16(200), "application/json", `{"jobId":"`+jobID+`","status":"failed","error":{"code":"UNAVAILABLE"}}`, "1")
	f.Add(uint8(4), uint16(429), "application/json", `{"error":"rate_limited"}`, "Thu, 01 Jan 1970 00:00:00 GMT")
	f.Add(uint8(6), uint16(200), "application/json; charset=utf-8", `{"batch":{},"items":[{}],"nextPageToken":""}`, "-1")
	f.Add(uint8(8), uint16(200), "text/plain", "hello", "99999999999999999999")
	f.Add(uint8(11), uint16(503), "text/html", "<html>", "\x00")
	f.Add(uint8(12), uint16(200), "", "null", "")
	f.Fuzz(func(t *testing.T, call uint8, status uint16, contentType, body, retryAfter string) {
		answers := scripted{100 + int(status)%500, contentType, body, retryAfter}
		c, err := client.New(base, client.WithHTTPClient(&http.Client{Transport: answers}), client.WithAPIKey(key), client.WithRetry(client.NoRetry))
		require.NoError(t, err)
		err = calls[int(call)%len(calls)](t.Context(), c)
		require.NotErrorIs(t, err, errNothing)
		if err != nil {
			assert.NotContains(t, err.Error(), key)
			assert.Less(t, len(err.Error()), len(body)+3*len(retryAfter)+1000)
		}
	})
}
