//go:build officialclients

package openaiface_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// The compilation of the official client takes minutes of a processor, so only make test-clients runs
// these tests.

func recording(content string) openai.AudioTranscriptionNewParams {
	return openai.AudioTranscriptionNewParams{File: openai.File(strings.NewReader(content), "talk.wav", "audio/wav"), Model: openai.AudioModelWhisper1}
}

func TestOfficialGoClient(t *testing.T) {
	t.Parallel()
	s := start(t, withSpeakers())
	s.Engine.SetRecognize(talk)
	c := openai.NewClient(option.WithBaseURL(s.URL+"/v1"), option.WithAPIKey(s.Key), option.WithHTTPClient(s.http))

	models, err := c.Models.List(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "large", models.Data[0].ID)

	said, err := c.Audio.Transcriptions.New(t.Context(), recording("a"))
	require.NoError(t, err)
	assert.Equal(t, "Good morning. Hello.", said.Text)
	assert.Equal(t, "en", said.Languages[0].Code)
	assert.InDelta(t, 10, said.Usage.Seconds, 0.001)

	verbose := recording("a")
	verbose.ResponseFormat, verbose.TimestampGranularities = openai.AudioResponseFormatVerboseJSON, []string{"word", "segment"}
	verbose.Language, verbose.Temperature = openai.String("en"), openai.Float(0)
	said, err = c.Audio.Transcriptions.New(t.Context(), verbose)
	require.NoError(t, err)
	assert.Equal(t, "english", said.Language)
	require.Len(t, said.Segments, 2)
	for _, member := range []string{"id", "seek", "start", "end", "text", "tokens", "temperature", "avg_logprob", "compression_ratio", "no_speech_prob"} {
		assert.Contains(t, said.Segments[0].RawJSON(), `"`+member+`"`)
	}
	require.Len(t, said.Words, 3)
	assert.Equal(t, "Good", said.Words[0].Word)

	for _, format := range []openai.AudioResponseFormat{openai.AudioResponseFormatText, openai.AudioResponseFormatSRT, openai.AudioResponseFormatVTT} {
		cues := recording("a")
		cues.ResponseFormat = format
		var text string
		require.NoError(t, c.Post(t.Context(), "audio/transcriptions", cues, &text), string(format))
		assert.Contains(t, text, "Good morning.", string(format))
	}
}

func TestOfficialGoClientStreams(t *testing.T) {
	t.Parallel()
	s := start(t, withSpeakers())
	s.Engine.SetRecognize(talk)
	c := openai.NewClient(option.WithBaseURL(s.URL+"/v1"), option.WithAPIKey(s.Key), option.WithHTTPClient(s.http))
	diarized := recording("a")
	diarized.ResponseFormat = "diarized_json"
	for params, want := range map[*openai.AudioTranscriptionNewParams]int{ptr(recording("a")): 0, &diarized: 2} {
		stream := c.Audio.Transcriptions.NewStreaming(t.Context(), *params)
		var deltas, done string
		segments := 0
		for stream.Next() {
			switch e := stream.Current(); e.Type {
			case "transcript.text.delta":
				deltas += e.Delta
			case "transcript.text.segment":
				segments++
				assert.NotEmpty(t, e.Speaker)
			case "transcript.text.done":
				done = e.Text
			}
		}
		require.NoError(t, stream.Err())
		assert.Equal(t, "Good morning. Hello.", deltas)
		assert.Equal(t, deltas, done)
		assert.Equal(t, want, segments)
	}

	s.Engine.Fail(transcript.Errorf(transcript.UploadInvalid, "The file has no sound."))
	stream := c.Audio.Transcriptions.NewStreaming(t.Context(), recording("b"))
	for stream.Next() {
	}
	require.Error(t, stream.Err())
	assert.Contains(t, stream.Err().Error(), "The file has no sound.")
}

func ptr[T any](v T) *T { return &v }

func TestOfficialGoClientErrors(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := openai.NewClient(option.WithBaseURL(s.URL+"/v1"), option.WithAPIKey(s.Key), option.WithHTTPClient(s.http))
	unknown := recording("a")
	unknown.Model = "gpt-4o"
	_, err := c.Audio.Transcriptions.New(t.Context(), unknown)
	var told *openai.Error
	require.True(t, errors.As(err, &told), "%v", err)
	assert.Equal(t, 404, told.StatusCode)
	assert.Equal(t, "model_not_found", told.Code)
	assert.Equal(t, "model", told.Param)
	_, err = c.Audio.Transcriptions.New(t.Context(), recording("a"), option.WithAPIKey("wrong"))
	require.True(t, errors.As(err, &told), "%v", err)
	assert.Equal(t, "invalid_api_key", told.Code)

	// A call that is given up leaves its job, which the next call joins.
	release := s.Engine.Hold()
	ctx, leave := context.WithCancel(t.Context())
	gone := make(chan error)
	go func() { _, err := c.Audio.Transcriptions.New(ctx, recording("c")); gone <- err }()
	require.NoError(t, s.Engine.Await(t.Context(), 1))
	leave()
	require.Error(t, <-gone)
	release()
	said, err := c.Audio.Transcriptions.New(t.Context(), recording("c"))
	require.NoError(t, err)
	assert.Equal(t, "hello world", said.Text)
	assert.Equal(t, 1, s.Engine.Recognitions())
}
