package page_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
)

// What was passed over is said on the page of the result, in plain words.
func TestPassedOverIsSaid(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	const first, second = "https://youtu.be/dQw4w9WgXcQ", "https://youtu.be/9bZkp7q19f0"
	for name, c := range map[string]struct{ path, pasted, says string }{
		"a batch":             {"/transcripts", "Here are the talks: " + first + " and (" + second + "). Thanks, Ann", "2 links found. Passed over: 7 other words."},
		"a repeated link":     {"/transcripts", first + "\n" + second + "\n" + first, "2 links found. 1 link is there twice and counts once."},
		"one link":            {"/transcripts", "See " + first, "1 link found. Passed over: 1 other word."},
		"the page of batches": {"/batches", "Here are the talks\n\n" + first + " by Ann\nand " + second, "2 links found. Passed over: 7 other words."},
	} {
		sent := s.post(t, c.path, "links", c.pasted, "from", "batch")
		require.Equal(t, http.StatusSeeOther, sent.status, name+sent.body)
		assert.Contains(t, s.get(t, sent.header.Get("Location")).body, `role="status">`+c.says, name)
	}
	sent := s.post(t, "/transcripts", "links", first)
	assert.NotContains(t, s.get(t, sent.header.Get("Location")).body, "link found")
	for _, odd := range []string{"x", "1", "1.2", "-1.2.3", "0.2.3", "1.99999999.0", "1.-2.0", "%3Cb%3E.1.1"} {
		assert.NotContains(t, s.get(t, "/transcripts/video_site/dQw4w9WgXcQ?language=en&found="+odd).body, "found.", odd)
	}

	// A line that is meant as a link is named, among links and alone.
	sent = s.post(t, "/batches", "links", first+"\n"+second+" by Ann\ndQw4w9\n", "from", "batch")
	require.Equal(t, http.StatusSeeOther, sent.status, sent.body)
	assert.Contains(t, s.get(t, sent.header.Get("Location")).body, "<bdi>dQw4w9</bdi>")
	sent = s.post(t, "/transcripts", "links", "dQw4w9WgXcQ one two three four")
	assert.Equal(t, http.StatusUnprocessableEntity, sent.status)
	assert.Contains(t, sent.body, "This is not a link: “one”, “two”, “three”, ….")
	sent = s.post(t, "/transcripts", "links", "Here are no talks. Thanks, Ann")
	assert.Equal(t, http.StatusUnprocessableEntity, sent.status)
	assert.Contains(t, sent.body, "There is no link in this text.")
	assert.Contains(t, sent.body, "/discover?q=Here&#43;are&#43;no&#43;talks")
}
