package e2e_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ffmpeg"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// corrected is the path of a text that the account corrects before the other version starts.
const corrected = "/v1/library/transcripts/video_site/done0000001"

// correct makes a text, changes a line of the text, and shares it.
func (w *unfinished) correct(t *testing.T, c *client.Client) {
	t.Helper()
	_, err := c.Transcripts.Get(t.Context(), transcript.Request{Source: transcript.URL("https://youtu.be/done0000001")})
	require.NoError(t, err)
	var text library.Saved
	w.request(t, http.MethodPatch, corrected, []byte(`{"segments": [{"index": 3, "text": "A word that was corrected."}]}`),
		map[string]string{"Content-Type": "application/json", "If-Match": `"1"`}, &text)
	require.Equal(t, 2, text.Revision)
	var made struct{ Share library.Share }
	w.request(t, http.MethodPost, corrected+"/shares", nil, nil, &made)
	w.shared = made.Share.URL
}

// readOld reads what had ended before the other version started.
func (w *unfinished) readOld(t *testing.T, c *client.Client) {
	t.Helper()
	ctx := t.Context()
	_, err := c.Jobs.Wait(ctx, w.failed)
	require.ErrorIs(t, err, transcript.UploadInvalid)
	var text, before library.Saved
	w.request(t, http.MethodGet, corrected, nil, nil, &text)
	assert.Equal(t, 2, text.Revision)
	assert.Equal(t, "A word that was corrected.", text.Transcript.Segments[3].Text)
	w.request(t, http.MethodGet, corrected+"/revisions/1", nil, nil, &before)
	assert.Equal(t, "done0000001 says its sentence number 3.", before.Transcript.Segments[3].Text)
	var shared struct{ Transcript library.SharedText }
	w.request(t, http.MethodGet, w.shared, nil, nil, &shared)
	assert.Equal(t, text.Transcript.Segments, shared.Transcript.Segments)
	var found struct{ Items []library.Match }
	w.request(t, http.MethodGet, "/v1/library/search?q=corrected", nil, nil, &found)
	require.Len(t, found.Items, 1)
	for _, id := range w.rows.texts(t, "SELECT external_id FROM transcripts WHERE platform = 'video_site' AND NOT edited") {
		res, err := c.Transcripts.Get(ctx, transcript.Request{Source: transcript.URL("https://youtu.be/" + id)})
		require.NoError(t, err)
		assert.Equal(t, id+" says its sentence number 0.", res.Transcript.Segments[0].Text)
	}
}

// readTexts compares the texts of recordings with those of a service that nothing troubles.
func (w *unfinished) readTexts(t *testing.T, c *client.Client) {
	t.Helper()
	w.recordings[w.linked] = w.site.recording
	calm := startService(t, func(c *server.Config) {
		c.Engine = func(h engine.Host) (engine.Engine, error) {
			return engine.Engine{Media: ffmpeg.New(h), Recognizer: hasher{}}, nil
		}
	})
	for id, path := range w.recordings {
		got, err := c.Jobs.Wait(t.Context(), id)
		require.NoError(t, err)
		want, err := calm.Jobs.Wait(t.Context(), submit(t, calm.Client, path).JobID)
		require.NoError(t, err)
		assert.Equal(t, want.Transcript.Segments, got.Transcript.Segments, path)
	}
}
