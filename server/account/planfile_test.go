package account_test

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/account"
)

func readPlans(text string) (account.Plans, error) {
	return account.ReadPlans(strings.NewReader(text))
}

func TestReadPlans(t *testing.T) {
	t.Parallel()
	plans, err := readPlans(`{
		"plans": {
			"free": {},
			"all_there": {
				"paid": true, "actionLabel": "Get more", "actionUrl": "https://example.com/plans?from=api",
				"rateLimit": {"windowSec": 86400, "requests": 1000000000},
				"transcriptsPerPeriod": 1000, "asrMinutesPerPeriod": 120, "periodAnchorDay": 28,
				"asrConcurrency": 2, "asrWaiting": 10, "maxDurationSec": 7200, "maxUploadBytes": 9007199254740991, "maxKeepMediaSec": 2592000, "maxKeptMediaBytes": 1073741824, "maxLibraryBytes": 1000,
				"batchItems": 50, "batchExport": true, "follows": 20, "followItemsPerDay": 30, "upload": true, "asr": true, "concurrentRequests": 100, "eventStreams": 0, "cacheTtlSec": 9223372036
			},
			"Unlimited-2": {
				"paid": true, "rateLimit": null,
				"transcriptsPerPeriod": null, "asrMinutesPerPeriod": null,
				"asrConcurrency": null, "asrWaiting": null, "maxDurationSec": null, "maxUploadBytes": null, "maxKeepMediaSec": null, "maxKeptMediaBytes": null, "maxLibraryBytes": null,
				"batchItems": null, "batchExport": true, "follows": null, "followItemsPerDay": null, "upload": true, "asr": true, "speakers": true, "concurrentRequests": null, "eventStreams": null, "cacheTtlSec": null
			},
			"unlimited_requests": {"paid": true, "rateLimit": {"requests": null, "windowSec": 60}}
		},
		"defaultPlan": "free"
	}`)
	require.NoError(t, err)
	assert.Equal(t, account.Plans{Default: "free", ByName: map[string]account.Plan{
		"free": {Name: "free", EventStreams: 20},
		"all_there": {
			Name: "all_there", Paid: true, ActionLabel: "Get more", ActionURL: "https://example.com/plans?from=api",
			RateLimit:            account.RateLimit{Requests: 1_000_000_000, Window: 24 * time.Hour},
			TranscriptsPerPeriod: 1000, ASRMinutesPerPeriod: 120, PeriodAnchorDay: 28,
			Upload: true, MaxUploadBytes: 1<<53 - 1, MaxKeepMedia: 720 * time.Hour, MaxKeptMediaBytes: 1 << 30, MaxLibraryBytes: 1000,
			ASR: true, ASRConcurrency: 2, ASRWaiting: 10, MaxDuration: 2 * time.Hour,
			BatchItems: 50, BatchExport: true, Follows: 20, FollowItemsPerDay: 30, CacheTTL: 9223372036 * time.Second, ConcurrentRequests: 100, EventStreams: 0,
		},
		"Unlimited-2": account.WithoutLimits("Unlimited-2"),
		"unlimited_requests": {
			Name: "unlimited_requests", Paid: true, EventStreams: 20,
			RateLimit: account.RateLimit{Requests: account.Unlimited, Window: time.Minute},
		},
	}}, plans)
}

// Every fault names its place.
func TestReadPlansRefuses(t *testing.T) {
	t.Parallel()
	plan := func(member string) string { return `{"defaultPlan": "basic", "plans": {"basic": {` + member + `}}}` }
	of := func(plans string) string { return `{"defaultPlan": "basic", "plans": ` + plans + `}` }
	for _, test := range []struct{ text, says string }{
		{"", "the plans are empty: they must be a JSON object"},
		{" \n", "the plans are empty"},
		{"null", "the document must be a JSON object"},
		{"[]", "the document must be a JSON object"},
		{"{\n\"plans\": {\n,}}", "the plans are not JSON: line 3: invalid character ','"},
		{"{", "the plans are not JSON: line 1: unexpected end"},
		{plan("") + "\n{}", "the plans are not JSON: line 2: invalid character '{' after top-level value"},
		{plan("\"actionLabel\": \"\xff\""), "the plans are not UTF-8"},
		{strings.Repeat(" ", 1<<20) + plan(""), "the plans are larger than 1048576 bytes"},

		{"{}", "plans is missing or empty"},
		{of("{}"), "plans is missing or empty"},
		{of("null"), "plans must be a JSON object"},
		{of("[]"), "plans must be a JSON object"},
		{of(`{"basic": null}`), "plans.basic must be a JSON object"},
		{of(`{"basic": {}, "basic": {}}`), "plans.basic is there more than once"},
		{of(`{"": {}}`), `plans."" cannot be: a plan's name is 1 to 64 letters`},
		{of(`{"two words": {}}`), `plans."two words" cannot be`},
		{of(`{"_x": {}}`), `plans._x cannot be`},
		{of(`{"` + strings.Repeat("x", 65) + `": {}}`), `cannot be: a plan's name`},
		{`{"plans": {"basic": {}}}`, "defaultPlan is missing"},
		{`{"plans": {"basic": {}}, "defaultPlan": "gold"}`, `defaultPlan is "gold", which is none of the plans`},
		{`{"plans": {"basic": {}}, "defaultPlan": null}`, "defaultPlan must be a text"},
		{`{"plans": {"basic": {}}, "defaultPlan": "basic", "defaultPlan": "basic"}`, "defaultPlan is there more than once"},
		{`{"plans": {"basic": {}}, "defaultPlan": "basic", "Plans": {}}`, "Plans is not a known member"},

		{plan(`"Paid": true`), "plans.basic.Paid is not a known member"},
		{plan(`"two words": 1`), `plans.basic."two words" is not a known member`},
		{plan(`"paid": 1`), "plans.basic.paid must be true or false"},
		{plan(`"paid": null`), "plans.basic.paid must be true or false"},
		{plan(`"asr": "yes"`), "plans.basic.asr must be true or false"},
		{plan(`"upload": 0`), "plans.basic.upload must be true or false"},
		{plan(`"batchExport": []`), "plans.basic.batchExport must be true or false"},
		{plan(`"asr": true, "asr": true`), "plans.basic.asr is there more than once"},

		{plan(`"paid": true`), "plans.basic.rateLimit is missing: a paid plan must have one"},
		{plan(`"rateLimit": 60`), "plans.basic.rateLimit must be a JSON object"},
		{plan(`"rateLimit": {}`), "plans.basic.rateLimit.windowSec is missing"},
		{plan(`"rateLimit": {"requests": 1, "windowSec": 0}`), "plans.basic.rateLimit.windowSec is 0: it must be a whole number, 1 to 86400"},
		{plan(`"rateLimit": {"requests": 1, "windowSec": 86401}`), "plans.basic.rateLimit.windowSec is 86401"},
		{plan(`"rateLimit": {"requests": 1, "windowSec": null}`), "plans.basic.rateLimit.windowSec is null"},
		{plan(`"rateLimit": {"requests": 1, "windowSec": -60}`), "plans.basic.rateLimit.windowSec is -60"},
		{plan(`"rateLimit": {"requests": -1, "windowSec": 60}`), "plans.basic.rateLimit.requests is -1: it must be a whole number, 0 to 1000000000, or null"},
		{plan(`"rateLimit": {"requests": 1000000001, "windowSec": 60}`), "plans.basic.rateLimit.requests is 1000000001"},
		{plan(`"rateLimit": {"requests": 1, "windowSec": 60, "burst": 5}`), "plans.basic.rateLimit.burst is not a known member"},
		{plan(`"rateLimit": {"requests": 1, "requests": 2, "windowSec": 60}`), "plans.basic.rateLimit.requests is there more than once"},

		{plan(`"transcriptsPerPeriod": -1`), "plans.basic.transcriptsPerPeriod is -1: it must be a whole number, 0 to 9007199254740991, or null"},
		{plan(`"asrMinutesPerPeriod": 9007199254740992`), "plans.basic.asrMinutesPerPeriod is 9007199254740992"},
		{plan(`"asrMinutesPerPeriod": 1.5`), "plans.basic.asrMinutesPerPeriod is 1.5: it must be a whole number"},
		{plan(`"asrMinutesPerPeriod": 1e3`), "plans.basic.asrMinutesPerPeriod is 1e3"},
		{plan(`"asrMinutesPerPeriod": "120"`), `plans.basic.asrMinutesPerPeriod is "120"`},
		{plan(`"asrMinutesPerPeriod": 99999999999999999999999`), "plans.basic.asrMinutesPerPeriod is 99999999999999999999999"},
		{plan(`"asrMinutesPerPeriod": ` + strings.Repeat("9", 1000)), strings.Repeat("9", 100) + "…: it must"},
		{plan(`"asrConcurrency": 1000000001`), "plans.basic.asrConcurrency is 1000000001"},
		{plan(`"asrWaiting": true`), "plans.basic.asrWaiting is true"},
		{plan(`"batchItems": {}`), "plans.basic.batchItems is {}"},
		{plan(`"eventStreams": -1`), "plans.basic.eventStreams is -1"},
		{plan(`"maxUploadBytes": -1`), "plans.basic.maxUploadBytes is -1"},
		{plan(`"maxDurationSec": -1`), "plans.basic.maxDurationSec is -1"},
		{plan(`"maxDurationSec": 9223372037`), "plans.basic.maxDurationSec is 9223372037: it must be a whole number, 0 to 9223372036, or null"},
		{plan(`"cacheTtlSec": 9223372036854775807`), "plans.basic.cacheTtlSec is 9223372036854775807"},
		{plan(`"periodAnchorDay": 0`), "plans.basic.periodAnchorDay is 0: it must be a whole number, 1 to 28"},
		{plan(`"periodAnchorDay": 29`), "plans.basic.periodAnchorDay is 29"},
		{plan(`"periodAnchorDay": null`), "plans.basic.periodAnchorDay is null"},

		{plan(`"actionLabel": 5`), "plans.basic.actionLabel must be a text"},
		{plan(`"actionLabel": "` + strings.Repeat("ü", 101) + `"`), "plans.basic.actionLabel has 101 characters, not 0 to 100"},
		{plan(`"actionLabel": "a\nb"`), "plans.basic.actionLabel is not printable"},
		{plan(`"actionUrl": null`), "plans.basic.actionUrl must be a text"},
		{plan(`"actionUrl": "javascript:alert(1)"`), "plans.basic.actionUrl is not an http or https URL of at most 2048 characters"},
		{plan(`"actionUrl": "/plans"`), "plans.basic.actionUrl is not an http"},
		{plan(`"actionUrl": "https://"`), "plans.basic.actionUrl is not an http"},
		{plan(`"actionUrl": "https://exa mple.com"`), "plans.basic.actionUrl is not an http"},
		{plan(`"actionUrl": "https://example.com/` + strings.Repeat("x", 2048) + `"`), "plans.basic.actionUrl is not an http"},
	} {
		plans, err := readPlans(test.text)
		require.Error(t, err, test.text)
		assert.Contains(t, err.Error(), test.says, test.text)
		assert.Less(t, len(err.Error()), 500, "little of the file is repeated")
		assert.Empty(t, plans, test.text)
	}
}

func TestPlansThatCannotBeRead(t *testing.T) {
	t.Parallel()
	gone := errors.New("the disk is gone")
	_, err := account.ReadPlans(iotest.ErrReader(gone))
	assert.ErrorIs(t, err, gone)
}

func FuzzReadPlans(f *testing.F) {
	f.Add(`{"defaultPlan": "basic", "plans": {"basic": {"paid": true, "rateLimit": {"requests": 1, "windowSec": 60}, "cacheTtlSec": null}}}`)
	f.Add(`{"defaultPlan": "a", "plans": {"a": {"actionUrl": "https://example.com"}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		plans, err := readPlans(text)
		if err != nil {
			return
		}
		plan, err := plans.PlanOf(t.Context(), account.Account{})
		assert.NoError(t, err)
		for _, limit := range []int64{plan.MaxUploadBytes, int64(plan.CacheTTL), int64(plan.MaxDuration), plan.ASRMinutesPerPeriod} {
			assert.GreaterOrEqual(t, limit, int64(account.Unlimited))
		}
	})
}
