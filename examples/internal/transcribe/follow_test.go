package transcribe

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/library/follow"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/servertest"
)

// A feed is followed, listed, paused, continued and removed, and its history tells what became of
// its items.
func TestFollow(t *testing.T) {
	t.Parallel()
	feeds := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<feed xmlns="http://www.w3.org/2005/Atom"><title>Talks`+"\u202e"+`</title><entry><id>tag:1</id>
			<title>About the sea</title><link href="https://youtu.be/dQw4w9WgXcQ"/></entry></feed>`)
	}))
	defer feeds.Close()
	s := servertest.New(t, servertest.Configure(func(c *server.Config) { c.Egress.Allow = []string{strings.TrimPrefix(feeds.URL, "http://")} }))
	run := func(args ...string) (stdout, stderr string) {
		t.Helper()
		code, stdout, stderr := transcribe(t.Context(), s, "", append([]string{"follow"}, args...)...)
		require.Equal(t, exitOK, code, stderr)
		return stdout, stderr
	}
	list, _ := run("list")
	assert.Equal(t, "ID  STATUS  LAST NEW  WHAT\n", list)
	_, said := run(feeds.URL + "/feed.xml")
	require.Regexp(t, `^Follows: .*/feed\.xml.*, ID [0-9a-f-]{36}\n$`, said)
	id := regexp.MustCompile(`[0-9a-f-]{36}`).FindString(said)
	_, again := run(feeds.URL + "/feed.xml")
	assert.Contains(t, again, "Already follows: ")

	var history string
	require.Eventually(t, func() bool {
		history, _ = run("history", id)
		return strings.Contains(history, "About the sea")
	}, time.Minute, 50*time.Millisecond)
	assert.Contains(t, history, "skipped")
	assert.Contains(t, history, "It was there before the follow.")
	assert.Contains(t, history, "watch?v=dQw4w9WgXcQ")

	for verb, status := range map[string]string{"pause": "paused", "resume": "active"} {
		_, said := run(verb, id)
		assert.Contains(t, said, id)
		list, _ := run("list")
		assert.Regexp(t, id+`  `+status+` +\S+ +Talks \(http`, list)
	}
	asJSON, _ := run("list", "--format", "json")
	var all []follow.Follow
	require.NoError(t, json.Unmarshal([]byte(asJSON), &all))
	require.Len(t, all, 1)
	assert.Equal(t, id, all[0].ID)

	_, removed := run("remove", id)
	assert.Contains(t, removed, "Removed "+id)
	code, _, stderr := transcribe(t.Context(), s, "", "follow", "history", id)
	assert.Equal(t, exitFailure, code)
	assert.Contains(t, stderr, "There is no such follow.")
}

// A file of subscriptions is followed row by row, and each bad row is told.
func TestFollowImport(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	const ann, bob = "UCaaaaaaaaaaaaaaaaaaaaaa", "UCbbbbbbbbbbbbbbbbbbbbbb"
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	csv := write("subscriptions.csv", "Channel Id,Channel Url,Channel Title\n"+ann+",http://www.youtube.com/channel/"+ann+",Ann\n")
	code, _, stderr := transcribe(t.Context(), s, "", "follow", "import", csv)
	require.Equal(t, exitOK, code, stderr)
	assert.Contains(t, stderr, "Follows 1 more, and 0 as before.")
	opml := write("list.opml", `<opml version="2.0"><body><outline xmlUrl="https://www.youtube.com/channel/`+ann+`"/><outline xmlUrl="https://www.youtube.com/channel/`+bob+`"/>
		<outline xmlUrl="ftp://talks.example/"/></body></opml>`)
	code, _, stderr = transcribe(t.Context(), s, "", "follow", "import", opml)
	assert.Equal(t, exitFailure, code)
	assert.Contains(t, stderr, "row 3, ftp://talks.example/: ")
	assert.Contains(t, stderr, "Follows 1 more, and 1 as before.")
	assert.Contains(t, stderr, "1 of 3 rows cannot be followed")
}

func TestWrongFollows(t *testing.T) {
	t.Parallel()
	s := &service{}
	for want, args := range map[string][]string{
		`name what, as in "transcribe follow LINK"`:     {"follow"},
		`name what, as in "transcribe follow pause ID"`: {"follow", "pause"},
		`"transcribe follow list" takes no argument`:    {"follow", "list", "all"},
		"--watch, --name and --output are not for":      {"follow", "@talks", "--watch", t.TempDir()},
		"a follow takes at most 50":                     {"follow", "@talks", "--max-items", "51"},
		"--format srt: the lists of follows are":        {"follow", "list", "--format", "srt"},
	} {
		got := call(t.Context(), t, s, args...)
		assert.Equal(t, exitUsage, got.code, want)
		assert.Contains(t, got.stderr, want)
	}
	assert.Empty(t, s.calls)
}
