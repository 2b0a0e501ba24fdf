package page_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
)

func TestUsageShowsWhatIsLeft(t *testing.T) {
	t.Parallel()
	plan := account.WithoutLimits("small")
	plan.TranscriptsPerPeriod, plan.ASRMinutesPerPeriod = 5, 12000
	plan.MaxDuration, plan.MaxUploadBytes, plan.BatchItems, plan.BatchExport = 90*time.Minute, 3<<29, 50, false
	plan.ActionLabel, plan.ActionURL = "Get <more>", "https://example.com/plans"
	plan.RateLimit = account.RateLimit{Requests: 1000, Window: time.Hour}
	s := newSite(t, visitor.User, servertest.OnPlan(plan))
	for use, state := range []string{"fine", "fine", "fine", "fine", "low", "full"} {
		if use > 0 {
			links := []string{"dQw4w9WgXcQ", "9bZkp7q19f0", "aaaaaaaaaaa", "bbbbbbbbbbb", "ccccccccccc"}
			require.Equal(t, http.StatusSeeOther, s.post(t, "/transcripts", "links", links[use-1]).status)
		}
		page := s.get(t, "/usage")
		require.Equal(t, http.StatusOK, page.status)
		assert.Regexp(t, `(?s)bar-`+state+`">\s*<div class="bar-head"><h3 id="transcripts">.{1,200}`+string(rune('0'+use))+` of 5`, page.body)
	}
	page := s.get(t, "/usage").body
	for _, says := range []string{
		"0 of 12,000", "12,000 left", // minutes
		"0, no limit", // recordings at once
		"1 hour 30 minutes", "1.5 GiB", "50 items", "1,000 in 1 hour", "Not included",
		`href="https://example.com/plans"><bdi>Get &lt;more&gt;</bdi>`,
		`<time datetime="`, " UTC</time>",
	} {
		assert.Contains(t, page, says)
	}
	assert.Regexp(t, `<meter min="0" max="5" value="5" low="4" high="4" optimum="0" aria-labelledby="transcripts">5 of 5</meter>`, page)
}

func TestUsageOfAPlanThatPermitsNothing(t *testing.T) {
	t.Parallel()
	free := account.Plan{Name: "free", RateLimit: account.RateLimit{Requests: 100, Window: time.Minute}}
	s := newSite(t, visitor.User, servertest.OnPlan(account.WithoutLimits("paid"), free))
	_, err := s.Accounts.Set(t.Context(), onlyUser, account.Settings{Plan: "free"})
	require.NoError(t, err)
	page := s.get(t, "/usage")
	require.Equal(t, http.StatusOK, page.status, page.body)
	assert.Contains(t, page.body, "This plan does not include API keys.")
	assert.Contains(t, page.body, "bar-none")
	assert.NotContains(t, page.body, `max="0"`)
}
