package ytdlp_test

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/sitetest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const listID = "PL1234567890"

func (b *bench) list(t *testing.T, offset, n int) (engine.ListPage, error) {
	t.Helper()
	return b.List(t.Context(), engine.List{Platform: transcript.VideoSite, Kind: engine.PlaylistList, ID: listID, URL: b.url + "/playlist?list=" + listID}, offset, n)
}

// listed is what the program says of a list of n entries.
func listed(n int) string {
	entries := make([]string, n)
	for i := range entries {
		entries[i] = fmt.Sprintf(`{"_type": "url", "ie_key": "Youtube", "id": "entry-%05d", "url": "https://www.youtube.com/watch?v=entry-%05d", "title": "T"}`, i, i)
	}
	return `{"_type": "playlist", "id": "x", "title": " A\nlist ", "entries": [` + strings.Join(entries, ",") + `]}`
}

// What the program says of a list, in all the ways in which it may be wrong.
func TestHostileLists(t *testing.T) {
	t.Parallel()
	const entry = `{"_type": "url", "id": "a", "url": "http://x/a"}`
	for _, tt := range []struct {
		name string
		fake fake
		code transcript.Code // "" for none
		ids  string
		last bool
	}{
		{"fewer than asked for", fake{info: listed(3)}, "", "entry-00000 entry-00001 entry-00002", true},
		{"as many", fake{info: listed(5)}, "", "entry-00000 entry-00001 entry-00002 entry-00003 entry-00004", false},
		{"more", fake{info: listed(10_000)}, "", "entry-00000 entry-00001 entry-00002 entry-00003 entry-00004", false},
		{"none", fake{info: `{"_type": "playlist", "entries": []}`}, "", "", true},
		{"none of several", fake{info: `{"_type": "playlist", "playlist_count": 7, "entries": []}`}, transcript.UpstreamFailed, "", false},
		{"nothing", fake{info: "null"}, transcript.UpstreamFailed, "", false},
		{"no output", fake{code: 1}, transcript.UpstreamFailed, "", false},
		{"no JSON", fake{info: "<html>"}, transcript.UpstreamFailed, "", false},
		{"a single content", fake{info: `{"id": "a", "formats": [{}]}`}, transcript.Unavailable, "", false},
		{"too much", fake{info: strings.Repeat(" ", 17_000_000)}, transcript.UpstreamFailed, "", false},
		{"entries of every kind", fake{info: `{"_type": "playlist", "entries": [null, 7, "x", [], {}, {"id": 7, "url": {}}, ` + entry + `]}`}, "", ". . a", true},
		{"lists in lists", fake{info: `{"_type": "playlist", "entries": [{"_type": "playlist", "entries": [` + entry + `, {"_type": "playlist", "entries": [` + entry + `]}]}, ` + entry + `]}`}, "", "a a a", true},
		{"lists without end", fake{info: strings.Repeat(`{"_type": "playlist", "id": "l", "entries": [`, 2000) + entry + strings.Repeat(`]}`, 2000)}, "", "l", true},
		{"an entry without end", fake{info: `{"_type": "playlist", "entries": [{"id": "` + strings.Repeat("a", 100_000) + `", "url": "http://x/` + strings.Repeat("a", 100_000) + `"}]}`}, "", strings.Repeat("a", 200), true},
		{"cut off, with an error", fake{info: listed(3), code: 1, stderr: "ERROR: [youtube:tab] x page 2: Unable to download API page: HTTP Error 429: Too Many Requests\n"}, transcript.IPBlocked, "", false},
		{"cut off, with an error that nobody knows", fake{info: listed(3), code: 1, stderr: "ERROR: KeyError('x')\n"}, transcript.UpstreamFailed, "", false},
		{"cut off, with an exit code", fake{info: listed(3), code: 1}, transcript.UpstreamFailed, "", false},
		{"cut off, with a warning", fake{info: listed(3), stderr: "WARNING: [youtube:tab] Incomplete data received. Giving up after 1 retries\n"}, transcript.UpstreamFailed, "", false},
		{"blocked, with a warning", fake{info: listed(0), stderr: "WARNING: [youtube:tab] Unable to download webpage: HTTP Error 429: Too Many Requests\n"}, transcript.IPBlocked, "", false},
		{"tried again", fake{info: listed(2), stderr: "WARNING: [youtube:tab] Incomplete data received. Retrying (1/1)...\n"}, "", "entry-00000 entry-00001", true},
		{"hidden ones", fake{info: listed(2), stderr: "WARNING: [youtube:tab] YouTube said: INFO - 6 unavailable videos are hidden\n"}, "", "entry-00000 entry-00001", true},
		{"all there, with an error", fake{info: listed(5), code: 1, stderr: "ERROR: KeyError('x')\n"}, "", "entry-00000 entry-00001 entry-00002 entry-00003 entry-00004", false},
		{"private", fake{info: "null", code: 1, stderr: "ERROR: [youtube:tab] YouTube said: This playlist is private.\n"}, transcript.Unavailable, "", false},
		{"a login wall", fake{info: "null", code: 1, stderr: "ERROR: [youtube:tab] Login details are needed to download this content. Use --cookies\n"}, transcript.LoginRequired, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			page, err := tt.fake.start(t).list(t, 0, 5)
			if tt.code != "" {
				coded(t, err, tt.code)
				assert.Empty(t, page)
				return
			}
			require.NoError(t, err)
			var ids []string
			for _, e := range page.Entries {
				ids = append(ids, cmp.Or(e.ID, path.Base(e.URL)))
				assert.LessOrEqual(t, len(e.URL), 2000)
			}
			assert.Equal(t, tt.ids, strings.Join(ids, " "))
			assert.Equal(t, tt.last, page.Last)
		})
	}
}

// A channel's uploads are a list of their own, which is read in the place of its tabs.
func TestUploads(t *testing.T) {
	t.Parallel()
	const id = "UCuAXFkgsw1L7xaCfnd5JJOw"
	for name, tt := range map[string]struct{ channel, want string }{
		"of the video site":    {`{"_type": "playlist", "extractor": "youtube:tab", "channel_id": "` + id + `", "entries": []}`, "/playlist?list=UUuAXFkgsw1L7xaCfnd5JJOw"},
		"of another extractor": {`{"_type": "playlist", "extractor": "generic", "channel_id": "` + id + `", "entries": []}`, "/@talks"},
		"without an id":        {`{"_type": "playlist", "extractor": "youtube:tab", "channel_id": "UC--exec", "entries": []}`, "/@talks"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := fake{
				info:   listed(2),
				script: `case "$*" in *'--playlist-items 0 '*) printf '%s' ` + shellQuoted(tt.channel) + `; exit; esac`,
			}.program(t)
			b := newBench(t, program)
			page, err := b.List(t.Context(), engine.List{Platform: transcript.VideoSite, Kind: engine.ChannelList, ID: "@talks", URL: b.url + "/@talks"}, 0, 20)
			require.NoError(t, err)
			assert.Len(t, page.Entries, 2)
			assert.Equal(t, "A list", page.Title)
			data, err := os.ReadFile(filepath.Join(filepath.Dir(program), "seen"))
			require.NoError(t, err)
			assert.Contains(t, string(data), "\narg --yes-playlist\narg --flat-playlist\narg --playlist-items\narg 1:20\narg -J\narg --\narg "+b.url+tt.want+"\n")
		})
	}
	t.Run("blocked", func(t *testing.T) {
		t.Parallel()
		b := fake{info: "null", code: 1, stderr: "ERROR: [youtube:tab] HTTP Error 429: Too Many Requests\n"}.start(t)
		_, err := b.List(t.Context(), engine.List{Platform: transcript.VideoSite, Kind: engine.ChannelList, ID: "@talks", URL: b.url + "/@talks"}, 0, 20)
		coded(t, err, transcript.IPBlocked)
	})
}

func shellQuoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// The real program lists what a page of no known kind holds, and nothing beyond the
// guard.
func TestListOfAnyPage(t *testing.T) {
	t.Parallel()
	feed := `<?xml version="1.0"?><rss version="2.0"><channel><title>Talks</title>`
	for n := range 30 {
		feed += fmt.Sprintf(`<item><title>Talk %d</title><link>https://www.youtube.com/watch?v=entry-%05d</link></item>`, n, n)
	}
	b := newBench(t, "")
	b.site.Page("feed-of-many", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/rss+xml")
		_, _ = io.WriteString(w, feed+`</channel></rss>`) // a client that is gone needs no answer
	})
	page, err := b.List(t.Context(), engine.List{Platform: transcript.VideoSite, Kind: engine.PlaylistList, ID: listID, URL: b.url + sitetest.Watch("feed-of-many")}, 10, 5)
	require.NoError(t, err)
	require.Len(t, page.Entries, 5)
	assert.Equal(t, "https://www.youtube.com/watch?v=entry-00010", page.Entries[0].URL)
	assert.False(t, page.Last)

	_, err = b.List(t.Context(), engine.List{Platform: transcript.VideoSite, Kind: engine.PlaylistList, ID: listID, URL: "http://192.168.0.1/playlist?list=" + listID}, 0, 5)
	coded(t, err, transcript.Unavailable)
	_, err = b.List(t.Context(), engine.List{Platform: transcript.VideoSite, Kind: engine.PlaylistList, ID: listID, URL: "ytsearch:x"}, 0, 5)
	coded(t, err, transcript.Unavailable)
}
