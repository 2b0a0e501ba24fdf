package page_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
)

// A correction is seen in the history, taken back there, and brought back by Undo.
func TestBrowserRestoresAndUndoes(t *testing.T) {
	t.Parallel()
	_, page, path := edited(t, "one see", "two seas")
	page.Open(path)
	ready(page)
	page.Press(" foam")
	page.WaitText(state, "Saved.")
	history := "/transcripts/video_site/dQw4w9WgXcQ/history?language=en"
	page.Open(history)
	page.Click("link", "Show the changes Version 2")
	page.WaitText("#changes", "one see foam")
	assert.Empty(t, page.Barriers())
	page.Click("button", "Restore Version 1")
	page.WaitText("main", "The text is version 1 again.")
	page.Click("button", "Undo")
	page.WaitText("main", "The text is version 2 again.")
	page.Open(path)
	page.Wait(line(0) + ` === "one see foam"`)
}

// A file of subtitles becomes a text without JavaScript.
func TestBrowserImportsWithoutScripts(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	file := filepath.Join(t.TempDir(), "talk.srt")
	require.NoError(t, os.WriteFile(file, []byte(subtitles), 0o600))
	page := s.open(t)
	page.NoScripts()
	page.Open("/library")
	page.Click("link", "Text from a file")
	page.WaitAt(`^/library/import$`)
	page.Choose("#file", file)
	page.Type("textbox", "Another language", "en")
	page.Click("button", "Use this text")
	page.WaitAt(`^/transcripts/upload/`)
	page.WaitText("#text", "from <a> file")
}
