package page_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// makeBatch makes a batch by the form, and returns its page's path.
func (s *site) makeBatch(t *testing.T, fields ...string) string {
	t.Helper()
	made := s.post(t, "/batches", fields...)
	require.Equal(t, http.StatusSeeOther, made.status, made.body)
	path, _, _ := strings.Cut(made.header.Get("Location"), "?") // without what was passed over
	return path
}

// ended waits until the batch of a page has ended, and returns it.
func (s *site) ended(t *testing.T, path string) batch.Job {
	t.Helper()
	for {
		got := s.get(t, "/web/v1/batch/"+strings.TrimPrefix(path, "/batches/")+"?maxResults=1&waitMs=10000")
		require.Equal(t, http.StatusOK, got.status, got.body)
		var page struct{ Batch batch.Job }
		require.NoError(t, json.Unmarshal([]byte(got.body), &page))
		if page.Batch.Status.Terminal() {
			return page.Batch
		}
	}
}

func TestBatchShowsItsItems(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	title := `</bdi><script>alert("1")</script>`
	s.Engine.SetMetadata(transcript.Metadata{Title: title})
	release := s.Engine.HoldCaptions()
	path := s.makeBatch(t, "from", "batch", "links", "dQw4w9WgXcQ\n\n https://youtu.be/9bZkp7q19f0 \nhttps://youtu.be/dQw4w9WgXcQ\n<b>no-link</b>\n", "language", "en, de")

	running := s.get(t, path)
	require.Equal(t, http.StatusOK, running.status, running.body)
	assert.Contains(t, running.body, `http-equiv="refresh"`, "who has no scripts sees it go on")
	assert.Contains(t, running.body, path+"/cancel")
	assert.Contains(t, running.body, "en,de")
	assert.NotContains(t, running.body, path+"/delete")
	release()

	require.Equal(t, batch.Completed, s.ended(t, path).Status)
	assert.Contains(t, s.get(t, "/batches?status=completed").body, path)
	assert.NotContains(t, s.get(t, "/batches?status=failed").body, path)
	page := s.get(t, path).body
	assert.NotContains(t, page, "<script>alert")
	assert.NotContains(t, page, "<b>no-")
	assert.Contains(t, page, "&lt;b&gt;no-link")
	assert.Contains(t, page, `&lt;script&gt;alert(&#34;1&#34;)`)
	assert.Contains(t, page, `href="/transcripts/video_site/dQw4w9WgXcQ?language=en"`)
	assert.Contains(t, page, "A duplicate of another item")
	assert.Contains(t, page, "The link does not lead to a single video or recording.", "the reason")
	assert.Contains(t, page, "as the address bar of a browser shows it", "the cure")
	assert.NotContains(t, page, `http-equiv="refresh"`)
	for _, format := range batch.ExportFormats() {
		link := "/web/v1/batch/" + strings.TrimPrefix(path, "/batches/") + "/export?format=" + string(format)
		assert.Contains(t, page, `href="`+link+`"`)
		assert.Equal(t, http.StatusOK, s.get(t, link).status)
	}
	failed := s.get(t, path+"?show=failed").body
	assert.Equal(t, 1, strings.Count(failed, `<li class="item"`))

	deleted := s.post(t, path+"/delete")
	require.Equal(t, http.StatusSeeOther, deleted.status)
	assert.Contains(t, s.get(t, deleted.header.Get("Location")).body, "The batch is deleted.")
	assert.Equal(t, http.StatusNotFound, s.get(t, path).status)
}

func TestBatchRetriesWhatFailed(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	s.Engine.FailCaptions(transcript.Errorf(transcript.LoginRequired, "The site asks to log in."))
	path := s.makeBatch(t, "from", "batch", "links", "dQw4w9WgXcQ\n9bZkp7q19f0\nno link")
	require.Equal(t, batch.Failed, s.ended(t, path).Status)
	page := s.get(t, path).body
	assert.Contains(t, page, "2 items: ")
	assert.Contains(t, page, "Another try would not help", "of what never works")
	assert.NotContains(t, page, `id="retry-all"`)
	assert.Equal(t, 3, strings.Count(page, `name="item"`), "but one may insist")

	none := s.post(t, path+"/retry")
	require.Equal(t, http.StatusSeeOther, none.status)
	assert.Contains(t, s.get(t, none.header.Get("Location")).body, "0 items wait again. 3 stay as they are")

	s.Engine.FailCaptions(nil)
	item := page[strings.Index(page, `name="item" value="`)+len(`name="item" value="`):]
	one := s.post(t, path+"/retry", "item", item[:36], "show", "failed")
	require.Equal(t, http.StatusSeeOther, one.status, one.body)
	assert.Equal(t, path+"?retried=1&show=failed", one.header.Get("Location"))
	require.Equal(t, batch.Completed, s.ended(t, path).Status)
	assert.Equal(t, 1, s.ended(t, path).Counts.Success)
}

func TestBatchRetriesWhatMayWork(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	passes := transcript.Errorf(transcript.LoginRequired, "The site asks to log in.")
	passes.Retryable = new(true)
	s.Engine.FailCaptions(passes)
	path := s.makeBatch(t, "from", "batch", "links", "dQw4w9WgXcQ\nno link\n9bZkp7q19f0")
	require.Equal(t, batch.Failed, s.ended(t, path).Status)
	page := s.get(t, path).body
	assert.Contains(t, page, "Try 2 items again")
	assert.Contains(t, page, `name="code" value="LOGIN_REQUIRED"`)
	assert.NotContains(t, page, `name="code" value="INVALID_VIDEO"`, "which is of no use")

	s.Engine.FailCaptions(nil)
	retried := s.post(t, path+"/retry", "code", "LOGIN_REQUIRED")
	require.Equal(t, http.StatusSeeOther, retried.status, retried.body)
	assert.Contains(t, s.get(t, retried.header.Get("Location")).body, "2 items wait again.")
	job := s.ended(t, path)
	assert.Equal(t, batch.Counts{Total: 3, Success: 2, Failed: 1}, job.Counts)
	assert.Contains(t, s.get(t, path).body, "2 tries")
}

func TestBatchIsCancelled(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	defer s.Engine.HoldCaptions()()
	path := s.makeBatch(t, "from", "batch", "links", "dQw4w9WgXcQ\nno link")
	require.Equal(t, http.StatusSeeOther, s.post(t, path+"/cancel").status)
	page := s.get(t, path).body
	assert.Contains(t, page, "This batch was canceled. To try these again, start a new one.")
	assert.NotContains(t, page, `name="item"`, "which would be refused")
	again := s.post(t, path+"/cancel")
	assert.Equal(t, http.StatusConflict, again.status)
	assert.Equal(t, http.StatusConflict, s.post(t, path+"/retry").status)
}

func TestBatchOfAPlaylist(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	s.Engine.SetList("PLrAXtmErZgOeiKm4sgNOkn", "dQw4w9WgXcQ", "9bZkp7q19f0", "aaaaaaaaaaa")
	path := s.makeBatch(t, "from", "playlist", "list", " PLrAXtmErZgOeiKm4sgNOkn ", "most", "2")
	assert.Equal(t, 2, s.ended(t, path).Total)
	assert.Contains(t, s.get(t, path).body, "<title>A list")
	assert.Contains(t, s.get(t, "/batches").body, "<bdi>A list</bdi>")

	lost := s.makeBatch(t, "from", "channel", "list", "@nobody")
	require.Equal(t, batch.Failed, s.ended(t, lost).Status)
	assert.Contains(t, s.get(t, lost).body, "Check whether the link plays in your browser")
}

func TestBatchFormSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	plan := account.WithoutLimits("small")
	plan.BatchItems, plan.ActionLabel, plan.ActionURL = 2, "Choose a plan", "https://example.com/plans"
	s := newSite(t, visitor.User, servertest.OnPlan(plan))
	long := "https://youtu.be/" + strings.Repeat("a", 2048)
	for name, c := range map[string]struct {
		fields      []string
		status      int
		field, says string
	}{
		"none":     {[]string{"from", "batch", "links", " \n "}, 422, "links", "There is no link in it."},
		"no list":  {[]string{"from", "playlist", "list", " "}, 422, "list", "Name a playlist or a channel."},
		"bad list": {[]string{"from", "playlist", "list", "https://example.com/"}, 422, "list", ""},
		"most":     {[]string{"from", "channel", "list", "@a", "most", "1.5"}, 422, "most", "A whole number"},
		"too many": {[]string{"from", "channel", "list", "@a", "most", "501"}, 422, "most", "a whole number from 1 to 500"},
		"language": {[]string{"from", "batch", "links", "dQw4w9WgXcQ", "language", "no-such-language-tag"}, 422, "language", ""},
		"line":     {[]string{"from", "batch", "links", "dQw4w9WgXcQ\n\n" + long}, 422, "links", "Line 3: "},
		"nothing":  {[]string{"from", "batch", "links", "https://example.com/about"}, 422, "links", ""},
		"plan":     {[]string{"from", "batch", "links", "dQw4w9WgXcQ\n9bZkp7q19f0\naaaaaaaaaaa"}, 402, "links", `<a href="https://example.com/plans">`},
	} {
		got := s.post(t, "/batches", c.fields...)
		assert.Equal(t, c.status, got.status, name)
		at := strings.Index(got.body, `<div id="`+c.field+`-trouble">`)
		if assert.Positive(t, at, "%s: %s", name, got.body) {
			end := at + strings.Index(got.body[at:], "</div>")
			assert.Contains(t, got.body[at:end], c.says, name)
		}
		assert.Contains(t, got.body, `aria-invalid="true"`)
		assert.Contains(t, got.body, "up to 2 items", "the limit is told before")
	}
	assert.Contains(t, s.post(t, "/batches", "from", "batch", "links", "<b>no-link</b>").body, "&lt;b&gt;no-link&lt;/b&gt;</textarea>", "what was typed stays")
}

func TestBatchOfAFile(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	for name, content := range map[string]string{
		"links.txt": "\ufeffdQw4w9WgXcQ\r\n\r\nhttps://youtu.be/9bZkp7q19f0\r\n",
		"links.CSV": "title,url\n\"A, talk\",dQw4w9WgXcQ\nAnother,9bZkp7q19f0\n",
	} {
		made := s.postFile(t, "/batches", name, content, "from", "batch", "links", "")
		require.Equal(t, http.StatusSeeOther, made.status, made.body)
		assert.Equal(t, 2, s.ended(t, made.header.Get("Location")).Counts.Success, name)
	}
	for name, c := range map[string]struct{ content, says string }{
		"broken.csv": {"url\na,b\n", "Line 2"},
		"other.csv":  {"link\na\n", "Line 1"},
		"empty.txt":  {"\n", "There is no link in it."},
		"large.txt":  {strings.Repeat("a", 9<<20), "at most 8 MiB"},
	} {
		got := s.postFile(t, "/batches", name, c.content, "from", "batch", "links", "")
		assert.GreaterOrEqual(t, got.status, 400, name)
		at := strings.Index(got.body, `<div id="file-trouble">`)
		if assert.Positive(t, at, name) {
			assert.Contains(t, got.body[at:at+400], c.says, name)
		}
	}
}

func TestBatchFormThatIsSentTwice(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	fields := []string{"once", "11111111-2222-3333-4444-555555555555", "from", "batch", "links", "dQw4w9WgXcQ"}
	first := s.makeBatch(t, fields...)
	assert.Equal(t, first, s.makeBatch(t, fields...), "it is one batch")
	fields[len(fields)-1] = "9bZkp7q19f0"
	assert.NotEqual(t, first, s.makeBatch(t, fields...), "what was changed is another one")
}

func TestBatchesInPages(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	defer s.Engine.HoldCaptions()()
	assert.Contains(t, s.get(t, "/batches").body, "start one", "what to do where there is none")
	var links strings.Builder
	for n := range 120 {
		fmt.Fprintf(&links, "aaaaaaaa%03d\n", n)
	}
	large := s.makeBatch(t, "from", "batch", "links", links.String())
	for range 20 {
		s.makeBatch(t, "from", "batch", "links", "dQw4w9WgXcQ")
	}
	list := s.get(t, "/batches").body
	assert.NotContains(t, list, large)
	assert.Contains(t, s.get(t, nextOf(t, list)).body, large)

	items := s.get(t, large).body
	assert.Equal(t, 100, strings.Count(items, `<li class="item"`))
	rest := s.get(t, nextOf(t, items)).body
	assert.Equal(t, 20, strings.Count(rest, `<li class="item"`))
	assert.NotContains(t, rest, `rel="next"`)
}

// nextOf is where the page after a page is.
func nextOf(t *testing.T, page string) string {
	t.Helper()
	_, after, found := strings.Cut(page, `rel="next" href="`)
	require.True(t, found, page)
	path, _, _ := strings.Cut(after, `"`)
	return strings.ReplaceAll(path, "&amp;", "&")
}

func TestBatchExportOfAPlanWithoutIt(t *testing.T) {
	t.Parallel()
	plan := account.WithoutLimits("small")
	plan.BatchExport, plan.ActionLabel, plan.ActionURL = false, "Choose a plan", "https://example.com/plans"
	s := newSite(t, visitor.User, servertest.OnPlan(plan))
	path := s.makeBatch(t, "from", "batch", "links", "dQw4w9WgXcQ")
	s.ended(t, path)
	page := s.get(t, path).body
	assert.Contains(t, page, "Your plan does not include the export of batches.")
	assert.Contains(t, page, `href="https://example.com/plans"`)
	assert.NotContains(t, page, "/export?")
}

// A batch whose site blocks says so while it waits.
func TestBatchSaysWhyItWaits(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	s.Engine.FailCaptions(blocks())
	path := s.makeBatch(t, "from", "batch", "links", "dQw4w9WgXcQ")
	require.Eventually(t, func() bool {
		now, err := s.api(t).Batches.Get(t.Context(), strings.TrimPrefix(path, "/batches/"))
		require.NoError(t, err)
		return now.LastError != nil
	}, time.Minute, 25*time.Millisecond)
	shown := s.get(t, path)
	assert.Contains(t, shown.body, `<p class="hint" id="waits" role="status" dir="auto">The site blocks this service for the moment. Try again later.</p>`)
	require.Equal(t, http.StatusSeeOther, s.post(t, path+"/cancel").status)
	assert.NotContains(t, s.get(t, path).body, `id="waits"`)
}
