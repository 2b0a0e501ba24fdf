package service_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/service"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// speaks is a recognizer that knows some languages.
type speaks struct {
	*script
	known []string
}

func (s speaks) Info() engine.RecognizerInfo {
	return engine.RecognizerInfo{Name: "script", Languages: s.known, Detects: true}
}

// The recognizer is asked for the first language of the list that it knows, by
// the tag that it knows it by, and the text is found again by every other.
func TestLanguageThatIsRecognized(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 1)
	e := &script{recognize: func(_ context.Context, _ int, _ engine.Audio, o engine.RecognizeOptions) (engine.Recognition, error) {
		asked <- o.Language
		found := heard("hei")
		found.Language = o.Language
		return found, nil
	}}
	b := start(t, dbtest.Open(t, dbtest.SQLite(t)), e, func(c *service.Config) {
		c.Engine.Recognizer = speaks{e, []string{"no", "ro", "he-IL"}}
	})
	for i, test := range []struct{ list, language, again string }{
		{"de,asr-no,ro", "no", "asr-nb"},
		{"nb", "no", "no"},
		{"asr-mo", "ro", "de,ro"},
		{"fr,iw", "he-IL", "iw-IL"},
		{"de,asr", "", "asr"},
	} {
		out, err := b.submit(t, acme, recording(t, 2, i), test.list)
		require.NoError(t, err, test.list)
		assert.Equal(t, test.language, <-asked, test.list)
		assert.Equal(t, transcript.JobSuccess, b.end(t, out.Job.JobID).Status)
		out, err = b.submit(t, acme, recording(t, 2, i), test.again)
		require.NoError(t, err, test.again)
		require.NotNil(t, out.Result, "%s does not find the text of %s", test.again, test.list)
	}
	_, err := b.submit(t, acme, recording(t, 3, 9), "asr-de,fr")
	var refused *transcript.Error
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, transcript.NotImplemented, refused.Code)
	assert.Equal(t, map[string]any{"languages": []string{"de", "fr"}, "engine": "script", "known": []string{"no", "ro", "he-IL"}}, refused.Details)
	b.nothingLeft(t)
}
