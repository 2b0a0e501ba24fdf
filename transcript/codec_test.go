package transcript_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
)

func ptr[T any](v T) *T { return &v }

var moment = transcript.At(time.Date(2026, 11, 21, 2, 3, 34, 123_000_000, time.UTC))

func sample() *transcript.Transcript {
	return &transcript.Transcript{
		ID:          "019321a0-7c11-7c3e-9a55-2f6d1f0c9b11",
		Platform:    transcript.Upload,
		ExternalID:  "0123456789abcdef0123456789abcdef",
		Lang:        "en",
		Title:       ptr("A talk"),
		DurationSec: ptr(65),
		Metadata:    map[string]any{"engine": "test"},
		Source:      transcript.OriginASR,
		Status:      transcript.Ready,
		Segments: []transcript.Segment{
			{Text: "Hello.", Start: 0, Duration: 1.5},
			{Text: "Who is there?", Start: 61.25, Duration: 2.125, Speaker: "B", Confidence: ptr(0.75)},
		},
		CreatedAt: moment,
		UpdatedAt: moment,
	}
}

func sampleResult() *transcript.Result {
	return &transcript.Result{
		Format: transcript.JSON, Transcript: sample(), Cached: true, Language: "en",
		MetadataStatus: transcript.MetadataPartial, LengthSeconds: ptr(65), LengthText: ptr("1:05"),
		Recognizer: &transcript.Recognizer{Engine: "test", Model: ptr("small")},
		Metadata:   map[string]any{"engine": "test"},
	}
}

const transcriptJSON = `{
	"id":"019321a0-7c11-7c3e-9a55-2f6d1f0c9b11","platform":"upload","externalId":"0123456789abcdef0123456789abcdef",
	"sourceUrl":null,"lang":"en","title":"A talk","channel":null,"creatorName":null,"creatorHandle":null,
	"creatorUrl":null,"thumbnailUrl":null,"durationSec":65,"publishedAt":null,"metadata":{"engine":"test"},
	"source":"asr","status":"ready","media":null,"cutOff":null,"heard":null,"diarizer":null,
	"segments":[
		{"text":"Hello.","start":0,"duration":1.5},
		{"text":"Who is there?","start":61.25,"duration":2.125,"speaker":"B","confidence":0.75}],
	"createdAt":"2026-11-21T02:03:34.123Z","updatedAt":"2026-11-21T02:03:34.123Z"}`

func TestResultJSON(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		result transcript.Result
		json   string
	}{
		"json": {
			*sampleResult(),
			`{"status":"success","format":"json","transcript":` + transcriptJSON + `,"cached":true,"language":"en",
			"metadataStatus":"partial","lengthSeconds":65,"lengthText":"1:05",
			"recognizer":{"engine":"test","model":"small","quality":null},"cutOff":null,"heard":null,"diarizer":null,"metadata":{"engine":"test"}}`,
		},
		"text, stale, nothing known": {
			transcript.Result{Format: transcript.Text, Text: "Hello.", Stale: true, Language: "en", MetadataStatus: transcript.MetadataPending},
			`{"status":"success","format":"text","transcript":"Hello.","text":"Hello.","cached":false,"stale":true,"language":"en",
			"metadataStatus":"pending","lengthSeconds":null,"lengthText":null,"cutOff":null,"heard":null,"diarizer":null,"metadata":null}`,
		},
		"empty text": {
			transcript.Result{Format: transcript.Text, Language: "und", MetadataStatus: transcript.MetadataUnavailable},
			`{"status":"success","format":"text","transcript":"","text":"","cached":false,"language":"und",
			"metadataStatus":"unavailable","lengthSeconds":null,"lengthText":null,"cutOff":null,"heard":null,"diarizer":null,"metadata":null}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := json.Marshal(test.result)
			require.NoError(t, err)
			assert.JSONEq(t, test.json, string(got))

			back := transcript.Result{Format: "was", Text: "here", Cached: true, Stale: true}
			require.NoError(t, json.Unmarshal([]byte(test.json), &back))
			assert.Equal(t, test.result, back)
		})
	}
}

func TestResultOfNoSegmentsHasAnArray(t *testing.T) {
	t.Parallel()
	r := transcript.Result{Transcript: &transcript.Transcript{}}
	got, err := json.Marshal(r)
	require.NoError(t, err)
	assert.Contains(t, string(got), `"segments":[]`)
	assert.Contains(t, string(got), `"format":"json"`)
	assert.Nil(t, r.Transcript.Segments, "the caller's transcript is left alone")
}

func TestJobJSON(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		job  transcript.Job
		json string
	}{
		"running": {
			transcript.Job{
				JobID: "j", Status: transcript.JobProcessing, Stage: transcript.StageASRRunning, Sequence: 6, Attempt: 1,
				Progress:       &transcript.Progress{Fraction: 0.42, ProcessedSec: 756, TotalSec: 1800},
				MetadataStatus: transcript.MetadataComplete, CreatedAt: moment, UpdatedAt: moment,
			},
			`{"jobId":"j","status":"processing","stage":"asr_running","sequence":6,"attempt":1,
			"progress":{"fraction":0.42,"processedSec":756,"totalSec":1800},"metadataStatus":"complete",
			"createdAt":"2026-11-21T02:03:34.123Z","updatedAt":"2026-11-21T02:03:34.123Z","lastError":null}`,
		},
		"tried again": {
			transcript.Job{
				JobID: "j", Status: transcript.JobPending, Stage: transcript.StageQueued, Sequence: 3, Attempt: 2, CreatedAt: moment, UpdatedAt: moment,
				LastError: &transcript.LastError{Code: transcript.UpstreamFailed, Message: "Broken.", Cure: ptr("Mend it."), At: moment, Attempt: 1},
			},
			`{"jobId":"j","status":"pending","stage":"queued","sequence":3,"attempt":2,
			"createdAt":"2026-11-21T02:03:34.123Z","updatedAt":"2026-11-21T02:03:34.123Z",
			"lastError":{"code":"UPSTREAM_FAILED","message":"Broken.","cure":"Mend it.","at":"2026-11-21T02:03:34.123Z","attempt":1}}`,
		},
		"failed": {
			transcript.Job{
				JobID: "j", Status: transcript.JobFailed, Stage: transcript.StageDurationCheck, Sequence: 4, Attempt: 1,
				CreatedAt: moment, UpdatedAt: moment,
				Error: &transcript.Error{Code: transcript.VideoTooLong, Message: "Too long.", Retryable: ptr(false), ActionLabel: "Upgrade",
					ActionURL: "https://example.com/plans", Details: map[string]any{"durationSec": 18131.0}},
			},
			`{"jobId":"j","status":"failed","stage":"duration_check","sequence":4,"attempt":1,
			"error":{"code":"VIDEO_TOO_LONG","message":"Too long.","retryable":false,"actionLabel":"Upgrade",
				"actionUrl":"https://example.com/plans","details":{"durationSec":18131}},
			"createdAt":"2026-11-21T02:03:34.123Z","updatedAt":"2026-11-21T02:03:34.123Z","lastError":null}`,
		},
		"ended, by reference": {
			transcript.Job{JobID: "j", Status: transcript.JobSuccess, Stage: transcript.StageDone, Sequence: 7, Attempt: 1,
				TranscriptRef: "ref", CreatedAt: moment, UpdatedAt: moment},
			`{"jobId":"j","status":"success","stage":"done","sequence":7,"attempt":1,"transcriptRef":"ref",
			"createdAt":"2026-11-21T02:03:34.123Z","updatedAt":"2026-11-21T02:03:34.123Z","lastError":null}`,
		},
		"ended, with the result": {
			transcript.Job{JobID: "j", Status: transcript.JobSuccess, Stage: transcript.StageDone, Sequence: 7, Attempt: 1,
				MetadataStatus: transcript.MetadataPartial, TranscriptRef: "ref", CreatedAt: moment, UpdatedAt: moment,
				Result: sampleResult()},
			`{"jobId":"j","status":"success","stage":"done","sequence":7,"attempt":1,"transcriptRef":"ref",
			"createdAt":"2026-11-21T02:03:34.123Z","updatedAt":"2026-11-21T02:03:34.123Z","lastError":null,
			"format":"json","transcript":` + transcriptJSON + `,"cached":true,"language":"en",
			"metadataStatus":"partial","lengthSeconds":65,"lengthText":"1:05",
			"recognizer":{"engine":"test","model":"small","quality":null},"cutOff":null,"heard":null,"diarizer":null,"metadata":{"engine":"test"}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := json.Marshal(&test.job)
			require.NoError(t, err)
			assert.JSONEq(t, test.json, string(got))

			back := transcript.Job{JobID: "was here", Result: &transcript.Result{}, Error: &transcript.Error{}}
			require.NoError(t, json.Unmarshal([]byte(test.json), &back))
			assert.Equal(t, test.job, back)
		})
	}
}

func TestJobOnSuccessIsSupersetOfResult(t *testing.T) {
	t.Parallel()
	for _, format := range []transcript.Format{transcript.JSON, transcript.Text} {
		r := sampleResult()
		r.Stale = true
		if r.Format = format; format == transcript.Text {
			r.Transcript, r.Text = nil, "Hello."
		}
		// The job does not repeat what its result knows.
		job := transcript.Job{JobID: "j", Status: transcript.JobSuccess, Stage: transcript.StageDone, Result: r}
		inJob, inResult := members(t, job), members(t, r)
		for name, value := range inResult {
			assert.Equal(t, value, inJob[name], name)
		}
	}
}

// The tags of Result serve schema reflection only; they must not tell of members
// that do not exist, nor conceal any but status.
func TestTagsOfResultNameItsMembers(t *testing.T) {
	t.Parallel()
	r := sampleResult()
	r.Format, r.Transcript, r.Text, r.Stale, r.NothingHeard = transcript.Text, nil, "Hello.", true, true
	tags := []string{"status"}
	r.AudioTracks, r.UnreadBytes = []transcript.AudioTrack{{Index: 1}}, 1
	for _, field := range reflect.VisibleFields(reflect.TypeFor[transcript.Result]()) {
		if field.Anonymous {
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		tags = append(tags, name)
	}
	var names []string
	for name := range members(t, r) {
		names = append(names, name)
	}
	assert.ElementsMatch(t, tags, names)
}

func members(t *testing.T, v any) map[string]any {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	var m map[string]any
	require.NoError(t, json.Unmarshal(b, &m))
	return m
}

func TestJobDecodesEveryAnswerOfPost(t *testing.T) {
	t.Parallel()
	var now transcript.Job
	require.NoError(t, json.Unmarshal([]byte(`{"status":"success","format":"text","transcript":"Hi.","text":"Hi.","cached":true,
		"language":"en","metadataStatus":"partial","lengthSeconds":1,"lengthText":"0:01","metadata":null,"of":"tomorrow"}`), &now))
	assert.Equal(t, transcript.Job{
		Status: transcript.JobSuccess, MetadataStatus: transcript.MetadataPartial,
		Result: &transcript.Result{Format: transcript.Text, Text: "Hi.", Cached: true, Language: "en",
			MetadataStatus: transcript.MetadataPartial, LengthSeconds: ptr(1), LengthText: ptr("0:01")},
	}, now)

	var later transcript.Job
	require.NoError(t, json.Unmarshal([]byte(`{"status":"pending","jobId":"j","stage":"queued"}`), &later))
	assert.Equal(t, transcript.Job{Status: transcript.JobPending, JobID: "j", Stage: transcript.StageQueued}, later)
}

func TestJobWithoutTheTextHasNoResult(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"status":"success","transcriptRef":"ref"}`,
		`{"status":"success","transcript":null,"cached":true}`,
		`{"status":"failed","transcript":"not of a failed job"}`,
	} {
		var j transcript.Job
		require.NoError(t, json.Unmarshal([]byte(body), &j), body)
		assert.Nil(t, j.Result, body)
	}
}

func TestDecodersRefuseWhatIsNotTheirs(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"status":"success","transcript":5}`, `{"status":"success","transcript":[]}`, `{"status":7}`,
		`[]`, `"job"`, `{"status":"success","transcript":{"segments":"none"}}`, `{"status":"success","cached":"yes"}`,
	} {
		job := transcript.Job{JobID: "kept"}
		require.Error(t, json.Unmarshal([]byte(body), &job), body)
		assert.Equal(t, transcript.Job{JobID: "kept"}, job, "a refused body changes nothing")
		assert.Error(t, json.Unmarshal([]byte(body), &transcript.Result{}), body)
	}
}

func TestNullLeavesTheValueAlone(t *testing.T) {
	t.Parallel()
	job, result := transcript.Job{JobID: "j"}, transcript.Result{Text: "t"}
	require.NoError(t, json.Unmarshal([]byte(`null`), &job))
	require.NoError(t, json.Unmarshal([]byte(`null`), &result))
	assert.Equal(t, "j", job.JobID)
	assert.Equal(t, "t", result.Text)
}

// What decodes must encode, and come back the same where it says its format.
func FuzzJob(f *testing.F) {
	for _, seed := range []string{`{}`, `null`, `{"status":"success","transcript":"t","text":"u"}`,
		`{"status":"success","transcript":` + transcriptJSON + `}`, `{"error":{"code":"INTERNAL"},"updatedAt":"2026-11-21T02:03:34Z"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var job transcript.Job
		if json.Unmarshal(body, &job) != nil {
			return
		}
		first, err := json.Marshal(job)
		if err != nil || job.Result != nil && (job.Result.Format == transcript.Text) != (job.Result.Transcript == nil) {
			return // a time that JSON cannot hold, or a format that lies
		}
		var again transcript.Job
		require.NoError(t, json.Unmarshal(first, &again), "%s", first)
		second, err := json.Marshal(again)
		require.NoError(t, err)
		require.JSONEq(t, string(first), string(second))
	})
}
