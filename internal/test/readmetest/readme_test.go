// Package readmetest runs the programs and commands of README.md and of the documents under docs and server.
package readmetest_test

import (
	"context"
	"fmt"
	"go/format"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// programs returns the Go programs in the README, by the heading they stand under.
func programs(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, section := range strings.Split(read(t, "README.md"), "\n## ")[1:] {
		heading, text, _ := strings.Cut(section, "\n")
		if _, code, ok := strings.Cut(text, "```go\n"); ok {
			found[heading], _, _ = strings.Cut(code, "```")
		}
	}
	return found
}

const (
	theClient = "A Go client"
	theSite   = "Your own service"
)

func TestProgramsInTheREADMEAreShort(t *testing.T) {
	t.Parallel()
	for heading, most := range map[string]int{theClient: 12, theSite: 30} {
		source := programs(t)[heading]
		tidy, err := format.Source([]byte(source))
		require.NoError(t, err, heading)
		assert.Equal(t, string(tidy), source, "%s is formatted", heading)

		_, code, found := strings.Cut(source, "\n)\n") // package and imports are not counted
		require.True(t, found, heading)
		lines := regexp.MustCompile(`(?m)^.*\S.*$`).FindAllString(code, -1)
		assert.LessOrEqual(t, len(lines), most, heading)
	}
}

// The two programs compile, pass vet, and work together: the one embeds the
// service, the other has it read a link, and sends it a recording.
func TestProgramsInTheREADMEWork(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("compiles programs: make test-all")
	}
	dir, addr, talks := t.TempDir(), freeAddress(t), serveTalks(t)
	const written, link = "127.0.0.1:8080", "https://youtu.be/dQw4w9WgXcQ"
	// The site of the link is on this machine here, hence two members more.
	sites := fmt.Sprintf(talksAreTheVideoSite, talks)
	site := build(t, "readme-site", strings.NewReplacer(written, addr,
		"server.Config{", fmt.Sprintf("server.Config{Sites: talks(), Egress: server.Egress{Allow: []string{%q}}, ", talks),
	).Replace(programs(t)[theSite]), sites)
	const source = `transcript.URL("` + link + `")`
	require.Contains(t, programs(t)[theClient], source)
	client := build(t, "readme-client", strings.NewReplacer(written, addr+"/media", source, "linkOrFile()").
		Replace(programs(t)[theClient]), fmt.Sprintf(linkOrFile, talks))

	key := keyIn(t, "sqlite:"+filepath.Join(dir, "site.db"))
	ctx, stop := context.WithCancel(context.Background())
	serving := exec.CommandContext(ctx, site)
	serving.Dir, serving.Stderr = dir, os.Stderr
	require.NoError(t, serving.Start())
	t.Cleanup(func() {
		stop()
		_ = serving.Wait() // it is killed
	})
	require.Eventually(t, func() bool { return healthy(ctx, "http://"+addr+"/media/healthz") }, time.Minute, 50*time.Millisecond)

	shortTalk(t, filepath.Join(dir, "talk.ogg"))
	for of, says := range map[string]string{
		"link": `\A\[00:00:01\] Captions of the talk\.\n`,
		"file": `(?m)^\[00:00:\d\d\] .*this is a short talk`,
	} {
		asking := exec.CommandContext(ctx, client, of)
		asking.Dir = dir
		asking.Env = append(os.Environ(), "TRANSCRIBE_KEY="+key)
		text, err := asking.CombinedOutput()
		require.NoError(t, err, string(text))
		assert.Regexp(t, says, string(text))
	}
}

// shortTalk writes the beginning of the recording of the examples.
func shortTalk(t *testing.T, path string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-t", "5", "-i", "../../../examples/testdata/talk.ogg",
		"-c", "copy", path).CombinedOutput()
	require.NoError(t, err, string(out))
}

// serveTalks serves a video with captions and returns the address.
func serveTalks(t *testing.T) string {
	t.Helper()
	talks := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/en.vtt" {
			w.Header().Set("Content-Type", "text/vtt")
			_, _ = io.WriteString(w, "WEBVTT\n\n00:01.000 --> 00:02.000\nCaptions of the talk.\n") // who has gone needs none
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<html><video src="/talk.ogg"><track kind="captions" srclang="en" src="/en.vtt"></video></html>`) // as above
	}))
	t.Cleanup(talks.Close)
	return talks.Listener.Addr().String()
}

// linkOrFile is what the client asks for here: to link it twice would take seconds.
const linkOrFile = `package main

import (
	"os"

	"github.com/transcriptkit/transcriptkit/transcript"
)

func linkOrFile() transcript.Source {
	if os.Args[1] == "file" {
		return transcript.File("talk.ogg")
	}
	return transcript.URL("http://%s/watch?v=dQw4w9WgXcQ")
}
`

const talksAreTheVideoSite = `package main

import (
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript/site"
)

func talks() *site.Table {
	table, err := site.Default().Override(strings.NewReader(` + "`" + `{"video_site": {
		"hosts": [%[1]q], "shortHosts": [], "links": ["/watch?v={id}"], "canonical": "http://%[1]s/watch?v={id}"
	}}` + "`" + `))
	if err != nil {
		panic(err)
	}
	return table
}
`

// The first table of platforms in links.md is valid.
func TestPlatformTableInLinks(t *testing.T) {
	t.Parallel()
	_, table, found := strings.Cut(read(t, "docs/operate/links.md"), "```json\n{\"sites\": ")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "}\n```")
	sites, err := site.Default().Override(strings.NewReader(table))
	require.NoError(t, err)
	match, err := sites.Detect("https://videos.example.com/watch?v=dQw4w9WgXcQ&t=1")
	require.NoError(t, err)
	assert.Equal(t, transcript.VideoSite, match.Platform)
	assert.Equal(t, "https://videos.example.com/watch?v=dQw4w9WgXcQ", match.URL)
}

// freeAddress is one that a program of the test can listen on, and nobody else gets:
// it is bound until the test ends, and not listened on.
func freeAddress(t *testing.T) string {
	t.Helper()
	held, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, syscall.Close(held)) })
	require.NoError(t, syscall.SetsockoptInt(held, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1))
	require.NoError(t, syscall.Bind(held, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	at, err := syscall.Getsockname(held)
	require.NoError(t, err)
	return fmt.Sprintf("127.0.0.1:%d", at.(*syscall.SockaddrInet4).Port)
}

// build vets and compiles a program as if it stood in this module.
func build(t *testing.T, name string, sources ...string) (binary string) {
	t.Helper()
	dir := t.TempDir()
	var files []string
	for i, source := range sources {
		file := filepath.Join(dir, fmt.Sprintf("main%d.go", i))
		require.NoError(t, os.WriteFile(file, []byte(source), 0o600))
		files = append(files, file)
	}
	binary = filepath.Join(dir, name)
	for _, args := range [][]string{{"vet"}, {"build", "-ldflags=-w", "-o", binary}} {
		out, err := exec.CommandContext(t.Context(), "go", append(args, files...)...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	return binary
}

// keyIn makes an account with a key in a new database.
func keyIn(t *testing.T, database string) string {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{Database: database, Blobs: t.TempDir()})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	accounts, err := account.New(s, account.DefaultPlans())
	require.NoError(t, err)
	_, err = accounts.Set(t.Context(), "reader", account.Settings{})
	require.NoError(t, err)
	_, key, err := accounts.CreateKey(t.Context(), account.KeyParams{Account: "reader", Name: "readme", Scopes: account.Scopes()})
	require.NoError(t, err)
	return key
}

func healthy(ctx context.Context, url string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	_ = res.Body.Close() // only the status was wanted
	return res.StatusCode == http.StatusOK
}
