package readmetest_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
)

// documents are the files whose commands run, in the order in which they run.
var documents = []string{
	"README.md", "docs/guides/command-line.md", "docs/operate/links.md", "docs/operate/recognizers.md",
	"docs/operate/install.md", "docs/operate/run.md", "docs/operate/proxy.md", "docs/operate/many-machines.md",
	"docs/operate/backup.md", "docs/operate/upgrade.md", "docs/operate/watch.md", "docs/operate/tune.md",
	"docs/operate/accounts-and-data.md",
}

// read returns the text of documents, one after the other.
func read(t *testing.T, documents ...string) string {
	t.Helper()
	var all strings.Builder
	for _, document := range documents {
		text, err := os.ReadFile(filepath.Join("../../..", document))
		require.NoError(t, err)
		all.Write(text)
	}
	return all.String()
}

// fenced are the blocks of a document in their order, each with the line before it.
var fenced = regexp.MustCompile("(?m)^(.*)\n```([a-z]*)\n((?s:.*?))^```$")

// notHere marks a block that this test does not run, with the reason. Readers do not
// see the mark.
const notHere = "<!-- not here: "

// The commands of the documents work, one after the other, in one shell, with what the
// commands before have set up. Only the site of the links is a stand-in, on this machine.
func TestCommandsInTheDocuments(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("compiles programs: make test-all")
	}
	dir, addr := t.TempDir(), freeAddress(t)
	commands, left := blocks(t, documents...)
	assert.Len(t, left, 26, "the number of blocks that this test does not run has changed: %s", left)
	for written, run := range map[string]string{
		"transcriptd serve &\n": served("transcriptd serve"),
		"export TRANSCRIBE_KEY": "export TRANSCRIBE_SERVER=http://" + addr + " TRANSCRIBE_KEY",
		"transcriptd doctor\n":  "transcriptd doctor || test $? = 3\n", // it works, but for what this machine lacks
	} {
		require.Contains(t, commands, written)
		commands = strings.ReplaceAll(commands, written, run)
	}
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "examples", "testdata"), 0o700))
	shortTalk(t, filepath.Join(dir, "examples", "testdata", "talk.ogg"))
	sites := filepath.Join(dir, "talks.json")
	talks := serveTalks(t)
	require.NoError(t, os.WriteFile(sites, fmt.Appendf(nil, `{"sites": {"video_site": {"hosts": [%[1]q, "youtu.be"], "shortHosts": [],
		"links": ["/watch?v={id}", "/{id}"], "canonical": "http://%[1]s/watch?v={id}"}}}`, talks), 0o600))

	out := shell(t, dir, addr, commands, "TRANSCRIPTD_LINKS="+sites, "TRANSCRIPTD_ALLOW_EGRESS="+talks)
	srt, err := filepath.Glob(filepath.Join(dir, "talks", "*.srt"))
	require.NoError(t, err)
	assert.Len(t, srt, 2, "of a recording and of a link")
	assert.FileExists(t, filepath.Join(dir, "talks.zip"))
	assert.Contains(t, strings.ToLower(out), "this is a short talk", "what was recognized")
	notes, err := os.ReadFile(filepath.Join(dir, "talk.md"))
	require.NoError(t, err)
	assert.Contains(t, string(notes), "Captions of the talk.", "what was read")
}

// The commands with which the guides begin work.
func TestCommandsOfTheStart(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("compiles programs: make test-all")
	}
	dir, addr := t.TempDir(), freeAddress(t)
	commands, left := blocks(t, "docs/start.md")
	assert.Empty(t, left)
	require.Contains(t, commands, "transcriptd serve &\n")
	commands = strings.ReplaceAll(commands, "transcriptd serve &\n", served("transcriptd serve"))
	out := shell(t, dir, addr, "go install ./examples/transcriptd\n"+commands+`curl -H "Authorization: Bearer $KEY" "$URL/v1/usage"`)
	assert.Contains(t, out, `"account":{"id":"acme"`)
}

// The way from one command to a website keeps the texts.
func TestCommandsOfTheFamilyServer(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("compiles programs: make test-all")
	}
	dir, addr := t.TempDir(), freeAddress(t)
	shortTalk(t, filepath.Join(dir, "talk.ogg"))
	commands, left := blocks(t, "docs/operate/family-server.md")
	assert.Len(t, left, 1, "of systemd: %s", left)
	for written, run := range map[string]string{
		"website --listen 0.0.0.0:8082 --guests 0 &\n": served("website --listen " + addr + " --guests 0"),
		"http://127.0.0.1:8082":                        "http://" + addr,
		"$HOME/.local/state":                           "$XDG_STATE_HOME",
		"talk.mp3":                                     "talk.ogg",
		"website users add local --admin":              "website users add local --admin <<<'a password of a family'",
		"website users add anna":                       "website users add anna <<<'a password of a family'",
	} {
		require.Contains(t, commands, written)
		commands = strings.ReplaceAll(commands, written, run)
	}
	out := shell(t, dir, addr, "go install ./examples/transcriptd ./examples/transcribe ./examples/website\n"+commands+
		"transcribe search talk >found\n")
	assert.Contains(t, out, "anna can sign in.")
	assert.Equal(t, 2, strings.Count(out, "The service knew this text already."), "of the command without a server")
	found, err := os.ReadFile(filepath.Join(dir, "found"))
	require.NoError(t, err)
	assert.Contains(t, strings.ToLower(string(found)), "this is a short talk")
}

// The commands of the guide sign as the service does.
func TestSignatureOfTheGuide(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("openssl"); err != nil && os.Getenv("CI") == "" {
		t.Skip("there is no openssl")
	}
	commands, left := blocks(t, "docs/guides/webhooks.md")
	assert.Empty(t, left)
	const secret, body = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", `{"type":"transcript.completed","data":{"jobId":"1"}}`
	dir, at := t.TempDir(), strconv.FormatInt(time.Now().Unix(), 10)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "body.json"), []byte(body), 0o600))
	shell := exec.CommandContext(t.Context(), "bash", "-eu", "-o", "pipefail", "-c", commands)
	shell.Dir, shell.Env = dir, append(os.Environ(), "SECRET="+secret, "WEBHOOK_ID=msg_1", "WEBHOOK_TIMESTAMP="+at)
	signature, err := shell.Output()
	require.NoError(t, err)
	header := http.Header{}
	header.Set("Webhook-Id", "msg_1")
	header.Set("Webhook-Timestamp", at)
	header.Set("Webhook-Signature", "v1,"+strings.TrimSpace(string(signature)))
	event, err := client.VerifyWebhook([]string{secret}, header, []byte(body))
	require.NoError(t, err)
	assert.Equal(t, "msg_1", event.ID)
}

// blocks returns the commands of documents, and the marks of those that do not run.
func blocks(t *testing.T, documents ...string) (commands string, left []string) {
	t.Helper()
	for _, block := range fenced.FindAllStringSubmatch(read(t, documents...), -1) {
		switch {
		case block[2] != "": // a language
		case strings.HasPrefix(block[1], notHere):
			left = append(left, block[1])
		default:
			commands += block[3]
		}
	}
	return commands, left
}

// served runs a service behind the next commands, which begin when the log says that it listens.
// The brackets keep the trace of grep itself from being found.
func served(command string) string {
	return command + " &\nuntil grep -q 'msg=listenin[g]\\|website is at htt[p]' log; do kill -0 $!; sleep 0.1; done\n"
}

// shell runs commands in a folder, with a service at addr where they name the usual address, and
// returns what they write. go runs in the repository, where all is compiled already, and installs
// programs into the folder.
func shell(t *testing.T, dir, addr, commands string, env ...string) string {
	t.Helper()
	repository, err := filepath.Abs("../../..")
	require.NoError(t, err)
	script := "set -eux -o pipefail\ngo() { (cd \"$REPOSITORY\" && command go \"$@\"); }\ncurl() { command curl --fail-with-body -sS \"$@\"; }\ntrap 'kill $(jobs -p); wait' EXIT\n" +
		strings.ReplaceAll(commands, "127.0.0.1:8080", addr)
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute) // it may have to compile all
	defer cancel()
	run := exec.CommandContext(ctx, "bash", "-c", script)
	run.Dir = dir
	run.Env = append(os.Environ(), "REPOSITORY="+repository, "GOBIN="+dir, "GOFLAGS=-ldflags=-w", "PATH="+dir+":"+os.Getenv("PATH"),
		"XDG_STATE_HOME="+filepath.Join(dir, "state"), "TRANSCRIPTD_LISTEN="+addr, "TRANSCRIPTD_DRAIN_DELAY=0s")
	run.Env = append(run.Env, env...)
	log, err := os.Create(filepath.Join(dir, "log")) // not a pipe, which a program that is left would hold open
	require.NoError(t, err)
	run.Stdout, run.Stderr = log, log
	failed := run.Run()
	require.NoError(t, log.Close())
	out, err := os.ReadFile(log.Name())
	require.NoError(t, err)
	require.NoError(t, failed, string(out))
	return string(out)
}
