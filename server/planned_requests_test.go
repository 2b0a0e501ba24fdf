package server_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
)

// asking is a request of an account, and of another one where a change says so.
type asking func(*testing.T, *service, ...change) *answer

func posting(body string) asking {
	return func(t *testing.T, s *service, changes ...change) *answer { return s.postJSON(t, body, changes...) }
}

// known is a request for what another account has had made already.
func known(request asking) asking {
	return func(t *testing.T, s *service, _ ...change) *answer {
		require.Equal(t, http.StatusOK, request(t, s, as(s.NewKey(t, "globex"))).StatusCode)
		return request(t, s)
	}
}

// Every request under plans that do not permit it, or just so, and what it takes of their
// allowances.
func TestRequestsUnderPlans(t *testing.T) {
	t.Parallel()
	// What is scripted lasts ten seconds and has English captions, where its platform
	// has any.
	link := posting(`{"url": "` + video + `", "waitMs": 10000}`)
	inGerman := posting(`{"url": "` + video + `", "language": "de", "waitMs": 10000}`)
	spoken := posting(`{"url": "` + video + `", "language": "asr", "waitMs": 10000}`)
	photo := posting(`{"platform": "photo_site", "externalId": "CxYz012345a", "waitMs": 10000}`)
	recording := func(t *testing.T, s *service, changes ...change) *answer {
		return s.upload(t, "a recording", changes...)
	}
	captions := func(t *testing.T, s *service, changes ...change) *answer { return s.captions(t, "", changes...) }
	about := func(t *testing.T, s *service, changes ...change) *answer { return s.info(t, video, changes...) }
	for name, row := range map[string]struct {
		plan    func(*account.Plan)
		script  func(*servertest.Engine)
		request asking
		status  int
		code    string
		cost    [2]float64 // transcripts and minutes
	}{
		"a plan that has it all: link":     {request: link, status: 200, cost: [2]float64{1, 0}},
		"a plan that has it all: speech":   {request: spoken, status: 200, cost: [2]float64{1, 1}},
		"a plan that has it all: upload":   {request: recording, status: 200, cost: [2]float64{1, 1}},
		"a plan that has it all: captions": {request: captions, status: 200, cost: [2]float64{1, 0}},

		"not paid: link":     {plan: unpaid, request: link, status: 402, code: "UPGRADE_REQUIRED"},
		"not paid: upload":   {plan: unpaid, request: recording, status: 402, code: "UPGRADE_REQUIRED"},
		"not paid: captions": {plan: unpaid, request: captions, status: 402, code: "UPGRADE_REQUIRED"},
		"not paid: info":     {plan: unpaid, request: about, status: 402, code: "UPGRADE_REQUIRED"},

		"no uploads: speech": {plan: func(p *account.Plan) { p.Upload = false }, request: spoken, status: 200, cost: [2]float64{1, 1}},
		"small uploads: larger": {plan: func(p *account.Plan) { p.MaxUploadBytes = int64(len("a recording")) - 1 }, request: recording,
			status: 422, code: "MEDIA_TOO_LARGE"},
		"small uploads: just so": {plan: func(p *account.Plan) { p.MaxUploadBytes = int64(len("a recording")) }, request: recording, status: 200, cost: [2]float64{1, 1}},

		"no recognition: photo":             {plan: noASR, request: photo, status: 402, code: "UPGRADE_REQUIRED"},
		"no recognition: captions":          {plan: noASR, request: captions, status: 200, cost: [2]float64{1, 0}},
		"no recognition: link":              {plan: noASR, request: link, status: 200, cost: [2]float64{1, 0}},
		"no recognition: link in German":    {plan: noASR, request: inGerman, status: 404, code: "LANGUAGE_NOT_AVAILABLE"},
		"no recognition: without captions":  {plan: noASR, script: silentSite, request: link, status: 404, code: "NO_TRANSCRIPT"},
		"no recognition: recognized before": {plan: noASR, request: known(spoken), status: 200},
		"none at once: speech":              {plan: func(p *account.Plan) { p.ASRConcurrency = 0 }, request: spoken, status: 402, code: "UPGRADE_REQUIRED"},
		"none at once: captions":            {plan: func(p *account.Plan) { p.ASRConcurrency = 0 }, request: captions, status: 200, cost: [2]float64{1, 0}},

		"no transcripts: speech":        {plan: transcripts(0), request: spoken, status: 402, code: "TRANSCRIPT_QUOTA_EXCEEDED"},
		"no transcripts: info":          {plan: transcripts(0), request: about, status: 200},
		"no transcripts: known already": {plan: transcripts(0), request: known(link), status: 200},
		"the last transcript: link":     {plan: transcripts(1), request: link, status: 200, cost: [2]float64{1, 0}},
		"the last transcript: captions": {plan: transcripts(1), request: captions, status: 200, cost: [2]float64{1, 0}},

		"no minutes: speech":           {plan: minutes(0), request: spoken, status: 402, code: "ASR_QUOTA_EXCEEDED"},
		"no minutes: without captions": {plan: minutes(0), script: silentSite, request: link, status: 402, code: "ASR_QUOTA_EXCEEDED"},
		"no minutes: link":             {plan: minutes(0), request: link, status: 200, cost: [2]float64{1, 0}},
		"no minutes: known already":    {plan: minutes(0), request: known(spoken), status: 200},
		"the last minute: speech":      {plan: minutes(1), request: spoken, status: 200, cost: [2]float64{1, 1}},
		"the last minute: 61 s":        {plan: minutes(1), script: everythingLasts(61 * time.Second), request: recording, status: 402, code: "ASR_QUOTA_EXCEEDED"},
		"the last minutes: 120 s":      {plan: minutes(2), script: everythingLasts(2 * time.Minute), request: recording, status: 200, cost: [2]float64{1, 2}},

		"nine seconds: speech":           {plan: upTo(9 * time.Second), request: spoken, status: 402, code: "VIDEO_TOO_LONG"},
		"nine seconds: without captions": {plan: upTo(9 * time.Second), script: silentSite, request: link, status: 402, code: "VIDEO_TOO_LONG"},
		"nine seconds: link":             {plan: upTo(9 * time.Second), request: link, status: 200, cost: [2]float64{1, 0}},
		"nine seconds: known already":    {plan: upTo(9 * time.Second), request: known(spoken), status: 200},
		"ten seconds: speech":            {plan: upTo(10 * time.Second), request: spoken, status: 200, cost: [2]float64{1, 1}},
		"ten seconds: upload":            {plan: upTo(10 * time.Second), request: recording, status: 200, cost: [2]float64{1, 1}},
		"a site that says less than there is": {plan: upTo(10 * time.Second), script: everythingLasts(11 * time.Second), request: spoken,
			status: 402, code: "VIDEO_TOO_LONG"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan := smallPlan()
			if row.plan != nil {
				row.plan(&plan)
			}
			s := start(t, offerPlans(account.WithoutLimits("rich"), plan))
			_, err := s.Accounts.Set(t.Context(), servertest.Account, account.Settings{Plan: plan.Name})
			require.NoError(t, err)
			if row.script != nil {
				row.script(s.Engine)
			}
			a := row.request(t, s)
			require.Equal(t, row.status, a.StatusCode, a.body)
			if row.status != http.StatusOK {
				require.Equal(t, row.code, a.failure(t)["code"], a.body)
			}
			if !plan.Paid {
				return
			}
			got := s.usage(t)
			for i, allowance := range []string{"transcripts", "asrMinutes"} {
				assert.Equal(t, row.cost[i], got[allowance].(map[string]any)["used"], allowance)
				assert.Zero(t, got[allowance].(map[string]any)["reserved"], allowance)
			}
		})
	}
}

func unpaid(p *account.Plan) { p.Paid = false }

func noASR(p *account.Plan) { p.ASR = false }

func transcripts(n int64) func(*account.Plan) {
	return func(p *account.Plan) { p.TranscriptsPerPeriod = n }
}

func minutes(n int64) func(*account.Plan) { return func(p *account.Plan) { p.ASRMinutesPerPeriod = n } }

func upTo(d time.Duration) func(*account.Plan) { return func(p *account.Plan) { p.MaxDuration = d } }

// silentSite says that nothing has captions.
func silentSite(e *servertest.Engine) { e.SetTracks() }

// everythingLasts makes every recording as long, whatever a site says of it.
func everythingLasts(d time.Duration) func(*servertest.Engine) {
	return func(e *servertest.Engine) { e.SetMedia(servertest.Media{Duration: d}) }
}
