package client_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/jarcoal/httpmock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	infoURL     = base + "/v1/transcript/info"
	captionsURL = base + "/v1/video_site/captions"
	videoID     = "dQw4w9WgXcQ"
)

func infoBody() object {
	return object{
		"status": "success", "platform": "video_site", "externalId": videoID, "sourceUrl": "https://video.example/1",
		"title": "A talk", "channel": nil, "creatorName": nil, "creatorHandle": nil, "creatorUrl": nil, "thumbnailUrl": nil,
		"durationSec": 213, "publishedAt": "2009-10-25T00:00:00.000Z", "captionAvailable": true, "trackMetadataStatus": "ok",
		"tracks":    []object{{"trackId": "en.manual", "lang": "en", "name": "English", "kind": "manual", "isDefault": true, "isTranslatable": true}},
		"languages": []string{"en"}, "cachedLanguages": []string{},
		"asr": object{"available": false, "reason": "UPGRADE_REQUIRED"}, "metadataStatus": "partial",
	}
}

// reportBody is a report with two tracks and a text.
func reportBody(more ...object) object {
	body := object{
		"status": "success", "videoId": videoID, "captionAvailable": true, "trackMetadataStatus": "ok", "cached": false, "requiresAsync": false,
		"tracks": []object{
			{"trackId": "en.manual", "lang": "en", "name": "English", "kind": "manual", "isDefault": true, "isTranslatable": true},
			{"trackId": "de.auto", "lang": "de", "name": "", "kind": "auto", "isDefault": false, "isTranslatable": false},
		},
		"language": "en", "transcript": resultBody()["transcript"],
	}
	for _, m := range more {
		for k, v := range m {
			body[k] = v
			if v == nil {
				delete(body, k)
			}
		}
	}
	return body
}

func TestInfo(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		source transcript.Source
		query  map[string]string
	}{
		"link":    {transcript.URL("https://video.example/watch?v=a&t=1#x"), map[string]string{"url": "https://video.example/watch?v=a&t=1#x"}},
		"bare id": {transcript.URL(videoID), map[string]string{"url": videoID}},
		"content": {transcript.ID(transcript.PhotoSite, "x 1/&"), map[string]string{"platform": "photo_site", "externalId": "x 1/&"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, mt := mocked(t)
			mt.RegisterResponderWithQuery(http.MethodGet, infoURL, tc.query, httpmock.NewJsonResponderOrPanic(200, infoBody()))
			var resp client.Response
			info, err := c.Transcripts.Info(t.Context(), tc.source, client.WithResponse(&resp))
			require.NoError(t, err)
			assert.Equal(t, transcript.VideoSite, info.Platform)
			assert.Equal(t, "A talk", *info.Title)
			assert.Equal(t, 213, *info.DurationSec)
			assert.Nil(t, info.Channel)
			assert.Equal(t, []string{"en"}, info.Languages)
			assert.Equal(t, transcript.TrackManual, info.Tracks[0].Kind)
			assert.Equal(t, transcript.UpgradeRequired, *info.ASR.Reason)
			assert.Equal(t, 1, resp.Attempts)
		})
	}
}

func TestCaptions(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		languages []string
		query     map[string]string
	}{
		"the default": {nil, map[string]string{"videoId": videoID}},
		"one":         {[]string{"de"}, map[string]string{"videoId": videoID, "language": "de"}},
		"some":        {[]string{"zh-Hans", "en"}, map[string]string{"videoId": videoID, "language": "zh-Hans,en"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, mt := mocked(t)
			mt.RegisterResponderWithQuery(http.MethodGet, captionsURL, tc.query, httpmock.NewJsonResponderOrPanic(200, reportBody()))
			report, err := c.Transcripts.Captions(t.Context(), videoID, tc.languages)
			require.NoError(t, err)
			assert.True(t, *report.CaptionAvailable)
			assert.Equal(t, transcript.TracksOK, report.TrackMetadataStatus)
			assert.Len(t, report.Tracks, 2)
			assert.Equal(t, "hello there", report.Transcript.Segments[0].Text)
			assert.Nil(t, report.Error)
		})
	}
}

// TestCaptionsWithoutText: a report that was made is no error, whatever it says.
func TestCaptionsWithoutText(t *testing.T) {
	t.Parallel()
	c, mt := mocked(t)
	mt.RegisterResponder(http.MethodGet, captionsURL, httpmock.NewJsonResponderOrPanic(200, reportBody(object{
		"status": "error", "captionAvailable": nil, "requiresAsync": true, "language": nil, "transcript": nil,
		"error": object{"code": "ASR_REQUIRES_ASYNC", "message": "No track is in Finnish."},
	})))
	report, err := c.Transcripts.Captions(t.Context(), videoID, []string{"fi"})
	require.NoError(t, err)
	assert.Nil(t, report.CaptionAvailable)
	assert.Nil(t, report.Transcript)
	assert.True(t, report.RequiresAsync)
	require.ErrorIs(t, report.Error, transcript.ASRRequiresAsync)
}

// TestCaptionsRefused: a refusal whose body is the report hands out both.
func TestCaptionsRefused(t *testing.T) {
	t.Parallel()
	failed := func(code transcript.Code) object {
		return reportBody(object{
			"status": "error", "captionAvailable": nil, "language": nil, "transcript": nil, "trackMetadataStatus": "failed",
			"trackMetadataError": "It is blocked.", "trackMetadataErrorCode": code, "error": object{"code": code, "message": "It is blocked."},
		})
	}
	for name, tc := range map[string]struct {
		steps  []step
		code   transcript.Code
		calls  int
		report bool
	}{
		"blocked, after the repetitions": {[]step{{status: 503, after: "0", body: failed(transcript.IPBlocked)}}, transcript.IPBlocked, 4, true},
		"blocked for longer than that":   {[]step{{status: 503, after: "600", body: failed(transcript.IPBlocked)}}, transcript.IPBlocked, 1, true},
		"a fault":                        {[]step{{status: 502, body: failed(transcript.UpstreamFailed)}}, transcript.UpstreamFailed, 4, true},
		"a token is wanted":              {[]step{{status: 503, body: failed(transcript.POTokenRequired)}}, transcript.POTokenRequired, 1, true},
		"gone":                           {[]step{{status: 404, body: object{"error": object{"code": "UNAVAILABLE", "message": "m"}}}}, transcript.Unavailable, 1, false},
		"no id of a video":               {[]step{{status: 422, body: object{"error": object{"code": "INVALID_VIDEO", "message": "m"}}}}, transcript.InvalidVideo, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, mt := mocked(t)
			mt.RegisterResponder(http.MethodGet, captionsURL, script(nil, tc.steps...))
			report, err := c.Transcripts.Captions(t.Context(), videoID, nil)
			require.ErrorIs(t, err, tc.code)
			assert.Equal(t, tc.calls, mt.GetTotalCallCount())
			if !tc.report {
				assert.Nil(t, report)
				return
			}
			require.NotNil(t, report)
			assert.Equal(t, transcript.TracksFailed, report.TrackMetadataStatus)
			assert.Equal(t, tc.code, report.TrackMetadataErrorCode)
			assert.Len(t, report.Tracks, 2)
		})
	}
}

// TestCaptionsRefusedWithManyTracks: a report is handed out whole, and where it
// is more than anyone sends, the refusal still says what it was.
func TestCaptionsRefusedWithManyTracks(t *testing.T) {
	t.Parallel()
	for tracks, whole := range map[int]bool{2000: true, 20_000: false} {
		list := slices.Repeat([]object{{"trackId": "en.manual", "lang": "en", "name": "English", "kind": "manual", "isDefault": true, "isTranslatable": true}}, tracks)
		c, mt := mocked(t)
		mt.RegisterResponder(http.MethodGet, captionsURL, script(nil, step{status: 503, after: "600", body: reportBody(object{
			"status": "error", "transcript": nil, "tracks": list, "requestId": "r_1", "error": object{"code": "IP_BLOCKED", "message": "It is blocked."},
		})}))
		report, err := c.Transcripts.Captions(t.Context(), videoID, nil)
		require.ErrorIs(t, err, transcript.IPBlocked)
		require.ErrorContains(t, err, "503 IP_BLOCKED: It is blocked. Try again in 10m0s. (request r_1)")
		if assert.Equal(t, whole, report != nil, tracks) && whole {
			assert.Len(t, report.Tracks, tracks)
		}
	}
}

func TestQuestionsAreRepeated(t *testing.T) {
	t.Parallel()
	c, mt := mocked(t)
	mt.RegisterResponder(http.MethodGet, infoURL, script(nil, step{}, step{status: 429, after: "0"}, step{status: 200, body: infoBody()}))
	_, err := c.Transcripts.Info(t.Context(), transcript.URL(videoID))
	require.NoError(t, err)
	mt.RegisterResponder(http.MethodGet, captionsURL, script(nil, step{}, step{status: 502}, step{status: 200, body: reportBody()}))
	report, err := c.Transcripts.Captions(t.Context(), videoID, nil)
	require.NoError(t, err)
	assert.NotNil(t, report.Transcript)
	assert.Equal(t, 6, mt.GetTotalCallCount())
}

// TestQuestionsWithoutASubject: what is missing is told before anything is sent.
func TestQuestionsWithoutASubject(t *testing.T) {
	t.Parallel()
	c, mt := mocked(t)
	for says, source := range map[string]transcript.Source{
		"no source":             {},
		"a file has no info":    transcript.File("talk.mp3"),
		`platform "" and id`:    transcript.ID("", "x1"),
		`"photo_site" and id "`: transcript.ID(transcript.PhotoSite, ""),
	} {
		info, err := c.Transcripts.Info(t.Context(), source)
		require.ErrorContains(t, err, says)
		assert.Nil(t, info)
	}
	report, err := c.Transcripts.Captions(t.Context(), "", []string{"en"})
	require.ErrorContains(t, err, "empty video id")
	assert.Nil(t, report)
	assert.Zero(t, mt.GetTotalCallCount())
}

// TestAnswersThatAreNone: a 200 that is neither an info nor a report is an error.
func TestAnswersThatAreNone(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "<html>login</html>", "null", "{}", "[]", `{"videoId":1}`, `{"status":"success"}`, `{"videoId":"x"}`, `{"platform":"x"}`} {
		c, mt := mocked(t)
		mt.RegisterResponder(http.MethodGet, `=~.*`, httpmock.NewStringResponder(200, body))
		info, err := c.Transcripts.Info(t.Context(), transcript.URL(videoID))
		var refused *client.Error
		require.ErrorAs(t, err, &refused, body)
		assert.Equal(t, body, string(refused.Body))
		assert.Nil(t, info)
		report, err := c.Transcripts.Captions(t.Context(), videoID, nil)
		require.ErrorAs(t, err, &refused, body)
		assert.True(t, strings.HasPrefix(err.Error(), "GET /v1/video_site/captions: 200"), err)
		assert.Nil(t, report)
	}
}
