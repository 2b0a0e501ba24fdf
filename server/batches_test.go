package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// postBatch asks for a batch with a JSON body.
func (s *service) postBatch(t testing.TB, body string, changes ...change) *answer {
	t.Helper()
	changes = append([]change{header("Content-Type", "application/json")}, changes...)
	return s.do(t, http.MethodPost, "/v1/batch", strings.NewReader(body), changes...)
}

// ofLinks is the body of a batch of links.
func ofLinks(links ...string) string {
	b, _ := json.Marshal(map[string]any{"urls": links})
	return string(b)
}

// videos are ids of so many videos, from the one with a number on.
func videos(from, n int) (ids []string) {
	for i := range n {
		ids = append(ids, fmt.Sprintf("vid-%07d", from+i))
	}
	return ids
}

// newBatch makes a batch of links, and returns its id.
func (s *service) newBatch(t testing.TB, links []string, changes ...change) string {
	t.Helper()
	a := s.postBatch(t, ofLinks(links...), changes...)
	require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
	return a.object(t)["batch"].(map[string]any)["id"].(string)
}

func batchPath(id string) string { return "/v1/batch/" + id }

// batchPage is the answer of GET /v1/batch/{batchId}.
type batchPage struct {
	Batch batch.Job
	Items []batch.Item
	Next  *string `json:"nextPageToken"`
}

func (s *service) batchPage(t testing.TB, id, query string, changes ...change) (p batchPage) {
	t.Helper()
	a := s.get(t, batchPath(id)+query, changes...)
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	require.NoError(t, json.Unmarshal([]byte(a.body), &p))
	return p
}

// endedBatch waits until a batch has ended, and returns it with its items.
func (s *service) endedBatch(t testing.TB, id string, changes ...change) (p batchPage) {
	t.Helper()
	require.Eventually(t, func() bool {
		p = s.batchPage(t, id, "?maxResults=500", changes...)
		return p.Batch.Status.Terminal()
	}, time.Minute, 20*time.Millisecond)
	return p
}

// Who asks for a batch may wait for its end, in the place of an event stream.
func TestBatchIsWaitedFor(t *testing.T) {
	t.Parallel()
	const over = 200 * time.Millisecond // a wait that is over soon; others last until the end
	s := start(t, onPlan(func(p *account.Plan) { p.EventStreams = 1 }), func(c *server.Config) {
		server.SettingsOf(c).Timeout = func(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
			if d == over {
				return context.WithTimeout(ctx, d)
			}
			return patiently(ctx, d)
		}
	})
	other := as(s.NewKey(t, "globex"))
	release := s.Engine.HoldCaptions()
	defer release()
	id := s.newBatch(t, videos(1, 2))

	a := s.get(t, batchPath(id))
	assert.Equal(t, "2", a.Header.Get("Retry-After"), "it is not waited for")
	began := time.Now()
	a = s.get(t, batchPath(id)+"?waitMs=200&maxResults=1")
	assert.GreaterOrEqual(t, time.Since(began), over)
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	assert.NotContains(t, a.Header, "Retry-After", "it was waited for: ask again")
	next, _ := a.object(t)["nextPageToken"].(string)
	require.NotEmpty(t, next)
	assert.Len(t, s.batchPage(t, id, "?pageToken="+next).Items, 1, "the wait makes no other list of it")
	assert.Equal(t, http.StatusNotFound, s.get(t, batchPath(id)+"?waitMs=10000", other).StatusCode)
	assert.Equal(t, http.StatusBadRequest, s.get(t, batchPath(id)+"?waitMs=10001").StatusCode)

	job, end := s.heldJob(t, "a file")
	defer end()
	open := s.open(t, job)
	a = s.get(t, batchPath(id)+"?waitMs=10000")
	assert.Equal(t, "2", a.Header.Get("Retry-After"), "no more streams are permitted")
	require.NoError(t, open.resp.Body.Close())
	time.AfterFunc(over/4, release)
	var p batchPage
	for !p.Batch.Status.Terminal() { // while the place of the stream is not free yet
		p = s.batchPage(t, id, "?waitMs=10000")
	}
	assert.Equal(t, batch.Completed, p.Batch.Status)
}

func TestBatchOfLinks(t *testing.T) {
	t.Parallel()
	s := start(t)
	defer s.Engine.HoldCaptions()()
	defer s.Engine.Hold()() // for the content without captions
	links := []string{
		video, "https://video.example/watch?v=" + video + "&t=4", "https://photos.example/p/ABCdef12345/",
		"https://nowhere.example/x?a=ü", "https://video.example/about", "hello", "javascript:alert(1)",
	}
	a := s.postBatch(t, ofLinks(links...))
	require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
	made := a.object(t)["batch"].(map[string]any)
	id := made["id"].(string)
	assert.Equal(t, batchPath(id), a.Header.Get("Location"))
	assert.Equal(t, "2", a.Header.Get("Retry-After"))
	assert.Equal(t, "batch", made["mode"])
	assert.Equal(t, map[string]any{"total": 7.0, "pending": 2.0, "success": 0.0, "failed": 4.0}, made["counts"])

	p := s.batchPage(t, id, "")
	assert.Nil(t, p.Next)
	assert.Equal(t, 7, p.Batch.Total)
	assert.Equal(t, 5, p.Batch.Done)
	assert.Equal(t, "en", p.Batch.Lang)
	require.Len(t, p.Items, 7)
	codes := func(i int) transcript.Code {
		require.NotNil(t, p.Items[i].Error)
		return *p.Items[i].Error
	}
	link := func(i int) string {
		if p.Items[i].SourceURL == nil {
			return ""
		}
		return *p.Items[i].SourceURL
	}
	assert.Equal(t, batch.ItemSkipped, p.Items[1].Status, "the same content")
	assert.Equal(t, video, p.Items[1].ExternalID)
	assert.Equal(t, transcript.PhotoSite, p.Items[2].Platform)
	assert.Equal(t, "ABCdef12345", p.Items[2].ExternalID)
	for i, want := range map[int]struct {
		code     transcript.Code
		platform transcript.Platform
		url      string
	}{
		3: {transcript.UnsupportedPlatform, transcript.VideoSite, ""}, // as it stands it is no URI
		4: {transcript.InvalidVideo, transcript.VideoSite, links[4]},
		5: {transcript.InvalidVideo, transcript.VideoSite, ""},
		6: {transcript.InvalidVideo, transcript.VideoSite, ""},
	} {
		assert.Equal(t, batch.ItemFailed, p.Items[i].Status)
		assert.Equal(t, want.code, codes(i), links[i])
		assert.NotEmpty(t, p.Items[i].ErrorMessage)
		assert.Equal(t, want.platform, p.Items[i].Platform)
		assert.Equal(t, links[i], p.Items[i].ExternalID, "the entry as it was sent")
		assert.Equal(t, want.url, link(i))
		assert.False(t, *p.Items[i].Retryable)
	}
}

const (
	playlistID = "PLrAXtmErZgOeiKm4sgNOkn"
	channelID  = "UCuAXFkgsw1L7xaCfnd5JJOw"
)

// listedBatch makes a batch of a playlist, and returns its id.
func (s *service) listedBatch(t testing.TB, changes ...change) string {
	t.Helper()
	a := s.postBatch(t, `{"playlist":"`+playlistID+`"}`, changes...)
	require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
	return a.object(t)["batch"].(map[string]any)["id"].(string)
}

func TestBatchOfAList(t *testing.T) {
	t.Parallel()
	s := start(t)
	defer s.Engine.HoldLists()()
	for body, mode := range map[string]batch.Mode{
		`{"playlistId":"` + playlistID + `"}`:                                                       batch.Playlist,
		`{"playlist":"https://video.example/playlist?list=` + playlistID + `","language":"de,asr"}`: batch.Playlist,
		`{"channelId":"` + channelID + `","maxItems":500}`:                                          batch.Channel,
		`{"channel":"@somebody"}`:                                                                   batch.Channel,
		`{"channel":"https://video.example/@somebody/videos"}`:                                      batch.Channel,
	} {
		a := s.postBatch(t, body)
		require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
		p := s.batchPage(t, a.object(t)["batch"].(map[string]any)["id"].(string), "")
		assert.Equal(t, mode, p.Batch.Mode)
		assert.Equal(t, batch.Pending, p.Batch.Status)
		assert.Zero(t, p.Batch.Counts)
		assert.Empty(t, p.Items)
	}
}

func TestBatchLimits(t *testing.T) {
	t.Parallel()
	two := account.WithoutLimits("two")
	two.BatchItems, two.ActionURL = 2, "https://example.com/plans"
	s := start(t, offerPlans(account.WithoutLimits("all"), two))
	on := func(plan string) change {
		key := s.NewKey(t, plan)
		_, err := s.Accounts.Set(t.Context(), plan, account.Settings{Plan: plan})
		require.NoError(t, err)
		return as(key)
	}
	all, onTwo := on("all"), on("two")
	for name, c := range map[string]struct {
		who              change
		body             string
		status           int
		requested, limit int
	}{
		"501 contents":            {all, ofLinks(videos(0, 501)...), 422, 501, 500},
		"3 where 2 are permitted": {onTwo, ofLinks(videos(0, 3)...), 402, 3, 2},
		"3, of which 2":           {onTwo, `{"maxItems":2,` + ofLinks(videos(0, 3)...)[1:], 202, 0, 0},
	} {
		a := s.postBatch(t, c.body, c.who)
		require.Equal(t, c.status, a.StatusCode, "%s: %s", name, a.body)
		if c.status == http.StatusAccepted {
			continue
		}
		e := a.failure(t)
		assert.Equal(t, "BATCH_LIMIT_EXCEEDED", e["code"], name)
		assert.Equal(t, map[string]any{"requested": float64(c.requested), "limit": float64(c.limit)}, e["details"], name)
		if c.status == 402 && c.limit == 2 {
			assert.Equal(t, two.ActionURL, e["actionUrl"], name)
		}
	}
}

// The body of a batch may be larger than others; its links have the bounds of one.
func TestBatchRequestsRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	long := "https://video.example/?v=" + strings.Repeat("x", 2048)
	longest := "https://video.example/?v=" + strings.Repeat("ü", 2048-25)
	for body, want := range map[string]struct {
		status int
		code   string
		paths  []string
	}{
		`{}`:                                   {400, "INVALID_REQUEST", []string{"urls"}},
		`{"urls":["` + video + `",null,"",7]}`: {400, "INVALID_REQUEST", []string{"urls.1", "urls.3", "urls.2"}},
		ofLinks(video, "", long):               {422, "INVALID_REQUEST", []string{"urls.1", "urls.2"}},
		`{"urls":["` + video + `"],"playlistId":"` + playlistID + `"}`:        {400, "INVALID_REQUEST", []string{"urls"}},
		`{"playlistId":"` + playlistID + `","playlist":"` + playlistID + `"}`: {400, "INVALID_REQUEST", []string{"playlistId"}},
		`{"channelId":"` + channelID + `","channel":"@somebody"}`:             {400, "INVALID_REQUEST", []string{"channelId"}},
		`{"playlistId":"` + playlistID + `","channel":"@somebody"}`:           {400, "INVALID_REQUEST", []string{"playlistId"}},
		`{"urls":["` + video + `"],"language":"en,,de"}`:                      {422, "INVALID_REQUEST", []string{"language"}},
		strings.Repeat(" ", 8<<20) + "{}":                                     {400, "INVALID_REQUEST", []string{"body"}},

		ofLinks("hello", "https://nowhere.example/"): {422, "INVALID_VIDEO", nil},
		ofLinks("https://nowhere.example/", "hello"): {422, "UNSUPPORTED_PLATFORM", nil},
		ofLinks(longest):                         {422, "INVALID_VIDEO", nil},
		`{"playlist":"` + video + `"}`:           {422, "INVALID_VIDEO", nil},
		`{"playlist":"https://nowhere.example"}`: {422, "UNSUPPORTED_PLATFORM", nil},
		`{"channel":"https://video.example/x"}`:  {422, "INVALID_VIDEO", nil},
	} {
		a := s.postBatch(t, body)
		shown := body[:min(len(body), 100)]
		require.Equal(t, want.status, a.StatusCode, "%s: %s", shown, a.body)
		assert.Equal(t, want.code, a.failure(t)["code"], shown)
		assert.Equal(t, want.paths, a.issuePaths(t), shown)
	}
	a := s.postBatch(t, `{"urls":["`+video+`"],"language":"en"`+strings.Repeat(" ", 2<<20)+`}`)
	assert.Equal(t, http.StatusAccepted, a.StatusCode, "other bodies end at 1 MiB: %s", a.body)
	assert.Len(t, s.batches(t, ""), 1, "what is refused makes none")
}

// batches are the ids of the account's batches on the first page.
func (s *service) batches(t testing.TB, query string, changes ...change) (ids []string) {
	t.Helper()
	ids, _ = s.batchesPage(t, query, changes...)
	return ids
}

func (s *service) batchesPage(t testing.TB, query string, changes ...change) (ids []string, next string) {
	t.Helper()
	a := s.get(t, "/v1/batch"+query, changes...)
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	var page struct {
		Batches       []batch.Job
		NextPageToken *string
	}
	require.NoError(t, json.Unmarshal([]byte(a.body), &page))
	for _, b := range page.Batches {
		ids = append(ids, b.ID)
	}
	if page.NextPageToken != nil {
		require.NotEmpty(t, *page.NextPageToken)
		next = *page.NextPageToken
	}
	return ids, next
}

func TestBatchReplay(t *testing.T) {
	t.Parallel()
	s := start(t)
	key := header("Idempotency-Key", "a batch")
	first := s.postBatch(t, ofLinks(video), key)
	require.Equal(t, http.StatusAccepted, first.StatusCode, first.body)
	id := first.object(t)["batch"].(map[string]any)["id"]
	again := s.postBatch(t, `{"urls" : ["\u0064`+video[1:]+`"]}`, key)
	require.Equal(t, http.StatusAccepted, again.StatusCode, again.body)
	assert.Equal(t, "true", again.Header.Get("Idempotency-Replayed"))
	assert.Equal(t, id, again.object(t)["batch"].(map[string]any)["id"])
	assert.Equal(t, first.Header.Get("Location"), again.Header.Get("Location"))
	for _, other := range []string{`{"urls":["` + video + `"],"maxItems":1}`, `{"urls":["` + video + `"],"language":"de"}`, `{"playlist":"` + playlistID + `"}`} {
		assert.Equal(t, "IDEMPOTENCY_CONFLICT", s.postBatch(t, other, key).failure(t)["code"], other)
	}
	bad := header("Idempotency-Key", "a bad one")
	assert.Equal(t, http.StatusUnprocessableEntity, s.postBatch(t, ofLinks(videos(0, 501)...), bad).StatusCode)
	assert.Equal(t, http.StatusAccepted, s.postBatch(t, ofLinks(videos(0, 1)...), bad).StatusCode, "a refusal leaves the key free")
	assert.Len(t, s.batches(t, ""), 2)
}

// What a key has made is not made again because it has been deleted.
func TestReplayOfADeletedBatch(t *testing.T) {
	t.Parallel()
	s := start(t)
	created, cancelled := header("Idempotency-Key", "a batch"), header("Idempotency-Key", "its end")
	release := s.Engine.HoldCaptions()
	id := s.newBatch(t, []string{video}, created)
	a := s.do(t, http.MethodPost, batchPath(id)+"/cancel", nil, cancelled)
	require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
	release()
	s.endedBatch(t, id)
	require.Eventually(t, func() bool {
		a = s.do(t, http.MethodDelete, batchPath(id), nil)
		return a.StatusCode == http.StatusNoContent
	}, time.Minute, 20*time.Millisecond, a.body)
	for range 2 {
		for _, again := range []*answer{
			s.postBatch(t, ofLinks(video), created),
			s.do(t, http.MethodPost, batchPath(id)+"/cancel", nil, cancelled),
		} {
			require.Equal(t, http.StatusNotFound, again.StatusCode, again.body)
			assert.Equal(t, "NOT_FOUND", again.failure(t)["code"])
			assert.Equal(t, "true", again.Header.Get("Idempotency-Replayed"))
		}
	}
	assert.Empty(t, s.batches(t, ""))
}

func TestBatchIsAdmitted(t *testing.T) {
	t.Parallel()
	var asked []server.Operation
	s := start(t, func(c *server.Config) {
		c.Admit = func(_ context.Context, _ account.Principal, op server.Operation) error {
			asked = append(asked, op)
			if len(asked) > 2 {
				return transcript.Errorf(transcript.InsufficientCredits, "There are none left.")
			}
			return nil
		}
	})
	s.newBatch(t, append(videos(0, 3), "hello"))
	require.Equal(t, http.StatusAccepted, s.postBatch(t, `{"playlist":"`+playlistID+`"}`).StatusCode)
	refused := s.postBatch(t, ofLinks(videos(0, 2)...))
	require.Equal(t, http.StatusPaymentRequired, refused.StatusCode, refused.body)
	assert.Equal(t, "INSUFFICIENT_CREDITS", refused.failure(t)["code"])
	assert.Equal(t, []server.Operation{
		{ID: "createBatch", Items: 4},
		{ID: "createBatch", Platform: transcript.VideoSite, ExternalID: playlistID},
		{ID: "createBatch", Items: 2},
	}, asked)
	assert.Len(t, s.batches(t, ""), 2)
}

// Pages hold every item once, in order; a last page that is full has no token.
func TestBatchInPages(t *testing.T) {
	t.Parallel()
	s := start(t)
	defer s.Engine.HoldCaptions()()
	id := s.newBatch(t, videos(0, 120))
	for query, sizes := range map[string][]int{
		"?":               {50, 50, 20},
		"?maxResults=60":  {60, 60},
		"?maxResults=500": {120},
	} {
		var ids []string
		token := ""
		for i, size := range sizes {
			p := s.batchPage(t, id, query+token)
			require.Len(t, p.Items, size, query)
			assert.Equal(t, 120, p.Batch.Total)
			for _, item := range p.Items {
				ids = append(ids, item.ExternalID)
			}
			if i == len(sizes)-1 {
				assert.Nil(t, p.Next, query)
				break
			}
			require.NotNil(t, p.Next, query)
			token = "&pageToken=" + *p.Next
		}
		assert.Equal(t, videos(0, len(ids)), ids, query)
	}
}

func TestListOfBatches(t *testing.T) {
	t.Parallel()
	s := start(t)
	defer s.Engine.HoldCaptions()()
	var made []string
	for i := range 5 {
		made = append([]string{s.newBatch(t, videos(10*i, 2))}, made...)
	}
	assert.Equal(t, made, s.batches(t, ""), "newest first")
	assert.Empty(t, s.batches(t, "?status=completed"))
	assert.Empty(t, s.batches(t, "", as(s.NewKey(t, "globex"))))

	first, next := s.batchesPage(t, "?maxResults=2")
	require.NotEmpty(t, next)
	second, next := s.batchesPage(t, "?maxResults=2&pageToken="+next)
	require.NotEmpty(t, next)
	last, none := s.batchesPage(t, "?maxResults=1&pageToken="+next)
	assert.Empty(t, none, "a full last page has no token")
	assert.Equal(t, made, append(append(first, second...), last...))
}

// A token is of its list alone.
func TestBatchQueriesRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	defer s.Engine.HoldCaptions()()
	other := as(s.NewKey(t, "globex"))
	mine, another, theirs := s.newBatch(t, videos(0, 3)), s.newBatch(t, videos(0, 3)), s.newBatch(t, videos(0, 3), other)
	_, listed := s.batchesPage(t, "?maxResults=1")
	items := *s.batchPage(t, mine, "?maxResults=1").Next
	for path, tokens := range map[string][]string{
		batchPath(mine):    {listed, *s.batchPage(t, another, "?maxResults=1").Next, *s.batchPage(t, theirs, "?maxResults=1", other).Next},
		"/v1/batch":        {items},
		batchPath(another): {items},
	} {
		for _, token := range tokens {
			a := s.get(t, path+"?pageToken="+token)
			require.Equal(t, http.StatusBadRequest, a.StatusCode, "%s: %s", path, a.body)
			assert.Equal(t, []string{"pageToken"}, a.issuePaths(t), path)
		}
	}
	for query, name := range map[string]string{"maxResults=101": "maxResults", "status=running": "status", "status=failed&pageToken=" + listed: "pageToken"} {
		a := s.get(t, "/v1/batch?"+query)
		assert.Equal(t, http.StatusBadRequest, a.StatusCode, "%s: %s", query, a.body)
		assert.Equal(t, []string{name}, a.issuePaths(t), query)
	}
	a := s.get(t, "/v1/batch?pageToken="+listed, other)
	assert.Equal(t, http.StatusBadRequest, a.StatusCode, "another account's: %s", a.body)
	assert.Equal(t, http.StatusOK, s.get(t, batchPath(mine)+"?pageToken="+items+"&maxResults=500").StatusCode)
	assert.Equal(t, http.StatusOK, s.get(t, batchPath(strings.ToUpper(mine))).StatusCode)
}

// A batch is watched to its end; what failed is made anew, and it is deleted.
func TestBatchFromItsStartToItsEnd(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Engine.SetTracks(servertest.Track{Lang: "en", Text: "Some words."})
	s.Engine.FailCaptions(transcript.Errorf(transcript.Unavailable, "It is gone."))
	id := s.newBatch(t, videos(0, 3))
	p := s.endedBatch(t, id)
	assert.Equal(t, batch.Failed, p.Batch.Status)
	assert.Equal(t, batch.Counts{Total: 3, Failed: 3}, p.Batch.Counts)
	assert.Empty(t, s.get(t, batchPath(id)).Header.Get("Retry-After"))

	s.Engine.FailCaptions(nil)
	key := header("Idempotency-Key", "a retry")
	retry := func(body string, changes ...change) *answer {
		if body != "" {
			changes = append(changes, header("Content-Type", "application/json"))
		}
		return s.do(t, http.MethodPost, batchPath(id)+"/retry", strings.NewReader(body), changes...)
	}
	nothing := retry("")
	require.Equal(t, http.StatusAccepted, nothing.StatusCode, nothing.body)
	assert.Equal(t, 0.0, nothing.object(t)["retried"], "it would be of no use")
	assert.Len(t, nothing.object(t)["notRetried"], 3)
	first := retry(`{"itemIds":["`+p.Items[1].ID+`"]}`, key)
	require.Equal(t, http.StatusAccepted, first.StatusCode, first.body)
	assert.Equal(t, batchPath(id), first.Header.Get("Location"))
	assert.Equal(t, 1.0, first.object(t)["retried"])
	p = s.endedBatch(t, id)
	assert.Equal(t, batch.Completed, p.Batch.Status)
	assert.Equal(t, batch.Counts{Total: 3, Success: 1, Failed: 2}, p.Batch.Counts)

	again := retry(`{"itemIds":["`+strings.ToUpper(p.Items[1].ID)+`"]}`, key)
	assert.Equal(t, "true", again.Header.Get("Idempotency-Replayed"))
	assert.Equal(t, 1.0, again.object(t)["retried"], "what the first has done")
	assert.Equal(t, first.object(t)["notRetried"], again.object(t)["notRetried"])
	assert.Equal(t, "completed", again.object(t)["batch"].(map[string]any)["status"], "how it stands now")
	assert.Equal(t, http.StatusConflict, retry(`{"codes":["UNAVAILABLE"]}`, key).StatusCode)

	both := retry(`{"itemIds":["` + p.Items[0].ID + `","` + p.Items[2].ID + `"],"codes":["UNAVAILABLE"]}`)
	assert.Equal(t, 2.0, both.object(t)["retried"], both.body)
	assert.Equal(t, batch.Counts{Total: 3, Success: 3}, s.endedBatch(t, id).Batch.Counts)

	late := s.do(t, http.MethodPost, batchPath(id)+"/cancel", nil)
	require.Equal(t, http.StatusConflict, late.StatusCode, late.body)
	assert.Equal(t, map[string]any{"status": "completed"}, late.failure(t)["details"])
	gone := s.do(t, http.MethodDelete, batchPath(id), nil)
	require.Equal(t, http.StatusNoContent, gone.StatusCode, gone.body)
	for _, a := range []*answer{s.get(t, batchPath(id)), s.do(t, http.MethodDelete, batchPath(id), nil), retry(""), retry(`{"itemIds":["`+p.Items[1].ID+`"]}`, key)} {
		assert.Equal(t, http.StatusNotFound, a.StatusCode, a.body)
	}
	assert.Equal(t, http.StatusOK, s.postJSON(t, `{"url":"`+p.Items[0].ExternalID+`","waitMs":0}`).StatusCode, "its transcripts stay")
}

func TestBatchIsCancelled(t *testing.T) {
	t.Parallel()
	s := start(t)
	defer s.Engine.HoldLists()()
	id := s.listedBatch(t)
	running := s.do(t, http.MethodDelete, batchPath(id), nil)
	require.Equal(t, http.StatusConflict, running.StatusCode, running.body)
	assert.Equal(t, map[string]any{"status": "pending"}, running.failure(t)["details"])

	key := header("Idempotency-Key", "a cancel")
	for _, replayed := range []string{"", "true"} {
		a := s.do(t, http.MethodPost, batchPath(id)+"/cancel", nil, key)
		require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
		assert.Equal(t, replayed, a.Header.Get("Idempotency-Replayed"))
		assert.Equal(t, batchPath(id), a.Header.Get("Location"))
		assert.Equal(t, "cancelled", a.object(t)["batch"].(map[string]any)["status"])
	}
	assert.Equal(t, []string{id}, s.batches(t, "?status=cancelled"))
	retry := s.do(t, http.MethodPost, batchPath(id)+"/retry", nil)
	require.Equal(t, http.StatusConflict, retry.StatusCode, retry.body)
	assert.Equal(t, "STATE_CONFLICT", retry.failure(t)["code"])
	assert.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, batchPath(id), nil).StatusCode)
}

// A retry names what it does not try again, and why.
func TestRetryNamesWhatItLeaves(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.newBatch(t, []string{video, "hello"})
	p := s.endedBatch(t, id)
	item := `"` + p.Items[1].ID + `"`
	a := s.do(t, http.MethodPost, batchPath(id)+"/retry", strings.NewReader(`{"codes":["UNAVAILABLE","unavailable"]}`), header("Content-Type", "application/json"))
	require.Equal(t, http.StatusUnprocessableEntity, a.StatusCode, a.body)
	assert.Equal(t, []string{"codes.1"}, a.issuePaths(t))
	a = s.do(t, http.MethodPost, batchPath(id)+"/retry", strings.NewReader(`{"itemIds":[`+item+`,"019321a0-7c11-7c3e-9a55-2f6d1f0c9b11"]}`), header("Content-Type", "application/json"))
	require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
	assert.Equal(t, []any{
		map[string]any{"itemId": p.Items[1].ID, "reason": "INVALID_VIDEO"},
		map[string]any{"itemId": "019321a0-7c11-7c3e-9a55-2f6d1f0c9b11", "reason": "NOT_FOUND"},
	}, a.object(t)["notRetried"], "there is nothing to try")
}

// Who may not make batches learns no more of the request than that.
func TestOrderOfChecksOfABatch(t *testing.T) {
	t.Parallel()
	small := account.WithoutLimits("small")
	small.BatchItems = 1
	s := start(t, offerPlans(small))
	noScope := as(s.NewKey(t, "globex", account.Transcripts))
	badKey := header("Idempotency-Key", "")
	send := func(contentType, body string, changes ...change) int {
		return s.do(t, http.MethodPost, "/v1/batch", strings.NewReader(body), append(changes, header("Content-Type", contentType))...).StatusCode
	}
	assert.Equal(t, http.StatusUnauthorized, send("text/plain", "x", as(""), badKey))
	assert.Equal(t, http.StatusForbidden, send("text/plain", "x", noScope, badKey))
	assert.Equal(t, http.StatusUnsupportedMediaType, send("text/plain", "x", badKey))
	assert.Equal(t, http.StatusBadRequest, send("application/json", ofLinks(videos(0, 2)...), badKey))
	assert.Equal(t, http.StatusBadRequest, send("text/csv", "link\n"))
	assert.Equal(t, http.StatusUnprocessableEntity, send("application/json", ofLinks("hello")))
	assert.Equal(t, http.StatusPaymentRequired, send("application/json", ofLinks(videos(0, 2)...)))
	key := header("Idempotency-Key", "k")
	assert.Equal(t, http.StatusAccepted, send("application/json", ofLinks(video), key))
	assert.Equal(t, http.StatusConflict, send("application/json", ofLinks(video, video), key))
}

func (s *service) postCSV(t testing.TB, query, body string, changes ...change) *answer {
	t.Helper()
	changes = append([]change{header("Content-Type", "text/csv; charset=utf-8")}, changes...)
	return s.do(t, http.MethodPost, "/v1/batch"+query, strings.NewReader(body), changes...)
}

func TestBatchOfACSV(t *testing.T) {
	t.Parallel()
	s := start(t)
	defer s.Engine.HoldCaptions()()
	key := header("Idempotency-Key", "a table")
	body := "\ufefftitle,url\r\nOne," + strings.Join(videos(0, 3), "\r\nMore,") + "\r\n"
	a := s.postCSV(t, "?language=de,asr&maxItems=2&unknown=1", body, key)
	require.Equal(t, http.StatusAccepted, a.StatusCode, "%s", a.body)
	id := a.object(t)["batch"].(map[string]any)["id"].(string)
	p := s.batchPage(t, id, "")
	assert.Equal(t, "de,asr", p.Batch.Lang)
	assert.Equal(t, batch.Links, p.Batch.Mode)
	require.Len(t, p.Items, 2)
	want := videos(0, 2)
	assert.Equal(t, want, []string{p.Items[0].ExternalID, p.Items[1].ExternalID})

	again := s.postCSV(t, "?language=de,asr&maxItems=2", body, key)
	assert.Equal(t, "true", again.Header.Get("Idempotency-Replayed"), again.body)
	assert.Equal(t, id, again.object(t)["batch"].(map[string]any)["id"])
	assert.Equal(t, http.StatusConflict, s.postCSV(t, "?language=de,asr", body, key).StatusCode)
}

func TestCSVRequestsRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	large := "url,note\n" + video + ",\"" + strings.Repeat("x", 8<<20) + "\"\n"
	for _, c := range []struct {
		query, body string
		status      int
		code        string
		paths       []string
	}{
		{"", "link\nx\n", 400, "CSV_PARSE_ERROR", nil},
		{"", large, 400, "INVALID_REQUEST", []string{"body"}},
		{"", "url\n", 422, "INVALID_REQUEST", []string{"url"}},
		{"", "url\nhello\n", 422, "INVALID_VIDEO", nil},
		{"", "url\n" + strings.Join(videos(0, 501), "\n"), 422, "BATCH_LIMIT_EXCEEDED", nil},
		{"?maxItems=0", "url\n" + video, 400, "INVALID_REQUEST", []string{"maxItems"}},
		{"?language=,", "url\n" + video, 400, "INVALID_REQUEST", []string{"language"}},
	} {
		a := s.postCSV(t, c.query, c.body)
		shown := c.query + " " + c.body[:min(len(c.body), 50)]
		require.Equal(t, c.status, a.StatusCode, "%s: %s", shown, a.body)
		assert.Equal(t, c.code, a.failure(t)["code"], shown)
		assert.Equal(t, c.paths, a.issuePaths(t), shown)
	}
	full := large[:8<<20-2] + "\"\n"
	assert.Equal(t, http.StatusAccepted, s.postCSV(t, "", full).StatusCode, "of exactly 8 MiB")
	assert.Len(t, s.batches(t, ""), 1)
}

// A table is read as UTF-8, so one that its sender declares in another character set is
// refused for its type, before anything else of the request is judged.
func TestCSVInAnotherCharset(t *testing.T) {
	t.Parallel()
	s := start(t)
	defer s.Engine.HoldCaptions()()
	send := func(contentType, body string, changes ...change) *answer {
		as := func(r *http.Request) { r.Header["Content-Type"] = []string{contentType} }
		return s.do(t, http.MethodPost, "/v1/batch", strings.NewReader(body), append(changes, as)...)
	}
	for _, charset := range []string{"iso-8859-1", "windows-1252", "utf-16", "UTF-16LE", "utf-7", "shift_jis", `""`, "utf-8x"} {
		a := send("text/csv; charset="+charset, "url\n"+video, header("Idempotency-Key", "\u00fc"))
		require.Equal(t, http.StatusUnsupportedMediaType, a.StatusCode, "%s: %s", charset, a.body)
		assert.Equal(t, "unsupported_media_type", a.slug(t))
		assert.Contains(t, a.object(t)["message"], "in UTF-8")
	}
	for _, contentType := range []string{"text/csv", "text/csv; header=present", "text/csv; charset=utf-8", `TEXT/CSV; Charset="UTF-8"`, "text/csv;charset=US-ASCII", "text/csv; charset=utf8"} {
		a := send(contentType, "url\n"+video)
		assert.Equal(t, http.StatusAccepted, a.StatusCode, "%s: %s", contentType, a.body)
	}
	assert.Equal(t, "CSV_PARSE_ERROR", send("text/csv; charset=iso-8859-1", "").failure(t)["code"], "no body has no character set")
}
