package server_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const directLink = "https://media.example/talk.mp3?token=1"

func takesDirect(c *server.Config) { c.DirectMedia = true }

// Without DirectMedia a link to any other host is refused, as it always was.
func TestDirectLinksAreOffByDefault(t *testing.T) {
	t.Parallel()
	s := start(t)
	a := s.link(t, directLink)
	require.Equal(t, http.StatusUnprocessableEntity, a.StatusCode, a.body)
	assert.Equal(t, "UNSUPPORTED_PLATFORM", a.failure(t)["code"])
	assert.Equal(t, map[string]any{"host": "media.example"}, a.failure(t)["details"])
	_, _, err := s.Submit(t.Context(), s.acme(t), transcript.Request{Source: transcript.URL(directLink)})
	require.ErrorIs(t, err, transcript.UnsupportedPlatform)
	items := s.endedBatch(t, s.newBatch(t, []string{video, directLink})).Items
	assert.Equal(t, transcript.UnsupportedPlatform, *items[1].Error)
}

// A direct link belongs to the account that has sent it, as an upload does.
func TestDirectLinkIsOfItsAccount(t *testing.T) {
	t.Parallel()
	everyWay(t, "", func(t *testing.T, start starter) {
		s := start(t, takesDirect)
		s.Engine.SetTracks(servertest.Track{Lang: "en-GB", Text: "the publisher's words"})
		s.Engine.SetMetadata(transcript.Metadata{Title: "A talk", Channel: "Talks"})
		first := s.link(t, directLink, wish{"sendMetadata", true})
		said, source := text(t, first)
		assert.Equal(t, "the publisher's words", said)
		assert.Equal(t, "publisher_transcript", source)
		tr := first.object(t)["transcript"].(map[string]any)
		assert.Equal(t, "upload", tr["platform"])
		assert.Equal(t, directLink, tr["sourceUrl"])
		assert.Equal(t, "A talk", tr["title"])
		id := tr["externalId"].(string)

		again := s.link(t, directLink)
		assert.Equal(t, true, again.object(t)["cached"])
		assert.Equal(t, 1, s.Engine.CaptionReads(transcript.Upload))
		s.Engine.SetTracks(servertest.Track{Lang: "en-GB", Text: "for the other account"})
		other := as(s.NewKey(t, "globex"))
		theirs := s.postJSON(t, body(t, directLink, patient), other)
		said, _ = text(t, theirs)
		assert.Equal(t, "for the other account", said, "nothing is shared between accounts")

		saved := "/v1/library/transcripts/upload/" + id
		assert.Contains(t, s.get(t, saved).body, "the publisher's words")
		assert.Contains(t, s.get(t, saved, other).body, "for the other account")
		require.Equal(t, http.StatusNoContent, s.do(t, http.MethodDelete, saved, nil).StatusCode)
		assert.Equal(t, http.StatusNotFound, s.get(t, saved).StatusCode)
		assert.Equal(t, http.StatusOK, s.get(t, saved, other).StatusCode)
		said, _ = text(t, s.link(t, directLink))
		assert.Equal(t, "for the other account", said, "the text is deleted with its last row")

		res, job, err := s.Submit(t.Context(), s.acme(t), transcript.Request{Source: transcript.URL(directLink)})
		require.NoError(t, err)
		require.Nil(t, job)
		assert.True(t, res.Cached)
		items := s.endedBatch(t, s.newBatch(t, []string{"https://feeds.example/show.xml#1", directLink})).Items
		for _, item := range items {
			assert.Equal(t, batch.ItemSuccess, item.Status, item.Error)
			assert.Equal(t, transcript.Upload, item.Platform)
		}
		info := s.get(t, "/v1/transcript/info?url="+url.QueryEscape(directLink))
		assert.Equal(t, http.StatusUnprocessableEntity, info.StatusCode, "what belongs to one account is described to none: %s", info.body)
	})
}

// The list of languages asks for the publisher's text first, then for the speech.
func TestDirectLinkLanguages(t *testing.T) {
	t.Parallel()
	s := start(t, takesDirect)
	s.Engine.SetTracks(servertest.Track{Lang: "de", Text: "auf Deutsch"}, servertest.Track{Lang: "en", Text: "in English"})
	s.Engine.Say("what is heard")
	for n, tt := range []struct{ list, said, source string }{
		{"", "auf Deutsch", "publisher_transcript"},
		{"en-US", "in English", "publisher_transcript"},
		{"fr,en", "in English", "publisher_transcript"},
		{"asr", "what is heard", "asr"},
		{"asr-en", "what is heard", "asr"},
		{"asr,de", "what is heard", "asr"},
	} {
		link := directLink + "&n=" + string(rune('a'+n))
		wishes := []wish{lang(tt.list)}
		if tt.list == "" {
			wishes = nil
		}
		said, source := text(t, s.link(t, link, wishes...))
		assert.Equal(t, tt.said, said, tt.list)
		assert.Equal(t, tt.source, source, tt.list)
		again := s.link(t, link, wishes...)
		assert.Equal(t, true, again.object(t)["cached"], tt.list)
	}
	assert.Equal(t, 3, s.Engine.CaptionReads(transcript.Upload))
	s.Engine.SetTracks()
	said, source := text(t, s.link(t, directLink+"&none"))
	assert.Equal(t, "what is heard", said)
	assert.Equal(t, "asr", source)
	assert.Equal(t, 4, s.Engine.Downloads(transcript.Upload))
	said, _ = text(t, s.link(t, directLink+"&a", lang("en"))) // which has the German text already
	assert.Equal(t, "what is heard", said)
}

// A plan without uploads has no direct links, and one without recognition has the publisher's text.
func TestDirectLinkUnderAPlan(t *testing.T) {
	t.Parallel()
	none, silent := account.WithoutLimits("none"), account.WithoutLimits("silent")
	none.Upload = false
	silent.ASR = false
	s := start(t, takesDirect, func(c *server.Config) {
		offer(c, account.Plans{Default: "none", ByName: map[string]account.Plan{"none": none, "silent": silent}})
	})
	s.Engine.SetTracks()
	a := s.postJSON(t, body(t, directLink), s.on(t, "none"))
	require.Equal(t, http.StatusPaymentRequired, a.StatusCode, a.body)
	assert.Equal(t, "UPGRADE_REQUIRED", a.failure(t)["code"])

	as := s.on(t, "silent")
	a = s.postJSON(t, body(t, directLink, patient), as)
	assert.Equal(t, "NO_TRANSCRIPT", a.failure(t)["code"])
	s.Engine.SetTracks(servertest.Track{Lang: "en", Text: "hello"})
	a = s.postJSON(t, body(t, directLink, patient), as)
	assert.Equal(t, http.StatusOK, a.StatusCode, a.body)
	assert.Zero(t, s.Engine.Downloads(transcript.Upload))
}

// A service that takes direct links and has no engine for them says so.
func TestDirectLinkWithoutAnEngine(t *testing.T) {
	t.Parallel()
	s := start(t, takesDirect, func(c *server.Config) {
		whole := c.Engine
		c.Engine = func(h engine.Host) (engine.Engine, error) {
			e, err := whole(h)
			e.Direct = nil
			return e, err
		}
	})
	for _, list := range []string{"en", "asr"} {
		a := s.link(t, directLink, lang(list))
		assert.Equal(t, "NOT_IMPLEMENTED", a.failure(t)["code"], a.body)
	}
	assert.Zero(t, s.Engine.Downloads(transcript.Upload), "no other source may see such a link")
}
