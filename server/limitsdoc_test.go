package server_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/library/webhook"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	pauses "github.com/transcriptkit/transcriptkit/server/internal/attempt"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/work"
)

// docs/guides/limits.md has the numbers of the code.
func TestLimitsInTheGuide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../docs/guides/limits.md")
	require.NoError(t, err)
	plans := account.DefaultPlans()
	plan := plans.ByName[plans.Default]
	const kib, mib, gib, day = 1 << 10, 1 << 20, 1 << 30, 24 * time.Hour
	s := start(t)
	seconds := func(d time.Duration) int64 { return int64(d / time.Second) }
	days := func(d time.Duration) int64 { return int64(d / day) }
	for row, want := range map[string][]int64{
		"requests of an account |":              {int64(plan.RateLimit.Requests)},
		"event streams of an account":           {int64(plan.EventStreams)},
		"a JSON body":                           {edge.MaxJSONBody / mib, edge.LargestBody / mib},
		"`url`, `externalId`, `language`":       {resource.MaxURL, resource.MaxExternalID},
		"items of a batch":                      {int64(plan.BatchItems)},
		"an uploaded file":                      {plan.MaxUploadBytes / gib},
		"kept recordings of an account":         {plan.MaxKeptMediaBytes / gib},
		"own texts of an account":               {plan.MaxLibraryBytes / gib},
		"request line and headers":              {int64(s.HTTPServer("").MaxHeaderBytes) / kib},
		"webhooks of an account":                {webhook.MaxEndpoints},
		"`waitMs`":                              {seconds(resource.MaxWait)},
		"attempts of a job":                     {pauses.MaxAttempts},
		"a job after its end":                   {days(work.DefaultRetention().Jobs)},
		"an idempotency key":                    {int64(work.DefaultRetention().Answers / time.Hour)},
		"a transcript in the cache":             {days(plan.CacheTTL)},
		"a delivery of a webhook after its end": {days(webhook.Retention)},
		"recordings of an account that are":     {int64(plan.ASRConcurrency)},
		"recordings that wait":                  {int64(plan.ASRWaiting)},
	} {
		_, line, found := strings.Cut(string(guide), "\n| "+row)
		require.True(t, found, row)
		line, _, _ = strings.Cut(line, "\n")
		cells := strings.Split(line, "|")
		told := cells[len(cells)-3] // the middle one
		var numbers []int64
		for _, digits := range regexp.MustCompile(`\d+`).FindAllString(told, len(want)) {
			n, err := strconv.ParseInt(digits, 10, 64)
			require.NoError(t, err)
			numbers = append(numbers, n)
		}
		assert.Equal(t, want, numbers, row)
	}
	policy := func(requests int) string {
		return fmt.Sprintf(`"requests";q=%d;w=60, "polling";q=%d;w=60`, requests, 5*requests)
	}
	usage := s.get(t, "/v1/usage").Header
	requests, err := strconv.Atoi(usage.Get("X-RateLimit-Limit")) // of this test's plan
	require.NoError(t, err)
	assert.Equal(t, policy(requests), usage.Get("RateLimit-Policy"))
	assert.Contains(t, string(guide), "`"+policy(plan.RateLimit.Requests)+"`")
}
