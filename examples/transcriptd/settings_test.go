package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// with calls the program with variables in its environment.
func with(t *testing.T, variables []string, args ...string) answer {
	t.Helper()
	code, stdout, stderr := finish(program(t, variables, args...))
	return answer{code, stdout, stderr}
}

// The value of a flag comes from the command line, else from a variable that is not empty, else
// from the default.
func TestSettings(t *testing.T) {
	t.Parallel()
	flag, variable := newDatabase(t), newDatabase(t)
	must(t, "accounts", "set", "by-flag", "--db", flag)
	must(t, "accounts", "set", "by-variable", "--db", variable)

	a := with(t, []string{"TRANSCRIPTD_DB=" + variable}, "accounts", "list")
	assert.Contains(t, a.stdout, "by-variable")
	a = with(t, []string{"TRANSCRIPTD_DB=" + variable}, "accounts", "list", "--db", flag)
	assert.Contains(t, a.stdout, "by-flag")
	for _, broken := range []string{"TRANSCRIPTD_DB=mysql://localhost/x", "TRANSCRIPTD_DB=sqlite:/nowhere/x.db"} {
		a = with(t, []string{broken}, "accounts", "list", "--db", flag)
		assert.Equal(t, exitOK, a.code, a.stderr)
		assert.Contains(t, a.stdout, "by-flag")
	}
	a = with(t, []string{"TRANSCRIPTD_DB=", "TRANSCRIPTD_PLANS="}, "accounts", "list")
	assert.Equal(t, exitFailure, a.code)
	assert.Contains(t, a.stderr, "transcriptd.db", "the default")

	// A switch that a variable turns on is turned off by the flag.
	for _, row := range []struct {
		variable, flag string
		code           int
	}{
		{"TRANSCRIPTD_FULL_SYNC=perhaps", "--asr=none", exitUsage},
		{"TRANSCRIPTD_FULL_SYNC=perhaps", "--full-sync=false", exitFailure},
		{"TRANSCRIPTD_FULL_SYNC=", "--asr=none", exitFailure},
	} {
		a = with(t, []string{row.variable}, "serve", "--listen=127.0.0.1:0", "--db=sqlite:/nowhere/x.db", "--blobs="+t.TempDir(), row.flag)
		assert.Equal(t, row.code, a.code, "%v: %s", row, a.stderr)
	}
}

// Each broken variable is without effect where the flag is given.
func TestFlagsWinOverBrokenVariables(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	must(t, "migrate", "--db", db)
	var variables []string
	for _, name := range strings.Fields("LISTEN PLANS TRUSTED_PROXY FULL_SYNC DRAIN_DELAY LOG_FORMAT ASR RECOGNIZERS LINKS ALLOW_EGRESS ROLE") {
		variables = append(variables, "TRANSCRIPTD_"+name+"=/nowhere")
	}
	plans, err := filepath.Abs("plans.json")
	require.NoError(t, err)
	empty := settingsFile(t, "{}")
	args := strings.Fields("serve --listen=127.0.0.1:0 --trusted-proxy=10.0.0.0/8 --full-sync=false --drain-delay=0s --log-format=text" +
		" --asr=none --recognizers=" + empty + " --allow-egress=127.0.0.1:2 --role=all --plans=" + plans + " --links=" + empty)
	cmd := program(t, append(variables, "TRANSCRIPTD_DB="+db), append(args, "--blobs="+t.TempDir())...)
	stop(t, await(t, cmd))
}

// A verb says what one call does, so a variable cannot say it for all calls.
func TestVerbsHaveNoVariables(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	a := with(t, []string{"TRANSCRIPTD_SUSPEND=true", "TRANSCRIPTD_PLAN=gold", "TRANSCRIPTD_PROMPT_FILE=/nowhere"}, "accounts", "set", "acme", "--db", db)
	assert.Equal(t, exitOK, a.code, a.stderr)
	a = with(t, nil, "accounts", "list", "--db", db)
	assert.Regexp(t, `acme +self_hosted +active`, a.stdout)
	m := newModelMirror(t)
	a = with(t, append(m.env, "TRANSCRIPTD_YES=true", "TRANSCRIPTD_FILE=/nowhere"), "models", "pull", "small", "--mirror", m.URL)
	assert.Equal(t, exitFailure, a.code)
	assert.Contains(t, a.stderr, "there is no terminal to ask on")
}
