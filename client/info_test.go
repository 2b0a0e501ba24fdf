package client_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/jarcoal/httpmock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	captionsURL = base + "/v1/video_site/captions"
	videoID     = "dQw4w9WgXcQ"
)

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

// TestQuestionsWithoutASubject: what is missing is told before anything is sent.
func TestQuestionsWithoutASubject(t *testing.T) {
	t.Parallel()
	c, mt := mocked(t)
	for says, source := range map[string]transcript.Source{
		"needs a source":        {},
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
