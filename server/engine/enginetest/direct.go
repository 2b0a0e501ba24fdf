package enginetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Direct tests a [engine.DirectSource] on a fake host on loopback: with media files,
// pages and feeds, and with hosts that withhold, cut off and disguise them. source
// makes the DirectSource for a host. Direct also runs [Lures]. It logs the number of
// links. With -short it leaves out feeds that are too large, because the race detector
// takes minutes to read them.
func Direct(t *testing.T, source func(host engine.Host) engine.DirectSource) {
	t.Helper()
	host := new(directHost)
	host.Site = newSite(t, true, func(*Site) http.Handler { return host })
	s := source(host.Host(t))
	links := directLinks()
	if testing.Short() {
		links = slices.DeleteFunc(links, func(l directLink) bool { return slices.Contains(largeFeeds, l.link) })
	}
	t.Run("links", func(t *testing.T) {
		places := make(chan struct{}, atOnce)
		var all sync.WaitGroup
		for _, l := range links {
			places <- struct{}{}
			all.Go(func() {
				defer func() { <-places }()
				host.follow(t, s, l)
			})
		}
		all.Wait()
		assert.Zero(t, host.reached.Load(), "connections to a private address")
	})
	t.Run("stops when told", func(t *testing.T) { host.stops(t, s) })
	t.Run("origin", func(t *testing.T) {
		_, ok := s.Origin(transcript.Upload)
		assert.True(t, ok)
		_, ok = s.Origin(transcript.VideoSite)
		assert.False(t, ok, "a platform has sources of its own")
	})
	t.Run("lures", func(t *testing.T) {
		Lures(t, func(host engine.Host) engine.CaptionSource { return source(host) })
	})
	t.Logf("enginetest: %d links", len(links))
}

// largeFeeds are links to feeds that are larger than any source reads.
var largeFeeds = []string{"/feed-endless.xml#x", "/feed-zip-bomb.xml#x"}

// directLink is a link on the fake host, with the expected result of a source.
type directLink struct {
	link string // its path, with a fragment

	captions transcript.Code // the error of Captions; empty means none
	tracks   []string        // their languages
	text     []string        // of the first track
	title    string          // empty if not judged

	audio transcript.Code // the error of Audio; empty means none
	most  int64           // the bound of Audio
	sound []byte          // nil: sound(0)
}

func (h *directHost) content(link string) engine.Content {
	return engine.Content{Platform: transcript.Upload, ExternalID: "0123456789abcdef0123456789abcdef", URL: h.URL + link}
}

// follow asks a source for the transcript and the sound of a link.
func (h *directHost) follow(t *testing.T, s engine.DirectSource, l directLink) {
	ctx, cancel := context.WithTimeout(t.Context(), enough)
	defer cancel()
	content := h.content(l.link)
	if l.link == privateLink {
		content.URL = "http://" + h.private.Addr().String() + "/x.mp3"
	}
	found, err := s.Captions(ctx, content, func(tracks []transcript.Track) (int, bool) { return 0, true })
	if coded(t, l.link+": captions", l.captions, err) {
		var langs, text []string
		for _, track := range found.Tracks {
			langs = append(langs, track.Lang)
		}
		for _, s := range found.Segments {
			text = append(text, s.Text)
		}
		assert.Equal(t, l.tracks, langs, "%s: tracks", l.link)
		assert.Equal(t, l.text, text, "%s: text", l.link)
		if l.title != "" {
			assert.Equal(t, l.title, found.Metadata.Title, "%s: title", l.link)
		}
	}
	assert.True(t, err == nil || found.Track == nil && found.Segments == nil, "%s: text together with an error", l.link)
	known := 0
	path, err := s.Audio(ctx, content, t.TempDir(), engine.AudioOptions{
		MaxBytes: l.most, Known: func(transcript.Metadata) error { known++; return nil },
	})
	if coded(t, l.link+": audio", l.audio, err) {
		got, err := os.ReadFile(path)
		assert.NoError(t, err, l.link)
		want := l.sound
		if want == nil {
			want = sound(0)
		}
		assert.True(t, bytes.Equal(want, got), "%s: %d bytes of %d", l.link, len(got), len(want))
		assert.Equal(t, 1, known, "%s: calls of Known", l.link)
	}
}

// coded reports whether a call had no error, and judges its error by the code.
func coded(t *testing.T, what string, want transcript.Code, err error) bool {
	var e *transcript.Error
	switch {
	case err == nil:
		assert.Empty(t, want, "%s: no error", what)
	case assert.ErrorAs(t, err, &e, "%s", what):
		assert.Equal(t, want, e.Code, "%s: %v", what, err)
		assert.NotEmpty(t, e.Message, what)
		assert.NotContains(t, err.Error(), secret, "%s: the error has the secret of the link", what)
	}
	return err == nil
}

// stops requests an address that never answers.
func (h *directHost) stops(t *testing.T, s engine.DirectSource) {
	stopped := errors.New("stopped")
	for _, link := range []string{"/silent", "/silent-after-head"} {
		arrived := h.awaits(link)
		ctx, cancel := context.WithCancelCause(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := s.Audio(ctx, h.content(link), t.TempDir(), engine.AudioOptions{})
			ended <- err
		}()
		<-arrived
		cancel(stopped)
		err := <-ended
		require.Error(t, err, link)
		assert.True(t, errors.Is(err, stopped) || errors.Is(err, context.Canceled), "%s: %v", link, err)
	}
}

// sound is a file that begins like an MP3; n distinguishes its versions.
func sound(n byte) []byte {
	return append([]byte("ID3\x04\x00\x00\x00\x00\x00\x00"), bytes.Repeat([]byte{0xFF, 0xFB, 0x90, n, 7, 0xAA}, 30_000)...)
}

// webVTT is a transcript of one line.
func webVTT(line string) string { return "WEBVTT\n\n00:00:00.500 --> 00:00:02.000\n" + line + "\n" }

// item is an item of a feed whose recording is whole.
func item(guid, more string) string {
	return fmt.Sprintf(`<item><title>About %[1]s</title><guid isPermaLink="false">%[1]s</guid><link>/pages/%[1]s</link>%[2]s</item>`, guid, more)
}

const enclosure = `<enclosure url="/whole.mp3" type="audio/mpeg" length="1"/>`

func rssOf(items ...string) string {
	return `<?xml version="1.0"?><rss version="2.0" xmlns:podcast="https://podcastindex.org/namespace/1.0"><channel><title>Talks</title><language>en-us</language>` +
		string(bytes.Join(slices.Collect(func(yield func([]byte) bool) {
			for _, i := range items {
				if !yield([]byte(i)) {
					return
				}
			}
		}), nil)) + `</channel></rss>`
}
