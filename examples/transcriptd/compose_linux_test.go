package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest" // a PostgreSQL that the test starts by itself
	"github.com/transcriptkit/transcriptkit/transcript"
)

// container is a service of packaging/compose.yaml.
type container struct {
	Image       string
	User        string
	Command     []string
	Environment map[string]string
	EnvFile     []string `yaml:"env_file"`
	ReadOnly    bool     `yaml:"read_only"`
	CapDrop     []string `yaml:"cap_drop"`
	SecurityOpt []string `yaml:"security_opt"`
	Volumes     []string
	Secrets     []string
	Healthcheck struct{ Test []string }
}

func containers(t *testing.T) map[string]container {
	t.Helper()
	text, err := os.ReadFile("../../packaging/compose.yaml")
	require.NoError(t, err)
	var file struct{ Services map[string]container }
	require.NoError(t, yaml.Unmarshal(text, &file))
	return file.Services
}

// A container has no right that it does not need, and one place that it may fill.
func TestComposeIsBounded(t *testing.T) {
	t.Parallel()
	all := containers(t)
	assert.Len(t, all, 4)
	for name, c := range all {
		assert.Regexp(t, `^[^:]+:[^:]+$`, c.Image, name)
		assert.NotEqual(t, "latest", c.Image[strings.LastIndex(c.Image, ":")+1:], name)
		assert.True(t, c.ReadOnly, name)
		assert.Equal(t, []string{"ALL"}, c.CapDrop, name)
		assert.Equal(t, []string{"no-new-privileges:true"}, c.SecurityOpt, name)
		assert.NotEmpty(t, c.User, name)
		assert.Len(t, c.Volumes, 1, name)
		assert.NotEmpty(t, c.Healthcheck.Test, name)
		for variable := range c.Environment {
			assert.NotRegexp(t, `PASSWORD$|SECRET|KEY$`, variable, name)
		}
	}
}

// composition runs the processes of the compose file without containers. The names and places of
// the containers lead to this machine; the arguments and the settings stay as they are.
type composition struct {
	services  map[string]container
	dir       string
	addresses *strings.Replacer
}

func newComposition(t *testing.T) *composition {
	t.Helper()
	c := &composition{services: containers(t), dir: t.TempDir()}
	for _, dir := range []string{"packaging", "api", "worker", "data/transcripts"} {
		require.NoError(t, os.MkdirAll(filepath.Join(c.dir, dir), 0o700))
	}
	objects := freeAddress(t)
	c.addresses = strings.NewReplacer("database:5432", composedDatabase(t), "objects:7070", objects, ":7070", objects,
		":8080", freeAddress(t), "0.0.0.0:9090", freeAddress(t),
		"/run/secrets", filepath.Join(c.dir, "packaging/secrets"), "/data", filepath.Join(c.dir, "data"))
	return c
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return l.Addr().String()
}

// composedDatabase returns the address of a PostgreSQL with the user and the database of the compose
// file. The tests' PostgreSQL has a socket of the file system, and asks for no password.
func composedDatabase(t *testing.T) string {
	t.Helper()
	at, err := pgx.ParseConfig(storetest.Postgres(t).Database)
	require.NoError(t, err)
	database := containers(t)["database"].Environment
	user, name := pgx.Identifier{database["POSTGRES_USER"]}.Sanitize(), pgx.Identifier{database["POSTGRES_DB"]}.Sanitize()
	run := func(ctx context.Context, statements ...string) {
		conn, err := pgx.ConnectConfig(ctx, at)
		require.NoError(t, err)
		defer conn.Close(ctx)
		for _, statement := range statements {
			_, err := conn.Exec(ctx, statement)
			require.NoError(t, err)
		}
	}
	run(t.Context(), "CREATE ROLE "+user+" LOGIN", "CREATE DATABASE "+name+" OWNER "+user)
	t.Cleanup(func() { run(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)", "DROP ROLE "+user) })
	socket := fmt.Sprintf("%s/.s.PGSQL.%d", at.Host, at.Port)
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("unix", socket)
			if err != nil {
				_ = from.Close() // the service sees it
				continue
			}
			go func() { _, _ = io.Copy(to, from); _ = to.Close() }()   // until one side ends
			go func() { _, _ = io.Copy(from, to); _ = from.Close() }() // as above
		}
	}()
	return l.Addr().String()
}

// makeSecrets runs the commands of docs/operate/many-machines.md up to the start of the containers.
func (c *composition) makeSecrets(t *testing.T) {
	t.Helper()
	page, err := os.ReadFile("../../docs/operate/many-machines.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(page), "\n## Containers\n")
	require.True(t, found)
	commands, _, found := strings.Cut(strings.Split(section, "```")[1], "docker ")
	require.True(t, found)
	cmd := exec.CommandContext(t.Context(), "sh", "-e", "-c", commands)
	cmd.Dir = c.dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	password, err := os.ReadFile(filepath.Join(c.dir, "packaging/secrets/database.password"))
	require.NoError(t, err)
	for _, name := range []string{"api", "worker"} {
		url := strings.Replace(c.services[name].Environment["TRANSCRIPTD_DB"], "/run/secrets", filepath.Join(c.dir, "packaging/secrets"), 1)
		at, err := pgx.ParseConfig(url)
		require.NoError(t, err)
		assert.Equal(t, string(password), at.Password)
	}
	for name := range c.services {
		for _, secret := range c.services[name].Secrets {
			assert.FileExists(t, filepath.Join(c.dir, "packaging/secrets", secret))
		}
	}
}

// env is the environment of a container.
func (c *composition) env(t *testing.T, name string) (all []string) {
	t.Helper()
	for variable, value := range c.services[name].Environment {
		all = append(all, variable+"="+c.addresses.Replace(value))
	}
	for _, file := range c.services[name].EnvFile {
		text, err := os.ReadFile(filepath.Join(c.dir, "packaging", file))
		require.NoError(t, err)
		all = append(all, strings.Fields(string(text))...)
	}
	return all
}

// args are the arguments of a container.
func (c *composition) args(name string) (all []string) {
	for _, arg := range c.services[name].Command {
		all = append(all, c.addresses.Replace(arg))
	}
	return all
}

// healthy checks the container of a service with the command of the compose file.
func (c *composition) healthy(t *testing.T, name string) {
	t.Helper()
	test := c.services[name].Healthcheck.Test
	require.Equal(t, []string{"CMD", "/usr/bin/transcriptd"}, test[:2])
	require.Eventually(t, func() bool {
		code, _, _ := finish(program(t, c.env(t, name), test[2:]...))
		return code == exitOK
	}, time.Minute, 50*time.Millisecond, name)
}

// startObjects starts the object store and waits until it is healthy.
func (c *composition) startObjects(t *testing.T) {
	t.Helper()
	image := c.services["objects"].Image
	server, err := filepath.Abs("../../bin/" + strings.Replace(path.Base(image), ":", "-", 1))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, server, c.args("objects")...)
	cmd.Env = c.env(t, "objects")
	require.NoError(t, cmd.Start(), "the server that make setup installs has the version of the image")
	t.Cleanup(func() { cancel(); _ = cmd.Wait() }) // it was killed
	test := c.services["objects"].Healthcheck.Test
	at := strings.Replace(test[len(test)-1], "127.0.0.1:7070", ":7070", 1)
	require.Eventually(t, func() bool {
		res, err := http.Get(c.addresses.Replace(at))
		if err != nil {
			return false
		}
		_ = res.Body.Close() // nothing is read
		return res.StatusCode == http.StatusOK
	}, time.Minute, 50*time.Millisecond)
}

// The processes of the compose file, with its settings, make a text of a recording.
func TestComposeWorks(t *testing.T) {
	full(t)
	t.Parallel()
	needPrograms(t)
	c := newComposition(t)
	c.makeSecrets(t)
	c.startObjects(t)
	api := await(t, program(t, append(c.env(t, "api"), "HOME="+filepath.Join(c.dir, "api")), c.args("api")...))
	worker := awaitLine(t, program(t, append(c.env(t, "worker"), "HOME="+filepath.Join(c.dir, "worker")), c.args("worker")...), regexp.MustCompile(`"msg":"(working)"`))
	c.healthy(t, "api")
	c.healthy(t, "worker")

	code, _, stderr := finish(program(t, c.env(t, "api"), "accounts", "set", "acme"))
	require.Equal(t, exitOK, code, stderr)
	code, key, stderr := finish(program(t, c.env(t, "api"), "keys", "create", "--account", "acme", "--name", "laptop", "--scopes", "transcripts"))
	require.Equal(t, exitOK, code, stderr)
	asked, err := client.New("http://"+api.addr, client.WithAPIKey(strings.TrimSpace(key)))
	require.NoError(t, err)
	short := filepath.Join(c.dir, "short.ogg")
	out, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-i", recording, "-t", "4", "-c", "copy", short).CombinedOutput()
	require.NoError(t, err, "%s", out)
	result, err := asked.Transcripts.Get(t.Context(), transcript.Request{Source: transcript.File(short)})
	require.NoError(t, err)
	assert.Contains(t, strings.ToLower(result.Transcript.Segments[0].Text), "this is a short talk")
	stop(t, worker)
	stop(t, api)
}
