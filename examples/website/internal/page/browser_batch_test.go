package page_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// A batch that is watched shows what becomes of its items, through a server that is away
// for a while; what the reader has unfolded and where the focus is stays.
func TestBrowserFollowsABatch(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	passes := transcript.Errorf(transcript.LoginRequired, "The site asks to log in.")
	passes.Retryable = new(true)
	s.Engine.FailCaptions(passes)
	release := s.Engine.HoldCaptions()
	path := s.makeBatch(t, "from", "batch", "links", "dQw4w9WgXcQ\n9bZkp7q19f0\n<b>no link</b>")
	page := s.open(t)
	page.Expect(`^(log: Failed to load resource|loading: net::)`)
	page.Open(path)
	page.Wait(`document.querySelector("#cancel-sure summary") !== null`)
	browsertest.Eval[bool](page, `(() => { const of = document.querySelector("#cancel-sure summary"); of.click(); of.focus(); window.stays = document.querySelector(".item"); return true; })()`)

	back := s.between(away)
	page.WaitText("main", "Connection lost.")
	back()
	release()
	page.See("button", "Try 2 items again")
	assert.True(t, browsertest.Eval[bool](page, `stays.isConnected && stays.textContent.includes("The site shows the content only after a login.")`), "a row is the same element")
	assert.Empty(t, browsertest.Eval[string](page, `document.getElementById("lost").textContent`))

	s.Engine.FailCaptions(nil)
	page.Click("button", "Try 2 items again")
	page.WaitText("main", "2 items wait again.")
	page.See("link", "ZIP, all formats")
	require.Equal(t, batch.Completed, s.ended(t, path).Status)
	page.WaitText("main", "2 done")

	page.Click("button", "Delete")
	page.Click("button", "Undo")
	page.See("heading", "Items")
	assert.Equal(t, http.StatusOK, s.get(t, path).status)
}
