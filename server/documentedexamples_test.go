package server_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// example is a curl of the documents with what it promises.
type example struct {
	document string
	command  string
	status   string
	language string // of the answer that is shown: json, text, or none
	answer   string
}

var exampleForm = regexp.MustCompile("(?s)```sh\n(.*?)\n# (\\d{3})\n```(?:\n\n```(json|text)\n(.*?)\n```)?")

// documentedExamples are the examples of the reference, the guides and the start page. Those that
// delete something come last.
func documentedExamples(t *testing.T) (all []example) {
	t.Helper()
	for _, pattern := range []string{"../docs/reference/*.md", "../docs/*.md", "../docs/guides/*.md"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			found := exampleForm.FindAllStringSubmatch(string(text), -1)
			assert.Len(t, found, strings.Count(string(text), "```sh\n"), "%s: each example says its status", file)
			for _, m := range found {
				all = append(all, example{file, m[1], m[2], m[3], m[4]})
			}
		}
	}
	assert.Greater(t, len(all), len(readAPIFile(t).operations()), "one of each operation at least")
	deletes := func(e example) int { return strings.Count(e.command, "-X DELETE") }
	slices.SortStableFunc(all, func(a, b example) int { return deletes(a) - deletes(b) })
	return all
}

// Every curl of the documents is answered as it says, by the service with the engine that
// the examples were taken from.
func TestDocumentedExamples(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil && os.Getenv("CI") == "" {
		t.Skip("curl is not installed")
	}
	s := start(t, func(c *server.Config) { c.DirectMedia = true })
	s.Engine.SetTracks(servertest.Track{Lang: "en", Text: "This is a short talk."})
	s.Engine.SetMetadata(transcript.Metadata{
		Title: "A short talk", Channel: "Talks", CreatorHandle: "@talks", Duration: 10,
		PublishedAt: time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC),
	})
	s.setVideoSite()
	link := s.postJSON(t, `{"url": "dQw4w9WgXcQ", "waitMs": 0}`)
	s.ended(t, link.object(t)["jobId"].(string)) // the examples find it in the cache

	ended := s.job(t, "a talk")
	s.ended(t, ended)
	etag := s.get(t, "/v1/transcript/job/"+ended).Header.Get("ETag")
	running, release := s.heldJob(t, "a talk to be cancelled")
	defer release()

	s.Engine.SetTracks(servertest.Track{Lang: "en", Text: "Something else."}) // which the search does not find
	made := s.newBatch(t, []string{"dQw4w9WgXcQ", "hello", "9bZkp7q19f0"})
	s.endedBatch(t, made)
	defer s.Engine.HoldLists()()
	listed := s.listedBatch(t)

	feed := s.newFeed(t, as(s.NewKey(t, "globex"))) // whose address the examples leave as it is
	s.newFeed(t)

	follow := s.followed(t, `{"playlist": "PL1234567890", "language": "en"}`)
	webhook, _ := s.newWebhook(t, `{"url": "https://hooks.example/"}`)
	delivery := s.failedDelivery(t, webhook)
	kept := s.putRecording(t, servertest.Account, wav(strings.Repeat("a talk that is kept", 100)))

	upload := strings.TrimPrefix(s.begin(t, strings.Repeat("a", 1000)), "/v1/transcript/uploads/")

	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "talk.mp3"), []byte("another talk"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".curlrc"), []byte("silent\nshow-error\nwrite-out = \"\\n%{http_code}\"\n"), 0o600))
	for _, e := range documentedExamples(t) {
		job, batch := ended, made
		if strings.Contains(e.command, "/cancel") {
			job, batch = running, listed
		}
		hook := webhook
		if strings.Contains(e.command, "$WEBHOOK/test") { // a test is sent again once a minute
			hook, _ = s.newWebhook(t, `{"url": "https://hooks.example/"}`)
		}
		revision := ""
		if strings.Contains(e.command, "/library/") || strings.Contains(e.command, "dQw4w9WgXcQ") || strings.Contains(e.command, "$TOKEN") {
			s.postJSON(t, `{"url": "dQw4w9WgXcQ"}`) // the example before may have removed it from the library
			revision = s.get(t, "/v1/library/transcripts/video_site/dQw4w9WgXcQ?language=en").Header.Get("ETag")
		}
		var share, token string
		if strings.Contains(e.command, "/shares/$SHARE") || strings.Contains(e.command, "$TOKEN") {
			share, token = s.share(t, "video_site/dQw4w9WgXcQ", "")
		}
		sh := exec.CommandContext(t.Context(), "sh", "-c", e.command)
		sh.Dir = dir
		sh.Env = append(os.Environ(), "CURL_HOME="+dir, "URL="+s.URL, "KEY="+s.Key, "JOB="+job, "UPLOAD="+upload, "KEPT="+kept, "BATCH="+batch, "FEED="+feed, "SHARE="+share, "TOKEN="+token, "FOLLOW="+follow, "WEBHOOK="+hook, "DELIVERY="+delivery, "ETAG="+etag, "REVISION="+revision)
		out, err := sh.CombinedOutput()
		require.NoError(t, err, "%s: %s\n%s", e.document, e.command, out)
		e.check(t, string(out))
	}
}

// check holds what curl has printed, the status in its last line, to what the
// example says.
func (e example) check(t *testing.T, out string) {
	t.Helper()
	end := strings.LastIndex(out, "\n")
	body, status := out[:end], out[end+1:]
	if head, rest, found := strings.Cut(body, "\r\n\r\n"); found && strings.HasPrefix(head, "HTTP/") { // curl -i
		body = rest
	}
	require.Equal(t, e.status, status, "%s: %s\n%s", e.document, e.command, body)
	switch e.language {
	case "json":
		assert.Equal(t, shapeOf(t, e.answer), shapeOf(t, body), e.command)
	case "text":
		assert.Equal(t, eventLines(e.answer), eventLines(body), e.command)
	}
}

// shapeOf is a JSON text with its values replaced by their types.
func shapeOf(t *testing.T, text string) any {
	t.Helper()
	var value any
	require.NoError(t, json.Unmarshal([]byte(text), &value), text)
	return shape(value)
}

func shape(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name := range value {
			value[name] = shape(value[name])
		}
		if _, ok := value["lookingSince"]; ok {
			value["lookingSince"] = nil // a look may be under way
		}
	case []any:
		for i := range value {
			value[i] = shape(value[i])
		}
	case string:
		return "a string"
	case float64:
		return "a number"
	case bool:
		return "true or false"
	}
	return value
}

var eventLine = regexp.MustCompile(`(?m)^(event|id|retry|):.*$`)

// eventLines are the lines of an event stream but for their data.
func eventLines(stream string) []string { return eventLine.FindAllString(stream, -1) }
