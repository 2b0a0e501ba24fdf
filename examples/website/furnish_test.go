package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
	"github.com/transcriptkit/transcriptkit/internal/test/sitetest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// furnished is a website where a user, ann, has something on every page.
type furnished struct {
	*website
	*browsertest.Page // of ann, signed in
	api               *client.Client
	key               string // of ann, for programs
	videos            videos
	recognizer        *recognizer
	paths             []string // of all pages with something on them, for ann
	text              string   // of the page of a text
	batch             string   // of the page of a batch of which one item has failed
}

// furnish opens a website in which titles, names, files and lines are the words.
func furnish(t *testing.T, words string) *furnished {
	t.Helper()
	needBrowser(t)
	f := &furnished{}
	videos, flags := newVideos(t)
	recognizer, asr := newRecognizer(t)
	f.videos, f.recognizer = videos, recognizer
	f.website, f.Page = openSite(t, append(flags, asr)...)
	signUp(f.Page, "ann")
	require.NoError(t, f.visitors.Admins.Set(t.Context(), "ann", true))
	f.key = newKey(f.Page, words)
	var err error
	f.api, err = client.New(strings.TrimSuffix(f.address(), "/"), client.WithAPIKey(f.key))
	require.NoError(t, err)
	f.put(t, words)
	f.upload(t, words)
	f.makeBatch(t)
	f.paths = append(f.paths, "/", "/library", "/library?view=all&q=hello", "/library?in=said&q=hello", "/library/import", "/anywhere", "/record", "/discover", "/usage", "/keys", "/feed", "/follows", "/account", "/docs", "/docs/operations/createTranscript", "/nothing-here",
		"/admin", "/admin/accounts", "/admin/accounts/ann", "/admin/jobs", "/admin/doctor", "/admin/log")
	return f
}

// newKey makes a key by its page and returns its value.
func newKey(page *browsertest.Page, name string) string {
	name = strings.ReplaceAll(name, "\u202e", "") // the name of a key is printable
	name = name[:min(len(name), 100)]
	page.Open("/keys")
	browsertest.Eval[bool](page, `document.getElementById("name").value = `+browsertest.Quote(name)+`, true`)
	page.Click("button", "Create key")
	page.See("button", "Copy")
	return page.Text("#secret")
}

// put makes a text of the video site with all that a text can have.
func (f *furnished) put(t *testing.T, words string) {
	t.Helper()
	var segments []transcript.Segment
	for n := range 40 {
		segments = append(segments, transcript.Segment{
			Text: "hello " + words, Start: float64(n * 5), Duration: 4, Speaker: []string{words, "B"}[n/4%2],
		})
	}
	_, err := f.server.PutTranscript(t.Context(), "ann", transcript.Transcript{
		Platform: transcript.VideoSite, ExternalID: "furnished01", Lang: "en",
		Title: &words, Channel: &words, CreatorName: &words, CreatorHandle: &words, Segments: segments,
		Metadata: map[string]any{"chapters": []transcript.Chapter{{Title: words, Start: 0}, {Title: words, Start: 60}}},
	})
	require.NoError(t, err)
	f.text = "/transcripts/video_site/furnished01?language=en"
	for _, page := range []string{"", "/edit", "/history", "/import", "/share"} {
		f.paths = append(f.paths, strings.Replace(f.text, "?", page+"?", 1))
	}
}

// upload has a recording heard, and another one refused.
func (f *furnished) upload(t *testing.T, words string) {
	t.Helper()
	f.recognizer.say("hello " + words)
	result, err := f.api.Transcripts.Get(t.Context(), transcript.Request{Source: transcript.Media(words+".ogg", -1, talk(t, "")), SendMetadata: true})
	require.NoError(t, err)
	f.paths = append(f.paths, "/transcripts/upload/"+result.Transcript.ExternalID+"?language="+result.Transcript.Lang)
	f.recognizer.refuse(true)
	nothing := time.Duration(0)
	_, job, err := f.api.Transcripts.Submit(t.Context(), transcript.Request{Source: transcript.Media(words+"-2.ogg", -1, talk(t, words)), Wait: &nothing})
	require.NoError(t, err)
	_, err = f.api.Jobs.Wait(t.Context(), job.JobID)
	require.Error(t, err)
	f.recognizer.refuse(false)
	f.paths = append(f.paths, "/jobs/"+job.JobID)
}

// makeBatch makes a batch of two links, of which one leads nowhere.
func (f *furnished) makeBatch(t *testing.T) {
	t.Helper()
	made, err := f.api.Batches.Create(t.Context(), client.BatchParams{URLs: []string{f.videos.link(sitetest.TwoTracks), f.videos.link(sitetest.NoMedia)}})
	require.NoError(t, err)
	done, err := f.api.Batches.Wait(t.Context(), made.ID)
	require.NoError(t, err)
	assert.Equal(t, batch.Counts{Total: 2, Success: 1, Failed: 1}, done.Counts)
	f.batch = "/batches/" + made.ID
	f.paths = append(f.paths, f.batch, "/batches")
}

// talk is the recording, with something behind its end that makes it another file.
func talk(t *testing.T, end string) func() (io.ReadCloser, error) {
	t.Helper()
	whole := append(readFile(t, recording), end...)
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(whole)), nil }
}
