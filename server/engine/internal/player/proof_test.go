package player_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine/internal/absencetest"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/player"
)

// Each row of the table is needed: an answer that lacks only this proves nothing.
func TestProof(t *testing.T) {
	t.Parallel()
	answer := func(text string) player.Statement {
		a, ok := player.Read([]byte(text))
		require.True(t, ok, text)
		return player.StatementOf(a, "x")
	}
	const details = `"videoDetails":{"videoId":"x"`
	absencetest.EachRow(t, player.Proof, answer(`{"playabilityStatus":{"status":"OK"},`+details+`}}`), map[string]player.Statement{
		"the player says that it plays the video": answer(`{"playabilityStatus":{"status":"UNPLAYABLE"},` + details + `}}`),
		"the answer is about this video":          answer(`{"playabilityStatus":{"status":"OK"},"videoDetails":{"videoId":"y"}}`),
		"the video has begun":                     answer(`{"playabilityStatus":{"status":"OK"},` + details + `,"isUpcoming":true}}`),
		"the video has ended":                     answer(`{"playabilityStatus":{"status":"OK"},` + details + `,"isLive":true}}`),
		"the list of tracks can be read":          answer(`{"playabilityStatus":{"status":"OK"},` + details + `},"captions":{"other":{}}}`),
		"the list has no track":                   answer(`{"playabilityStatus":{"status":"OK"},` + details + `},"captions":{"playerCaptionsTracklistRenderer":{"captionTracks":[{}]}}}`),
	})
}
