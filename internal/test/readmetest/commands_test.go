package readmetest_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// documents are the files whose commands run, in the order in which they run.
var documents = []string{"README.md", "docs/operate/links.md", "docs/operate/recognizers.md", "server/OPERATIONS.md"}

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
	repository, err := filepath.Abs("../../..")
	require.NoError(t, err)
	dir, addr := t.TempDir(), freeAddress(t)

	// go runs in the repository, where all is compiled already; all else in a folder
	// that has the beginning of its recording.
	script := "set -eux -o pipefail\ngo() { (cd \"$REPOSITORY\" && command go \"$@\"); }\ncurl() { command curl --fail-with-body -sS \"$@\"; }\ntrap 'kill $(jobs -p); wait' EXIT\n"
	var left []string
	for _, block := range fenced.FindAllStringSubmatch(read(t, documents...), -1) {
		before, language, commands := block[1], block[2], block[3]
		switch {
		case language != "":
		case strings.HasPrefix(before, notHere):
			left = append(left, before)
		default:
			script += commands
		}
	}
	assert.Len(t, left, 16, "the number of blocks that this test does not run has changed: %s", left)
	for written, run := range map[string]string{
		"127.0.0.1:8080":        addr,
		"transcriptd serve &\n": "transcriptd serve &\nuntil command curl -sf http://" + addr + "/healthz; do kill -0 $!; sleep 0.1; done\n",
		"export TRANSCRIBE_KEY": "export TRANSCRIBE_SERVER=http://" + addr + " TRANSCRIBE_KEY",
		"transcriptd doctor\n":  "transcriptd doctor || test $? = 3\n", // it works, but for what this machine lacks
	} {
		require.Contains(t, script, written)
		script = strings.ReplaceAll(script, written, run)
	}
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "examples", "testdata"), 0o700))
	shortTalk(t, filepath.Join(dir, "examples", "testdata", "talk.ogg"))
	sites := filepath.Join(dir, "talks.json")
	talks := serveTalks(t)
	require.NoError(t, os.WriteFile(sites, fmt.Appendf(nil, `{"sites": {"video_site": {"hosts": [%[1]q, "youtu.be"], "shortHosts": [],
		"links": ["/watch?v={id}", "/{id}"], "canonical": "http://%[1]s/watch?v={id}"}}}`, talks), 0o600))

	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute) // it may have to compile all
	defer cancel()
	shell := exec.CommandContext(ctx, "bash", "-c", script)
	shell.Dir = dir
	shell.Env = append(os.Environ(), "REPOSITORY="+repository, "GOBIN="+dir, "GOFLAGS=-ldflags=-w", "PATH="+dir+":"+os.Getenv("PATH"),
		"XDG_STATE_HOME="+filepath.Join(dir, "state"), "TRANSCRIPTD_LISTEN="+addr, "TRANSCRIPTD_DRAIN_DELAY=0s",
		"TRANSCRIPTD_LINKS="+sites, "TRANSCRIPTD_ALLOW_EGRESS="+talks)
	log, err := os.Create(filepath.Join(dir, "log")) // not a pipe, which a program that is left would hold open
	require.NoError(t, err)
	shell.Stdout, shell.Stderr = log, log
	failed := shell.Run()
	out, err := os.ReadFile(log.Name())
	require.NoError(t, err)
	require.NoError(t, failed, string(out))

	srt, err := filepath.Glob(filepath.Join(dir, "talks", "*.srt"))
	require.NoError(t, err)
	assert.Len(t, srt, 2, "of a recording and of a link")
	assert.FileExists(t, filepath.Join(dir, "talks.zip"))
	assert.Contains(t, strings.ToLower(string(out)), "this is a short talk", "what was recognized")
	assert.Contains(t, string(out), "Captions of the talk.", "what was read")
}

// imports are those that the snippets of the README may use, by their names.
var imports = map[string]string{
	"context": "context", "errors": "errors", "fmt": "fmt", "log": "log", "os": "os", "time": "time", "testing": "testing",
	"client": "github.com/transcriptkit/transcriptkit/client",
	"io":     "io", "http": "net/http",
	"webhook":    "github.com/transcriptkit/transcriptkit/library/webhook",
	"library":    "github.com/transcriptkit/transcriptkit/library",
	"transcript": "github.com/transcriptkit/transcriptkit/transcript",
	"servertest": "github.com/transcriptkit/transcriptkit/server/servertest",
}

// What is no whole program in the README compiles too, where there are a client c, a
// ctx, and a request talk.
func TestSnippetsInTheREADME(t *testing.T) {
	t.Parallel()
	var body strings.Builder
	snippets := 0
	for _, block := range fenced.FindAllStringSubmatch(read(t, "README.md"), -1) {
		code := block[3]
		switch {
		case block[2] != "go", strings.HasPrefix(code, "package "):
			continue
		case strings.HasPrefix(code, "func "):
			body.WriteString(code)
		default:
			if strings.HasPrefix(code, "c, err :=") {
				code += "_ = c\nreturn err\n"
			} else {
				code += "return nil\n"
			}
			fmt.Fprintf(&body, "func _(ctx context.Context, c *client.Client, talk transcript.Request) error {\n%s}\n",
				code)
		}
		snippets++
	}
	require.Positive(t, snippets)
	source := "package readme\n\nimport (\n"
	for name, path := range imports {
		if strings.Contains(body.String(), name+".") {
			source += fmt.Sprintf("\t%s %q\n", name, path)
		}
	}
	file := filepath.Join(t.TempDir(), "readme_test.go")
	require.NoError(t, os.WriteFile(file, []byte(source+")\n\n"+body.String()), 0o600))
	out, err := exec.CommandContext(t.Context(), "go", "vet", file).CombinedOutput()
	require.NoError(t, err, string(out))
}
