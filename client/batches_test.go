package client_test

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/jarcoal/httpmock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	batchID  = "019321a0-7c11-7c3e-9a55-2f6d1f0c9b21"
	batchURL = base + "/v1/batch/" + batchID
)

func batchBody(status string, done, total int, more ...object) object {
	body := object{
		"id": batchID, "mode": "batch", "lang": "en", "total": total, "done": done, "failed": 0, "status": status,
		"counts":    object{"total": total, "pending": total - done, "success": done, "failed": 0},
		"exportRef": nil, "exportMime": nil, "createdAt": "2026-11-21T02:03:34.123Z", "updatedAt": "2026-11-21T02:04:10.001Z",
	}
	for _, m := range more {
		for k, v := range m {
			body[k] = v
		}
	}
	return body
}

func batchPageBody(status string, done, total int, more ...object) object {
	return object{"batch": batchBody(status, done, total, more...), "items": []object{}}
}

func itemBody(n int) object {
	return object{
		"id": fmt.Sprintf("019321a0-7c11-7c3e-9a55-%012d", n), "platform": "video_site", "externalId": fmt.Sprint(n), "sourceUrl": nil,
		"lang": "en", "status": "pending", "transcriptRef": nil, "error": nil, "attempts": 0,
	}
}

// What is sent for each kind of batch, and that it is sent with a key.
func TestBatchesCreate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		params             client.BatchParams
		query, media, body string
	}{
		"links":    {client.BatchParams{URLs: []string{"a", "b&c"}, Language: []string{"en", "asr"}}, "", "application/json", `{"urls":["a","b&c"],"language":"en,asr"}`},
		"playlist": {client.BatchParams{Playlist: "PL", MaxItems: 20}, "", "application/json", `{"playlist":"PL","maxItems":20}`},
		"channel":  {client.BatchParams{Channel: "@somebody"}, "", "application/json", `{"channel":"@somebody"}`},
		"a table":  {client.BatchParams{CSV: strings.NewReader("url\na\n"), MaxItems: 3, Language: []string{"de"}}, "language=de&maxItems=3", "text/csv", "url\na\n"},
	} {
		var keys []string
		m, mt := mocked(t)
		mt.RegisterResponder(http.MethodPost, base+"/v1/batch", func(r *http.Request) (*http.Response, error) {
			keys = append(keys, r.Header.Get("Idempotency-Key"))
			sent, err := io.ReadAll(r.Body)
			require.NoError(t, err)
			assert.Equal(t, c.query, r.URL.RawQuery, name)
			assert.Equal(t, c.media, r.Header.Get("Content-Type"), name)
			if c.media == "text/csv" {
				assert.Equal(t, c.body, string(sent), "%s: at every attempt", name)
			} else {
				assert.JSONEq(t, c.body, string(sent), name)
			}
			if len(keys) == 1 {
				return nil, errBroken
			}
			return httpmock.NewJsonResponse(http.StatusAccepted, object{"batch": batchBody("pending", 0, 2)})
		})
		made, err := m.Batches.Create(t.Context(), c.params)
		require.NoError(t, err, name)
		assert.Equal(t, batchID, made.ID)
		assert.Equal(t, batch.Pending, made.Status)
		assert.Equal(t, batch.Counts{Total: 2, Pending: 2}, made.Counts)
		require.Len(t, keys, 2, name)
		assert.NotEmpty(t, keys[0])
		assert.Equal(t, keys[0], keys[1], "%s: the same, so that no second batch is made", name)
	}
}

// The client refuses an invalid batch or follow before it sends a request.
func TestBatchesCreateRefuses(t *testing.T) {
	t.Parallel()
	c, mt := mocked(t)
	for says, params := range map[string]client.BatchParams{
		"0 are given":       {},
		"2 are given":       {URLs: []string{"a"}, Channel: "b"},
		"the reader broke":  {CSV: iotest.ErrReader(errors.New("the reader broke"))},
		"larger than 83886": {CSV: strings.NewReader("url\n" + strings.Repeat("x", 8<<20))},
	} {
		_, err := c.Batches.Create(t.Context(), params)
		require.ErrorContains(t, err, says)
	}
	for says, params := range map[string]client.FollowParams{"0 are given": {}, "2 are given": {Feed: "a", Channel: "b"}} {
		_, _, err := c.Follows.Create(t.Context(), params)
		require.ErrorContains(t, err, says)
	}
	_, err := c.Follows.CreateAll(t.Context(), strings.NewReader(strings.Repeat(" ", 9<<20)), client.OPML, client.FollowOptions{})
	require.ErrorContains(t, err, "send it in parts")
	assert.Zero(t, mt.GetTotalCallCount())
}

// collect is what a sequence yields up to its error.
func collect[T any](all iter.Seq2[T, error]) (items []T, err error) {
	for item, failed := range all {
		if err != nil {
			return items, errors.New("the sequence goes on after its error")
		}
		if err = failed; err == nil {
			items = append(items, item)
		}
	}
	return items, err
}

// pagesOf answers with page after page of items, by their tokens.
func pagesOf(asked *[]string, pages map[string]object) httpmock.Responder {
	return func(r *http.Request) (*http.Response, error) {
		token := r.URL.Query().Get("pageToken")
		*asked = append(*asked, token)
		page, ok := pages[token]
		if !ok {
			return httpmock.NewJsonResponse(400, object{"error": object{"code": "INVALID_REQUEST", "message": "no such page"}})
		}
		return httpmock.NewJsonResponse(200, page)
	}
}

func itemsPage(next any, items ...object) object {
	p := object{"batch": batchBody("pending", 0, 9), "items": append([]object{}, items...)}
	if next != nil {
		p["nextPageToken"] = next
	}
	return p
}

func TestAllItems(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		pages map[string]object
		ids   []string
		asked []string
		fails string
	}{
		"one page":        {map[string]object{"": itemsPage(nil, itemBody(1), itemBody(2))}, []string{"1", "2"}, []string{""}, ""},
		"none":            {map[string]object{"": itemsPage(nil)}, nil, []string{""}, ""},
		"three":           {map[string]object{"": itemsPage("a&b", itemBody(1)), "a&b": itemsPage("c", itemBody(2)), "c": itemsPage("", itemBody(3))}, []string{"1", "2", "3"}, []string{"", "a&b", "c"}, ""},
		"an empty one":    {map[string]object{"": itemsPage("a"), "a": itemsPage(nil, itemBody(1))}, []string{"1"}, []string{"", "a"}, ""},
		"the same again":  {map[string]object{"": itemsPage("a", itemBody(1)), "a": itemsPage("a", itemBody(2))}, []string{"1", "2"}, []string{"", "a"}, "names an earlier page"},
		"in a circle":     {map[string]object{"": itemsPage("a", itemBody(1)), "a": itemsPage("b", itemBody(2)), "b": itemsPage("a", itemBody(3))}, []string{"1", "2", "3"}, []string{"", "a", "b"}, "names an earlier page"},
		"a page is wrong": {map[string]object{"": itemsPage("a", itemBody(1)), "a": {"items": 7}}, []string{"1"}, []string{"", "a"}, "not what the API promises"},
		"a page is gone":  {map[string]object{"": itemsPage("a", itemBody(1))}, []string{"1"}, []string{"", "a"}, "INVALID_REQUEST"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, mt := mocked(t)
			var asked []string
			mt.RegisterResponder(http.MethodGet, batchURL, pagesOf(&asked, tc.pages))
			all := c.Batches.AllItems(t.Context(), batchID)
			assert.Empty(t, asked, "nothing is asked before it is ranged over")
			items, err := collect(all)
			if tc.fails == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, tc.fails)
			}
			var ids []string
			for _, item := range items {
				ids = append(ids, item.ExternalID)
			}
			assert.Equal(t, tc.ids, ids)
			assert.Equal(t, tc.asked, asked)
			for range all {
				break
			}
			if len(tc.ids) > 0 && name != "an empty one" {
				assert.Equal(t, append(tc.asked, ""), asked, "it starts anew, and stops with the loop")
			}
		})
	}
}

func TestBatchesWait(t *testing.T) {
	t.Parallel()
	running := func(done int) step { return step{status: 200, body: batchPageBody("processing", done, 9)} }
	done := step{status: 200, body: batchPageBody("completed", 9, 9)}
	for name, tc := range map[string]struct {
		steps []step
		opts  []client.RequestOption
		calls int
		atMax time.Duration
		check func(*testing.T, error)
	}{
		"at once":                {[]step{done}, nil, 1, 0, nil},
		"slower while it stands": {[]step{running(1), running(1), running(1), running(1), running(1), running(1), done}, nil, 7, 25 * time.Second, nil},
		"a state of later":       {[]step{{status: 200, body: batchPageBody("resting", 0, 9)}, done}, nil, 2, time.Second, nil},
		"failed as a whole": {[]step{running(0), {status: 200, body: batchPageBody("failed", 0, 0, object{"error": object{"code": "BATCH_LIMIT_EXCEEDED", "message": "Too many.", "actionUrl": "https://example.com/plans"}})}},
			nil, 2, time.Second, func(t *testing.T, err error) {
				var e *client.BatchError
				require.ErrorAs(t, err, &e)
				assert.Equal(t, batch.Failed, e.Batch.Status)
				require.ErrorIs(t, err, transcript.BatchLimitExceeded)
				assert.Equal(t, "batch "+batchID+": failed: BATCH_LIMIT_EXCEEDED: Too many. See: https://example.com/plans", err.Error())
			}},
		"cancelled": {[]step{{status: 200, body: batchPageBody("cancelled", 3, 9)}}, nil, 1, 0, func(t *testing.T, err error) {
			var e *client.BatchError
			require.ErrorAs(t, err, &e)
			require.NotErrorIs(t, err, transcript.BatchLimitExceeded)
			assert.Equal(t, "batch "+batchID+": cancelled: 3 of 9 items succeeded, 0 failed", err.Error())
		}},
		"gone": {[]step{running(3), {status: 404, body: object{"error": object{"code": "NOT_FOUND", "message": "m"}}}}, nil, 2, time.Second,
			func(t *testing.T, err error) {
				require.ErrorIs(t, err, transcript.NotFound)
				var e *client.BatchWaitError
				require.ErrorAs(t, err, &e)
				assert.Equal(t, 3, e.Batch.Done, "the last state seen")
				assert.Contains(t, err.Error(), "waiting for batch "+batchID+" (processing, 3 of 9 items done): ")
			}},
		"gone at once": {[]step{{status: 404, body: object{"error": object{"code": "NOT_FOUND", "message": "m"}}}}, nil, 1, 0,
			func(t *testing.T, err error) {
				var e *client.BatchWaitError
				require.ErrorAs(t, err, &e)
				assert.Equal(t, batchID, e.Batch.ID)
				assert.Contains(t, err.Error(), "waiting for batch "+batchID+": ")
			}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, mt := mocked(t)
				var at []time.Time
				mt.RegisterResponder("GET", batchURL, script(&at, tc.steps...))
				began := time.Now()
				job, err := c.Batches.Wait(t.Context(), batchID, tc.opts...)
				assert.LessOrEqual(t, time.Since(began), tc.atMax)
				assert.Len(t, at, tc.calls)
				if tc.check != nil {
					assert.Nil(t, job)
					require.Error(t, err)
					tc.check(t, err)
					return
				}
				require.NoError(t, err)
				assert.Equal(t, batch.Completed, job.Status)
			})
		})
	}
}
