package page_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
)

// The page says who may record, and for how long. No other page may use the microphone.
func TestWhoMayRecord(t *testing.T) {
	t.Parallel()
	without, short, small := account.WithoutLimits("without"), account.WithoutLimits("short"), account.WithoutLimits("small")
	without.Upload, short.MaxDuration, small.MaxUploadBytes = false, time.Hour, 44+90*32_000
	for says, s := range map[string]*site{
		`href="/sign-in?next=/record"`:          newSite(t, visitor.Guest),
		"Your plan does not include files.":     newSite(t, visitor.User, servertest.OnPlan(without)),
		`data-longest="0"`:                      newSite(t, visitor.User, servertest.OnPlan(account.WithoutLimits("any"))),
		"ends by itself after 1 hour":           newSite(t, visitor.User, servertest.OnPlan(short)),
		"by itself after 1 minute 30 seconds":   newSite(t, visitor.User, servertest.OnPlan(small)),
		`<option value="en" selected>English</`: newSite(t, visitor.User, servertest.OnPlan(small)),
	} {
		got := s.get(t, "/record")
		assert.Equal(t, http.StatusOK, got.status)
		assert.Contains(t, got.body, says)
		assert.Contains(t, got.header.Get("Permissions-Policy"), "display-capture=(self), geolocation=(), microphone=(self)")
		assert.Contains(t, s.get(t, "/").header.Get("Permissions-Policy"), "display-capture=(), geolocation=(), microphone=()")
	}
}
