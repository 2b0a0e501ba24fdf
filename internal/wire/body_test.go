package wire_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/transcript"
)

var moment = transcript.At(time.Date(2026, 11, 21, 2, 3, 34, 123_000_000, time.UTC))

func ptr[T any](v T) *T { return &v }

// sample has what is hard to write: line breaks, silences, overlaps, hours,
// quotes, bytes that are no text, and metadata that looks like the members that
// are put in.
func sample() *transcript.Transcript {
	return &transcript.Transcript{
		ID: "019321a0-7c11-7c3e-9a55-2f6d1f0c9b11", Platform: transcript.Upload, ExternalID: "0123456789abcdef0123456789abcdef",
		Lang: "en", Title: ptr(`"segments":[]}`), DurationSec: ptr(360_003),
		Metadata: map[string]any{"segments": []any{}, "transcript": nil, "text": `"segments":[],"transcript":null}`},
		Source:   transcript.OriginASR, Status: transcript.Ready, CreatedAt: moment, UpdatedAt: moment,
		Segments: []transcript.Segment{
			{Text: "Good evening.", Start: 0, Duration: 1.5},
			{Text: "  She said:\n\"Wait\"\r\n\tand left. ", Start: 1.5, Duration: 2.001},
			{Text: "He\\she <b>&amp; it</b>", Start: 3.1, Duration: 4, Speaker: "A \"B\""},
			{Text: "(overlapping)", Start: 4, Duration: 0.5, Confidence: ptr(0.875)},
			{Text: " \n ", Start: 6, Duration: 1},
			{Text: "Two seconds later.", Start: 9.1, Duration: 1.9, Confidence: ptr(1e-7)},
			{Text: "Not quite two.", Start: 12.999, Duration: 0},
			{Text: "bell\a, separators\u2028\u2029, bad \xff\xc3(, 東京 👩", Start: 3599.9996, Duration: 3},
			{Text: "No-break\u00a0space stays\u00a0", Start: 360_000, Duration: 3},
		},
	}
}

func results() map[string]*transcript.Result {
	return map[string]*transcript.Result{
		"json": {Format: transcript.JSON, Transcript: sample(), Language: "en", MetadataStatus: transcript.MetadataPartial,
			LengthSeconds: ptr(65), LengthText: ptr("1:05"), Metadata: sample().Metadata},
		"no format": {Transcript: sample(), Cached: true, Stale: true},
		"text":      {Format: transcript.Text, Text: "Hello,\n\"transcript\":null}", Language: "en"},
		"nothing":   {Format: transcript.JSON},
		"bare":      {Transcript: &transcript.Transcript{}},
	}
}

func TestAppendSaysWhatMarshalSays(t *testing.T) {
	t.Parallel()
	for name, r := range results() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var rendered []byte
			if r.Transcript != nil {
				rendered = wire.AppendSegments(nil, r.Transcript.Segments)
			}
			job := &transcript.Job{JobID: "j", Status: transcript.JobSuccess, Stage: transcript.StageDone, Sequence: 7, Attempt: 1,
				TranscriptRef: "ref", Result: r}
			event := &transcript.Event{Type: transcript.EventCompleted, ID: 7, Job: *job}
			for _, segments := range [][]byte{nil, rendered} {
				same(t, r, func(dst []byte) ([]byte, error) { return wire.AppendResult(dst, r, segments) })
				same(t, job, func(dst []byte) ([]byte, error) { return wire.AppendJob(dst, job, segments) })
				same(t, job, func(dst []byte) ([]byte, error) { return wire.AppendEvent(dst, event, segments) })
				if r.Transcript != nil {
					whole := *r.Transcript
					if whole.Segments == nil {
						whole.Segments = []transcript.Segment{}
					}
					same(t, &whole, func(dst []byte) ([]byte, error) { return wire.AppendTranscript(dst, r.Transcript, segments) })
				}
			}
		})
	}
}

func TestAppendCaptionReport(t *testing.T) {
	t.Parallel()
	reports := map[string]*transcript.CaptionReport{
		"with a text": {Status: "success", VideoID: "v", CaptionAvailable: ptr(true), Tracks: []transcript.Track{{ID: "en.manual", Lang: "en", Name: `"transcript":null}`}},
			TrackMetadataStatus: transcript.TracksOK, Language: "en", Transcript: sample(), Cached: true},
		"without": {Status: "error", VideoID: "v", Tracks: []transcript.Track{}, TrackMetadataStatus: transcript.TracksEmpty, RequiresAsync: true,
			Error: transcript.Errorf(transcript.ASRRequiresAsync, "None.")},
	}
	for name, r := range reports {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			same(t, r, func(dst []byte) ([]byte, error) { return wire.AppendCaptionReport(dst, r, nil) })
			same(t, r, func(dst []byte) ([]byte, error) {
				return wire.AppendCaptionReport(dst, r, wire.AppendSegments(nil, sample().Segments))
			})
		})
	}
	broken := &transcript.CaptionReport{Transcript: &transcript.Transcript{Metadata: map[string]any{"a": func() {}}}}
	got, err := wire.AppendCaptionReport([]byte("before"), broken, nil)
	require.Error(t, err)
	assert.Equal(t, "before", string(got))
}

// same checks that what was appended has, decoded, the members and values that
// json.Marshal gives, and that what the buffer held is still there.
func same(t *testing.T, v any, appended func([]byte) ([]byte, error)) {
	t.Helper()
	want, err := json.Marshal(v)
	require.NoError(t, err)
	got, err := appended([]byte("before"))
	require.NoError(t, err)
	require.Equal(t, "before", string(got[:6]))
	assert.Equal(t, decode(t, want), decode(t, got[6:]))
}

// decode is like json.Unmarshal into an any, with times as they are written:
// json.Marshal does not round them.
func decode(t *testing.T, b []byte) any {
	t.Helper()
	require.True(t, utf8.Valid(b))
	var v any
	require.NoError(t, json.Unmarshal(b, &v), "%s", b)
	return roundTimes(v)
}

func roundTimes(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			if f, ok := value.(float64); ok && (name == "start" || name == "duration") {
				value = math.Round(f*1000) / 1000
			}
			v[name] = roundTimes(value)
		}
	case []any:
		for i := range v {
			v[i] = roundTimes(v[i])
		}
	}
	return v
}

func TestRenderedSegmentsArePutInAsTheyAre(t *testing.T) {
	t.Parallel()
	rendered := []byte(`[{"text":"rendered","start":0,"duration":1}]`)
	r := &transcript.Result{Transcript: sample()}
	got, err := wire.AppendJob(nil, &transcript.Job{Status: transcript.JobSuccess, Result: r}, rendered)
	require.NoError(t, err)
	var job transcript.Job
	require.NoError(t, json.Unmarshal(got, &job))
	require.NotNil(t, job.Result)
	assert.Equal(t, []transcript.Segment{{Text: "rendered", Duration: 1}}, job.Result.Transcript.Segments)
	assert.Equal(t, sample().Metadata, job.Result.Transcript.Metadata)
	assert.Equal(t, sample().Segments, r.Transcript.Segments, "the caller's transcript is left alone")
}

func TestMetadataThatIsNoJSON(t *testing.T) {
	t.Parallel()
	bad := map[string]any{"rate": math.Inf(1)}
	inHead := &transcript.Result{Transcript: sample(), Metadata: bad}
	inside := &transcript.Result{Transcript: sample()}
	inside.Transcript.Metadata = bad
	text := &transcript.Result{Format: transcript.Text, Metadata: bad}
	for _, r := range []*transcript.Result{inHead, inside, text} {
		got, err := wire.AppendResult([]byte("before"), r, nil)
		require.Error(t, err)
		assert.Equal(t, "before", string(got))
		got, err = wire.AppendJob([]byte("before"), &transcript.Job{Status: transcript.JobSuccess, Result: r}, nil)
		require.Error(t, err)
		assert.Equal(t, "before", string(got))
	}
}

func TestAppendSegmentsOfOddNumbers(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	for want, s := range map[string]transcript.Segment{
		`[{"text":"","start":0,"duration":0}]`:                             {Start: nan, Duration: math.Inf(-1)},
		`[{"text":"","start":0,"duration":1000000000000}]`:                 {Start: -1, Duration: math.Inf(1)},
		`[{"text":"","start":0.3,"duration":0.001}]`:                       {Start: 0.1 + 0.2, Duration: 0.0005},
		`[{"text":"","start":60,"duration":0}]`:                            {Start: 59.9996, Duration: 0.0004999},
		`[{"text":"","start":1.01,"duration":1.1}]`:                        {Start: 1.01, Duration: 1.1},
		`[{"text":"","start":0.007,"duration":12345.678}]`:                 {Start: 0.007, Duration: 12345.678},
		`[{"text":"","start":0,"duration":0,"speaker":"A"}]`:               {Speaker: "A", Confidence: &nan},
		`[{"text":"","start":0,"duration":0,"confidence":0}]`:              {Confidence: ptr(0.0)},
		`[{"text":"","start":0,"duration":0,"confidence":0.123456789012}]`: {Confidence: ptr(0.123456789012)},
	} {
		assert.Equal(t, want, string(wire.AppendSegments(nil, []transcript.Segment{s})))
	}
	assert.Equal(t, `[]`, string(wire.AppendSegments(nil, nil)))
}

func TestTextsAreEscaped(t *testing.T) {
	t.Parallel()
	got := wire.AppendSegments(nil, []transcript.Segment{{Text: "\x00\x1f\b\f\n\r\t\x7f\"\\/<&>\u2028\u2029\xff", Speaker: "\xe2\x80"}})
	text := `"\u0000\u001f\u0008\u000c\n\r\t` + "\x7f" + `\"\\/<&>\u2028\u2029` + "\uFFFD\""
	want := `[{"text":` + text + `,"start":0,"duration":0,"speaker":"` + "\uFFFD\uFFFD" + `"}]`
	assert.True(t, string(got) == want, "got %s, want %s", got, want) //nolint:testifylint // the bytes count, not what they mean
}

func TestSegmentsReadBackEqual(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
		millis := rapid.Map(rapid.Int64Range(0, 1e12), func(ms int64) float64 { return float64(ms) / 1000 })
		segment := rapid.Custom(func(t *rapid.T) transcript.Segment {
			s := transcript.Segment{Text: text.Draw(t, "text"), Start: millis.Draw(t, "start"), Duration: millis.Draw(t, "duration"),
				Speaker: text.Draw(t, "speaker")}
			if rapid.Bool().Draw(t, "confident") {
				s.Confidence = ptr(rapid.Float64Range(0, 1).Draw(t, "confidence"))
			}
			return s
		})
		segs := rapid.SliceOf(segment).Draw(t, "segments")
		marshaled, err := json.Marshal(segs)
		if err != nil {
			t.Fatal(err)
		}
		var want, got []transcript.Segment
		if err := json.Unmarshal(marshaled, &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(wire.AppendSegments(nil, segs), &got); err != nil {
			t.Fatal(err)
		}
		if !assert.ObjectsAreEqual(want, got) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

func TestAroundSegments(t *testing.T) {
	t.Parallel()
	tr := sample()
	segments := wire.AppendSegments(nil, tr.Segments)
	r := transcript.Result{Format: transcript.JSON, Transcript: tr, Language: "en", Metadata: map[string]any{"decoy": `"segments":[]`}}
	whole, err := wire.AppendResult(nil, &r, segments)
	require.NoError(t, err)
	empty, err := wire.AppendResult(nil, &r, []byte("[]"))
	require.NoError(t, err)
	before, after := wire.AroundSegments(empty)
	assert.Equal(t, string(whole), string(before)+string(segments)+string(after))
}
