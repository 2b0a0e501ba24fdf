package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/internal/service"
)

// asProgram makes the test binary run as the program itself, for what only a
// process of its own shows: signals, the environment, locks.
const asProgram = "TRANSCRIPTD_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		c := withOtherFiles()
		prepareProgram()
		os.Exit(c.run(untilSignal(), os.Args[1:], os.Stdout, os.Stderr))
	}
	var err error
	if standIns, err = os.MkdirTemp("", "transcriptd-test-"); err != nil {
		panic(err)
	}
	// Tests hear with PocketSphinx, unless they say otherwise: it starts at once.
	without := filepath.Join(standIns, "recognizers.json")
	if err := errors.Join(os.WriteFile(without, []byte(`{"fasterWhisper": "/none"}`), 0o600), os.Setenv(noWhisper, without)); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(standIns) // a temporary folder
	os.Exit(code)
}

// withOtherFiles is the program with the models and the yt-dlp that the environment names.
func withOtherFiles() *commands {
	c, table := &commands{}, readModelTable()
	for _, of := range []*service.ModelsFlag{
		&c.Transcribe.Own.ModelsFlag, &c.Serve.ModelsFlag, &c.MCP.Own.ModelsFlag, &c.Demo.ModelsFlag, &c.Doctor.ModelsFlag,
		&c.Models.List.ModelsFlag, &c.Models.Pull.ModelsFlag, &c.Models.Rm.ModelsFlag, &c.Models.Verify.ModelsFlag,
	} {
		of.Table = table
	}
	c.YtDlp.Pull.published = readRelease()
	return c
}

// standIns is a folder for what stands in for programs.
var standIns string

// noWhisper is the variable of --recognizers.
const noWhisper = "TRANSCRIPTD_RECOGNIZERS"

// settingsFile writes a file of settings and returns its path.
func settingsFile(t testing.TB, format string, args ...any) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "settings.json")
	require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, format, args...), 0o600))
	return path
}

// answer is what a command wrote and how it ended.
type answer struct {
	code           int
	stdout, stderr string
}

func call(t *testing.T, args ...string) answer {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := new(commands).run(t.Context(), args, &stdout, &stderr)
	return answer{code, stdout.String(), stderr.String()}
}

// full leaves a test to make test-all: make test, which runs with -short, has a shorter test of
// the same.
func full(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes longer than make test may: make test-all")
	}
}

// newDatabase names an SQLite file that is not there yet.
func newDatabase(t *testing.T) string {
	t.Helper()
	return "sqlite:" + filepath.Join(t.TempDir(), "test.db")
}

// must calls a command that succeeds.
func must(t *testing.T, args ...string) answer {
	t.Helper()
	a := call(t, args...)
	require.Equal(t, exitOK, a.code, "%v: %s", args, a.stderr)
	return a
}

func TestBadCallsAreOneLineThatNamesTheFault(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	must(t, "accounts", "set", "acme", "--db", db)
	blobs := t.TempDir()
	sites := filepath.Join(blobs, "sites.json")
	require.NoError(t, os.WriteFile(sites, []byte(`{"video_site": {"links": ["/watch?v={id}", "/no/id"]}}`), 0o600))
	plans := filepath.Join(blobs, "plans.json")
	require.NoError(t, os.WriteFile(plans, []byte(`{"plans": {"basic": {"rateLimit": {"windowSec": 0}}}}`), 0o600))
	text := filepath.Join(blobs, "key")
	require.NoError(t, os.WriteFile(text, []byte("sk-short\n"), 0o600))
	serveHere := " --listen 127.0.0.1:0 --db " + db + " --blobs " + blobs
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"fly", 2, `fly: "transcriptd --help" shows what there is`},
		{"keys creat", 2, `did you mean "create"? "transcriptd keys --help" shows what there is`},
		{"serve --db", 2, "--db: its value is missing"},
		{"serve --full-sync=maybe", 2, `--full-sync: "maybe" is neither true nor false`},
		{"serve --drain-delay 4", 2, `--drain-delay: "4" is no duration, such as 30s or 5m` + "\n"},
		{"serve --fly", 2, "--fly"},
		{"serve --asr whisper", 2, "--asr: want whisper-server:URL"},
		{"serve --metrics 9090", 2, "--metrics"},
		{"serve --asr none:x", 2, "--asr: want whisper-server:URL"},
		{"serve --asr auto", 2, "pocketsphinx or none"},
		{"serve --asr openai:u:secret", 2, "--asr: want http://HOST"},
		{"serve --asr openai:socks5://u:secret@127.0.0.1", 2, "--asr: want http://HOST… or https://HOST…"},
		{"serve --asr openai:http://u:secret@127.0.0.1:1/v1", 2, "--asr: the base URL"},
		{"serve --asr openai:http://127.0.0.1:1/v1?key=1", 2, "is not of the form http://host/path"},
		{"serve --asr whisper-server:ftp://u:secret@127.0.0.1", 2, "--asr: whisper-server: want http://HOST"},
		{"serve --asr whisper-server:socks5://u:secret@127.0.0.1", 2, "--asr: whisper-server: want http://HOST… or https://HOST…"},
		{"serve --asr whisper-server:http://:80", 2, "--asr: whisper-server: want http://HOST"},
		{"serve --asr whisper-server", 2, "--asr: whisper-server wants its URL: whisper-server:http://HOST:PORT"},
		{"serve --asr openai:", 2, "--asr: openai wants its URL: openai:http://HOST:PORT"},
		{"serve --pull huge", 2, "--pull: no such model or engine: \"huge\" (there are"},
		{"serve --asr parakeet-cli", 2, "--asr: parakeet-cli wants a model, a ggml file: parakeet-cli:MODEL"},
		{"serve --asr whisper-cli", 2, "--asr: whisper-cli wants a model, a ggml file: whisper-cli:MODEL"},
		{"serve --asr whisper-cli:/nowhere/model", 2, "--asr: The model model cannot be used by whisper-cli: get one"},
		{"serve --asr whisper-cli:" + sites, 2, "--asr: The model sites.json cannot be used by whisper-cli: get one"},
		{"serve --pace 3", 2, "transcriptd: --pace is now the member pace of the file that --links names"},
		{"serve --links /nowhere/links.json", 2, "--links: /nowhere/links.json: there is no such file"},
		{"serve --links " + blobs, 2, "--links: " + blobs + ": it is a folder"},
		{"serve --links " + sites, 2, "--links: " + sites + ": video_site: is unknown: want one of cookies"},
		{"serve --recognizers " + text, 2, "--recognizers: " + text + ": no JSON at line 1"},
		{"serve --role boss", 2, "--role: want all, api or worker"},
		{"serve --role api" + serveHere, 2, "--role: on SQLite one process does everything"},
		{"serve --role worker", 2, "--role: on SQLite one process does everything"},
		{"serve --links " + settingsFile(t, `{"jsRuntime": "node:/nowhere/node"}`) + serveHere, 2, "jsRuntime: node is not there: install it, or name its path"},
		{"serve --asr whisper-server:http://127.0.0.1:8077 --allow-egress 127.0.0.1:8077" + serveHere, 2, "--allow-egress: 127.0.0.1:8077 is the deployment's own 127.0.0.1:8077, which no link may reach"},
		{"serve --asr whisper-server:http://127.0.0.1:8077 --allow-egress localhost:8077" + serveHere, 2, "transcriptd: --allow-egress: localhost:8077 is the deployment's own 127.0.0.1:8077"},
		{"serve --links " + settingsFile(t, `{"dataAPI": {"keyFile": %q, "url": "http://127.0.0.1:8078"}}`, text) + " --allow-egress 127.0.0.1:8078" + serveHere, 2, "--allow-egress: 127.0.0.1:8078 is the deployment's own 127.0.0.1:8078, which no link may reach"},
		{"serve --links " + settingsFile(t, `{"dataAPI": {"keyFile": %q}}`, text) + " --allow-egress youtube.googleapis.com:443" + serveHere, 2, "--allow-egress: youtube.googleapis.com:443 is the deployment's own youtube.googleapis.com:443"},
		{"serve --db mysql://u:secret@localhost/x", 2, "--db: want sqlite:PATH or postgres://"},
		{"serve --db sqlite:", 2, "--db"},
		{"serve --db sqlite:/nowhere/x.db --listen 127.0.0.1:0 --blobs " + blobs, 1, "/nowhere/x.db"},
		{"serve --db postgres://u:secret@127.0.0.1:port/x", 2, "--db: want postgres://USER:PASSWORD@HOST:PORT/DATABASE"},
		{"serve --listen 127.0.0.1:99999", 2, `--listen: "127.0.0.1:99999" is not HOST:PORT`},
		{"serve --listen localhost", 2, `--listen: "localhost" is not HOST:PORT`},
		{"serve --listen 127.0.0.1:0 --db " + db + " --blobs /dev/null/blobs", 2, "transcriptd: --blobs: /dev/null: a part of the path is no folder"},
		{"serve --blobs ftp://u:secret@host", 2, "--blobs: want a folder or s3://BUCKET"},
		{"serve --blobs s3://", 2, "--blobs: want a folder or s3://BUCKET"},
		{"serve --blobs s3:host", 2, "--blobs: want a folder or s3://BUCKET"},
		{"serve --blobs s3:/host", 2, "--blobs: want a folder or s3://BUCKET"},
		{"serve --blobs file:///srv", 2, "--blobs: want a folder or s3://BUCKET"},
		{"serve --blobs s3://u:secret@host", 2, "--blobs: want no credentials in the URL"},
		{"serve --blobs s3://host?endpoint=secret", 2, "--blobs: want endpoint=http://HOST:PORT"},
		{"serve --blobs s3://host?endpoint=http://u:secret@127.0.0.1", 2, "--blobs: want endpoint=http://HOST:PORT"},
		{"serve --blobs s3://host?region=x&password=secret --db " + db + " --listen 127.0.0.1:0", 1, `open blobs: s3://host: unknown query parameter "password"`},
		{"serve --log-format xml", 2, "--log-format must be one of"},
		{"serve --allow-egress localhost", 2, `--allow-egress: "localhost" is not HOST:PORT`},
		{"serve --allow-egress 127.0.0.1:9099,:80", 2, `":80"`},
		{"serve --allow-egress 127.0.0.1:0", 2, `"127.0.0.1:0"`},
		{"serve --allow-egress 10.0.0.0/8:80", 2, `"10.0.0.0/8:80"`},
		{"serve --allow-egress u@localhost:80", 2, `"u@localhost:80"`},
		{"serve --allow-egress ::1:80", 2, `"::1:80"`},
		{"serve --allow-egress 127.0.0.1:65536", 2, `"127.0.0.1:65536"`},
		{"serve --trusted-proxy example.com", 2, `--trusted-proxy: "example.com" is neither a CIDR, such as 10.0.0.0/8, nor an address`},
		{"serve --trusted-proxy 10.0.0.0/8,10.0.0.0/33", 2, `--trusted-proxy: "10.0.0.0/33" is neither`},
		{"serve --trusted-proxy 10.0.0.1:80", 2, `--trusted-proxy: "10.0.0.1:80" is neither`},
		{"serve --trusted-proxy fe80::1%eth0", 2, `--trusted-proxy: "fe80::1%eth0" is neither`},
		{"migrate --db postgres://u:secret@127.0.0.1:1/x", 1, "127.0.0.1:1"},
		{"accounts set --db " + db, 2, "<name>"},
		{"accounts set acme --suspend --activate --db " + db, 2, "--suspend and --activate"},
		{"accounts set acme --plan gold --db " + db, 1, `"gold"`},
		{"accounts list --plans /nowhere/plans.json --db " + db, 2, "--plans: /nowhere/plans.json: there is no such file"},
		{"serve --plans " + sites, 2, "--plans: " + sites + ": video_site is not a known member"},
		{"keys create --account acme --name ci --scopes transcripts --plans " + plans + " --db " + db, 2, "--plans: " + plans + ": plans.basic.rateLimit.windowSec is 0: it must be a whole number, 1 to 86400"},
		{"accounts set two/words --db " + db, 1, `"two/words"`},
		{"keys create --account acme --scopes transcripts --db " + db, 2, "--name"},
		{"keys create --account acme --name ci --db " + db, 2, "--scopes"},
		{"keys create --account acme --name ci --scopes admin --db " + db, 2, `"admin"`},
		{"keys create --account acme --name ci --scopes transcripts --expires soon --db " + db, 2, `"soon"`},
		{"keys create --account acme --name ci --scopes transcripts --expires -1d --db " + db, 2, `-1d`},
		{"keys create --account nobody --name ci --scopes transcripts --db " + db, 1, `there is no account "nobody": make it with "transcriptd accounts set nobody"` + "\n"},
		{"keys revoke tr_00000000 --db " + db, 1, `no key has the prefix "tr_00000000": "transcriptd keys list" shows those there are` + "\n"},
		{"demo --recording /nowhere/talk.ogg", 1, "/nowhere/talk.ogg"},
	} {
		a := call(t, strings.Fields(c.args)...)
		assert.Equal(t, c.code, a.code, "%s: %s", c.args, a.stderr)
		assert.Empty(t, a.stdout, c.args)
		assert.Contains(t, a.stderr, c.says, c.args)
		assert.Regexp(t, `\Atranscriptd: [^\n]+\n\z`, lastLine(a.stderr), c.args)
		assert.NotContains(t, a.stderr, "secret", c.args)
	}
}

// A value from the environment is checked as one on the command line is, and is
// not shown: it may hold a password.
func TestBadValuesOfTheEnvironment(t *testing.T) {
	t.Parallel()
	for variable, says := range map[string]string{
		"TRANSCRIPTD_DB=mysql://u:secret@localhost/x":         "--db: want sqlite:PATH",
		"TRANSCRIPTD_DB=postgres://u:secret@localhost:port/x": "--db: want postgres://USER:PASSWORD@HOST:PORT/DATABASE",
		"TRANSCRIPTD_ALLOW_EGRESS=localhost":                  `--allow-egress: "localhost" is not HOST:PORT`,
		"TRANSCRIPTD_COOKIES=video_site=/secret":              "--cookies is now the member cookies of the file that --links names",
		"TRANSCRIPTD_LINKS=/nowhere/links.json":               "--links: /nowhere/links.json: there is no such file",
		"TRANSCRIPTD_BLOBS=s3://u:secret@bucket":              "--blobs: want no credentials in the URL",
		"TRANSCRIPTD_PLANS=/nowhere/plans.json":               "--plans: /nowhere/plans.json: there is no such file",
	} {
		code, stdout, stderr := finish(program(t, []string{variable}, "serve", "--listen", "127.0.0.1:0"))
		assert.Equal(t, exitUsage, code, "%s: %s", variable, stderr)
		assert.Empty(t, stdout, variable)
		assert.Contains(t, stderr, says, variable)
		name, _, _ := strings.Cut(variable, "=")
		assert.Regexp(t, `\Atranscriptd: [^\n]+ \(from \$`+name+`\)\n\z`, stderr, variable)
		assert.NotContains(t, stderr, "secret", variable)
	}
}

// lastLine leaves out what a server logged before it failed.
func lastLine(s string) string {
	lines := strings.SplitAfter(s, "\n")
	for len(lines) > 1 && (lines[len(lines)-1] == "" || strings.HasPrefix(lines[0], "time=")) {
		if strings.HasPrefix(lines[0], "time=") {
			lines = lines[1:]
			continue
		}
		lines = lines[:len(lines)-1]
	}
	return strings.Join(lines, "")
}

// Each setting has a variable, which its help names. A verb has none.
func TestVariablesInTheHelp(t *testing.T) {
	t.Parallel()
	parser, err := kong.New(&commands{}, vars())
	require.NoError(t, err)
	leaves := parser.Model.Leaves(true)
	require.Len(t, leaves, 25)
	verbs := strings.Fields("help version url recording network yes first file account name scopes expires plan prompt-file suspend activate newest folder " +
		"server key-file language format timestamps output job from playlist channel max-items watch keep-media quiet audio-track channels speakers require-whole to from check without-recordings")
	for _, leaf := range leaves {
		a := must(t, append(strings.Fields(leaf.Path()), "--help")...)
		help := regexp.MustCompile(`\s+`).ReplaceAllString(a.stdout, " ")
		for _, flag := range leaf.Flags {
			if flag.Hidden {
				continue // a flag that is gone, whose message names the new one
			}
			name := "TRANSCRIPTD_" + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
			assert.Contains(t, strings.ReplaceAll(help, "[no-]", ""), "--"+flag.Name, leaf.Path())
			assert.Equal(t, !slices.Contains(verbs, flag.Name), strings.Contains(help, "($"+name+")"), leaf.Path()+" "+flag.Name)
		}
		assert.Empty(t, a.stderr)
	}
}

// A call without a command shows what there is, and counts as wrong: a script that has lost its
// arguments must not go on.
func TestBareCallsShowTheHelp(t *testing.T) {
	t.Parallel()
	for command, names := range map[string]string{"": "  keys create  ", "keys": "  keys revoke  ", "models": "  models pull  "} {
		a := call(t, strings.Fields(command)...)
		assert.Equal(t, exitUsage, a.code, command)
		assert.Empty(t, a.stdout, command)
		assert.Contains(t, a.stderr, "Usage: "+strings.TrimSpace("transcriptd "+command), command)
		assert.Contains(t, a.stderr, names, command)
		assert.True(t, strings.HasSuffix(a.stderr, "\ntranscriptd: no command is named\n"), a.stderr)
	}
}

func TestVersionOfTheService(t *testing.T) {
	t.Parallel()
	assert.Regexp(t, `\Atranscriptd \S+\n\z`, must(t, "--version").stdout)
	assert.Equal(t, must(t, "--version"), must(t, "keys", "list", "--version"))
}

func TestVersionNamesTheExternalPrograms(t *testing.T) {
	t.Parallel()
	a := must(t, "version")
	assert.Regexp(t, `(?m)^transcriptd +\S`, a.stdout)
	assert.Regexp(t, `(?m)^go +1\.\d+`, a.stdout)
	assert.Regexp(t, `(?m)^ffmpeg +\S`, a.stdout)
	assert.Regexp(t, `(?m)^pocketsphinx_continuous +\S`, a.stdout)
	assert.Regexp(t, `(?m)^yt-dlp +\d{4}\.\d\d\.\d\d`, a.stdout)
}

func TestMigrateMakesAndKeepsADatabase(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	a := must(t, "migrate", "--dry-run", "--db", db)
	assert.Contains(t, a.stdout, "00001_tables.sql\n00002_compatibility.sql\n")
	assert.Contains(t, a.stderr, "Nothing has changed.")
	assert.NoFileExists(t, strings.TrimPrefix(db, "sqlite:"))
	must(t, "migrate", "--db", db)
	a = must(t, "migrate", "--dry-run", "--db", db)
	assert.Empty(t, a.stdout)
	assert.Contains(t, a.stderr, "The database is up to date.")
	must(t, "accounts", "set", "acme", "--db", db)
	must(t, "migrate", "--db", db)
	assert.Contains(t, must(t, "accounts", "list", "--db", db).stdout, "acme")
}

func TestACommandEndsWithItsContext(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	must(t, "migrate", "--db", db)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	code := new(commands).run(ctx, []string{"accounts", "list", "--db", db}, &stdout, &stderr)
	assert.Equal(t, exitFailure, code)
	assert.Contains(t, stderr.String(), "context canceled")
}
