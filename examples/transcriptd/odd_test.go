package main

import (
	"bytes"
	"database/sql"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/transcriptkit/transcriptkit/examples/internal/programtest"
)

// oddTable are odd uses of the program, with the places and services that they need.
type oddTable struct {
	t    *testing.T
	dir  string // of good and bad files
	uses []programtest.OddUse

	steady []string // pairs of texts that differ from run to run and what stands for them
}

// path is a file in the folder of the table.
func (o *oddTable) path(name string) string { return filepath.Join(o.dir, name) }

func (o *oddTable) write(name, text string) string {
	o.t.Helper()
	require.NoError(o.t, os.WriteFile(o.path(name), []byte(text), 0o600))
	return o.path(name)
}

// database makes a database and returns its file.
func (o *oddTable) database(name string) string {
	o.t.Helper()
	must(o.t, "migrate", "--db", "sqlite:"+o.path(name))
	return o.path(name)
}

// change changes a database as no version of the program does.
func (o *oddTable) change(path, statement string) {
	o.t.Helper()
	db, err := sql.Open("sqlite", path)
	require.NoError(o.t, err)
	_, err = db.ExecContext(o.t.Context(), statement)
	require.NoError(o.t, err)
	require.NoError(o.t, db.Close())
}

// odd calls the program with the arguments of a line. DIR stands for the folder of the table.
func (o *oddTable) odd(what string, code int, cure, line string) {
	o.t.Helper()
	o.oddTo(what, code, cure, line, nil)
}

// oddTo is odd with another standard output.
func (o *oddTable) oddTo(what string, code int, cure, line string, stdout io.Writer) {
	o.t.Helper()
	var output bytes.Buffer
	if stdout == nil {
		stdout = &output
	}
	args := strings.Fields(strings.ReplaceAll(line, "DIR", o.dir))
	exited := new(commands).run(o.t.Context(), args, stdout, &output)
	o.uses = append(o.uses, programtest.OddUse{What: what, Call: "transcriptd " + line, Code: code, Cure: cure, Exited: exited, Output: output.String()})
}

// process is odd in a process with an environment of its own.
func (o *oddTable) process(what string, code int, cure string, env []string, line string) {
	o.t.Helper()
	exited, stdout, stderr := finish(program(o.t, env, strings.Fields(strings.ReplaceAll(line, "DIR", o.dir))...))
	o.uses = append(o.uses, programtest.OddUse{What: what, Call: "transcriptd " + line, Code: code, Cure: cure, Exited: exited, Output: stdout + stderr})
}

// Odd uses end with the right exit code and a cure, and show no inner text.
func TestOddUses(t *testing.T) {
	t.Parallel()
	groups := []func(*oddTable){(*oddTable).calls, (*oddTable).files, (*oddTable).databases, (*oddTable).addresses, (*oddTable).accounts, (*oddTable).models, (*oddTable).backups}
	tables := make([]oddTable, len(groups))
	t.Run("uses", func(t *testing.T) {
		for i, group := range groups {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				tables[i] = oddTable{t: t, dir: t.TempDir()}
				group(&tables[i])
			})
		}
	})
	var uses []programtest.OddUse
	var steady []string
	for _, o := range tables {
		uses = append(uses, o.uses...)
		steady = append(steady, append(o.steady, o.dir, "DIR")...)
	}
	programtest.CheckOdd(t, filepath.Join("testdata", "odd.golden"), *update, uses, steady...)
}

func (o *oddTable) calls() {
	o.odd("no command", 2, "Usage: transcriptd", "")
	o.odd("a group without a command", 2, "keys create", "keys")
	o.odd("an unknown command", 2, `"transcriptd --help" shows`, "fly")
	o.odd("a mistyped command", 2, `did you mean "create"`, "keys creat")
	o.odd("a command too many", 2, `"transcriptd serve --help" shows`, "serve now")
	o.odd("an unknown flag", 2, `did you mean "--db"`, "serve --dbb x")
	o.odd("a flag without its value", 2, `"transcriptd serve --help" shows`, "serve --db")
	o.odd("a flag in place of a value", 2, "did you mean", "serve --db --listen :80")
	o.odd("a duration without its unit", 2, "such as 30s", "serve --drain-delay 4")
	o.odd("a switch that is neither on nor off", 2, "true nor false", "serve --full-sync=perhaps")
	o.odd("a flag that is gone", 2, "the member pace", "serve --pace 3")
	o.odd("a question to a port that changes", 2, "name the port", "healthcheck --listen :0")
	o.odd("a shell that is not known", 2, `"bash"`, "completion csh")
	o.odd("an unknown choice", 2, `"text","json"`, "serve --log-format xml")
	o.odd("two verbs that contradict each other", 2, "can't be used together", "accounts set acme --suspend --activate")
	o.odd("a missing argument", 2, `"transcriptd keys revoke --help" shows`, "keys revoke")
	o.odd("missing flags", 2, `"transcriptd keys create --help" shows`, "keys create")
	o.odd("a role that SQLite does not have", 2, "name a PostgreSQL database by --db", "serve --role api --db sqlite:DIR/x.db")
	o.odd("an unknown recognizer", 2, "want whisper-server:URL", "serve --asr siri")
	o.odd("a model that is not there", 2, "get one that is whole", "serve --asr whisper-cli:/nowhere/model.bin")
	o.odd("an unknown format of a text", 2, `"srt"`, "transcribe --format doc DIR/talk.mp3")
	o.odd("a folder in place of a recording", 2, "name its recordings", "transcribe DIR")
	o.odd("a follow without a service", 2, `start one with "transcriptd serve"`, "transcribe follow @talks")
	o.odd("a recording that is not there", 2, "correct the name", "transcribe DIR/talk.mp3")
	o.write("short.mp3", "the media")
	o.odd("a service that is away", 1, `start one with "transcriptd serve"`, "transcribe --server http://127.0.0.1:1 DIR/short.mp3")
	o.odd("an MCP server with an address", 2, `"transcriptd mcp --help" shows`, "mcp --listen 127.0.0.1:0")
	o.odd("an MCP server with an argument", 2, `"transcriptd mcp --help" shows`, "mcp stdio")
	o.process("an MCP server without a place for its state", 1, "name another folder by XDG_STATE_HOME", []string{"XDG_STATE_HOME=" + o.write("state", "")}, "mcp")
	o.process("a broken variable", 2, "(from $TRANSCRIPTD_DRAIN_DELAY)", []string{"TRANSCRIPTD_DRAIN_DELAY=fast"}, "serve")
	o.process("the variable of a flag that is gone", 2, "(from $TRANSCRIPTD_PACE)", []string{"TRANSCRIPTD_PACE=3"}, "serve")
}

func (o *oddTable) files() {
	o.write("words", "a key and more\n")
	o.write("plans.json", `{"plans": {"basic": {"rateLimit": {"windowSec": 0}}}}`)
	o.write("list", "no JSON")
	o.write("no-key.json", `{"openai": {"keyFile": "/nowhere/key"}}`)
	o.write("folder-key.json", `{"openai": {"keyFile": "."}}`)
	o.write("words-key.json", `{"openai": {"keyFile": "words"}}`)
	o.write("links.json", `{"pace": 0, "sites": {}}`)
	o.write("typo.json", `{"pase": 3}`)
	o.write("password.json", `{"exits": [{"name": "a", "address": "http://u:secret@a.test"}]}`)
	o.odd("a key file that is not there", 2, "correct the name", "serve --recognizers DIR/no-key.json")
	o.odd("a key file that is a folder", 2, "name a file in it", "serve --recognizers DIR/folder-key.json")
	o.odd("a key file with more than a key", 2, "want a key and nothing else", "serve --recognizers DIR/words-key.json")
	o.odd("settings that are not there", 2, "correct the name", "serve --links /nowhere/links.json")
	o.odd("settings that are no JSON", 2, "no JSON at line 1", "serve --links DIR/list")
	o.odd("settings with a member out of bounds", 2, "above 0", "serve --links DIR/links.json")
	o.odd("settings with an unknown member", 2, "want one of", "serve --links DIR/typo.json")
	o.odd("settings with a password", 2, "credentialsFile", "serve --links DIR/password.json")
	o.odd("plans that are not there", 2, "correct the name", "serve --plans /nowhere/plans.json")
	o.odd("plans that are no JSON", 2, "byte 2 is out of place", "serve --plans DIR/list")
	o.odd("plans with a wrong value", 2, "it must be a whole number, 1 to 86400", "serve --plans DIR/plans.json")
	o.odd("blobs in a file", 2, "name another path", "serve --listen 127.0.0.1:0 --db sqlite:DIR/b.db --blobs DIR/list")
	o.odd("blobs with a slash too few", 2, "want a folder or s3://BUCKET", "serve --blobs s3:bucket")
	o.odd("blobs in a bucket with an unknown option", 1, "unknown query parameter", "serve --listen 127.0.0.1:0 --db sqlite:DIR/b.db --blobs s3://bucket?colour=red")
	o.odd("a recording that is not there", 1, "--recording", "demo --recording /nowhere/talk.ogg")
	o.odd("a program that is not there", 1, "--yt-dlp", "demo --recording DIR/list --yt-dlp /nowhere/yt-dlp")
}

func (o *oddTable) backups() {
	o.database("service.db")
	require.NoError(o.t, os.Mkdir(o.path("blobs"), 0o700))
	o.write("text.tar", "not a backup, but a text of some length")
	place := " --db sqlite:DIR/service.db --blobs DIR/blobs"
	o.odd("a backup without a target", 2, `"transcriptd backup --help" shows`, "backup"+place)
	o.odd("a backup of blobs that are not there", 2, "--blobs", "backup --to DIR/b.tar --db sqlite:DIR/service.db --blobs DIR/typo")
	o.odd("a backup of a database that is not there", 1, "name the right one with --db", "backup --to DIR/b.tar --db sqlite:DIR/typo.db --blobs DIR/blobs")
	o.odd("a backup into a folder that is not there", 1, "there is no such file", "backup --to DIR/typo/b.tar"+place)
	o.odd("a backup to a file that is there", 1, "name a file or folder that is not", "backup --to DIR/text.tar"+place)
	o.odd("a backup", 0, "has the database", "backup --to DIR/b.tar"+place)
	o.odd("a restore into a place that is not empty", 1, "name a file that is not there with --db", "restore --from DIR/b.tar"+place)
	o.odd("a restore of nothing", 1, "there is no such file", "restore --from DIR/typo.tar"+place)
	o.odd("a restore of a text", 1, "is no backup, or is damaged", "restore --from DIR/text.tar"+place)
	o.odd("a restore to another kind of database", 1, "name such a database with --db", "restore --from DIR/b.tar --db postgres://u:secret@127.0.0.1:1/x --blobs DIR/empty")
}

func (o *oddTable) databases() {
	o.write("others.db", "not a database, but a text of some length")
	o.write("empty.db", "")
	require.NoError(o.t, os.Mkdir(o.path("folder.db"), 0o700))
	require.NoError(o.t, os.Truncate(o.database("cut.db"), 20_000))
	o.change(o.database("newer.db"), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)")
	o.odd("a database of an unknown kind", 2, "want sqlite:PATH or postgres://", "accounts list --db mysql://u:secret@localhost/x")
	o.odd("a URL that cannot be read", 2, "want postgres://USER:PASSWORD@HOST:PORT/DATABASE", "accounts list --db postgres://u:secret@127.0.0.1:port/x")
	o.odd("a database that is not there", 1, `make this one with "transcriptd migrate"`, "accounts list --db sqlite:DIR/typo.db")
	o.odd("a database in a folder that is not there", 1, "make it", "migrate --db sqlite:DIR/typo/x.db")
	o.odd("a database that is a folder", 1, "name a file", "migrate --db sqlite:DIR/folder.db")
	o.odd("a database that is a text", 1, "restore the file from a backup", "accounts list --db sqlite:DIR/others.db")
	o.odd("a database that is empty", 1, `make this one with "transcriptd migrate"`, "keys list --db sqlite:DIR/empty.db")
	o.odd("a database that is cut off", 1, "restore the file from a backup", "accounts list --db sqlite:DIR/cut.db")
	o.odd("a database of a newer version, which older processes may use", 0, "up to date", "migrate --db sqlite:DIR/newer.db")
	o.change(o.database("barred.db"), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1); UPDATE compatibility SET oldest = 999, release = 'v9.9.9'")
	o.odd("a database of a newer version, which older processes may not use", 1, "install v9.9.9 or a later version", "accounts list --db sqlite:DIR/barred.db")
	o.odd("a dry run on a database of a newer version", 0, "newer than this program", "migrate --dry-run --db sqlite:DIR/newer.db")
	o.odd("a dry run on a database of a newer version, which older processes may not use", 1, "install v9.9.9", "migrate --dry-run --db sqlite:DIR/barred.db")
	o.odd("a dry run on a database that is a text", 1, "restore the file from a backup", "migrate --dry-run --db sqlite:DIR/others.db")
	o.odd("a dry run without PostgreSQL", 1, "start PostgreSQL", "migrate --dry-run --db postgres://u:secret@127.0.0.1:1/x")
	o.odd("PostgreSQL is not running", 1, "start PostgreSQL", "migrate --db postgres://u:secret@127.0.0.1:1/x")
	o.odd("PostgreSQL on a host that is not there", 1, "correct the host", "migrate --db postgres://u:secret@nowhere.invalid/x")
	web := httptest.NewServer(http.NotFoundHandler())
	defer web.Close()
	o.odd("PostgreSQL where a web server is", 1, "check that PostgreSQL runs", "migrate --db "+strings.Replace(web.URL, "http://", "postgres://u:secret@", 1)+"/x")

	locked := o.database("locked.db")
	db, err := sql.Open("sqlite", locked)
	require.NoError(o.t, err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	_, err = db.ExecContext(o.t.Context(), "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
	require.NoError(o.t, err)
	o.odd("a database that another program has locked", 1, "end that program", "accounts list --db sqlite:DIR/locked.db")
}

func (o *oddTable) addresses() {
	taken, err := new(net.ListenConfig).Listen(o.t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(o.t, err)
	defer taken.Close()
	at := taken.Addr().String()
	o.odd("a port that is taken", 1, "name another address", "serve --db sqlite:DIR/p.db --blobs DIR/blobs --listen "+at)
	o.odd("a port for metrics that is taken", 1, "name another address", "serve --db sqlite:DIR/p.db --blobs DIR/blobs --listen 127.0.0.1:0 --metrics "+at)
	o.odd("an address of another machine", 1, "name another address", "serve --db sqlite:DIR/p.db --blobs DIR/blobs --listen 192.0.2.1:8080")
	o.odd("an address without a port", 2, "HOST:PORT", "serve --listen localhost")
	o.odd("a link to the service's own recognizer is let through", 2, "which no link may reach",
		"serve --db sqlite:DIR/p.db --blobs DIR/blobs --listen 127.0.0.1:0 --asr openai:http://127.0.0.1:8077 --allow-egress 127.0.0.1:8077")
	o.odd("a bucket that cannot be reached", 1, "check its name, region and endpoint", "serve --listen 127.0.0.1:0 --db sqlite:DIR/b.db --blobs s3://bucket?endpoint=http://127.0.0.1:1&region=x")
	served := start(o.t, nil, "--db", "sqlite:"+o.path("served.db"), "--asr", "none")
	o.odd("a database that another process serves", 1, "stop that one, or name another", "serve --listen 127.0.0.1:0 --asr none --blobs DIR/blobs --db sqlite:DIR/served.db")
	stop(o.t, served)
}

func (o *oddTable) accounts() {
	o.database("a.db")
	must(o.t, "accounts", "set", "acme", "--db", "sqlite:"+o.path("a.db"))
	must(o.t, "accounts", "set", "gone", "--suspend", "--db", "sqlite:"+o.path("a.db"))
	o.write("long", strings.Repeat("word ", 400))
	const db = " --db sqlite:DIR/a.db"
	o.odd("an unknown account", 1, `make it with "transcriptd accounts set nobody"`, "keys create --account nobody --name ci --scopes transcripts"+db)
	o.odd("an account that is suspended", 1, "--activate", "keys create --account gone --name ci --scopes transcripts"+db)
	o.odd("an impossible name", 1, "two/words", "accounts set two/words"+db)
	o.odd("a plan that is not offered", 1, "self_hosted", "accounts set acme --plan gold"+db)
	o.odd("a scope that there is not", 2, `"transcripts","batches"`, "keys create --account acme --name ci --scopes admin"+db)
	o.odd("a lifetime in words", 2, "such as 90d or 36h", "keys create --account acme --name ci --scopes transcripts --expires soon"+db)
	o.odd("a key that there is not", 1, `"transcriptd keys list" shows`, "keys revoke tr_00000000"+db)
	o.odd("a prompt that is not there", 2, "correct the name", "accounts set acme --prompt-file /nowhere/prompt"+db)
	o.odd("a prompt that is too long", 1, "shorten it", "accounts set acme --prompt-file DIR/long"+db)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		return // only Linux has it
	}
	defer full.Close()
	o.oddTo("a list for a disk that is full", 1, "make room", "accounts list"+db, full)
	reader, closed, err := os.Pipe()
	require.NoError(o.t, err)
	defer closed.Close()
	require.NoError(o.t, reader.Close())
	o.oddTo("a list whose reader has gone", 1, "the reader has gone", "accounts list"+db, closed)
}

// models pulls from servers that do not have the files, or do not have them whole.
func (o *oddTable) models() {
	m := newModelMirror(o.t)
	o.steady = []string{m.URL, "MIRROR", strings.Replace(m.URL, "http:", "https:", 1), "https://MIRROR", strings.TrimPrefix(m.env[1], "TRANSCRIPTD_MODELS="), "MODELS"}
	folder := strings.TrimPrefix(m.env[1], "TRANSCRIPTD_MODELS=")
	mirror := func(handler http.HandlerFunc) string {
		s := httptest.NewServer(handler)
		o.t.Cleanup(s.Close)
		return s.URL
	}
	pull := func(what, cure, flags string) {
		o.t.Helper()
		o.process(what, 1, cure, m.env, "models pull small --yes "+flags)
	}
	status := func(code int) string {
		return mirror(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) })
	}
	o.process("an unknown model", 1, `"transcriptd models list"`, m.env, "models pull huge --yes")
	o.process("a pull without a terminal to ask on", 1, "--yes continues without asking", m.env, "models pull small --mirror "+m.URL)
	pull("a mirror that cannot be reached", "--mirror", "--mirror http://127.0.0.1:1")
	pull("a mirror on a host that is not there", "--mirror", "--mirror http://nowhere.invalid")
	pull("TLS to a mirror that speaks plain http", "write http://", "--mirror "+strings.Replace(m.URL, "http:", "https:", 1))
	pull("a mirror without the file", "use a mirror that has the file", "--mirror "+status(http.StatusNotFound))
	pull("a mirror that wants a password", "USER:PASSWORD@", "--mirror "+status(http.StatusUnauthorized))
	pull("a mirror that refuses", "use another mirror", "--mirror "+status(http.StatusForbidden))
	pull("a page to sign in on in place of the file", "sign in", "--mirror "+mirror(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<!DOCTYPE html><title>Sign in</title>") // the client may have gone
	}))
	pull("a mirror with another file of the same size", "use another mirror", "--mirror "+mirror(func(w http.ResponseWriter, r *http.Request) {
		st, err := os.Stat(filepath.Join(m.dir, filepath.Base(r.URL.Path)))
		if err != nil {
			http.NotFound(w, r) // the table misses the hash
			return
		}
		_, _ = w.Write(make([]byte, st.Size())) // the client may have gone
	}))
	o.write("list", "no model")
	pull("a local file of another size", "name one of these files", "--mirror "+m.URL+" --file DIR/list")
	pull("a local file that is not there", "correct the name", "--mirror "+m.URL+" --file /nowhere/small.bin")
	o.process("a mirror that is no address", 2, "https://HOST/FOLDER", m.env, "models pull small --yes --mirror ftp://u:secret@host")
	require.NoError(o.t, os.MkdirAll(folder, 0o700))
	require.NoError(o.t, os.WriteFile(filepath.Join(folder, m.small.SHA256+".part"), make([]byte, 100), 0o600))
	o.process("a model that is half pulled", 0, "partial", m.env, "models list")
	o.process("the removal of a model that was not pulled", 1, "models list", m.env, "models rm tiny")
	pulled := m.models(o.t, "pull", "small", "--yes", "--mirror", m.URL)
	require.Equal(o.t, exitOK, pulled.code, pulled.stderr)
	at := filepath.Join(folder, "small-"+m.small.SHA256[:16], "ggml-small.bin")
	content, err := os.ReadFile(at)
	require.NoError(o.t, err)
	content[20_000]++
	require.NoError(o.t, os.WriteFile(at, content, 0o600))
	o.process("a model that is damaged", 1, `"transcriptd models pull small"`, m.env, "models verify")
	o.process("a folder of models that is a file", 1, "name another path", m.env, "models pull small --yes --models DIR/list --mirror "+m.URL)
}
