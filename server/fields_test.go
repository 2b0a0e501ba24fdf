package server_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// anID is the form of ids, and aTime that of times.
const (
	anID  = `^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`
	aTime = `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`
)

// parted checks the members of an object that differ each time, and returns the rest.
func parted(t *testing.T, o map[string]any, forms map[string]string) map[string]any {
	t.Helper()
	for name, form := range forms {
		assert.Regexp(t, form, o[name], name)
		delete(o, name)
	}
	return o
}

// Every member of a transcript and of the answer around it, with metadata and without.
func TestFieldsOfATranscript(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Engine.SetTracks(servertest.Track{Lang: "en", Name: "English", Text: "hello"})
	s.Engine.SetMetadata(transcript.Metadata{
		Title: "A talk", Channel: "Talks", CreatorName: "Ann", CreatorHandle: "@ann", CreatorURL: "https://video.example/@ann",
		ThumbnailURL: "https://img.example/a.jpg", Duration: 3725.5, PublishedAt: time.Date(2026, 3, 4, 12, 0, 0, 5e6, time.UTC),
	})
	made := map[string]any{"trackId": "en.manual", "trackKind": "manual", "trackName": "English"}
	about := map[string]any{
		"title": "A talk", "channel": "Talks", "creatorName": "Ann", "creatorHandle": "@ann", "creatorUrl": "https://video.example/@ann",
		"thumbnailUrl": "https://img.example/a.jpg", "publishedAt": "2026-03-04T12:00:00.005Z", "metadata": made,
	}
	check := func(a *answer, cached, shown bool) {
		t.Helper()
		require.Equal(t, http.StatusOK, a.StatusCode, a.body)
		o := a.object(t)
		tr := parted(t, o["transcript"].(map[string]any), map[string]string{"id": anID, "createdAt": aTime, "updatedAt": aTime})
		delete(o, "transcript")
		want := map[string]any{
			"platform": "video_site", "externalId": video, "sourceUrl": "https://video.example/watch?v=" + video, "lang": "en",
			"durationSec": 3726.0, "source": "video_site_downloader", "status": "ready", "media": nil, "cutOff": nil, "heard": nil, "diarizer": nil,
			"segments": []any{map[string]any{"text": "hello", "start": 0.0, "duration": 10.0}},
		}
		for name, value := range about {
			if want[name] = value; !shown {
				want[name] = nil
			}
		}
		assert.Equal(t, want, tr)
		assert.Equal(t, map[string]any{
			"status": "success", "format": "json", "cached": cached, "language": "en", "metadataStatus": "complete",
			"lengthSeconds": 3726.0, "lengthText": "1:02:06", "metadata": want["metadata"], "cutOff": nil, "heard": nil, "diarizer": nil,
		}, o)
	}
	check(s.link(t, video, wish{"sendMetadata", true}), false, true)
	check(s.link(t, video), true, false)
	check(s.link(t, video, wish{"sendMetadata", false}), true, false)

	saved := s.get(t, savedVideo).object(t)["transcript"].(map[string]any)
	for name, value := range about {
		assert.Equal(t, value, saved[name], "a library read shows all: %s", name)
	}
	text := s.link(t, video, wish{"format", "text"}).object(t)
	assert.Equal(t, map[string]any{
		"status": "success", "format": "text", "transcript": "[00:00:00] hello", "text": "[00:00:00] hello", "cached": true, "language": "en",
		"metadataStatus": "complete", "lengthSeconds": 3726.0, "lengthText": "1:02:06", "metadata": nil,
		"cutOff": nil, "heard": nil, "diarizer": nil,
	}, text)
}

// Every member of a batch and of its items.
func TestFieldsOfABatch(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Engine.SetList("@ann", video, "vid-0000001")
	s.Engine.SetTracks(servertest.Track{Lang: "en", Text: "hello"})
	counts := func(total, pending, success, failed float64) map[string]any {
		return map[string]any{"total": total, "pending": pending, "success": success, "failed": failed}
	}
	summary := map[string]string{"id": anID, "createdAt": aTime}
	shown := map[string]string{"id": anID, "createdAt": aTime, "updatedAt": aTime}
	a := s.postBatch(t, `{"urls":["`+video+`","https://video.example/shorts/`+video+`","hello"],"language":"de,en"}`)
	require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
	made := a.object(t)["batch"].(map[string]any)
	id := made["id"].(string)
	assert.Equal(t, map[string]any{"mode": "batch", "status": "pending", "counts": counts(3, 1, 0, 1)}, parted(t, made, summary))
	s.endedBatch(t, id)
	o := s.get(t, batchPath(id)).object(t)
	assert.Equal(t, map[string]any{
		"mode": "batch", "lang": "de,en", "total": 3.0, "done": 3.0, "failed": 1.0, "counts": counts(3, 0, 1, 1),
		"status": "completed", "lastError": nil, "exportRef": nil, "exportMime": nil,
	}, parted(t, o["batch"].(map[string]any), shown))
	items := o["items"].([]any)
	ref := s.get(t, savedVideo).object(t)["transcript"].(map[string]any)["id"]
	first := parted(t, items[0].(map[string]any), map[string]string{"id": anID})
	assert.Equal(t, map[string]any{
		"platform": "video_site", "externalId": video, "sourceUrl": "https://video.example/watch?v=" + video, "lang": "en",
		"title": "A talk", "status": "success", "transcriptRef": ref, "error": nil, "attempts": 1.0,
	}, first)
	second := items[1].(map[string]any)
	assert.Equal(t, []any{"skipped", video, nil, nil, 0.0},
		[]any{second["status"], second["externalId"], second["transcriptRef"], second["error"], second["attempts"]})
	third := parted(t, items[2].(map[string]any), map[string]string{"id": anID, "errorMessage": "."})
	assert.Equal(t, map[string]any{
		"platform": "video_site", "externalId": "hello", "sourceUrl": nil, "lang": "de,en",
		"status": "failed", "transcriptRef": nil, "error": "INVALID_VIDEO", "retryable": false, "attempts": 0.0,
	}, third)

	a = s.postBatch(t, `{"channelId":"@ann"}`)
	require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
	made = a.object(t)["batch"].(map[string]any)
	id = made["id"].(string)
	assert.Equal(t, map[string]any{"mode": "channel", "status": "pending", "counts": counts(0, 0, 0, 0)}, parted(t, made, summary))
	p := s.endedBatch(t, id)
	require.Len(t, p.Items, 2)
	assert.Equal(t, []string{video, "vid-0000001"}, []string{p.Items[0].ExternalID, p.Items[1].ExternalID}, "as the channel has them")
	channel := s.get(t, batchPath(id)).object(t)["batch"].(map[string]any)
	assert.Equal(t, []any{"channel", "en", counts(2, 0, 2, 0)}, []any{channel["mode"], channel["lang"], channel["counts"]})
}

// Who names no language wants English, and a platform without captions detects.
func TestLanguageThatIsLeftOut(t *testing.T) {
	t.Parallel()
	s := start(t, onPlan(forgetful))
	s.Engine.SetTracks(servertest.Track{Lang: "de", Text: "hallo"}, servertest.Track{Lang: "en-GB", Text: "hello"})
	said, _ := text(t, s.link(t, video))
	assert.Equal(t, "hello", said)
	report := s.captions(t, "").object(t)
	assert.Equal(t, "en-GB", report["language"])
	s.Engine.SetTracks(servertest.Track{Lang: "de", Text: "hallo"})
	assert.Equal(t, "ASR_REQUIRES_ASYNC", s.captions(t, "").failure(t)["code"])
}

// Where there are no captions the answer is a job, also where there are some in other
// languages, and the job is followed to its text.
func TestJobOfALinkWithoutCaptions(t *testing.T) {
	t.Parallel()
	for name, tracks := range map[string][]servertest.Track{"none": nil, "other languages": {{Lang: "de", Text: "hallo"}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			s.Engine.SetTracks(tracks...)
			release := s.Engine.Hold()
			a := s.postJSON(t, body(t, video, wish{"waitMs", 0}))
			require.Equal(t, http.StatusAccepted, a.StatusCode, a.body)
			id := a.object(t)["jobId"].(string)
			require.NoError(t, s.Engine.Await(t.Context(), 1))
			assert.Equal(t, "asr_running", s.get(t, jobPath(id)).object(t)["stage"])
			again := s.postJSON(t, body(t, video, wish{"waitMs", 0}))
			require.Equal(t, http.StatusAccepted, again.StatusCode, "known to have none by now")
			assert.Equal(t, []any{id, "processing", "asr_running"},
				[]any{again.object(t)["jobId"], again.object(t)["status"], again.object(t)["stage"]})
			release()
			job := s.ended(t, id)
			assert.Equal(t, "success", job["status"])
			assert.Equal(t, "asr", job["transcript"].(map[string]any)["source"])
		})
	}
}

// A result says that nothing was heard in a recording without speech, in each form of the answer.
// The result of a recording with speech has no such member.
func TestFieldsOfATextInWhichNothingWasHeard(t *testing.T) {
	t.Parallel()
	s := start(t)
	assert.NotContains(t, s.ended(t, s.job(t, "speech")), "nothingHeard")
	s.Engine.Say("")
	o := s.ended(t, s.job(t, "a tone"))
	assert.Equal(t, true, o["nothingHeard"])
	assert.Empty(t, o["transcript"].(map[string]any)["segments"])
	text := s.get(t, jobPath(o["jobId"].(string))+"?format=text").object(t)
	assert.Equal(t, true, text["nothingHeard"])
	assert.Empty(t, text["text"])
}

// Every member of the reason why a job and its batch wait, in the job, its events and the batch.
func TestFieldsOfALastError(t *testing.T) {
	t.Parallel()
	s := start(t)
	blocks := transcript.Errorf(transcript.IPBlocked, "The site blocks. Ask less.").Because(errors.New("a secret"))
	blocks.Cure, blocks.RetryAfter = "Ask less.", 3600
	s.Engine.FailCaptions(blocks)
	id := s.postJSON(t, body(t, video, wish{"waitMs", 0})).object(t)["jobId"].(string)
	made := s.postBatch(t, `{"urls":["`+video+`"]}`).object(t)["batch"].(map[string]any)["id"].(string)

	why := func(o map[string]any) map[string]any {
		told, _ := o["lastError"].(map[string]any)
		return parted(t, told, map[string]string{"at": aTime})
	}
	want := map[string]any{"code": "IP_BLOCKED", "message": "The site blocks.", "cure": "Ask less.", "attempt": 1.0}
	stream := s.open(t, id)
	told := stream.next(t)
	for told.object(t)["lastError"] == nil {
		told = stream.next(t)
		require.NotEmpty(t, told.name, "the stream has ended")
	}
	assert.NotContains(t, told.data, "secret")
	assert.Equal(t, want, why(told.object(t)))
	job := s.get(t, jobPath(id))
	assert.Equal(t, want, why(job.object(t)))
	assert.NotContains(t, job.body, "secret")
	snapshot := s.open(t, id).next(t)
	require.Equal(t, "job.snapshot", snapshot.name)
	assert.Equal(t, want, why(snapshot.object(t)))

	var batch *answer
	require.Eventually(t, func() bool {
		batch = s.get(t, batchPath(made))
		return batch.object(t)["batch"].(map[string]any)["lastError"] != nil
	}, time.Minute, 10*time.Millisecond)
	assert.Equal(t, want, why(batch.object(t)["batch"].(map[string]any)))
	assert.NotContains(t, batch.body, "secret")
}
