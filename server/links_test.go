package server_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// wish is a member of a JSON body.
type wish struct {
	name  string
	value any
}

// patient waits as long as may be.
var patient = wish{"waitMs", 10000}

func lang(list string) wish { return wish{"language", list} }

// body asks for a link.
func body(t testing.TB, link string, wishes ...wish) string {
	t.Helper()
	members := map[string]any{"url": link}
	for _, w := range wishes {
		members[w.name] = w.value
	}
	b, err := json.Marshal(members)
	require.NoError(t, err)
	return string(b)
}

// link asks for the transcript of a link and waits for it.
func (s *service) link(t testing.TB, link string, wishes ...wish) *answer {
	t.Helper()
	return s.postJSON(t, body(t, link, append([]wish{patient}, wishes...)...))
}

// text is the text of the answer's first segment, and its source.
func text(t testing.TB, a *answer) (said, source any) {
	t.Helper()
	require.Equal(t, http.StatusOK, a.StatusCode, a.body)
	tr := a.object(t)["transcript"].(map[string]any)
	return tr["segments"].([]any)[0].(map[string]any)["text"], tr["source"]
}

func TestAnswerOfALink(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Engine.SetTracks(servertest.Track{Lang: "en", Name: "English", Text: "from the captions"})
	a := s.link(t, "https://video.example/watch?v="+video+"&t=42s")
	said, source := text(t, a)
	assert.Equal(t, "from the captions", said)
	assert.Equal(t, "video_site_downloader", source)
	o := a.object(t)
	assert.Equal(t, false, o["cached"])
	assert.Equal(t, "en", o["language"])
	assert.Equal(t, "complete", o["metadataStatus"])
	assert.Equal(t, "0:10", o["lengthText"])
	assert.Nil(t, o["metadata"])
	first := o["transcript"].(map[string]any)
	assert.Equal(t, "https://video.example/watch?v="+video, first["sourceUrl"])
	assert.Nil(t, first["title"])

	for _, other := range []string{
		body(t, video), body(t, "video.example/shorts/"+video), body(t, "http://VIDEO.example:443//embed/"+video+"/?list=x#y"),
		`{"platform":"video_site","externalId":"` + video + `"}`, body(t, video, lang("EN"), wish{"sendMetadata", true}),
	} {
		o := s.postJSON(t, other).object(t)
		require.Equal(t, true, o["cached"], other)
		tr := o["transcript"].(map[string]any)
		assert.Equal(t, first["id"], tr["id"], other)
	}
	shown := s.link(t, video, wish{"sendMetadata", true}).object(t)
	assert.Equal(t, "A talk", shown["transcript"].(map[string]any)["title"])
	assert.Equal(t, "English", shown["metadata"].(map[string]any)["trackName"])
	plain := s.link(t, video, wish{"format", "text"}, wish{"includeTimestamp", false}).object(t)
	assert.Equal(t, "from the captions", plain["text"])
	assert.Equal(t, 1, s.Engine.CaptionReads(transcript.VideoSite))
	assert.Equal(t, 1, s.jobs(t))
	assert.Zero(t, s.Engine.Recognitions())
}

// The list of languages says whether captions or the sound make a text.
func TestCaptionsFirstThenRecognition(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Engine.Say("recognized")
	s.Engine.SetTracks(servertest.Track{Lang: "de", Text: "hallo"})
	for i, c := range []struct {
		languages, said  string
		reads, downloads int
	}{{"fr, de", "hallo", 1, 0}, {"en", "recognized", 1, 1}, {"en,asr,de", "recognized", 1, 1}, {"asr,de", "recognized", 0, 1}, {"asr-en", "recognized", 0, 1}} {
		reads, downloads := s.Engine.CaptionReads(transcript.VideoSite), s.Engine.Downloads(transcript.VideoSite)
		said, _ := text(t, s.link(t, videos(i, 1)[0], lang(c.languages)))
		assert.Equal(t, c.said, said, c.languages)
		assert.Equal(t, c.reads, s.Engine.CaptionReads(transcript.VideoSite)-reads, c.languages)
		assert.Equal(t, c.downloads, s.Engine.Downloads(transcript.VideoSite)-downloads, c.languages)
	}
}

// Five platforms end to end.
func TestEveryPlatform(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.Engine.Say("recognized")
	s.Engine.SetTracks(servertest.Track{Lang: "en", Text: "captions"})
	for platform, c := range map[transcript.Platform]struct {
		link, id, canonical string
		source              string // of its captions; empty: none are ever asked for
	}{
		transcript.VideoSite:        {"https://video.example/live/" + video, video, "https://video.example/watch?v=" + video, "video_site_downloader"},
		transcript.ShortVideoSite:   {"https://clips.example/@ann/video/7123456789012345678", "7123456789012345678", "https://clips.example/@_/video/7123456789012345678", "short_video_site_captions"},
		transcript.ProfessionalSite: {"https://work.example/posts/ann_talk-activity-7123456789012345678-aB3d", "7123456789012345678", "https://work.example/feed/update/urn:li:activity:7123456789012345678", "professional_site_captions"},
		transcript.PhotoSite:        {"https://photos.example/ann/reel/CxYz012345a/", "CxYz012345a", "https://photos.example/p/CxYz012345a", ""},
		transcript.MicroblogSite:    {"https://blog.example/ann/status/1712345678901234567?s=20", "1712345678901234567", "https://blog.example/i/status/1712345678901234567", ""},
	} {
		a := s.link(t, c.link)
		said, source := text(t, a)
		want := []any{"captions", c.source, 1, 0}
		if c.source == "" {
			want = []any{"recognized", "asr", 0, 1}
		}
		assert.Equal(t, want, []any{said, source, s.Engine.CaptionReads(platform), s.Engine.Downloads(platform)}, platform)
		tr := a.object(t)["transcript"].(map[string]any)
		assert.Equal(t, []any{string(platform), c.id, c.canonical}, []any{tr["platform"], tr["externalId"], tr["sourceUrl"]})
		byID := s.postJSON(t, `{"platform":"`+string(platform)+`","externalId":"`+c.id+`"}`)
		assert.Equal(t, true, byID.object(t)["cached"], byID.body)
	}
	assert.Equal(t, 5, storetest.Count(t, s.options, "library_rows"))
}

func TestSourcesThatAreRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, c := range map[string]struct{ body, code string }{
		"an unknown host":          {body(t, "https://nowhere.example/watch?v="+video), "UNSUPPORTED_PLATFORM"},
		"a private address":        {body(t, "http://127.0.0.1/watch?v="+video), "UNSUPPORTED_PLATFORM"},
		"a decimal address":        {body(t, "http://2130706433/watch?v="+video), "UNSUPPORTED_PLATFORM"},
		"another port":             {body(t, "https://video.example:8443/watch?v="+video), "UNSUPPORTED_PLATFORM"},
		"a known host with more":   {body(t, "https://video.example.nowhere.example/watch?v="+video), "UNSUPPORTED_PLATFORM"},
		"an upload without an id":  {`{"platform":"upload"}`, "UNSUPPORTED_PLATFORM"},
		"a user name":              {body(t, "https://video.example@127.0.0.1/watch?v="+video), "INVALID_VIDEO"},
		"an option with a value":   {body(t, "--exec=touch /tmp/x"), "INVALID_VIDEO"},
		"a file":                   {body(t, "file:///etc/passwd"), "INVALID_VIDEO"},
		"a search":                 {body(t, "ytsearch:cats"), "INVALID_VIDEO"},
		"a line break":             {body(t, "https://video.example/watch?v="+video+"\n--exec"), "INVALID_VIDEO"},
		"dots that lead elsewhere": {`{"platform":"photo_site","externalId":"../../../../x"}`, "INVALID_VIDEO"},
		"an option as an id":       {`{"platform":"video_site","externalId":"--exec"}`, "INVALID_VIDEO"},
		"an id of another site":    {`{"platform":"microblog_site","externalId":"` + video + `"}`, "INVALID_VIDEO"},
	} {
		a := s.postJSON(t, c.body)
		require.Equal(t, http.StatusUnprocessableEntity, a.StatusCode, "%s: %s", name, a.body)
		assert.Equal(t, c.code, a.failure(t)["code"], name)
	}
	host := s.postJSON(t, body(t, "https://nowhere.example/1")).failure(t)
	assert.Equal(t, map[string]any{"host": "nowhere.example"}, host["details"])
	assert.Zero(t, s.jobs(t))
}

// What stands in a platform's way is told as it is; it never is "no transcript",
// and never starts a recognition.
func TestFaultsOfPlatforms(t *testing.T) {
	t.Parallel()
	for code, status := range map[transcript.Code]int{
		transcript.Unavailable:     http.StatusNotFound,
		transcript.LoginRequired:   http.StatusServiceUnavailable,
		transcript.POTokenRequired: http.StatusServiceUnavailable,
		transcript.ConfigError:     http.StatusServiceUnavailable,
	} {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			s := start(t)
			s.Engine.FailCaptions(transcript.Errorf(code, "So it is."))
			a := s.link(t, video)
			require.Equal(t, status, a.StatusCode, a.body)
			assert.Equal(t, string(code), a.failure(t)["code"])
			assert.Empty(t, a.Header.Get("Retry-After"))

			s.Engine.SetTracks()
			s.Engine.FailCaptions(nil)
			s.Engine.FailAudio(transcript.Errorf(code, "So it is."))
			a = s.link(t, video)
			require.Equal(t, status, a.StatusCode, a.body)
			assert.Equal(t, string(code), a.failure(t)["code"])
			assert.Zero(t, s.Engine.Recognitions())
		})
	}
}

func TestReplayOfALink(t *testing.T) {
	t.Parallel()
	s := start(t)
	key := header("Idempotency-Key", "a link")
	first := s.postJSON(t, `{"url":"`+video+`","waitMs":10000}`, key)
	require.Equal(t, http.StatusOK, first.StatusCode, first.body)
	assert.Empty(t, first.Header.Get("Idempotency-Replayed"))
	for _, same := range []string{
		`{"waitMs":1e4,"url":"` + video + `"}`,
		`{"url":"` + video + `","waitMs":10000,"language":"EN","format":"json","includeTimestamp":true,"sendMetadata":false}`,
	} {
		again := s.postJSON(t, same, key)
		require.Equal(t, http.StatusOK, again.StatusCode, again.body)
		assert.Equal(t, "true", again.Header.Get("Idempotency-Replayed"))
		assert.Equal(t, first.object(t), again.object(t), "not as from the cache")
	}
	for _, other := range []string{
		`{"url":"` + video + `"}`, // another wait
		`{"url":"https://video.example/watch?v=` + video + `","waitMs":10000}`, // the same content, said otherwise
		`{"platform":"video_site","externalId":"` + video + `","waitMs":10000}`,
	} {
		a := s.postJSON(t, other, key)
		require.Equal(t, http.StatusConflict, a.StatusCode, "%s: %s", other, a.body)
		assert.Equal(t, "IDEMPOTENCY_CONFLICT", a.failure(t)["code"])
	}
	upload := s.upload(t, "a file", key)
	assert.Equal(t, http.StatusConflict, upload.StatusCode, "the key is of the route")
	assert.Equal(t, 1, s.jobs(t))
	assert.Equal(t, 1, s.Engine.CaptionReads(transcript.VideoSite))
}

// Where a list that is left out means recognition, one that says so is the same.
func TestReplayOfALinkWithoutCaptions(t *testing.T) {
	t.Parallel()
	s := start(t)
	key := header("Idempotency-Key", "k")
	const photo = `{"url":"https://photos.example/p/CxYz012345a","waitMs":10000`
	require.Equal(t, http.StatusOK, s.postJSON(t, photo+`}`, key).StatusCode)
	assert.Equal(t, "true", s.postJSON(t, photo+`,"language":"asr"}`, key).Header.Get("Idempotency-Replayed"))
	assert.Equal(t, http.StatusConflict, s.postJSON(t, photo+`,"language":"en"}`, key).StatusCode)
}

// What the server gives an engine reaches what is allowed and nothing private.
func TestEgress(t *testing.T) {
	t.Parallel()
	target := newTarget(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	hosts := map[string]engine.Host{}
	keep := func(name string) func(*server.Config) {
		return func(c *server.Config) {
			c.Engine = func(h engine.Host) (engine.Engine, error) { hosts[name] = h; return engine.Engine{}, nil }
			if name == "allowed" {
				c.Egress.Allow = []string{target.address}
			}
		}
	}
	start(t, keep("allowed"))
	s := start(t, keep("strict"))
	get := func(h engine.Host) (*http.Response, error) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+target.address, nil)
		require.NoError(t, err)
		return h.HTTP.Do(r)
	}
	resp, err := get(hosts["allowed"])
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.Equal(t, http.StatusTeapot, resp.StatusCode)
	_, err = get(hosts["strict"]) //nolint:bodyclose // there is none
	require.ErrorContains(t, err, "refused")
	assert.EqualValues(t, 1, target.requests.Load())
	assert.Contains(t, s.log.String(), target.address, "a refusal is logged")

	st := openStore(t)
	_, err = server.New(t.Context(), server.Config{Store: st, Dir: t.TempDir(), Egress: server.Egress{Allow: []string{target.address}, Deny: []string{target.address}}})
	require.ErrorContains(t, err, target.address)
	assert.ErrorContains(t, err, "Config.Egress")
	_, err = server.New(t.Context(), server.Config{Store: st, Dir: t.TempDir(), Egress: server.Egress{Allow: []string{"nowhere"}}})
	assert.ErrorContains(t, err, "Config.Egress")
}
