package client_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jarcoal/httpmock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
)

const (
	bothPolicies = `"requests";q=120;w=60, "polling";q=600;w=60`
	bothStates   = `"requests";r=117;t=33, "polling";r=598;t=33`
)

// limitsOf is what the client reads of these headers, at a moment that it returns too.
func limitsOf(t *testing.T, header map[string][]string) (limit client.RateLimit, at time.Time) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c, mt := mocked(t)
		answer := httpmock.NewJsonResponderOrPanic(200, jobBody("pending", "queued", 1))
		mt.RegisterResponder("GET", jobURL, func(r *http.Request) (*http.Response, error) {
			resp, err := answer(r)
			if err == nil {
				resp.Header = http.Header{}
				for name, values := range header {
					for _, value := range values {
						resp.Header.Add(name, value)
					}
				}
			}
			return resp, err
		})
		var resp client.Response
		_, err := c.Jobs.Get(t.Context(), jobID, client.WithResponse(&resp))
		require.NoError(t, err)
		limit, at = resp.RateLimit, time.Now()
	})
	return limit, at
}

func TestRateLimitOfBothWindows(t *testing.T) {
	t.Parallel()
	polls := client.RateWindow{Limit: 600, Remaining: 598, Reset: time.Unix(1795226640, 0)}
	old := map[string][]string{"X-RateLimit-Limit": {"600"}, "X-RateLimit-Remaining": {"598"}, "X-RateLimit-Reset": {"1795226640"}}
	for name, tc := range map[string]struct {
		policies, states []string
		both             bool
	}{
		"as the service writes":       {[]string{bothPolicies}, []string{bothStates}, true},
		"with more of a proxy":        {[]string{`"gateway";q=5;w=1;pk=:c2VjcmV0:, ` + bothPolicies}, []string{bothStates + `, "gateway, \"x\"";r=5`}, true},
		"in several lines":            {strings.Split(bothPolicies, ", "), strings.Split(bothStates, ", "), true},
		"with spaces and parameters":  {[]string{" " + bothPolicies + " "}, []string{strings.ReplaceAll(bothStates, ";t=", `; x="a,b;c"; y=?1; z; t=`)}, true},
		"no policies":                 {nil, []string{bothStates}, false},
		"no states":                   {[]string{bothPolicies}, nil, false},
		"empty":                       {[]string{""}, []string{""}, false},
		"another form":                {[]string{"limit=120, remaining=117"}, []string{"117"}, false},
		"an open string":              {[]string{bothPolicies}, []string{`"requests";r=117;t=33, "polling;r=598`}, false},
		"a comma at the end":          {[]string{bothPolicies + ","}, []string{bothStates}, false},
		"no comma":                    {[]string{bothPolicies}, []string{strings.ReplaceAll(bothStates, ",", "")}, false},
		"a parameter without a name":  {[]string{bothPolicies}, []string{bothStates + ";=1"}, false},
		"a parameter without a value": {[]string{bothPolicies}, []string{bothStates + ";x="}, false},
		"other numbers":               {[]string{bothPolicies}, []string{`"requests";r=-1, "polling";r=many;t=9`}, false},
		"too large":                   {[]string{bothPolicies}, []string{`"requests";r=99999999999999999999, "polling";r=1.5`}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			header := map[string][]string{"RateLimit-Policy": tc.policies, "RateLimit": tc.states}
			alone, at := limitsOf(t, header)
			for name, values := range old {
				header[name] = values
			}
			limit, _ := limitsOf(t, header)
			assert.Equal(t, polls, limit.RateWindow)
			if !tc.both {
				assert.Equal(t, client.RateLimit{RateWindow: polls}, limit)
				assert.Zero(t, alone)
				return
			}
			reset := at.Add(33 * time.Second)
			requests := client.RateWindow{Limit: 120, Remaining: 117, Reset: reset}
			assert.Equal(t, requests, limit.Requests)
			assert.Equal(t, client.RateWindow{Limit: 600, Remaining: 598, Reset: reset}, limit.Polling)
			assert.Equal(t, requests, alone.RateWindow)
		})
	}
}

// TestRateLimitWithoutATime: the largest number of a structured field, which no time can hold, and none.
func TestRateLimitWithoutATime(t *testing.T) {
	t.Parallel()
	limit, at := limitsOf(t, map[string][]string{"RateLimit-Policy": {bothPolicies},
		"RateLimit": {`"requests";r=999999999999999;t=999999999999999, "polling";r=0`}})
	assert.Equal(t, 999_999_999_999_999, limit.Requests.Remaining)
	assert.Equal(t, 365*24*time.Hour, limit.Requests.Reset.Sub(at))
	assert.Equal(t, client.RateWindow{Limit: 600}, limit.Polling)
}

// FuzzRateLimit: no header makes a window that cannot be.
func FuzzRateLimit(f *testing.F) {
	f.Add(bothPolicies, bothStates)
	f.Add(`"requests";q`, `"requests";r=1;t="9"`)
	f.Add(`"polling";q=1, `, `"polling`)
	f.Fuzz(func(t *testing.T, policies, states string) {
		c, mt := mocked(t)
		mt.RegisterResponder("GET", "=~.*", func(*http.Request) (*http.Response, error) {
			resp := httpmock.NewStringResponse(200, "{}")
			resp.Header = http.Header{"Ratelimit-Policy": {policies}, "Ratelimit": {states}}
			return resp, nil
		})
		var resp client.Response
		require.NoError(t, c.Do(t.Context(), "GET", "/v1/x", nil, nil, client.WithResponse(&resp)))
		for _, w := range []client.RateWindow{resp.RateLimit.RateWindow, resp.RateLimit.Requests, resp.RateLimit.Polling} {
			require.GreaterOrEqual(t, w.Limit, 0)
			require.GreaterOrEqual(t, w.Remaining, 0)
		}
	})
}
