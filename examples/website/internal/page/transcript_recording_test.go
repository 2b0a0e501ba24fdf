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

// The start page offers the times for which the plan keeps recordings, and has chosen a week, or the
// plan's longest time below that. The page of the usage tells the plan's time.
func TestTimesToKeepARecording(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		most         time.Duration
		room         int64
		offers, not  []string
		longest, has string
	}{
		"a week":    {7 * 24 * time.Hour, 5 << 30, []string{`"0">Do not keep it`, `value="86400">1 day<`, `value="604800" selected>7 days<`, `data-room="5368709120"`, "keeps the recording for 7 days, unless"}, []string{"30 days"}, "<dd>7 days</dd>", "<dd>0 bytes of 5 GiB</dd>"},
		"two days":  {2 * 24 * time.Hour, 5 << 30, []string{`value="86400" selected>1 day<`, "keeps the recording for 1 day, unless"}, []string{"7 days"}, "<dd>2 days</dd>", "<dd>0 bytes of 5 GiB</dd>"},
		"no room":   {7 * 24 * time.Hour, 0, []string{`"0" selected>Do not keep it`, `data-room="0"`, `value="604800">7 days<`}, []string{"unless you choose"}, "<dd>7 days</dd>", "<dd>Not included</dd>"},
		"unlimited": {account.Unlimited, account.Unlimited, []string{`value="604800" selected>7 days<`, "30 days", `value="31536000">365 days<`}, []string{"data-room"}, "<dd>The limit of the service</dd>", "<dd>0 bytes, no limit</dd>"},
		"not":       {0, 0, nil, []string{"keepMediaSec", "Keep the recording"}, "<dd>Not included</dd>", "<dd>Not included</dd>"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan := account.WithoutLimits("test")
			plan.MaxKeepMedia, plan.MaxKeptMediaBytes = c.most, c.room
			s := newSite(t, visitor.User, servertest.OnPlan(plan))
			start := s.get(t, "/")
			require.Equal(t, http.StatusOK, start.status)
			for _, offered := range c.offers {
				assert.Contains(t, start.body, offered)
			}
			for _, not := range c.not {
				assert.NotContains(t, start.body, not)
			}
			usage := s.get(t, "/usage").body
			assert.Contains(t, usage, "<dt>Longest time for which a recording is kept</dt>"+c.longest)
			assert.Contains(t, usage, "<dt>Kept recordings</dt>"+c.has)
		})
	}
}
