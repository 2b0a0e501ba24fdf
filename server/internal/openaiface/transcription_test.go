package openaiface_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAnswersWithTheText(t *testing.T) {
	t.Parallel()
	s := start(t)
	a := s.transcribe(t, []part{file("a"), whisper})
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	assert.JSONEq(t, `{"text": "hello world", "languages": [{"code": "en"}], "usage": {"type": "duration", "seconds": 10}}`, a.body)

	// The recording stands in the library, and the same file is answered from there.
	assert.Contains(t, s.do(t, http.MethodGet, "/v1/library/transcripts", nil).body, `"platform":"upload"`)
	before := s.Engine.Recognitions()
	again := s.transcribe(t, []part{field("model", "gpt-4o-transcribe"), file("a")})
	assert.Equal(t, a.body, again.body)
	assert.Equal(t, before, s.Engine.Recognitions())
}
