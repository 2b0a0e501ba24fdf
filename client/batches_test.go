package client_test

import (
	"context"
	"encoding/json"
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

// What cannot be a batch is refused before anything is sent.
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
	for _, id := range []string{"", ".", ".."} {
		_, err := c.Batches.Get(t.Context(), id)
		require.ErrorContains(t, err, "batch id", "%q", id)
		_, err = c.Batches.Items(t.Context(), id, client.PageParams{})
		require.ErrorContains(t, err, "batch id", "%q", id)
		_, err = c.Batches.Wait(t.Context(), id)
		require.ErrorContains(t, err, "batch id", "%q", id)
		_, err = c.Batches.Retry(t.Context(), id, client.RetryParams{})
		require.ErrorContains(t, err, "batch id", "%q", id)
		_, err = c.Batches.Cancel(t.Context(), id)
		require.ErrorContains(t, err, "batch id", "%q", id)
		require.ErrorContains(t, c.Batches.Delete(t.Context(), id), "batch id", "%q", id)
		for _, err := range c.Batches.AllItems(t.Context(), id) {
			require.ErrorContains(t, err, "batch id", "%q", id)
		}
	}
	assert.Zero(t, mt.GetTotalCallCount())
}

// A service that does not keep to its API is an error that says so, and shows what it
// said.
func TestBatchesOfALyingService(t *testing.T) {
	t.Parallel()
	retried := object{"batch": batchBody("processing", 0, 1), "retried": 1, "notRetried": []object{}}
	calls := map[string]func(context.Context, *client.Client) error{
		"create": func(ctx context.Context, c *client.Client) error {
			_, err := c.Batches.Create(ctx, client.BatchParams{URLs: []string{"a"}})
			return err
		},
		"get": func(ctx context.Context, c *client.Client) error { _, err := c.Batches.Get(ctx, batchID); return err },
		"items": func(ctx context.Context, c *client.Client) error {
			_, err := c.Batches.Items(ctx, batchID, client.PageParams{})
			return err
		},
		"list": func(ctx context.Context, c *client.Client) error {
			_, err := c.Batches.List(ctx, client.BatchListParams{})
			return err
		},
		"retry": func(ctx context.Context, c *client.Client) error {
			_, err := c.Batches.Retry(ctx, batchID, client.RetryParams{})
			return err
		},
		"cancel": func(ctx context.Context, c *client.Client) error {
			_, err := c.Batches.Cancel(ctx, batchID)
			return err
		},
		"wait": func(ctx context.Context, c *client.Client) error { _, err := c.Batches.Wait(ctx, batchID); return err },
	}
	good := map[string]object{
		"create": {"batch": batchBody("pending", 0, 1)}, "get": batchPageBody("completed", 1, 1), "items": batchPageBody("completed", 1, 1),
		"wait": batchPageBody("completed", 1, 1), "list": {"batches": []object{batchBody("completed", 1, 1)}}, "retry": retried, "cancel": {"batch": batchBody("cancelled", 0, 1)},
	}
	answers := func(body string) (*client.Client, *httpmock.MockTransport) {
		c, mt := mocked(t)
		mt.RegisterResponder("=~.*", "=~.*", httpmock.NewStringResponder(200, body))
		mt.RegisterNoResponder(httpmock.NewStringResponder(200, body))
		return c, mt
	}
	noStatus, noID, badItem := batchBody("", 0, 1), batchBody("pending", 0, 1, object{"id": ""}), itemBody(1)
	delete(badItem, "id")
	for name, call := range calls {
		body, err := json.Marshal(good[name])
		require.NoError(t, err)
		c, _ := answers(string(body))
		require.NoError(t, call(t.Context(), c), name)
		for _, lie := range []any{
			nil, "", "x", object{}, []object{}, object{"batch": nil}, object{"batch": "x"}, object{"batch": noStatus}, object{"batch": noID}, object{"batches": nil},
			object{"batches": []object{noID}}, object{"batch": batchBody("completed", 1, 1, object{"counts": 7})}, object{"batches": "x"},
		} {
			body, err := json.Marshal(lie)
			require.NoError(t, err)
			c, mt := answers(string(body))
			err = call(t.Context(), c)
			var refused *client.Error
			require.ErrorAs(t, err, &refused, "%s: %s", name, body)
			assert.Error(t, refused.Err, name)
			assert.Equal(t, string(body), string(refused.Body), name)
			assert.Equal(t, 1, mt.GetTotalCallCount(), "%s: it is not asked again", name)
		}
	}
	c, _ := answers(`{"batch":` + marshal(t, batchBody("completed", 1, 1)) + `,"items":[` + marshal(t, badItem) + `]}`)
	_, err := c.Batches.Items(t.Context(), batchID, client.PageParams{})
	require.ErrorContains(t, err, "an item has no id")
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
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
		"the same again":  {map[string]object{"": itemsPage("a", itemBody(1)), "a": itemsPage("a", itemBody(2))}, []string{"1", "2"}, []string{"", "a"}, "lead back"},
		"in a circle":     {map[string]object{"": itemsPage("a", itemBody(1)), "a": itemsPage("b", itemBody(2)), "b": itemsPage("a", itemBody(3))}, []string{"1", "2", "3"}, []string{"", "a", "b"}, "lead back"},
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

func TestBatchesList(t *testing.T) {
	t.Parallel()
	c, mt := mocked(t)
	var queries []string
	mt.RegisterResponder(http.MethodGet, base+"/v1/batch", func(r *http.Request) (*http.Response, error) {
		queries = append(queries, r.URL.RawQuery)
		page := object{"batches": []object{batchBody("completed", 1, 1)}}
		if r.URL.Query().Get("pageToken") == "" {
			page["nextPageToken"] = "n"
		}
		return httpmock.NewJsonResponse(200, page)
	})
	page, err := c.Batches.List(t.Context(), client.BatchListParams{})
	require.NoError(t, err)
	require.Len(t, page.Items, 1)
	assert.Equal(t, "n", page.Next)
	params := client.BatchListParams{Status: batch.Completed, PageParams: client.PageParams{Size: 7}}
	batches, err := collect(c.Batches.All(t.Context(), params))
	require.NoError(t, err)
	assert.Len(t, batches, 2)
	batches, err = collect(c.Batches.All(t.Context(), client.BatchListParams{PageParams: client.PageParams{Token: "n"}}))
	require.NoError(t, err)
	assert.Len(t, batches, 1)
	assert.Equal(t, []string{"", "maxResults=7&status=completed", "maxResults=7&pageToken=n&status=completed", "pageToken=n"}, queries)
}

func TestBatchesWait(t *testing.T) {
	t.Parallel()
	running := func(done int) step { return step{status: 200, body: batchPageBody("processing", done, 9)} }
	hinted := func(s step, after string) step { s.after = after; return s }
	done := step{status: 200, body: batchPageBody("completed", 9, 9)}
	for name, tc := range map[string]struct {
		steps []step
		opts  []client.RequestOption
		calls int
		atMax time.Duration
		check func(*testing.T, error)
	}{
		"at once":                {[]step{done}, nil, 1, 0, nil},
		"no earlier than asked":  {[]step{hinted(running(1), "5"), hinted(running(1), "5"), done}, nil, 3, 15 * time.Second, nil},
		"no later than a minute": {[]step{hinted(running(1), "86400"), done}, nil, 2, time.Minute, nil},
		"broken for a moment":    {[]step{running(1), {}, {}, {}, {}, {}, running(2), done}, nil, 8, time.Minute, nil},
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
		"broken for good": {[]step{running(2), {}}, []client.RequestOption{client.WithRetry(client.NoRetry)}, 1 + 1 + 5, time.Minute, // one of them at once, not to be held
			func(t *testing.T, err error) { require.ErrorIs(t, err, errBroken) }},
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
				if name == "no earlier than asked" {
					assert.GreaterOrEqual(t, at[1].Sub(at[0]), 5*time.Second)
				}
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

func TestBatchesWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, mt := mocked(t)
		mt.RegisterResponder("GET", batchURL, httpmock.NewJsonResponderOrPanic(200, batchPageBody("processing", 4, 9)))
		ctx, cancel := context.WithTimeoutCause(t.Context(), 10*time.Second, errors.New("enough"))
		defer cancel()
		_, err := c.Batches.Wait(ctx, batchID)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "enough")
		var e *client.BatchWaitError
		require.ErrorAs(t, err, &e)
		assert.Equal(t, 4, e.Batch.Done)
	})
}

func TestBatchesChange(t *testing.T) {
	t.Parallel()
	c, mt := mocked(t)
	var sent []string
	record := func(status int, body any) httpmock.Responder {
		return func(r *http.Request) (*http.Response, error) {
			b := []byte{}
			if r.Body != nil {
				b, _ = io.ReadAll(r.Body)
			}
			key := "without a key"
			if r.Header.Get("Idempotency-Key") != "" {
				key = "with a key"
			}
			sent = append(sent, strings.TrimSpace(fmt.Sprintf("%s %s %s", strings.TrimPrefix(r.URL.Path, "/v1/batch/"+batchID), key, b)))
			return httpmock.NewJsonResponse(status, body)
		}
	}
	mt.RegisterResponder(http.MethodPost, batchURL+"/retry", record(202, object{
		"batch": batchBody("processing", 7, 9), "retried": 2, "notRetried": []object{{"itemId": "i", "reason": "ATTEMPTS_EXHAUSTED"}},
	}))
	mt.RegisterResponder(http.MethodPost, batchURL+"/cancel", record(202, object{"batch": batchBody("cancelled", 7, 9)}))
	mt.RegisterResponder(http.MethodDelete, batchURL, record(409, object{"error": object{"code": "STATE_CONFLICT", "message": "It runs."}}).
		Then(httpmock.NewStringResponder(204, "")))

	retried, err := c.Batches.Retry(t.Context(), batchID, client.RetryParams{})
	require.NoError(t, err)
	assert.Equal(t, 2, retried.Retried)
	assert.Equal(t, []batch.NotRetried{{ItemID: "i", Reason: batch.AttemptsExhausted}}, retried.NotRetried)
	_, err = c.Batches.Retry(t.Context(), batchID, client.RetryParams{Items: []string{"a"}, Codes: []transcript.Code{transcript.IPBlocked}})
	require.NoError(t, err)
	cancelled, err := c.Batches.Cancel(t.Context(), batchID)
	require.NoError(t, err)
	assert.Equal(t, batch.Cancelled, cancelled.Status)
	require.ErrorIs(t, c.Batches.Delete(t.Context(), batchID), transcript.StateConflict)
	require.NoError(t, c.Batches.Delete(t.Context(), batchID))
	assert.Equal(t, []string{
		"/retry with a key {}", `/retry with a key {"itemIds":["a"],"codes":["IP_BLOCKED"]}`, "/cancel with a key", "without a key",
	}, sent)
}

// A redirect elsewhere gets neither the key nor the links.
func TestBatchesDoNotFollowElsewhere(t *testing.T) {
	t.Parallel()
	asked := 0
	c := served(t, func(w http.ResponseWriter, r *http.Request) {
		asked++
		http.Redirect(w, r, "http://127.0.0.1:1/v1/batch", http.StatusTemporaryRedirect)
	}, client.WithRetry(client.NoRetry))
	_, err := c.Batches.Create(t.Context(), client.BatchParams{URLs: []string{"a"}})
	require.Error(t, err)
	_, err = collect(c.Batches.All(t.Context(), client.BatchListParams{}))
	require.Error(t, err)
	assert.Equal(t, 2, asked)
}
