package page_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
)

const subtitles = "1\n00:00:01,000 --> 00:00:02,000\nfrom <a> file\n"

// A file becomes a text of the visitor's own.
func TestImportMakesAText(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	for name, content := range map[string]string{
		"talk.srt": subtitles, "talk.VTT": "WEBVTT\n\n00:01.000 --> 00:02.000\nfrom &lt;a> file\n", "talk.txt": "from <a> file\n",
	} {
		got := s.postFile(t, "/library/import", name, content, "lang", "en")
		require.Equal(t, http.StatusSeeOther, got.status, "%s: %s", name, got.body)
		assert.Contains(t, got.header.Get("Location"), "/transcripts/upload/")
		assert.Contains(t, s.get(t, got.header.Get("Location")).body, "from &lt;a&gt; file", name)
	}
}

// A file takes the place of a text, whose history keeps the text.
func TestImportReplacesAText(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	s.put(t, twoLines())
	path := "/transcripts/video_site/dQw4w9WgXcQ/import?language=en"
	assert.Contains(t, s.get(t, path).body, "takes the place of this text")
	got := s.postFile(t, path, "talk.srt", subtitles, "lang", "")
	require.Equal(t, http.StatusSeeOther, got.status, got.body)
	assert.Equal(t, []string{": from <a> file"}, s.linesOf(t))
	require.Equal(t, http.StatusSeeOther, s.post(t, historyPath, "revision", "1").status)
	assert.Equal(t, []string{"A: one see", "A: two <seas>"}, s.linesOf(t))
}

// The form says what is wrong with a file.
func TestImportRefuses(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	for fault, sent := range map[string]struct{ name, content, language string }{
		"Choose a file with a text.":                            {"talk.srt", "", "en"},
		"ends with .srt, .vtt, .sbv, .ass, .ssa, .json or .txt": {"talk.docx", "text", "en"},
		"cannot be read as text":                                {"talk.vtt", "\x00\xff", "en"},
		"Write the language":                                    {"talk.srt", subtitles, " "},
		"That is not a language":                                {"talk.srt", subtitles, "no such language"},
		"The file is too large.":                                {"talk.txt", strings.Repeat("a", 9<<20), "en"},
	} {
		got := s.postFile(t, "/library/import", sent.name, sent.content, "lang", sent.language)
		assert.Equal(t, http.StatusUnprocessableEntity, got.status, fault)
		assert.Contains(t, got.body, fault)
	}
	assert.Equal(t, http.StatusUnprocessableEntity, s.post(t, "/library/import").status)
}

// A form that is refused keeps its file, also without JavaScript: it can be sent again as it is.
func TestImportKeepsItsFile(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	for name, sent := range map[string]struct {
		content string
		kept    bool
	}{
		"talk <b>.srt":    {subtitles, true},
		"with a mark.txt": {"\ufeff\"café and more\" <a>\r\n", true},
		"too large.txt":   {strings.Repeat("words\n", 100_000), false},
	} {
		refused := s.postFile(t, "/library/import", name, sent.content, "lang", "no such language", "tag", "de")
		require.Equal(t, http.StatusUnprocessableEntity, refused.status)
		assert.Contains(t, refused.body, `<option value="de" selected>`)
		if !sent.kept {
			assert.NotContains(t, refused.body, `name="kept"`, name)
			continue
		}
		again := s.postFile(t, "/library/import", "", "", "keptName", unescaped(hidden(t, refused.body, "keptName")), "kept", unescaped(hidden(t, refused.body, "kept")), "lang", "", "tag", "de")
		require.Equal(t, http.StatusSeeOther, again.status, "%s: %s", name, again.body)
		direct := s.postFile(t, "/library/import", name, sent.content, "tag", "de")
		require.Equal(t, http.StatusSeeOther, direct.status, "%s: %s", name, direct.body)
		text := func(made answered) string {
			body := s.get(t, made.header.Get("Location")).body
			at := strings.Index(body, "&lt;a&gt;")
			require.Positive(t, at, body)
			return body[at-10 : at+15]
		}
		assert.Equal(t, text(direct), text(again), name)
	}
}
