package openaiface_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/servertest"
)

// turns is a diarizer that hears one speaker before the second 2, and another after it.
type turns struct{}

func (turns) Info() engine.DiarizerInfo { return engine.DiarizerInfo{Name: "turns"} }

func (turns) Diarize(context.Context, engine.Audio, engine.DiarizeOptions) ([]engine.Turn, error) {
	return []engine.Turn{{Span: engine.Span{End: 2}, Speaker: 1}, {Span: engine.Span{Start: 2, End: 10}, Speaker: 2}}, nil
}

// diarizedBy is a service with a recognizer that tells no speakers, and a diarizer.
func diarizedBy(d engine.Diarizer) servertest.Option {
	return servertest.Configure(func(c *server.Config) {
		makeEngine := c.Engine
		c.Engine = func(h engine.Host) (engine.Engine, error) {
			e, err := makeEngine(h)
			e.Diarizer = d
			return e, err
		}
	})
}

// Any recognizer has speakers with a diarizer, and they have the letters of OpenAI's API.
func TestSpeakersOfADiarizer(t *testing.T) {
	t.Parallel()
	s := start(t, diarizedBy(turns{}))
	s.Engine.SetRecognize(func(ctx context.Context, call int, a engine.Audio, o engine.RecognizeOptions) (engine.Recognition, error) {
		heard, err := talk(ctx, call, a, o)
		for i := range heard.Segments {
			heard.Segments[i].Speaker = ""
		}
		return heard, err
	})
	for _, parts := range [][]part{
		{field("model", "gpt-4o-transcribe-diarize"), field("response_format", "diarized_json"), file("a")},
		{whisper, field("response_format", "diarized_json"), field("chunking_strategy", "auto"), file("b")},
	} {
		a := s.transcribe(t, parts)
		require.Equal(t, http.StatusOK, a.StatusCode, a.body)
		assert.JSONEq(t, `{"task": "transcribe", "duration": 10, "text": "Good morning. Hello.", "segments": [
			{"type": "transcript.text.segment", "id": "seg_0", "start": 0.5, "end": 1.75, "text": "Good morning.", "speaker": "A"},
			{"type": "transcript.text.segment", "id": "seg_1", "start": 2, "end": 3, "text": "Hello.", "speaker": "B"}
		], "usage": {"type": "duration", "seconds": 10}}`, a.body)
	}
	assert.Contains(t, s.do(t, http.MethodGet, "/v1/models", nil).body, "gpt-4o-transcribe-diarize")
}

// An answer without speakers would look like one of a recording with one voice.
func TestSpeakersOutsideOfThePlan(t *testing.T) {
	t.Parallel()
	plan := account.WithoutLimits("mute")
	plan.Speakers = false
	asked := []part{whisper, field("response_format", "diarized_json"), file("a")}
	s := start(t, diarizedBy(turns{}), servertest.OnPlan(plan))
	a := s.transcribe(t, asked)
	assert.Equal(t, http.StatusPaymentRequired, a.StatusCode, a.body)
	assert.Contains(t, a.failure(t).Message, "does not include telling speakers apart")
	assert.Equal(t, http.StatusOK, s.transcribe(t, []part{whisper, file("a")}).StatusCode)

	without := start(t).transcribe(t, asked)
	assert.Equal(t, http.StatusBadRequest, without.StatusCode)
	assert.Contains(t, without.failure(t).Message, engine.CureDiarizer)
}
