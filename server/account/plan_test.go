package account_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/account"
)

func TestDefaultPlans(t *testing.T) {
	t.Parallel()
	p := account.DefaultPlans()
	plan := p.ByName[p.Default]
	assert.Equal(t, account.Plan{
		Name: "self_hosted", Paid: true,
		RateLimit:            account.RateLimit{Requests: 600, Window: time.Minute},
		TranscriptsPerPeriod: account.Unlimited, ASRMinutesPerPeriod: account.Unlimited,
		Upload: true, MaxUploadBytes: 4294967296, MaxKeepMedia: 720 * time.Hour, MaxKeptMediaBytes: 20 << 30, MaxLibraryBytes: 10 << 30,
		ASR: true, ASRConcurrency: 1, ASRWaiting: 200, MaxDuration: account.Unlimited, Speakers: true,
		BatchItems: 500, BatchExport: true, Follows: 10_000, FollowItemsPerDay: 1000,
		CacheTTL: 720 * time.Hour, EventStreams: 20,
	}, plan)
}

// A limit of 0 permits nothing and Unlimited everything; less cannot be meant.
func TestBoundsOfPlansInCode(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, storetest.SQLite(t))
	rate := func(requests int, window time.Duration) account.RateLimit {
		return account.RateLimit{Requests: requests, Window: window}
	}
	for _, test := range []struct {
		plan   account.Plan
		refuse string
	}{
		{account.Plan{}, ""},
		{account.WithoutLimits("p"), ""},
		{account.Plan{MaxUploadBytes: -2}, `plan "p": maxUploadBytes is -2, not 0 to 9007199254740991 or Unlimited`},
		{account.Plan{MaxUploadBytes: 1 << 53}, "maxUploadBytes is 9007199254740992"},
		{account.Plan{MaxKeepMedia: -2}, "maxKeepMediaSec is -2"},
		{account.Plan{MaxKeptMediaBytes: 1 << 53}, "maxKeptMediaBytes is 9007199254740992"},
		{account.Plan{MaxLibraryBytes: 1 << 53}, "maxLibraryBytes is 9007199254740992"},
		{account.Plan{CacheTTL: -time.Hour}, "cacheTtlSec is -3600000000000"},
		{account.Plan{MaxDuration: -2}, "maxDurationSec is -2"},
		{account.Plan{MaxDuration: 1<<63 - 1}, "maxDurationSec is 9223372036854775807"},
		{account.Plan{MaxDuration: 9223372036 * time.Second}, ""},
		{account.Plan{EventStreams: -20}, "eventStreams is -20"},
		{account.Plan{ASRConcurrency: -2}, "asrConcurrency is -2"},
		{account.Plan{ASRWaiting: 1_000_000_001}, "asrWaiting is 1000000001"},
		{account.Plan{BatchItems: -2}, "batchItems is -2"},
		{account.Plan{TranscriptsPerPeriod: -2}, "transcriptsPerPeriod is -2"},
		{account.Plan{ASRMinutesPerPeriod: -2}, "asrMinutesPerPeriod is -2"},
		{account.Plan{PeriodAnchorDay: 28}, ""},
		{account.Plan{PeriodAnchorDay: 29}, "periodAnchorDay is 29, not 1 to 28"},
		{account.Plan{PeriodAnchorDay: -1}, "periodAnchorDay is -1"},
		{account.Plan{Paid: true}, "rateLimit is missing"},
		{account.Plan{Paid: true, RateLimit: rate(account.Unlimited, 0)}, ""},
		{account.Plan{Paid: true, RateLimit: rate(0, time.Second)}, ""},
		{account.Plan{RateLimit: rate(5, 24*time.Hour)}, ""},
		{account.Plan{RateLimit: rate(-2, time.Second)}, "rateLimit.requests is -2"},
		{account.Plan{RateLimit: rate(5, 0)}, "rateLimit.windowSec is 0s, not 1 to 86400 whole seconds"},
		{account.Plan{RateLimit: rate(5, -time.Second)}, "rateLimit.windowSec is -1s"},
		{account.Plan{RateLimit: rate(5, 1500*time.Millisecond)}, "rateLimit.windowSec is 1.5s"},
		{account.Plan{RateLimit: rate(5, 24*time.Hour+time.Second)}, "rateLimit.windowSec is 24h0m1s"},
		{account.Plan{ActionLabel: strings.Repeat("ü", 100)}, ""},
		{account.Plan{ActionLabel: strings.Repeat("ü", 101)}, "actionLabel has 101 characters"},
		{account.Plan{ActionLabel: "up\ngrade"}, "actionLabel is not printable"},
		{account.Plan{ActionURL: "ftp://example.com"}, "actionUrl is not an http or https URL"},
	} {
		_, err := account.New(s, account.Plans{Default: "p", ByName: map[string]account.Plan{"p": test.plan}})
		if test.refuse == "" {
			assert.NoError(t, err)
			continue
		}
		assert.ErrorContains(t, err, test.refuse)
	}
}

func TestPlansWithoutTheirDefault(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, storetest.SQLite(t))
	for _, plans := range []account.Plans{{}, {Default: "gold", ByName: map[string]account.Plan{"free": {}}}} {
		_, err := account.New(s, plans)
		assert.ErrorContains(t, err, "Plans.Default")
		assert.ErrorIs(t, err, account.ErrNoPlan)
	}
	_, err := account.New(s, nil)
	assert.ErrorContains(t, err, "PlanSource")
}

// A plan is known by the name under which it is offered.
func TestPlansOfAFile(t *testing.T) {
	t.Parallel()
	p := account.Plans{Default: "basic", ByName: map[string]account.Plan{"basic": {ActionLabel: "Renew", ActionURL: "https://example.com"}, "pro": {}}}
	for asked, name := range map[string]string{"": "basic", "basic": "basic", "pro": "pro"} {
		plan, err := p.PlanOf(t.Context(), account.Account{Plan: asked})
		require.NoError(t, err)
		assert.Equal(t, name, plan.Name)
	}
	plan, err := p.PlanOf(t.Context(), account.Account{Plan: "gold"})
	require.ErrorIs(t, err, account.ErrNoPlan)
	assert.EqualError(t, err, `account: there is no plan "gold", only [basic pro]`)
	assert.Equal(t, account.Plan{ActionLabel: "Renew", ActionURL: "https://example.com"}, plan)
}
