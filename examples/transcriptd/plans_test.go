package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/server/account"
)

func writePlans(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plans.json")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// The plans that the repository shows are good ones.
func TestSamplePlans(t *testing.T) {
	t.Parallel()
	file, err := os.Open("plans.json")
	require.NoError(t, err)
	defer file.Close()
	plans, err := account.ReadPlans(file)
	require.NoError(t, err)
	assert.Equal(t, account.DefaultPlans().ByName["self_hosted"], plans.ByName["self_hosted"], "what there is without a file")
	assert.Equal(t, []string{"basic", "pro", "self_hosted"}, service.Paid(plans))
	assert.NotEmpty(t, plans.ByName[plans.Default].ActionURL)
}

// newKey makes a key of acme.
func newKey(t *testing.T, args ...string) string {
	t.Helper()
	return strings.TrimSpace(must(t, append([]string{"keys", "create", "--account", "acme", "--name", "ci", "--scopes", "transcripts"}, args...)...).stdout)
}

func TestAccountsOnPlansOfAFile(t *testing.T) {
	t.Parallel()
	here := []string{"--db", newDatabase(t), "--plans", "plans.json"}
	with := func(args ...string) []string { return append(args, here...) }
	must(t, with("accounts", "set", "acme")...)
	assert.Regexp(t, `acme +free +active`, must(t, with("accounts", "list")...).stdout)

	refused := func(args ...string) string {
		t.Helper()
		a := call(t, args...)
		assert.Equal(t, exitFailure, a.code)
		assert.Empty(t, a.stdout)
		return a.stderr
	}
	create := []string{"keys", "create", "--account", "acme", "--name", "ci", "--scopes", "transcripts"}
	assert.Equal(t, "transcriptd: creating a key: The account's plan does not include API keys: "+
		"\"transcriptd accounts set acme --plan PLAN\" puts it on a paid one: basic, pro, self_hosted\n", refused(with(create...)...))

	assert.Equal(t, "transcriptd: there is no plan \"gold\", only [basic free pro self_hosted]\n",
		refused(with("accounts", "set", "acme", "--plan", "gold")...))
	assert.Contains(t, refused("accounts", "set", "acme", "--plan", "basic", "--db", here[1]),
		`there is no plan "basic", only [self_hosted]: --plans names the file of others`)

	must(t, with("accounts", "set", "acme", "--plan", "basic")...)
	assert.NotEmpty(t, newKey(t, here...))
	must(t, with("accounts", "set", "acme", "--suspend")...)
	assert.Contains(t, refused(with(create...)...), `The account is suspended: "transcriptd accounts set acme --activate" takes its keys again`)
	must(t, with("accounts", "set", "acme", "--activate")...)

	assert.Regexp(t, `acme +basic\(unknown\) +active`, must(t, "accounts", "list", "--db", here[1]).stdout)
	assert.Contains(t, refused(append(create, "--db", here[1])...), "--plans names the file of others")
	free := writePlans(t, `{"defaultPlan": "free", "plans": {"free": {}}}`)
	assert.Contains(t, refused(append(create, "--db", here[1], "--plans", free)...), `is not offered any more: there is no plan "basic", only [free]: no plan of --plans is paid`)
}

// asked is what a service says with the key, of a job that is not there.
func asked(t *testing.T, addr, key string) (status int, failure map[string]any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+addr+"/v1/transcript/job/019321a0-7c11-7c3e-9a55-2f6d1f0c9b11", nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	var answer struct{ Error map[string]any }
	_ = json.Unmarshal(body, &answer) // what is not of this form has another status
	return res.StatusCode, answer.Error
}

// A running service obeys what the commands change beside it: a key fails from the
// moment its account leaves a paid plan, and works again when it is back.
func TestPlanChangesUnderARunningService(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	plans, err := filepath.Abs("plans.json")
	require.NoError(t, err)
	here := []string{"--db", db, "--plans", plans}
	set := func(args ...string) {
		t.Helper()
		must(t, append(append([]string{"accounts", "set", "acme"}, args...), here...)...)
	}
	set("--plan", "basic")
	key := newKey(t, here...)
	p := start(t, []string{"TRANSCRIPTD_PLANS=" + plans}, "--db", db)
	assert.NotContains(t, p.greeting, "takes back", "the plans that the repository shows are whole")

	let := func(status int) (failure map[string]any) {
		t.Helper()
		require.Eventually(t, func() bool {
			var now int
			now, failure = asked(t, p.addr, key)
			return now == status
		}, time.Minute, 20*time.Millisecond)
		return failure
	}
	let(http.StatusNotFound)
	for range 2 {
		set("--plan", "free")
		e := let(http.StatusPaymentRequired)
		assert.Equal(t, "UPGRADE_REQUIRED", e["code"])
		assert.Equal(t, "Choose a plan", e["actionLabel"])
		assert.Equal(t, "https://example.com/plans", e["actionUrl"])
		assert.Equal(t, "https://example.com/plans", e["upgrade_url"])
		assert.Equal(t, exitFailure, call(t, append([]string{"keys", "create", "--account", "acme", "--name", "ci", "--scopes", "transcripts"}, here...)...).code)
		set("--plan", "pro")
		let(http.StatusNotFound)
	}
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	code, log := p.end(t)
	assert.Equal(t, exitOK, code, log)
}

// A file that does not offer a plan any more takes what its accounts have, and says so.
func TestServeWarnsOfPlansThatAreGone(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	for _, name := range []string{"acme", "b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8", "b9", "c1", "c2"} {
		must(t, "accounts", "set", name, "--db", db)
	}
	must(t, "accounts", "set", "paid", "--db", db, "--plans", "plans.json", "--plan", "basic")
	key := newKey(t, "--db", db)
	plans := writePlans(t, `{"defaultPlan": "basic", "plans": {"basic": {
		"paid": true, "rateLimit": null, "asr": true, "actionLabel": "Choose a plan", "actionUrl": "https://example.com/plans"}}}`)
	p := start(t, nil, "--db", db, "--plans", plans)
	assert.Contains(t, p.greeting, `level=WARN msg="accounts are on plans that are not offered: their keys are refused until accounts set --plan gives them another" `+
		`accounts="acme (self_hosted), b1 (self_hosted), b2 (self_hosted), b3 (self_hosted), b4 (self_hosted), b5 (self_hosted), b6 (self_hosted), b7 (self_hosted), b8 (self_hosted), b9 (self_hosted) and 2 more" offered=basic`)
	assert.Contains(t, p.greeting, `level=WARN msg="a plan takes back what it gives: a member that is 0 or missing permits nothing" plan=basic `+
		`members="transcriptsPerPeriod asrMinutesPerPeriod asrConcurrency maxDurationSec"`)
	status, e := asked(t, p.addr, key)
	assert.Equal(t, http.StatusPaymentRequired, status)
	assert.Equal(t, "UPGRADE_REQUIRED", e["code"])
	assert.Equal(t, "Choose a plan", e["actionLabel"], "the default plan's")
	assert.Equal(t, "https://example.com/plans", e["actionUrl"])
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	code, log := p.end(t)
	assert.Equal(t, exitOK, code, log)
	assert.Regexp(t, `status=402 .*err=.*there is no plan \\"self_hosted\\"`, log, "the log says which plan it is")
}
