package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// localFiles are the files of services in a state folder.
func localFiles(t *testing.T, state string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(state, "transcriptd", "services", "*.json"))
	require.NoError(t, err)
	return files
}

// The user of a machine needs no key for the service there, also after a restart on another port.
func TestServeLetsItsUserIn(t *testing.T) {
	t.Parallel()
	needPrograms(t)
	state, db, h := t.TempDir(), newDatabase(t), newHearing(t)
	talk, err := filepath.Abs(recording)
	require.NoError(t, err)
	keys := map[string]bool{}
	for _, cached := range []bool{false, true} {
		p := start(t, atHome(state), "--db", db, "--asr", "openai:"+h.URL+"/v1")
		files := localFiles(t, state)
		require.Len(t, files, 1)
		st, err := os.Stat(files[0])
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), st.Mode().Perm())
		text, err := os.ReadFile(files[0])
		require.NoError(t, err)
		var local struct{ URL, Key string }
		require.NoError(t, json.Unmarshal(text, &local))
		assert.Equal(t, "http://"+p.addr, local.URL)
		keys[local.Key] = true

		code, stdout, stderr := finish(program(t, atHome(state), "transcribe", talk))
		assert.Equal(t, exitOK, code, stderr)
		assert.Contains(t, stdout, "word")
		assert.Equal(t, cached, regexp.MustCompile("knew this text").MatchString(stderr), stderr)
		must(t, "accounts", "set", "acme", "--db", db) // other accounts change nothing for the user
		stop(t, p)
	}
	assert.Len(t, keys, 1, "the key stays")
	assert.NoFileExists(t, filepath.Join(state, "transcriptd", "transcribe.db"), "the service did the work")
	assert.NotContains(t, must(t, "accounts", "list", "--db", db).stderr, "local")

	code, _, stderr := finish(program(t, atHome(state), "transcribe", "--asr", "openai:"+h.URL+"/v1", talk))
	assert.Equal(t, exitOK, code, stderr)
	assert.FileExists(t, filepath.Join(state, "transcriptd", "transcribe.db"), "the service has ended")
}

// Where other machines reach the service, or an operator has made accounts, there is no key in a
// file.
func TestServeMakesNoLocalAccount(t *testing.T) {
	t.Parallel()
	listening := regexp.MustCompile(`msg=listening addr=(\S+)`)
	for name, listen := range map[string]string{"other machines": "0.0.0.0:0", "accounts": "127.0.0.1:0"} {
		state, db := t.TempDir(), newDatabase(t)
		want := ""
		if name == "accounts" {
			must(t, "accounts", "set", "acme", "--db", db)
			want = "acme"
		}
		p := awaitLine(t, program(t, atHome(state), "serve", "--db", db, "--listen", listen), listening)
		files := localFiles(t, state)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.JSONEq(t, `{"url":"","key":""}`, string(text), name)
		}
		stop(t, p)
		list := must(t, "accounts", "list", "--db", db).stdout
		assert.Contains(t, list, want)
		assert.NotContains(t, list, "local", name)
	}
}
