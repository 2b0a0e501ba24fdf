package directmedia_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/directmedia"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// read asks for the only item of a feed, whose transcript is a file.
func read(t *testing.T, kind, file string) (engine.Captions, error) {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := file
		if r.URL.Path == "/feed" {
			body = `<rss version="2.0" xmlns:podcast="https://podcastindex.org/namespace/1.0"><channel><item><guid>1</guid>
				<podcast:transcript url="/text" type="` + kind + `" language="en_gb"/></item></channel></rss>`
		}
		_, _ = w.Write([]byte(body)) // a client that is gone needs no answer
	}))
	defer site.Close()
	s, err := directmedia.New(engine.Host{HTTP: site.Client()}, directmedia.Options{})
	require.NoError(t, err)
	return s.Captions(t.Context(), engine.Content{Platform: transcript.Upload, URL: site.URL + "/feed#1"},
		func([]transcript.Track) (int, bool) { return 0, true })
}

// Programs write a segment for each word: sentences and speakers end a segment, and the times of the
// words are kept.
func TestWordsBecomeSegments(t *testing.T) {
	t.Parallel()
	found, err := read(t, "application/json", `{"segments":[
		{"speaker":"A","startTime":0,"endTime":0.4,"body":"Hello"},{"speaker":"A","startTime":0.5,"endTime":1,"body":"there."},
		{"speaker":"A","startTime":1.1,"endTime":1.5,"body":"And"},{"speaker":"B","startTime":1.6,"endTime":2,"body":"hi"},
		{"speaker":"B","startTime":9,"endTime":9.5,"body":"again"}]}`)
	require.NoError(t, err)
	require.Len(t, found.Segments, 4)
	first := found.Segments[0]
	assert.Equal(t, "Hello there.", first.Text)
	assert.Equal(t, "A", first.Speaker)
	assert.InDelta(t, 1, first.Duration, 1e-9)
	assert.Equal(t, []transcript.Word{{Text: "Hello", End: 0.4}, {Text: "there.", Start: 0.5, End: 1}}, first.Words)
	assert.Equal(t, "en-GB", found.Track.Lang)
}

// HTML names speakers before times, and sometimes inside of a text.
func TestHTMLTranscript(t *testing.T) {
	t.Parallel()
	found, err := read(t, "text/html", `<h1>Not said</h1><cite>Ada:</cite><time>0:01</time><p>First &amp; last.</p>
		<cite>Bob:</cite><p>Yes.</p><cite>Ada:</cite><time>01:02:03</time><p>More.</p><script>no()</script>`)
	require.NoError(t, err)
	assert.Equal(t, []transcript.Segment{
		{Text: "First & last. Bob: Yes.", Start: 1, Duration: 3722, Speaker: "Ada"}, {Text: "More.", Start: 3723, Speaker: "Ada"},
	}, found.Segments)
}

// Segments of which some have no times would be a text with gaps.
func TestTextWithGapsIsNone(t *testing.T) {
	t.Parallel()
	_, err := read(t, "application/json", `{"segments":[{"startTime":0,"body":"one"},{"body":"two"}]}`)
	require.ErrorIs(t, err, transcript.UpstreamFailed)
	found, err := read(t, "application/json", `{"segments":[{"body":"one"},{"body":"two"}]}`)
	require.NoError(t, err)
	assert.Empty(t, found.Tracks)
}

func TestNewRefusesBadOptions(t *testing.T) {
	t.Parallel()
	_, err := directmedia.New(engine.Host{}, directmedia.Options{})
	require.ErrorContains(t, err, "no network")
	for _, o := range []directmedia.Options{{MaxBytes: -1}, {MaxTime: -1}} {
		_, err = directmedia.New(engine.Host{HTTP: http.DefaultClient}, o)
		require.ErrorContains(t, err, "below 0")
	}
}
