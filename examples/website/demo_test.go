package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The talk that the start page offers is read as any other link, without the internet.
func TestTheTalkToTry(t *testing.T) {
	t.Parallel()
	s := startWebsite(t, "--single-user", "--asr=none")
	status, page := get(t, s.address())
	require.Equal(t, http.StatusOK, status)
	assert.Contains(t, page, s.talks.Link())
	assert.NotContains(t, page, s.talks.Recording(), "nobody recognizes speech here")

	api, err := client.New(s.address() + "web")
	require.NoError(t, err)
	german, err := api.Transcripts.Get(t.Context(), transcript.Request{Source: transcript.URL(s.talks.Link()), Language: []string{"de"}})
	require.NoError(t, err)
	assert.Equal(t, transcript.VideoSite, german.Transcript.Platform)
	assert.Equal(t, transcript.OriginDownloader, german.Transcript.Source)
	assert.Equal(t, s.talks.Link(), *german.Transcript.SourceURL)
	assert.Equal(t, "Dies ist ein kurzer Vortrag über ein Programm, das zuhört.", german.Transcript.Segments[0].Text)
}

// Whoever else reaches the website is offered no link that only this machine could follow.
func TestTheTalkIsForThisMachine(t *testing.T) {
	t.Parallel()
	for _, flags := range []string{"--no-demo", "--listen=:0", "--host=transcripts.example.com", "--https"} {
		s := startWebsite(t, flags)
		assert.Nil(t, s.talks, flags)
		_, page := get(t, s.address())
		assert.NotContains(t, page, "a-shortTalk", flags)
	}
	s := startWebsite(t, "--asr=pocketsphinx")
	_, page := get(t, s.address())
	assert.Contains(t, page, s.talks.Link())
	assert.Contains(t, page, s.talks.Recording())
}

// Where the port after the website's is taken the talk has another.
func TestTheTalkFindsAPort(t *testing.T) {
	t.Parallel()
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	site, err := serveTalks(t.Context(), &service.Setup{Flags: service.Flags{Listen: service.Address(fmt.Sprintf("127.0.0.1:%d", port-1))}})
	require.NoError(t, err)
	defer site.Close()
	assert.NotEqual(t, taken.Addr().String(), site.Addr())
	status, _ := get(t, site.Link())
	assert.Equal(t, http.StatusOK, status)
}

// get is what a page answers.
func get(t *testing.T, url string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, string(text)
}
