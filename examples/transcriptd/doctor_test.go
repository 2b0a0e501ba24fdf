package main

import (
	"bufio"
	"context"
	"database/sql"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest" // a PostgreSQL that the test starts by itself
)

var update = flag.Bool("update", false, "write the golden files anew")

// patient is a machine that a doctor looks at. It lacks nothing, but for what a test
// takes from it.
type patient struct {
	dir  string   // where it lives: bin, db, blobs
	bin  string   // its PATH
	args []string // of doctor
	env  []string
}

// newPatient links to the programs of this machine from a PATH of its own.
func newPatient(t *testing.T, dir string) *patient {
	t.Helper()
	p := &patient{dir: dir, bin: filepath.Join(t.TempDir(), "bin")}
	require.NoError(t, os.Mkdir(p.bin, 0o700))
	for _, program := range []string{"ffmpeg", "ffprobe", "pocketsphinx_continuous"} {
		path, err := exec.LookPath(program)
		require.NoError(t, err)
		require.NoError(t, os.Symlink(path, filepath.Join(p.bin, program)))
	}
	script, err := filepath.Abs("testdata/doctor/yt-dlp")
	require.NoError(t, err)
	require.NoError(t, os.Symlink(script, filepath.Join(p.bin, "yt-dlp")))
	p.ytdlp(t, time.Now().UTC().AddDate(0, 0, -10).Format("2006.01.02"), "full")
	require.NoError(t, os.Symlink("/bin/true", filepath.Join(p.bin, "whisper-cli")))
	model := filepath.Join(p.bin, "ggml-base.bin")
	head := []byte("lmgg\x99\xca\x00\x00\xdc\x05\x00\x00\x00\x02\x00\x00\x08\x00\x00\x00\x06\x00\x00\x00")
	require.NoError(t, os.WriteFile(model, head, 0o600)) // all that is read before there is work
	p.args = []string{"--models", filepath.Join(p.bin, "models"), "--db", "sqlite:" + filepath.Join(dir, "db", "t.db"), "--blobs", filepath.Join(dir, "blobs"), "--asr", "whisper-cli:" + model}
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "db"), 0o700))
	return p
}

// ytdlp says what yt-dlp answers.
func (p *patient) ytdlp(t *testing.T, version, says string) {
	t.Helper()
	text, err := os.ReadFile("../../server/engine/ytdlp/testdata/equipment/" + says + ".txt")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(p.bin, "version"), []byte(version+"\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(p.bin, "says"), text, 0o600))
}

func (p *patient) lacks(t *testing.T, program string) {
	t.Helper()
	require.NoError(t, os.Remove(filepath.Join(p.bin, program)))
}

// with gives doctor a flag, which wins over one before.
func (p *patient) with(flag ...string) { p.args = append(p.args, flag...) }

// without takes a flag back, with its value.
func (p *patient) without(flag string) {
	for i, arg := range p.args {
		if arg == flag {
			p.args = append(p.args[:i:i], p.args[i+2:]...)
			return
		}
	}
}

// seen is what doctor says, without what is another thing at the next run.
func (p *patient) seen(t *testing.T) string {
	t.Helper()
	cmd := program(t, append([]string{"PATH=" + p.bin, "TMPDIR=" + t.TempDir(), "TRANSCRIPTD_YT_DLP=yt-dlp"}, p.env...), append([]string{"doctor"}, p.args...)...)
	code, stdout, stderr := finish(cmd)
	assert.Empty(t, stderr)
	version, err := os.ReadFile(filepath.Join(p.bin, "version"))
	require.NoError(t, err)
	text := strings.NewReplacer(p.bin, "BIN", p.dir, "DIR", strings.TrimSpace(string(version)), "VERSION").Replace(stdout)
	for _, varying := range [][2]string{
		{`make -C \S+ setup(, and leave --yt-dlp out)?`, "make -C CHECKOUT setup"},
		{`leave --yt-dlp out: make setup has installed a current release`, "make -C CHECKOUT setup"}, // where it has
		{`\d{3,} days`, "N days"}, {`\d+ MiB( are|,|\n)`, "N MiB$1"}, {`127\.0\.0\.1:\d+`, "127.0.0.1:PORT"},
		{`(ok +ff\w+ +)\S+`, "${1}VERSION"}, {`at /\S+:5432, database \w+`, "at SOCKET:5432, database NAME"}, {`at /\S+:5432 `, "at SOCKET:5432 "},
		{`(?m)^missing  PID namespaces.*\n.*\n.*\n`, ""},                   // some machines grant none
		{`(?m)^\w+ +voices .*\n(?: .*\n)*`, ""},                            // where make setup has installed them
		{`(?m)^(ok       user  .*\n.*\n|missing  user  .*\n.*\n.*\n)`, ""}, // where the tests run as root
	} {
		text = regexp.MustCompile(varying[0]).ReplaceAllString(text, varying[1])
	}
	return fmt.Sprintf("%sexit code %d\n", text, code)
}

// golden compares what doctor says with what it has said before.
func (p *patient) golden(t *testing.T, name string) {
	t.Helper()
	path := filepath.Join("testdata", "doctor", name+".golden")
	seen := p.seen(t)
	for _, fault := range regexp.MustCompile(`(?m)^(?:broken|missing|old) .*\n(?: .*\n)*`).FindAllString(seen, -1) {
		assert.Contains(t, fault, "\n         cure:  ", "each fault has a cure below")
	}
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(seen), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), seen)
}

// Each thing missing in turn.
func TestDoctor(t *testing.T) {
	t.Parallel()
	fresh := time.Now().UTC().AddDate(0, 0, -10).Format("2006.01.02")
	for name, take := range map[string]func(t *testing.T, p *patient){
		"all-there":           func(*testing.T, *patient) {},
		"yt-dlp-missing":      func(t *testing.T, p *patient) { p.lacks(t, "yt-dlp") },
		"yt-dlp-old":          func(t *testing.T, p *patient) { p.ytdlp(t, "2023.03.04", "debian") },
		"runtime-missing":     func(t *testing.T, p *patient) { p.ytdlp(t, fresh, "bare") },
		"runtime-unsupported": func(t *testing.T, p *patient) { p.ytdlp(t, fresh, "unsupported") },
		"runtime-slow":        func(t *testing.T, p *patient) { p.ytdlp(t, fresh, "quickjs") },
		"ffmpeg-missing":      func(t *testing.T, p *patient) { p.lacks(t, "ffmpeg"); p.lacks(t, "ffprobe") },
		"recognizer-missing": func(t *testing.T, p *patient) {
			p.without("--asr")
			p.lacks(t, "whisper-cli")
			p.lacks(t, "pocketsphinx_continuous")
		},
		"recognizer-none": func(_ *testing.T, p *patient) { p.without("--asr"); p.with("--asr", "none") },
		"recognizer-unreachable": func(_ *testing.T, p *patient) {
			p.without("--asr")
			p.with("--asr", "whisper-server:http://127.0.0.1:1")
		},
		"program-missing": func(t *testing.T, p *patient) { p.lacks(t, "whisper-cli") },
		"model-missing": func(t *testing.T, p *patient) {
			p.without("--asr")
			p.lacks(t, "whisper-cli")
		},
		"database-broken": func(t *testing.T, p *patient) {
			require.NoError(t, os.WriteFile(filepath.Join(p.dir, "db", "t.db"), []byte("Dear diary,\n"), 0o600))
		},
		"database-folder-missing": func(t *testing.T, p *patient) { require.NoError(t, os.Remove(filepath.Join(p.dir, "db"))) },
		"blobs-no-folder": func(t *testing.T, p *patient) {
			require.NoError(t, os.WriteFile(filepath.Join(p.dir, "blobs"), nil, 0o600))
		},
		"flags-wrong": func(t *testing.T, p *patient) {
			p.env = append(p.env, "TRANSCRIPTD_PLANS=/nowhere/plans.json", "TRANSCRIPTD_PACE=3")
			put(t, filepath.Join(p.bin, "links.json"), `{"pace": 0}`)
			put(t, filepath.Join(p.bin, "recognizers.json"), `{"openai": {"keyFile": "/nowhere/key"}}`)
			p.with("--yt-dlp", "/nowhere/yt", "--links", filepath.Join(p.bin, "links.json"), "--recognizers", filepath.Join(p.bin, "recognizers.json"),
				"--listen", "localhost", "--blobs", "s3:bucket")
		},
		"runtime-wrong": func(t *testing.T, p *patient) {
			p.with("--links", put(t, filepath.Join(p.bin, "links.json"), `{"jsRuntime": "node:/nowhere/node"}`))
		},
		"model-wrong": func(_ *testing.T, p *patient) {
			p.without("--asr")
			p.with("--asr", "whisper-cli:/nowhere/model", "--models", "/dev/null/models")
		},
		"endpoint-guarded": func(_ *testing.T, p *patient) {
			p.without("--asr")
			p.with("--asr", "openai:http://127.0.0.1:1", "--allow-egress", "127.0.0.1:1")
		},
		"database-damaged": func(t *testing.T, p *patient) {
			at := filepath.Join(p.dir, "db", "t.db")
			must(t, "migrate", "--db", "sqlite:"+at)
			require.NoError(t, os.Truncate(at, 20_000))
		},
		"api": func(_ *testing.T, p *patient) {
			p.without("--db")
			p.with("--role", "api", "--db", "postgres://127.0.0.1:1/x?connect_timeout=2")
		},
		"proxies": func(t *testing.T, p *patient) {
			put(t, filepath.Join(p.bin, "password"), "user:password")
			var exits []string
			exit := func(name, address, more string) {
				exits = append(exits, fmt.Sprintf(`{"name": %q, "address": %q, "credentialsFile": "password"%s}`, name, address, more))
			}
			// The first answers for the site, the second wants a password, the third's address is blocked.
			for i, status := range []int{http.StatusOK, http.StatusProxyAuthRequired, http.StatusTooManyRequests} {
				exit(fmt.Sprint("paris-", i), newTunnel(t, status), "")
			}
			exit("vienna", "http://127.0.0.1:1", "")
			exit("berlin", newTunnel(t, http.StatusOK), `, "byName": true, "uses": ["captions", "lists"]`)
			exit("rome", "socks5://127.0.0.1:1", `, "uses": ["captions"]`)
			p.with("--network", "--links", put(t, filepath.Join(p.bin, "links.json"), `{"exits": [`+strings.Join(exits, ",")+`], "sites": {"video_site": {
				"hosts": ["localhost"], "shortHosts": [], "links": ["/watch?v={id}"], "canonical": "http://localhost/watch?v={id}"
			}}}`))
		},
		"exits": func(t *testing.T, p *patient) {
			p.with("--links", put(t, filepath.Join(p.bin, "links.json"), `{"exits": [
				{"name": "berlin", "address": "http://127.0.0.1:1", "uses": ["captions", "lists"]},
				{"name": "own", "address": "2001:db8:1:2::/64", "uses": ["captions"], "platforms": ["video_site"]}
			]}`))
		},
		"exits-wrong": func(t *testing.T, p *patient) {
			p.with("--links", put(t, filepath.Join(p.bin, "links.json"), `{"exits": [{"name": "berlin", "address": "http://127.0.0.1:port"}]}`))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPatient(t, t.TempDir())
			take(t, p)
			p.golden(t, name)
		})
	}
}

// put writes a file and returns its path.
func put(t *testing.T, path, text string) string {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// newTunnel serves a proxy that answers for each site. The status 407 is that of the
// proxy itself.
func newTunnel(t *testing.T, status int) (link string) {
	t.Helper()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		client, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer client.Close()
		if status == http.StatusProxyAuthRequired || r.Method != http.MethodConnect {
			fmt.Fprintf(client, "HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n")
			return
		}
		fmt.Fprintf(client, "HTTP/1.1 200 Yes\r\n\r\n")
		if _, err := http.ReadRequest(bufio.NewReader(client)); err == nil {
			fmt.Fprintf(client, "HTTP/1.1 %d Answer\r\nContent-Length: 0\r\n\r\n", status)
		}
	}))
	t.Cleanup(proxy.Close)
	return proxy.URL
}

// Looking creates nothing, in a folder without a database and beside one.
func TestDoctorLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	p := newPatient(t, t.TempDir())
	list := func() (all []string) {
		require.NoError(t, filepath.WalkDir(p.dir, func(path string, _ os.DirEntry, err error) error {
			all = append(all, path)
			return err
		}))
		return all
	}
	before := list()
	assert.Contains(t, p.seen(t), "not there yet, the first start makes it")
	assert.Equal(t, before, list())

	db := "sqlite:" + filepath.Join(p.dir, "db", "t.db")
	must(t, "migrate", "--db", db)
	before = list()
	assert.Contains(t, p.seen(t), "tables up to date")
	assert.Equal(t, before, list())

	s := start(t, nil, "--db", db) // works on it meanwhile
	assert.Contains(t, p.seen(t), "tables up to date")
	stop(t, s)
	assert.Equal(t, before, list())
}

func TestDoctorOnPostgreSQL(t *testing.T) {
	t.Parallel()
	o := storetest.Postgres(t)
	p := newPatient(t, t.TempDir())
	p.without("--db")
	args := p.args
	ask := func(database, name string) {
		p.args = append(args[:len(args):len(args)], "--db", database)
		p.golden(t, name)
	}
	ask(o.Database, "postgresql")

	// Whoever asks for the time is told by a function of ours, which is an hour ahead.
	db, err := sql.Open("pgx", o.Database)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), `CREATE SCHEMA ahead; CREATE FUNCTION ahead.clock_timestamp() RETURNS timestamptz LANGUAGE sql
		AS $$ SELECT pg_catalog.clock_timestamp() + interval '1 hour' $$`)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	u, err := url.Parse(o.Database)
	require.NoError(t, err)
	q := u.Query()
	q.Set("search_path", "ahead,pg_catalog,public")
	u.RawQuery = q.Encode()
	ask(u.String(), "clock-behind")

	line, behind := storetest.Behind(t, o)
	line.Silence()
	ask(behind.Database, "postgresql-silent")
	line.Cut()
	ask(behind.Database, "postgresql-stopped")
}

// A program that hangs, a proxy that never answers: doctor ends with its context.
func TestDoctorEnds(t *testing.T) {
	t.Parallel()
	hole, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer hole.Close()
	p := newPatient(t, t.TempDir())
	hangs, err := filepath.Abs("testdata/doctor/hangs")
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second) // both still hang
	defer cancel()
	p.with("--yt-dlp", hangs, "--recognizers", settingsFile(t, `{"whisperCLI": %q}`, filepath.Join(p.bin, "whisper-cli")),
		"--links", settingsFile(t, `{"exits": [{"name": "hole", "address": "http://%s"}]}`, hole.Addr()), "--network")
	var stdout, stderr strings.Builder
	began := time.Now()
	code := new(commands).run(ctx, append([]string{"doctor"}, p.args...), &stdout, &stderr)
	assert.Less(t, time.Since(began), askPatience+time.Minute)
	assert.Equal(t, exitFailure, code, stderr.String())
	assert.Regexp(t, `(?m)^broken +yt-dlp +the program has not answered: it has not answered in time\n .*\n +cure:  examine it again`, stdout.String())
	assert.Regexp(t, `(?m)^broken +network +by hole, http://127.0.0.1:\d+: it has not answered in time`, stdout.String())
}
