package main

import (
	"context"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// startSite runs the site until the test ends.
func startSite(t *testing.T) (base string) {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	dir := t.TempDir()
	go func() { ended <- run(ctx, listener, dir) }()
	t.Cleanup(func() {
		stop()
		assert.NoError(t, <-ended)
	})
	return "http://" + listener.Addr().String()
}

// visit logs a user in, as a browser with cookies would.
func visit(t *testing.T, base, user, password string) (visitor *http.Client, status int) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	visitor = &http.Client{Jar: jar}
	form := url.Values{"user": {user}, "password": {password}}.Encode()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/login", strings.NewReader(form))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := visitor.Do(req)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	return visitor, res.StatusCode
}

// transcripts is a client of the handlers that the site has mounted.
func transcripts(t *testing.T, base string, visitor *http.Client) *client.Client {
	t.Helper()
	c, err := client.New(base+prefix, client.WithHTTPClient(visitor))
	require.NoError(t, err)
	return c
}

func TestVisitorsSendCalls(t *testing.T) {
	t.Parallel()
	base := startSite(t)
	ada, status := visit(t, base, "ada", "lovelace")
	require.Equal(t, http.StatusNoContent, status)
	call := transcript.Request{Source: transcript.File(dial(t, "555  12#"))}

	atOnce := time.Duration(0)
	call.Wait = &atOnce
	_, job, err := transcripts(t, base, ada).Transcripts.Submit(t.Context(), call)
	require.NoError(t, err)
	result, err := transcripts(t, base, ada).Jobs.Wait(t.Context(), job.JobID)
	require.NoError(t, err)
	var heard []string
	for _, s := range result.Transcript.Segments {
		heard = append(heard, s.Text)
	}
	assert.Equal(t, "5 5 5 1 2 #", strings.Join(heard, " "))
	assert.Equal(t, "zxx", result.Language)

	alan, _ := visit(t, base, "alan", "turing")
	_, err = transcripts(t, base, alan).Jobs.Get(t.Context(), job.JobID)
	assert.ErrorIs(t, err, transcript.NotFound, "a job is its owner's")
}

func TestStrangersAreRefused(t *testing.T) {
	t.Parallel()
	base := startSite(t)
	stranger, status := visit(t, base, "ada", "guess")
	assert.Equal(t, http.StatusForbidden, status)
	assert.Equal(t, "unauthorized", refusal(t, base, stranger))

	forger, err := cookiejar.New(nil)
	require.NoError(t, err)
	site, err := url.Parse(base)
	require.NoError(t, err)
	forger.SetCookies(site, []*http.Cookie{{Name: cookieName, Value: "ada"}})
	assert.Equal(t, "invalid_credential", refusal(t, base, &http.Client{Jar: forger}))
}

// refusal is what the visitor's question for a job is answered with.
func refusal(t *testing.T, base string, visitor *http.Client) string {
	t.Helper()
	_, err := transcripts(t, base, visitor).Jobs.Get(t.Context(), "0198c0de-0000-7000-8000-000000000000")
	var refused *client.Error
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, http.StatusUnauthorized, refused.Response.StatusCode)
	return refused.Slug
}

func TestTheSiteKeepsItsOwnPages(t *testing.T) {
	t.Parallel()
	base := startSite(t)
	for path, want := range map[string]int{
		"/":                        http.StatusOK,
		"/v1/transcript":           http.StatusNotFound,
		prefix + "/healthz":        http.StatusNotFound,
		prefix + "/v1/transcript":  http.StatusMethodNotAllowed,
		prefix + "/v1/transcripts": http.StatusNotFound,
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+path, nil)
		require.NoError(t, err)
		res, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		assert.NoError(t, res.Body.Close())
		assert.Equal(t, want, res.StatusCode, path)
	}
}

func TestHelpStartsNothing(t *testing.T) {
	t.Parallel()
	for _, ask := range []string{"help", "-h", "--help"} {
		var stdout, stderr strings.Builder
		assert.Zero(t, answer([]string{ask}, &stdout, &stderr))
		assert.Contains(t, stdout.String(), "Usage: embed")
		assert.Empty(t, stderr.String())
	}
	var stdout, stderr strings.Builder
	assert.Equal(t, 2, answer([]string{"--port"}, &stdout, &stderr))
	assert.Empty(t, stdout.String())
	assert.Contains(t, stderr.String(), `"--port": there are no arguments but --help`)
}
