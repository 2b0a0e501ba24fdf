package page_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// What is found becomes a batch: some of the videos of a search, or of all that a channel
// or a playlist has. Where the site cannot be asked the page says why, and
// keeps what was asked.
func TestBrowserDiscovers(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	s.Engine.SetVideos(uploads(5)...)
	title, handle, best := "Talks", "@talks", "Best talks"
	s.Engine.SetChannels(video.Channel{ChannelID: talks, Title: &title, Handle: &handle})
	s.Engine.SetPlaylists(video.Playlist{PlaylistID: "PL1234567890", Title: &best})
	s.Engine.SetList(talks, "aaaaaaaaa00", "aaaaaaaaa01", "aaaaaaaaa02")
	s.Engine.SetList("PL1234567890", "aaaaaaaaa03", "bbbbbbbbbbb")
	page := s.open(t)
	page.Expect(loadFaults)

	page.Open("/discover")
	page.Type("searchbox", "Words, or the link of a channel or playlist", "talk")
	page.Press("\r")
	page.WaitAt(`^/discover\?q=talk$`)
	page.Wait(`document.getElementById("ticked").disabled`)
	page.Click("checkbox", "Select: Talk 01")
	page.Click("checkbox", "Select: Talk 03")
	page.Wait(`document.getElementById("all").indeterminate`)
	page.Click("button", "Transcripts of 2")
	page.WaitAt(`^/batches/`)
	page.WaitText("#standing", "2 of 2")

	for kind, name := range map[string]string{"channel": title, "playlist": best} {
		page.Open("/discover?q=talks&type=" + kind)
		page.Click("link", name)
		page.WaitAt(`^/discover/` + kind + `s/`)
		page.Click("checkbox", "Select all")
		page.Wait(`!document.getElementById("ticked").disabled`)
		page.Type("spinbutton", "At most", "2")
		page.Click("button", "Make a batch")
		page.WaitAt(`^/batches/`)
	}

	s.Engine.FailDiscovery(transcript.Errorf(transcript.IPBlocked, "The site has had enough."))
	page.Open("/discover?q=tired")
	page.WaitText("[role=alert]", "The site blocks this service for the moment.")
	assert.Equal(t, "tired", browsertest.Eval[string](page, `document.getElementById("q").value`))
	page.See("link", "Try again")
}
