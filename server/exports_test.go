package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// made is a batch as a test wants it: an item for each text, and more that have none.
type made struct {
	status  batch.Status // completed, when empty
	texts   []string     // the JSON of segments; "": an item that failed
	pending int
	account string
}

// segment is the JSON of a text of one segment.
func segment(text string) string {
	b, _ := json.Marshal([]transcript.Segment{{Text: text, Start: 1.5, Duration: 2}})
	return string(b)
}

// makeBatch puts a batch into the database, and returns its id and those of its texts.
func (s *service) makeBatch(t testing.TB, m made) (id string, texts []string) {
	t.Helper()
	b := &db.Batch{Account: m.account, Mode: batch.Links, Languages: "en", ItemLimit: 500, Status: m.status, Listed: true}
	if b.Account == "" {
		b.Account = servertest.Account
	}
	if b.Status == "" {
		b.Status = batch.Completed
	}
	require.NoError(t, db.Of(s.Store).InTx(db.Unhurried(t.Context()), func(ctx context.Context, tx *db.Tx) error {
		texts = nil
		same := map[string]string{} // by what is in it
		if err := tx.Batches.Insert(ctx, b); err != nil {
			return err
		}
		var items []db.BatchItem
		for i, segments := range m.texts {
			item := db.BatchItem{BatchID: b.ID, Position: i + 1, Platform: transcript.VideoSite, ExternalID: fmt.Sprintf("content-%03d", i+1),
				SourceURL: fmt.Sprintf("https://video.example/watch?v=content-%03d", i+1), Status: batch.ItemFailed, Attempts: 1,
				ItemEnd: db.ItemEnd{ErrorCode: transcript.Unavailable, ErrorMessage: "It is private."}}
			if segments != "" {
				if same[segments] == "" {
					text, err := tx.Transcripts.Put(ctx, textOf(item.ExternalID, segments))
					if err != nil {
						return err
					}
					same[segments] = text
				}
				texts = append(texts, same[segments])
				item.Status, item.ItemEnd = batch.ItemSuccess, db.ItemEnd{TranscriptID: same[segments], Lang: "en"}
			}
			items = append(items, item)
		}
		for i := range m.pending {
			items = append(items, db.BatchItem{BatchID: b.ID, Position: len(items) + 1, Platform: transcript.VideoSite,
				ExternalID: fmt.Sprintf("waiting-%03d", i), Status: batch.ItemPending})
		}
		return tx.Items.Insert(ctx, items)
	}))
	return b.ID, texts
}

func textOf(id, segments string) *db.Transcript {
	title, link := "Talk "+id, "https://video.example/watch?v="+id
	return &db.Transcript{SegmentsJSON: packed.Pack([]byte(segments)), Transcript: transcript.Transcript{
		Platform: transcript.VideoSite, ExternalID: id, Lang: "en", Source: transcript.OriginCaptionAPI, Status: transcript.Ready,
		Title: &title, SourceURL: &link,
	}}
}

func exportPath(id, query string) string { return "/v1/batch/" + id + "/export" + query }

// state is a batch as it stands in the database.
func (s *service) batchState(t testing.TB, id string) *db.BatchState {
	t.Helper()
	b, err := db.Of(s.Store).Batches.Owned(t.Context(), servertest.Account, id)
	require.NoError(t, err)
	return b
}

func TestExport(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, _ := s.makeBatch(t, made{texts: []string{segment("hello, world"), "", segment("=1+1")}})
	single, _ := s.makeBatch(t, made{texts: []string{segment("hello, world"), ""}})
	for query, want := range map[string]struct{ id, media, extension, has string }{
		"txt":                        {id, "text/plain; charset=utf-8", "txt", "# Talk content-001\nhttps://video.example/watch?v=content-001\n\n[00:00:01] hello, world\n\n---\n\n# Talk"},
		"txt&includeTimestamp=false": {id, "text/plain; charset=utf-8", "txt", "\n\nhello, world\n\n---"},
		"csv":                        {id, "text/csv; charset=utf-8; header=present", "csv", "\r\nvideo_site,content-003,en,Talk content-003,,1.5,2,'=1+1\r\n"},
		"json":                       {id, "application/json", "json", `"text":"hello, world"`},
		"srt":                        {id, "application/zip", "zip", "003-talk-content-003.srt"},
		"vtt":                        {id, "application/zip", "zip", "003-talk-content-003.vtt"},
		"zip":                        {id, "application/zip", "zip", "items/003-talk-content-003.json"},
		"srt&includeTimestamp=false": {single, "application/x-subrip; charset=utf-8", "srt", "1\n00:00:01,500 --> 00:00:03,500\nhello, world\n"},
		"vtt&partial=true":           {single, "text/vtt; charset=utf-8", "vtt", "WEBVTT\n\n00:00:01.500 --> 00:00:03.500\nhello, world\n"},
	} {
		path := exportPath(want.id, "?format="+query)
		before := s.batchState(t, want.id)
		head := s.do(t, http.MethodHead, path, nil)
		assert.Equal(t, http.StatusOK, head.StatusCode)
		assert.Equal(t, before.ExportRef, s.batchState(t, want.id).ExportRef, "nothing was sent")

		a := s.get(t, path)
		require.Equal(t, http.StatusOK, a.StatusCode, "%s: %s", query, a.body)
		assert.Equal(t, want.media, a.Header.Get("Content-Type"))
		assert.Equal(t, `attachment; filename="batch-`+want.id+"."+want.extension+`"`, a.Header.Get("Content-Disposition"))
		assert.Equal(t, "private, no-cache", a.Header.Get("Cache-Control"))
		assert.Regexp(t, `^"[0-9a-f]{24}"$`, a.Header.Get("ETag"))
		assert.Contains(t, a.body, want.has, query)
		for _, name := range []string{"ETag", "Content-Type", "Content-Disposition"} {
			assert.Equal(t, a.Header.Get(name), head.Header.Get(name), name)
		}

		after := s.batchState(t, want.id)
		require.NotNil(t, after.ExportRef)
		assert.Equal(t, "exp_"+strings.Trim(a.Header.Get("ETag"), `"`), *after.ExportRef)
		assert.Equal(t, want.media, *after.ExportMime)
		assert.Equal(t, before.UpdatedAt, after.UpdatedAt)

		again := s.get(t, path)
		assert.Equal(t, a.body, again.body, "equal content gives equal bytes")
		assert.Equal(t, a.Header.Get("ETag"), again.Header.Get("ETag"), "an export is no change")
		same := s.get(t, path, header("If-None-Match", a.Header.Get("ETag")))
		assert.Equal(t, http.StatusNotModified, same.StatusCode)
		assert.Empty(t, same.body)
	}
	assert.NotContains(t, s.log.String(), "hello, world")
}

// The tag names the bytes: it changes with all that they depend on, and nothing else.
func TestExportTags(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, texts := s.makeBatch(t, made{texts: []string{segment("one"), segment("two")}})
	tag := func(query string) string {
		a := s.do(t, http.MethodHead, exportPath(id, "?format="+query), nil)
		require.Equal(t, http.StatusOK, a.StatusCode)
		return a.Header.Get("ETag")
	}
	seen := map[string]bool{}
	for _, query := range []string{"txt", "txt&includeTimestamp=false", "csv", "json", "srt", "vtt", "zip"} {
		assert.False(t, seen[tag(query)], query)
		seen[tag(query)] = true
	}
	assert.Equal(t, tag("csv"), tag("csv&includeTimestamp=false&partial=true"), "these mean nothing here")
	before := tag("txt")
	require.NoError(t, db.Of(s.Store).InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		made, err := tx.Transcripts.Put(ctx, textOf("content-002", segment("two, made anew")))
		assert.Equal(t, texts[1], made)
		return err
	}))
	assert.NotEqual(t, before, tag("txt"))
	assert.Contains(t, s.get(t, exportPath(id, "?format=txt")).body, "two, made anew")
}

func TestExportOfWhatHasNotEnded(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, _ := s.makeBatch(t, made{status: batch.Processing, texts: []string{segment("hello"), ""}, pending: 3})
	a := s.get(t, exportPath(id, "?format=json"))
	assert.Equal(t, http.StatusConflict, a.StatusCode)
	assert.Equal(t, "STATE_CONFLICT", a.failure(t)["code"])
	assert.Equal(t, map[string]any{"status": "processing"}, a.failure(t)["details"])
	assert.Empty(t, a.Header.Get("Content-Disposition"))

	a = s.get(t, exportPath(id, "?format=json&partial=true"))
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	var got struct {
		Batch batch.Job
		Items []struct {
			Item       batch.Item
			Transcript *transcript.Transcript
		}
	}
	require.NoError(t, json.Unmarshal([]byte(a.body), &got))
	assert.Equal(t, batch.Counts{Total: 5, Pending: 3, Success: 1, Failed: 1}, got.Batch.Counts)
	assert.Nil(t, got.Batch.ExportRef)
	require.Len(t, got.Items, 5)
	assert.Equal(t, "hello", got.Items[0].Transcript.Segments[0].Text)
	for _, item := range got.Items[1:] {
		assert.Nil(t, item.Transcript)
	}
	for _, status := range []batch.Status{batch.Completed, batch.Failed, batch.Cancelled} {
		id, _ := s.makeBatch(t, made{status: status, texts: []string{segment("hello")}})
		assert.Equal(t, http.StatusOK, s.get(t, exportPath(id, "?format=txt")).StatusCode, status)
	}
}

func TestExportThatIsWrong(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, _ := s.makeBatch(t, made{texts: []string{segment("hello")}})
	for query, paths := range map[string][]string{
		"":                    {"format"},
		"?format=x&partial=1": {"format", "partial"},
	} {
		a := s.get(t, exportPath(id, query))
		assert.Equal(t, http.StatusBadRequest, a.StatusCode, query)
		assert.ElementsMatch(t, paths, a.issuePaths(t), query)
		assert.Equal(t, http.StatusBadRequest, s.get(t, exportPath("7", query)).StatusCode, "told before the batch is looked for")
	}
	others, _ := s.makeBatch(t, made{account: "globex", texts: []string{segment("a secret")}})
	for _, id := range []string{others, "7", "019321a0-7c11-7c3e-9a55-2f6d1f0c9b11", strings.ReplaceAll(id, "-", "")} {
		a := s.get(t, exportPath(id, "?format=txt"))
		assert.Equal(t, http.StatusNotFound, a.StatusCode)
		assert.Equal(t, "NOT_FOUND", a.failure(t)["code"])
	}
	failed, _ := s.makeBatch(t, made{status: batch.Failed, texts: []string{"", ""}})
	empty, _ := s.makeBatch(t, made{status: batch.Failed})
	running, _ := s.makeBatch(t, made{status: batch.Processing, pending: 1})
	for _, path := range []string{exportPath(failed, "?format=zip"), exportPath(empty, "?format=json"), exportPath(running, "?format=csv&partial=true")} {
		a := s.get(t, path)
		assert.Equal(t, http.StatusNotFound, a.StatusCode, path)
		assert.Equal(t, "NO_TRANSCRIPT", a.failure(t)["code"], path)
	}
	assert.Equal(t, http.StatusMethodNotAllowed, s.do(t, http.MethodPost, exportPath(id, "?format=txt"), nil).StatusCode)
}

// Who may not export is told so before anything else, with the way out.
func TestExportIsOfPlans(t *testing.T) {
	t.Parallel()
	plan := account.WithoutLimits("basic")
	plan.BatchExport, plan.ActionLabel, plan.ActionURL = false, "Upgrade", "https://plans.example/pro"
	s := start(t, func(c *server.Config) {
		offer(c, account.Plans{Default: "basic", ByName: map[string]account.Plan{"basic": plan}})
	})
	for _, path := range []string{exportPath("7", ""), exportPath("019321a0-7c11-7c3e-9a55-2f6d1f0c9b11", "?format=zip")} {
		a := s.get(t, path)
		require.Equal(t, http.StatusPaymentRequired, a.StatusCode, a.body)
		failure := a.failure(t)
		assert.Equal(t, "UPGRADE_REQUIRED", failure["code"])
		assert.Equal(t, "Upgrade", failure["actionLabel"])
		assert.Equal(t, "https://plans.example/pro", failure["actionUrl"])
		assert.Equal(t, "https://plans.example/pro", failure["upgrade_url"])
	}
}

// large is some 100 KB of text.
func large() string {
	segments := make([]transcript.Segment, 1_500)
	for i := range segments {
		segments[i] = transcript.Segment{Text: fmt.Sprintf("and this is sentence number %d of the talk\nwhich has %d words", i, i*7%1013), Start: float64(i) * 3, Duration: 2.9}
	}
	b, _ := json.Marshal(segments)
	return string(b)
}

// opened asks for an export over a connection that is read by the test alone.
func (s *service) opened(ctx context.Context, t *testing.T, path string) *http.Response {
	t.Helper()
	return s.openedAt(ctx, t, s.URL+path)
}

func (s *service) openedAt(ctx context.Context, t *testing.T, url string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+s.Key)
	transport := &http.Transport{ReadBufferSize: 1 << 10}
	t.Cleanup(transport.CloseIdleConnections)
	resp, err := (&http.Client{Transport: transport}).Do(r)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, resp.StatusCode)
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

// slowed is an answer that goes out, from its second chunk on, when it is let go.
type slowed struct {
	http.ResponseWriter
	letGo  <-chan struct{}
	chunks int
}

func (s *slowed) Write(b []byte) (int, error) {
	if s.chunks++; s.chunks == 2 {
		<-s.letGo
	}
	return s.ResponseWriter.Write(b)
}

func (s *slowed) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// slowly is another address of the service, where answers stop after their first chunk
// until letGo is called.
func (s *service) slowly(t *testing.T) (url string, letGo func()) {
	t.Helper()
	held := make(chan struct{})
	letGo = sync.OnceFunc(func() { close(held) })
	listener := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.Handler().ServeHTTP(&slowed{ResponseWriter: w, letGo: held}, r)
	}))
	t.Cleanup(listener.Close)
	t.Cleanup(letGo)
	return listener.URL, letGo
}

// A text that is made anew, or that is gone, while the file is sent cuts it off: no
// reader takes it for whole, and it is not noted as sent.
func TestExportIsCutWhereATextChanges(t *testing.T) {
	t.Parallel()
	const items = 20 // more than a chunk of the file, also of a zip
	last := fmt.Sprintf("'content-%03d'", items)
	anew := "UPDATE transcripts SET updated_at = '2031-01-01 00:00:00' WHERE external_id = " + last
	for name, c := range map[string]struct {
		format batch.ExportFormat
		change string
		why    string
	}{
		"made anew, in a zip": {batch.ZIP, anew, "has changed"},
		"gone":                {batch.JSON, "DELETE FROM transcripts WHERE external_id = " + last, "has changed"},
		"damaged":             {batch.CSV, "UPDATE texts SET segments = x'00' WHERE transcript_id = (SELECT id FROM transcripts WHERE external_id = " + last + ")", "gzip"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			id, _ := s.makeBatch(t, made{texts: append(repeated(large(), items-1), segment("the last"))})
			path := exportPath(id, "?format="+string(c.format))
			slow, letGo := s.slowly(t)
			resp := s.openedAt(t.Context(), t, slow+path)
			_, err := io.ReadFull(resp.Body, make([]byte, 100))
			require.NoError(t, err)
			_, err = storetest.SQL(t, s.options).ExecContext(t.Context(), c.change)
			require.NoError(t, err)
			letGo()
			_, err = io.Copy(io.Discard, resp.Body)
			assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
			s.logged(t, c.why)
			assert.Nil(t, s.batchState(t, id).ExportRef)
			assert.NotContains(t, s.log.String(), "sentence number")

			if c.why == "has changed" { // the next one is about what there is now
				again := s.opened(t.Context(), t, path)
				assert.NotEqual(t, resp.Header.Get("ETag"), again.Header.Get("ETag"))
			}
		})
	}
}

func repeated(text string, n int) (all []string) {
	for range n {
		all = append(all, text)
	}
	return all
}

// logged waits for the line about an export that says so.
func (s *service) logged(t *testing.T, what string) (line string) {
	t.Helper()
	require.Eventually(t, func() bool {
		for line = range strings.Lines(s.log.String()) {
			if strings.Contains(line, "batchId}/export") && strings.Contains(line, what) {
				return true
			}
		}
		return false
	}, time.Minute, time.Millisecond)
	return line
}

// Who goes away stops the work: no more texts are read than a connection has taken.
func TestExportForNobody(t *testing.T) {
	t.Parallel()
	s := start(t)
	const items = 500
	text := large()
	id, _ := s.makeBatch(t, made{texts: repeated(text, items)})
	ctx, leave := context.WithCancel(t.Context())
	resp := s.opened(ctx, t, exportPath(id, "?format=json"))
	_, err := io.ReadFull(resp.Body, make([]byte, 1000))
	require.NoError(t, err)
	leave()
	line := s.logged(t, "status=499")
	_, after, _ := strings.Cut(line, " bytes=")
	var sent int
	_, err = fmt.Sscan(after, &sent)
	require.NoError(t, err)
	assert.Less(t, sent, items*len(text)/2, line)
	assert.Nil(t, s.batchState(t, id).ExportRef)
}

// A text that changes before anything is sent is no reason to cut anybody off.
func TestExportThatCannotBegin(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, _ := s.makeBatch(t, made{texts: []string{segment("hello")}})
	_, err := storetest.SQL(t, s.options).ExecContext(t.Context(), "UPDATE texts SET segments = x'00'")
	require.NoError(t, err)
	a := s.get(t, exportPath(id, "?format=txt"))
	assert.Equal(t, http.StatusServiceUnavailable, a.StatusCode)
	assert.Empty(t, a.Header.Get("Content-Disposition"))
	assert.Equal(t, "application/json", a.Header.Get("Content-Type"))
	assert.Nil(t, s.batchState(t, id).ExportRef)
}

// stalled is a connection whose peer takes the first chunk and no more, until the test gives it up.
type stalled struct {
	*httptest.ResponseRecorder
	writes   int
	deadline time.Time
	waits    chan<- time.Time // receives the deadline of the second chunk
	givenUp  <-chan struct{}
}

func (s *stalled) SetWriteDeadline(t time.Time) error { s.deadline = t; return nil }

func (s *stalled) Write(b []byte) (int, error) {
	if s.writes++; s.writes == 1 {
		return len(b), nil
	}
	s.waits <- s.deadline
	<-s.givenUp
	return 0, os.ErrDeadlineExceeded
}

// A reader that stalls has a deadline, and until then holds nothing of the
// database: what others have written goes from SQLite's log into its file.
func TestExportForWhoStalls(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, _ := s.makeBatch(t, made{texts: repeated(large(), 5)})
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, exportPath(id, "?format=json"), nil)
	r.Header.Set("Authorization", "Bearer "+s.Key)
	waits, givenUp, ended := make(chan time.Time), make(chan struct{}), make(chan any)
	began := time.Now()
	go func() {
		defer func() { ended <- recover() }()
		s.Handler().ServeHTTP(&stalled{ResponseRecorder: httptest.NewRecorder(), waits: waits, givenUp: givenUp}, r)
	}()
	assert.WithinRange(t, <-waits, began.Add(30*time.Second), time.Now().Add(time.Minute))
	sql := storetest.SQL(t, s.options)
	var busy, log, moved int
	require.NoError(t, sql.QueryRowContext(t.Context(), "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &log, &moved))
	assert.Zero(t, busy, "a reader holds up the log")
	close(givenUp)
	assert.Equal(t, http.ErrAbortHandler, <-ended)
	assert.Nil(t, s.batchState(t, id).ExportRef)
}

// TestExportCostsLittleMemory exports 500 texts (50 with -short) of 1,500
// segments each. It is not parallel, as the heap is the whole process's.
func TestExportCostsLittleMemory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	s := start(t)
	id, _ := s.makeBatch(t, made{texts: repeated(large(), size().bigBatch)})
	path := exportPath(id, "?format=zip")
	growth := growthDuring(t, live, func() {
		resp := s.opened(t.Context(), t, path)
		n, err := io.Copy(io.Discard, resp.Body)
		require.NoError(t, err)
		t.Logf("%.1f MB were sent", float64(n)/1e6)
	})
	t.Logf("memory grew by %.1f MiB", float64(growth)/(1<<20))
	assert.LessOrEqual(t, growth, int64(32<<20), "all of them unpacked are more than twice as much")
}
