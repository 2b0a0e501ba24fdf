package server_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/server/store/s3store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// wav is a file that looks like a WAV.
func wav(sound string) string { return "RIFF\x00\x00\x00\x00WAVEfmt " + sound }

// uploadOf is the id of an upload.
func uploadOf(content string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(content)))[:32]
}

func mediaPath(content string) string {
	return "/v1/library/transcripts/upload/" + uploadOf(content) + "/media"
}

// keep sends a file to be kept for some seconds, and waits for its text.
func (s *service) keep(t testing.TB, content string, seconds int, changes ...change) map[string]any {
	t.Helper()
	a := s.postForm(t, []part{field("waitMs", "10000"), field("keepMediaSec", fmt.Sprint(seconds)), file(content)}, changes...)
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	return a.object(t)["transcript"].(map[string]any)
}

// eachStore runs a test with a folder and with a bucket.
func eachStore(t *testing.T, run func(t *testing.T, s *service)) {
	for name, options := range map[string]func(t testing.TB) store.Options{
		"folder": func(t testing.TB) store.Options { return storetest.SQLite(t) },
		"s3 and PostgreSQL": func(t testing.TB) store.Options {
			o := storetest.Postgres(t)
			o.Blobs, o.OpenBucket = storetest.S3(t), s3store.Open
			return o
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, startIn(t, options(t), t.TempDir()))
		})
	}
}

// putRecording puts an upload with a recording into the database, and returns its id.
func (s *service) putRecording(t testing.TB, account, content string) string {
	t.Helper()
	id, store := uploadOf(content), db.Of(s.Store)
	text := textOf(id, segment("hello"))
	text.Platform, text.Owner, text.SourceURL = transcript.Upload, account, nil
	stored, err := store.Blobs.Put(t.Context(), "uploads/"+uuid.NewString(), func(w io.Writer) error { _, err := io.WriteString(w, content); return err })
	require.NoError(t, err)
	require.NoError(t, store.InTx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		saved, err := tx.Transcripts.Put(ctx, text)
		if err == nil {
			err = tx.Library.Save(ctx, saved, account, "")
		}
		if err == nil {
			_, err = tx.Recordings.Keep(ctx, &db.Recording{
				Account: account, ExternalID: id, MediaKey: stored.Key, ContentType: "audio/wav", Bytes: stored.Size, Until: time.Now().Add(time.Hour),
			})
		}
		return err
	}))
	return id
}

// A recording is kept if the request asks for it. The transcript tells it, wherever the account
// reads the transcript.
func TestRecordingIsKept(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s *service) {
		content := wav("hello")
		before := time.Now()
		media := s.keep(t, content, 3600)["media"].(map[string]any)
		assert.Equal(t, "audio/wav", media["contentType"])
		assert.EqualValues(t, len(content), media["bytes"])
		until, err := time.Parse(time.RFC3339, media["until"].(string))
		require.NoError(t, err)
		assert.WithinRange(t, until, before.Add(time.Hour-time.Second), time.Now().Add(time.Hour))

		a := s.get(t, mediaPath(content))
		require.Equal(t, http.StatusOK, a.StatusCode, a.body)
		assert.Equal(t, content, a.body)
		for name, want := range map[string]string{
			"Content-Type": "audio/wav", "Content-Length": fmt.Sprint(len(content)), "ETag": `"` + uploadOf(content) + `"`, "Accept-Ranges": "bytes",
			"Content-Disposition":    "attachment; filename=talk.wav; filename*=UTF-8''talk.wav",
			"X-Content-Type-Options": "nosniff", "Cache-Control": "private, no-store", "Content-Security-Policy": "sandbox; default-src 'none'",
		} {
			assert.Equal(t, want, a.Header.Get(name), name)
		}
		saved := s.get(t, "/v1/library/transcripts/upload/"+uploadOf(content)).object(t)["transcript"].(map[string]any)
		assert.Equal(t, media, saved["media"])
		again := s.upload(t, content).object(t)
		assert.Equal(t, true, again["cached"])
		assert.Equal(t, media, again["transcript"].(map[string]any)["media"], "of the cache")
	})
}

// A range is sent as it is asked for, and never more than the file.
func TestRangesOfARecording(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s *service) {
		content := wav(strings.Repeat("0123456789", 1000)) // 10,016 bytes
		s.keep(t, content, 3600)
		size := len(content)
		tag := `"` + uploadOf(content) + `"`
		const most = "99999999999999999999999999"
		for asked, want := range map[string]struct {
			status      int
			first, last int
		}{
			"bytes=0-0":           {206, 0, 0},
			"bytes=16-25":         {206, 16, 25},
			"bytes=10000-":        {206, 10000, size - 1},
			"bytes=-16":           {206, size - 16, size - 1},
			"bytes=-" + most:      {206, 0, size - 1},
			"bytes=1-" + most:     {206, 1, size - 1},
			"bytes=0-10015":       {206, 0, size - 1},
			"bytes=0-9,20-29":     {status: 200},
			"bytes=0-0,0-0,0-0":   {status: 200},
			"bytes=9-0":           {status: 200},
			"bytes=-":             {status: 200},
			"bytes=":              {status: 200},
			"bytes=a-b":           {status: 200},
			"bytes=-1-2":          {status: 200},
			"bytes=+1-2":          {status: 200},
			"bytes=0x1-2":         {status: 200},
			"lines=0-1":           {status: 200},
			"bytes=10016-":        {status: 416},
			"bytes=" + most + "-": {status: 416},
			"bytes=-0":            {status: 416},
		} {
			a := s.get(t, mediaPath(content), header("Range", asked))
			require.Equal(t, want.status, a.StatusCode, "%s: %s", asked, a.body)
			switch want.status {
			case 200:
				assert.Equal(t, content, a.body, asked)
				assert.Empty(t, a.Header.Get("Content-Range"), asked)
			case 206:
				assert.Equal(t, content[want.first:want.last+1], a.body, asked)
				assert.Equal(t, fmt.Sprintf("bytes %d-%d/%d", want.first, want.last, size), a.Header.Get("Content-Range"), asked)
				assert.Equal(t, tag, a.Header.Get("ETag"), asked)
			default:
				assert.Equal(t, fmt.Sprintf("bytes */%d", size), a.Header.Get("Content-Range"), asked)
				assert.Equal(t, []string{"Range"}, a.issuePaths(t), asked)
			}
		}
		for condition, status := range map[string]int{tag: 206, "W/" + tag: 200, `"another"`: 200, "Fri, 27 Nov 2026 18:00:00 GMT": 200} {
			a := s.get(t, mediaPath(content), header("Range", "bytes=0-0"), header("If-Range", condition))
			assert.Equal(t, status, a.StatusCode, condition)
		}
		a := s.get(t, mediaPath(content), header("Range", "bytes=0-0"), header("Range", "bytes=1-1"))
		assert.Equal(t, 200, a.StatusCode, "two headers")
		a = s.do(t, http.MethodHead, mediaPath(content), nil, header("Range", "bytes=0-0"))
		assert.Equal(t, []any{200, fmt.Sprint(size), "bytes"}, []any{a.StatusCode, a.Header.Get("Content-Length"), a.Header.Get("Accept-Ranges")})
		a = s.get(t, mediaPath(content), header("If-None-Match", tag))
		assert.Equal(t, http.StatusNotModified, a.StatusCode)
	})
}

// A plan permits a time, or none. A link has no recording.
func TestPlansOfRecordings(t *testing.T) {
	t.Parallel()
	bounded := smallPlan()
	bounded.MaxKeepMedia, bounded.MaxKeptMediaBytes = time.Hour, 60
	s := start(t, offerPlans(bounded, account.Plan{
		Name: "none", Paid: true, RateLimit: bounded.RateLimit, Upload: true, MaxUploadBytes: 1 << 20, ASR: true, ASRConcurrency: 1,
		TranscriptsPerPeriod: 5, ASRMinutesPerPeriod: 5, MaxDuration: time.Hour, ASRWaiting: 5, ActionURL: "https://example.com/plans", ActionLabel: "Upgrade",
	}))
	for seconds, status := range map[string]int{"3601": 422, "-1": 422, "x": 422, "1.5": 422, "99999999999999999999": 422} {
		for _, parts := range [][]part{{field("keepMediaSec", seconds), file(wav("a"))}, {file(wav("a")), field("keepMediaSec", seconds)}} {
			a := s.postForm(t, parts)
			require.Equal(t, status, a.StatusCode, a.body)
			assert.Equal(t, []string{"keepMediaSec"}, a.issuePaths(t))
		}
	}
	onNone := s.on(t, "none")
	for _, parts := range [][]part{{field("keepMediaSec", "1"), file(wav("a"))}, {file(wav("a")), field("keepMediaSec", "1")}} {
		a := s.postForm(t, parts, onNone)
		require.Equal(t, http.StatusPaymentRequired, a.StatusCode, a.body)
		assert.Equal(t, "UPGRADE_REQUIRED", a.failure(t)["code"])
		assert.Equal(t, "https://example.com/plans", a.failure(t)["actionUrl"])
	}
	assert.Equal(t, http.StatusOK, s.postForm(t, []part{field("keepMediaSec", "0"), file(wav("a")), field("waitMs", "10000")}, onNone).StatusCode)
	a := s.postJSON(t, `{"url": "`+video+`", "keepMediaSec": 0}`)
	require.Equal(t, http.StatusBadRequest, a.StatusCode)
	assert.Equal(t, []string{"keepMediaSec"}, a.issuePaths(t))

	first, second := wav(strings.Repeat("1", 20)), wav(strings.Repeat("2", 20)) // 36 bytes each
	s.keep(t, first, 3600)
	s.keep(t, first, 3600) // takes no more room
	a = s.postForm(t, []part{field("keepMediaSec", "1"), file(second)})
	require.Equal(t, http.StatusPaymentRequired, a.StatusCode, a.body)
	assert.Equal(t, map[string]any{"usedBytes": 36.0, "limitBytes": 60.0}, a.failure(t)["details"])
	assert.Equal(t, map[string]any{"recordings": 1.0, "bytes": 36.0, "limit": 60.0}, s.usage(t)["keptMedia"])
	assert.Equal(t, 3600.0, s.usage(t)["limits"].(map[string]any)["maxKeepMediaSec"])
	require.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, mediaPath(first), nil).StatusCode)
	s.keep(t, second, 3600)
}

// A recording belongs to its account, also where another has the same file.
func TestRecordingsOfOthers(t *testing.T) {
	t.Parallel()
	s := start(t)
	mine, anothers := as(s.NewKey(t, "globex")), as(s.NewKey(t, "initech"))
	content := wav("the same")
	s.keep(t, content, 3600, mine)
	refused := func() {
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodDelete} {
			a := s.do(t, method, mediaPath(content), nil, anothers)
			require.Equal(t, http.StatusNotFound, a.StatusCode, method)
			if method == http.MethodGet {
				assert.Equal(t, "NO_TRANSCRIPT", a.failure(t)["code"])
			}
		}
	}
	refused()
	a := s.upload(t, content, anothers)
	require.Equal(t, http.StatusOK, a.StatusCode)
	assert.Nil(t, a.object(t)["transcript"].(map[string]any)["media"], "the other has not asked")
	refused()
	assert.Equal(t, content, s.get(t, mediaPath(content), mine).body)
	for _, path := range []string{
		"/v1/library/transcripts/video_site/" + video + "/media", "/v1/library/transcripts/upload/xyz/media",
		"/v1/library/transcripts/upload/" + strings.ToUpper(uploadOf(content)) + "/media",
		"/v1/library/transcripts/upload/..%2f" + uploadOf(content) + "/media",
	} {
		assert.Equal(t, http.StatusNotFound, s.get(t, path, mine).StatusCode, path)
	}
}

// A recording goes with its row, by itself, and with its time. The text stays, and no answer tells
// of the recording any more.
func TestRecordingGoes(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]struct {
		seconds int
		by      func(t *testing.T, s *service, content string)
		text    bool // stays
	}{
		"deleted": {3600, func(t *testing.T, s *service, content string) {
			require.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, mediaPath(content), nil).StatusCode)
		}, true},
		"with its text": {3600, func(t *testing.T, s *service, content string) {
			require.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, strings.TrimSuffix(mediaPath(content), "/media"), nil).StatusCode)
		}, false},
		"its time is over": {1, func(t *testing.T, s *service, content string) {
			require.Eventually(t, func() bool { return s.get(t, mediaPath(content)).StatusCode == http.StatusNotFound }, time.Minute, 20*time.Millisecond)
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			content := wav(name)
			s.keep(t, content, end.seconds)
			text := strings.TrimSuffix(mediaPath(content), "/media")
			read := s.get(t, text)
			s.upload(t, content) // the answer may be kept in memory
			end.by(t, s, content)
			assert.Equal(t, http.StatusNotFound, s.get(t, mediaPath(content)).StatusCode)
			assert.Equal(t, http.StatusNotFound, s.do(t, http.MethodDelete, mediaPath(content), nil).StatusCode)
			if end.seconds > 1 {
				s.nothingLeft(t)
			}
			if !end.text {
				assert.Equal(t, http.StatusNotFound, s.get(t, text).StatusCode)
				return
			}
			now := s.get(t, text, header("If-None-Match", read.Header.Get("ETag")))
			require.Equal(t, http.StatusOK, now.StatusCode, "the text has another ETag now")
			assert.Nil(t, now.object(t)["transcript"].(map[string]any)["media"])
			assert.Nil(t, s.upload(t, content).object(t)["transcript"].(map[string]any)["media"])
		})
	}
}

// The longest wish of the account counts, whether the file is new, on its way, or there.
func TestRecordingIsWantedTwice(t *testing.T) {
	t.Parallel()
	until := func(t *testing.T, a map[string]any) time.Duration {
		t.Helper()
		at, err := time.Parse(time.RFC3339, a["media"].(map[string]any)["until"].(string))
		require.NoError(t, err)
		return time.Until(at).Round(time.Hour)
	}
	for name, wishes := range map[string][]int{"longer": {3600, 7200}, "shorter": {7200, 3600}, "first": {7200, 0}, "second": {0, 7200}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			content := wav(name)
			release := s.Engine.Hold()
			var job string
			for _, seconds := range wishes {
				a := s.postForm(t, []part{field("waitMs", "0"), field("keepMediaSec", fmt.Sprint(seconds)), file(content)})
				require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
				job = a.object(t)["jobId"].(string)
			}
			release()
			ended := s.ended(t, job)
			assert.Equal(t, 2*time.Hour, until(t, ended["transcript"].(map[string]any)))
			assert.Equal(t, content, s.get(t, mediaPath(content)).body)
			require.Eventually(t, func() bool { return len(files(t, s.blobs)) == 1 && len(files(t, s.scratch)) == 0 }, time.Minute, 10*time.Millisecond, "only the recording is left")
			assert.Equal(t, 3*time.Hour, until(t, s.keep(t, content, 3*3600)), "a text of the cache")
			assert.Equal(t, 3*time.Hour, until(t, s.keep(t, content, 60)))
			require.Len(t, files(t, s.blobs), 1)
			require.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, mediaPath(content), nil).StatusCode)
			assert.Equal(t, time.Hour, until(t, s.keep(t, content, 3600)), "the file that has just come")
			assert.Equal(t, content, s.get(t, mediaPath(content)).body)
		})
	}
}

// A recording is added to the text of the same file, in whatever way the text was made. Nothing is
// recognized or counted again. Every other file is refused, and nothing stays of it.
func TestRecordingIsAdded(t *testing.T) {
	t.Parallel()
	s := start(t)
	content := wav("once")
	made := s.postForm(t, []part{field("waitMs", "10000"), field("language", "asr-en"), field("requireWhole", "true"), file(content)})
	require.Equal(t, http.StatusOK, made.StatusCode, made.body)
	used := s.usage(t)["transcripts"]
	for name, c := range map[string]struct {
		content string
		fields  []part
		status  int
		code    string
		changes []change
	}{
		"another file":    {wav("twice"), []part{field("keepMediaSec", "60"), field("recordingOf", uploadOf(content))}, 422, "UPLOAD_INVALID", nil},
		"no text":         {wav("twice"), []part{field("keepMediaSec", "60"), field("recordingOf", uploadOf(wav("twice")))}, 404, "NO_TRANSCRIPT", nil},
		"another account": {content, []part{field("keepMediaSec", "60"), field("recordingOf", uploadOf(content))}, 404, "NO_TRANSCRIPT", []change{as(s.NewKey(t, "globex"))}},
		"no time":         {content, []part{field("recordingOf", uploadOf(content))}, 422, "INVALID_REQUEST", nil},
	} {
		a := s.postForm(t, append(c.fields, file(c.content)), c.changes...)
		require.Equal(t, c.status, a.StatusCode, "%s: %s", name, a.body)
		assert.Equal(t, c.code, a.failure(t)["code"], name)
	}
	s.nothingLeft(t)
	a := s.postForm(t, []part{field("keepMediaSec", "60"), field("recordingOf", uploadOf(content)), field("language", "asr-fr"), file(content)})
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	assert.Equal(t, true, a.object(t)["cached"])
	assert.NotNil(t, a.object(t)["transcript"].(map[string]any)["media"])
	assert.Equal(t, content, s.get(t, mediaPath(content)).body)
	assert.Equal(t, used, s.usage(t)["transcripts"])
}

// Who cancels the work keeps nothing, and neither does who removes it from the library.
func TestRecordingOfCancelledWork(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, end := range map[string]func(job, content string){
		"cancelled": func(job, _ string) {
			require.Equal(t, http.StatusAccepted, s.do(t, http.MethodPost, "/v1/transcript/job/"+job+"/cancel", nil).StatusCode)
		},
		"removed": func(_, content string) {
			require.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, strings.TrimSuffix(mediaPath(content), "/media"), nil).StatusCode)
		},
	} {
		content := wav(name)
		release := s.Engine.Hold()
		a := s.postForm(t, []part{field("waitMs", "0"), field("keepMediaSec", "3600"), file(content)})
		require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
		job := a.object(t)["jobId"].(string)
		end(job, content)
		release()
		s.ended(t, job)
		assert.Equal(t, http.StatusNotFound, s.get(t, mediaPath(content)).StatusCode, name)
	}
	s.nothingLeft(t)
}

// A download that has begun ends where the recording is deleted, or the key is revoked.
func TestRecordingStopsWhenItMayNotGoOn(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(t *testing.T, s *service, path string){
		"deleted": func(t *testing.T, s *service, path string) {
			require.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, path, nil).StatusCode)
		},
		"revoked": func(t *testing.T, s *service, _ string) {
			require.NoError(t, s.Accounts.Revoke(t.Context(), s.Key[:11]))
		},
		"nothing": func(*testing.T, *service, string) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			content := wav(strings.Repeat("0123456789", 1<<20)) // more than the service sends between two looks
			s.putRecording(t, servertest.Account, content)
			slow, letGo := s.slowly(t)
			resp := s.openedAt(t.Context(), t, slow+mediaPath(content))
			_, err := io.ReadFull(resp.Body, make([]byte, 100))
			require.NoError(t, err)
			end(t, s, mediaPath(content))
			letGo()
			rest, err := io.ReadAll(resp.Body)
			if name == "nothing" {
				require.NoError(t, err)
				assert.True(t, content[100:] == string(rest)) //nolint:testifylint // ten megabytes need no diff
				return
			}
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			assert.Less(t, len(rest), 9<<20)
		})
	}
}

// Requests at once do not keep more than the plan permits, and neither do jobs that run.
func TestRoomForRecordingsAtOnce(t *testing.T) {
	t.Parallel()
	plan := account.WithoutLimits("small")
	plan.MaxKeptMediaBytes = 100 // two of the files
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := startIn(t, o, t.TempDir(), offerPlans(plan))
		release := s.Engine.Hold()
		var accepted atomic.Int32
		var all sync.WaitGroup
		for n := range 6 {
			all.Go(func() {
				body, contentType := form(t, field("waitMs", "0"), field("keepMediaSec", "60"), file(wav(strings.Repeat(fmt.Sprint(n), 34))))
				a, err := s.send(t, http.MethodPost, "/v1/transcript", bytes.NewReader(body), header("Content-Type", contentType))
				if assert.NoError(t, err) && a.StatusCode == http.StatusAccepted {
					accepted.Add(1)
				} else {
					assert.Equal(t, http.StatusPaymentRequired, a.StatusCode, a.body)
				}
			})
		}
		all.Wait()
		release()
		assert.EqualValues(t, 2, accepted.Load())
	})
}

// An upload that came in several requests is kept too, and a correction keeps it.
func TestRecordingOfAResumedUpload(t *testing.T) {
	t.Parallel()
	s := start(t)
	content := wav(strings.Repeat("0123456789", 300_000))
	a := s.do(t, http.MethodPost, "/v1/transcript?keepMediaSec=3600&waitMs=10000", strings.NewReader(content),
		header("Content-Type", "audio/wav"), header("Upload-Complete", "?1"), header("Upload-Draft-Interop-Version", "8"))
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	media := a.object(t)["transcript"].(map[string]any)["media"]
	require.NotNil(t, media)
	got := s.get(t, mediaPath(content), header("Range", "bytes=2097140-2097170"))
	require.Equal(t, http.StatusPartialContent, got.StatusCode)
	assert.Equal(t, content[2097140:2097171], got.body, "over the border of two parts")

	text := strings.TrimSuffix(mediaPath(content), "/media")
	read := s.get(t, text)
	edited := s.do(t, http.MethodPatch, text, strings.NewReader(`{"segments": [{"index": 0, "text": "corrected"}]}`),
		header("Content-Type", "application/json"), header("If-Match", read.Header.Get("ETag")))
	require.Equal(t, http.StatusOK, edited.StatusCode, edited.body)
	assert.Equal(t, media, edited.object(t)["transcript"].(map[string]any)["media"])
	require.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, mediaPath(content), nil).StatusCode)
	again := s.do(t, http.MethodPatch, text, strings.NewReader(`{"segments": [{"index": 0, "text": "corrected again"}]}`),
		header("Content-Type", "application/json"), header("If-Match", edited.Header.Get("ETag")))
	require.Equal(t, http.StatusOK, again.StatusCode, "the tag tells the text, and not whether its recording is kept")
	s.nothingLeft(t)
}
