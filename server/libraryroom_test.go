package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The plan bounds the texts of an account's own: imports, corrections, restores and uploads. Texts of
// links cost nothing, a job that was accepted saves its text, and what is refused changes nothing.
func TestRoomOfALibrary(t *testing.T) {
	t.Parallel()
	plan := smallPlan()
	plan.MaxLibraryBytes, plan.TranscriptsPerPeriod, plan.ASRMinutesPerPeriod = 2000, 100, 100
	s := start(t, offerPlans(plan))
	library := func() map[string]any { return s.usage(t)["library"].(map[string]any) }
	require.Equal(t, http.StatusOK, s.postJSON(t, `{"url": "`+video+`", "waitMs": 10000}`).StatusCode)
	assert.Equal(t, map[string]any{"bytes": 0.0, "maxBytes": 2000.0}, library(), "a text that all share")

	require.Equal(t, http.StatusOK, s.edit(t, "*", `{"segments": [{"index": 0, "text": "corrected"}]}`).StatusCode)
	used := library()["bytes"].(float64)
	assert.Positive(t, used)
	before := s.get(t, savedVideo)
	a := s.putFile(t, "?language=de", "text/plain", strings.Repeat("a long line of text\n", 100))
	require.Equal(t, http.StatusPaymentRequired, a.StatusCode, a.body)
	assert.Equal(t, "UPGRADE_REQUIRED", a.failure(t)["code"])
	assert.Equal(t, plan.ActionURL, a.failure(t)["actionUrl"])
	details := a.failure(t)["details"].(map[string]any)
	assert.Equal(t, []any{used, 2000.0}, []any{details["usedBytes"], details["limitBytes"]})
	assert.Greater(t, details["neededBytes"], 2000.0-used)
	a = s.edit(t, "*", `{"segments": [{"index": 0, "text": "`+strings.Repeat("long ", 400)+`"}]}`)
	require.Equal(t, http.StatusPaymentRequired, a.StatusCode, a.body)
	assert.Equal(t, before.object(t), s.get(t, savedVideo).object(t))
	assert.Equal(t, []string{"2 edit 1", "1 original 0"}, s.get(t, savedVideo+"/revisions").history(t))
	assert.Equal(t, map[string]any{"bytes": used, "maxBytes": 2000.0}, library())

	require.Equal(t, http.StatusCreated, s.putFile(t, "?language=fr", "text/plain", strings.Repeat("x", 500)).StatusCode)
	uploads := 0
	for library()["bytes"].(float64) < 2000 {
		uploads++
		s.keepNothing(t, strings.Repeat("a", uploads))
	}
	assert.Positive(t, uploads)
	full := s.postForm(t, []part{file(wav("one more"))})
	require.Equal(t, http.StatusPaymentRequired, full.StatusCode, full.body)
	assert.Equal(t, "UPGRADE_REQUIRED", full.failure(t)["code"])
	assert.Equal(t, http.StatusOK, s.postJSON(t, `{"url": "`+video+`"}`).StatusCode, "a link still has an answer")
	require.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, savedVideo, nil).StatusCode)
	assert.Less(t, library()["bytes"], 2000.0)
	s.keepNothing(t, "one more")
}

// keepNothing uploads a file and waits for its text.
func (s *service) keepNothing(t *testing.T, sound string) {
	t.Helper()
	a := s.postForm(t, []part{field("waitMs", "10000"), file(wav(sound))})
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
}
