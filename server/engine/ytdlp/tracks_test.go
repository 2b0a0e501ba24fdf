package ytdlp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// info is what yt-dlp says of a content with this besides.
func info(members string) string {
	return `{"id": "x", "format_id": "1", "formats": [{}], ` + members + `}`
}

func TestTracks(t *testing.T) {
	t.Parallel()
	manual, auto, forced := transcript.TrackManual, transcript.TrackAuto, transcript.TrackForced
	tests := []struct {
		name, members string
		want          []transcript.Track
	}{
		{"in the platform's order", `"subtitles": {"ja": [{"ext": "vtt"}], "de": [{"ext": "vtt"}], "pt-BR": [{"ext": "vtt", "name": "Português"}]}`, []transcript.Track{
			{ID: "ja.manual", Lang: "ja", Kind: manual}, {ID: "de.manual", Lang: "de", Kind: manual}, {ID: "pt-BR.manual", Lang: "pt-BR", Name: "Português", Kind: manual},
		}},
		{"automatic, twice, and translated", `"subtitles": {"de": [{"ext": "vtt", "url": "http://p/t?lang=de&fmt=vtt", "name": "German"}]}, "automatic_captions": {
			"af": [{"ext": "vtt", "url": "http://p/t?lang=en&kind=asr&fmt=vtt&tlang=af", "name": "Afrikaans"}],
			"en-orig": [{"ext": "json3", "url": "http://p/t?lang=en&kind=asr&fmt=json3", "name": "English (Original)"}, {"ext": "vtt", "url": "http://p/t?lang=en&kind=asr&fmt=vtt", "name": "English (Original)"}],
			"en": [{"ext": "json3", "url": "http://p/t?lang=en&kind=asr&fmt=json3", "name": "English"}],
			"af-de": [{"ext": "vtt", "url": "http://p/t?lang=de&fmt=vtt&tlang=af", "name": "Afrikaans from German"}],
			"de-de": [{"ext": "vtt", "url": "http://p/t?lang=de&fmt=vtt", "name": "German from German"}]}`, []transcript.Track{
			{ID: "de.manual", Lang: "de", Name: "German", Kind: manual, IsTranslatable: true},
			{ID: "en.asr", Lang: "en", Name: "English", Kind: auto, IsDefault: true},
		}},
		{"spoken language has both", `"language": "en-US", "subtitles": {"en-US": [{"ext": "vtt", "url": "a"}]}, "automatic_captions": {"en-US": [{"ext": "vtt", "url": "b"}]}`, []transcript.Track{
			{ID: "en-US.manual", Lang: "en-US", Kind: manual, IsDefault: true}, {ID: "en-US.asr", Lang: "en-US", Kind: auto},
		}},
		{"several of one language", `"subtitles": {"en": [{"ext": "vtt"}], "en-nP7-2PuUl7o": [{"ext": "vtt", "name": "Director"}], "en-forced": [{"ext": "vtt"}], "EN": [{"ext": "vtt"}]}`, []transcript.Track{
			{ID: "en.manual", Lang: "en", Kind: manual}, {ID: "en.manual.nP7-2PuUl7o", Lang: "en", Name: "Director", Kind: manual},
			{ID: "en.forced", Lang: "en", Kind: forced}, {ID: "en.manual.2", Lang: "en", Kind: manual},
		}},
		{"tags", `"subtitles": {"zh_hans_cn": [{"ext": "vtt"}], "iw": [{"ext": "vtt"}], "es-419": [{"ext": "vtt"}], "English": [{"ext": "vtt"}], "Ελληνικά": [{"ext": "vtt"}], "und": [{"ext": "vtt"}]}`, []transcript.Track{
			{ID: "zh-Hans-CN.manual", Lang: "zh-Hans-CN", Kind: manual}, {ID: "iw.manual", Lang: "iw", Kind: manual}, {ID: "es-419.manual", Lang: "es-419", Kind: manual},
			{ID: "und.manual.English", Lang: "und", Name: "English", Kind: manual}, {ID: "und.manual.25d77ab928cd", Lang: "und", Name: "Ελληνικά", Kind: manual}, {ID: "und.manual", Lang: "und", Kind: manual},
		}},
		{"no captions", `"subtitles": {"live_chat": [{"ext": "json"}], "danmaku": [{"ext": "xml"}], "rechat": [{"ext": "vtt"}], "en": [], "de": [{"ext": "json"}], "fr": null, "it": 7}, "automatic_captions": null`, nil},
		{"a name with controls", `"subtitles": {"en": [{"ext": "vtt", "name": "a\u0000b\n\u202ec"}]}`, []transcript.Track{{ID: "en.manual", Lang: "en", Name: "ab c", Kind: manual}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := fake{info: info(tt.members), pages: true}.start(t)
			found, err := b.Captions(t.Context(), b.content("x"), func([]transcript.Track) (int, bool) { return 0, false })
			require.NoError(t, err)
			assert.Equal(t, tt.want, found.Tracks)
			assert.Nil(t, found.Track)
		})
	}
}

// A list of tracks without end is cut off: it costs little time, and nobody keeps
// it.
func TestTracksWithoutEnd(t *testing.T) {
	t.Parallel()
	for _, member := range []string{"subtitles", "automatic_captions"} {
		var keys []string
		for n := range 20_000 {
			keys = append(keys, fmt.Sprintf(`"en-x-%d": [{"ext": "vtt", "url": "http://p/%d"}]`, n, n))
		}
		b := fake{info: info(`"` + member + `": {` + strings.Join(keys, ", ") + `}`)}.start(t)
		began := time.Now()
		found, err := b.Captions(t.Context(), b.content("x"), func([]transcript.Track) (int, bool) { return 0, false })
		require.NoError(t, err)
		assert.Len(t, found.Tracks, 500)
		assert.Equal(t, "en-x-499", found.Tracks[499].Lang)
		assert.Less(t, time.Since(began), time.Minute)
	}
}

// The program is given the one file that was picked, and no page to fall back to.
func TestFetchesWhatWasPicked(t *testing.T) {
	t.Parallel()
	path := fake{
		info: info(`"webpage_url": "http://p/", "subtitles": {"en": [{"ext": "vtt", "url": "http://p/en"}], "live_chat": [{"ext": "json", "url": "http://p/chat"}]},
			"automatic_captions": {"de": [{"ext": "srv1", "url": "http://p/srv1"}, {"ext": "vtt", "url": "http://p/de", "data": "x"}]}`),
		load: "printf 'WEBVTT\\n\\n00:01.000 --> 00:02.000\\nhallo\\n' > text.track.vtt",
	}.program(t)
	b := newBench(t, path)
	found, err := b.captions(t, "x", "de")
	require.NoError(t, err)
	assert.Equal(t, "de.asr", found.Track.ID)
	assert.Equal(t, []transcript.Segment{{Text: "hallo", Start: 1, Duration: 1}}, found.Segments)

	data, err := os.ReadFile(filepath.Join(filepath.Dir(path), "loaded"))
	require.NoError(t, err)
	var loaded map[string]any
	require.NoError(t, json.Unmarshal(data, &loaded))
	assert.Equal(t, map[string]any{"track": []any{map[string]any{"ext": "vtt", "url": "http://p/de", "data": "x"}}}, loaded["subtitles"])
	assert.Nil(t, loaded["automatic_captions"])
	assert.NotContains(t, loaded, "webpage_url")
	b.clean(t)
}

func TestTrackInNoReadableForm(t *testing.T) {
	t.Parallel()
	b := fake{info: info(`"subtitles": {"en": [{"ext": "ass", "url": "http://p/en"}]}`), load: "exit 9"}.start(t)
	found, err := b.captions(t, "x", "en")
	coded(t, err, transcript.UpstreamFailed)
	assert.Len(t, found.Tracks, 1)
}

// Of several forms the one is read that tells most.
func TestBestForm(t *testing.T) {
	t.Parallel()
	forms := []struct{ ext, text string }{
		{"srv1", `<transcript><text start="1" dur="1">hallo</text></transcript>`},
		{"srt", "1\\n00:00:01,000 --> 00:00:02,000\\nhallo\\n"},
		{"dfxp", `<tt xmlns="http://www.w3.org/ns/ttml"><body><div><p begin="1s" end="2s">hallo</p></div></body></tt>`},
		{"ttml", `<tt xmlns="http://www.w3.org/ns/ttml"><body><div><p begin="1s" dur="1s">hallo</p></div></body></tt>`},
		{"vtt", "WEBVTT\\n\\n00:01.000 --> 00:02.000\\nhallo\\n"},
		{"srv3", `<timedtext format="3"><body><p t="1000" d="1000">hallo</p></body></timedtext>`},
		{"json3", `{"wireMagic":"pb3","events":[{"tStartMs":1000,"dDurationMs":1000,"segs":[{"utf8":"hallo"}]}]}`},
	}
	files := `{"ext": "scc", "url": "http://p/scc"}`
	for _, form := range forms { // each is better than those before it
		files += `, {"ext": "` + form.ext + `", "url": "http://p/` + form.ext + `"}`
		b := fake{info: info(`"subtitles": {"en": [` + files + `]}`), load: "printf '" + form.text + "' > text.track." + form.ext}.start(t)
		found, err := b.captions(t, "x", "en")
		require.NoError(t, err, form.ext)
		assert.Equal(t, []transcript.Segment{{Text: "hallo", Start: 1, Duration: 1}}, found.Segments, form.ext)
	}
}

func TestPickOutOfRange(t *testing.T) {
	t.Parallel()
	b := fake{info: info(`"subtitles": {"en": [{"ext": "vtt"}]}`)}.start(t)
	for _, n := range []int{-1, 1} {
		_, err := b.Captions(t.Context(), b.content("x"), func([]transcript.Track) (int, bool) { return n, true })
		assert.ErrorContains(t, err, "of 1 was picked")
	}
}

func TestMetadataFields(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, members string
		want          transcript.Metadata
	}{
		{"everything", `"title": " A\ttalk ", "channel": "Talks", "uploader": "Ann", "uploader_id": "@ann", "uploader_url": "https://p.example/@ann",
			"thumbnail": "https://i.example/1.jpg", "duration": 61.5, "timestamp": 1706933106, "upload_date": "20200101"`,
			transcript.Metadata{Title: "A talk", Channel: "Talks", CreatorName: "Ann", CreatorHandle: "@ann", CreatorURL: "https://p.example/@ann",
				ThumbnailURL: "https://i.example/1.jpg", Duration: 61.5, PublishedAt: time.Date(2024, 2, 3, 4, 5, 6, 0, time.UTC)}},
		{"a day, a channel", `"upload_date": "20240203", "channel_url": "https://p.example/channel/UC1", "uploader_id": "UC1"`,
			transcript.Metadata{CreatorURL: "https://p.example/channel/UC1", PublishedAt: time.Date(2024, 2, 3, 0, 0, 0, 0, time.UTC)}},
		{"a handle in an address", `"uploader_id": "6807", "uploader_url": "https://p.example/@ann.b/"`,
			transcript.Metadata{CreatorHandle: "@ann.b", CreatorURL: "https://p.example/@ann.b/"}},
		{"a handle without its sign", `"uploader_id": "ann_b", "uploader_url": "https://p.example/ann_b"`,
			transcript.Metadata{CreatorHandle: "@ann_b", CreatorURL: "https://p.example/ann_b"}},
		{"numbers are no handles", `"uploader_id": "123", "uploader_url": "https://p.example/123"`, transcript.Metadata{CreatorURL: "https://p.example/123"}},
		{"no web addresses", `"thumbnail": "javascript:alert(1)", "uploader_url": "file:///x", "channel_url": "https://u:p@p.example/"`, transcript.Metadata{}},
		{"no times", `"duration": -1, "timestamp": -5, "upload_date": "soon"`, transcript.Metadata{}},
		{"chapters", `"chapters": [{"title": "<Untitled Chapter 1>", "start_time": 0, "end_time": 3}, {"title": "Sea\u0007", "start_time": 3.5}, {"title": 7, "start_time": "4"}]`,
			transcript.Metadata{Chapters: []transcript.Chapter{{}, {Title: "Sea", Start: 3.5}, {}}}},
		{"no chapters", `"chapters": null`, transcript.Metadata{}},
		{"chapters that are none", `"chapters": {"title": "Sea"}`, transcript.Metadata{}},
		{"very long", `"title": "` + strings.Repeat("é", 501) + `", "uploader": "` + strings.Repeat("x", 300) + `", "duration": 1e300`,
			transcript.Metadata{Title: strings.Repeat("é", 500), CreatorName: strings.Repeat("x", 200)}},
		{"the only video of a page", `"title": "A talk (1)", "extractor": "html5"`, transcript.Metadata{Title: "A talk"}},
		{"a title with a number", `"title": "A talk (1)", "extractor": "youtube"`, transcript.Metadata{Title: "A talk (1)"}},
		{"controls", `"title": "a\u0000\u001b[31m\u2028b\u202e\ud800"`, transcript.Metadata{Title: "a[31m b\uFFFD"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := fake{info: info(tt.members), pages: true}.start(t)
			found, err := b.Captions(t.Context(), b.content("x"), nil)
			require.NoError(t, err)
			assert.Equal(t, tt.want, found.Metadata)
		})
	}
}

func TestOrigin(t *testing.T) {
	t.Parallel()
	d := fake{}.start(t)
	for platform, want := range map[transcript.Platform]transcript.Origin{
		transcript.VideoSite:        transcript.OriginDownloader,
		transcript.ShortVideoSite:   transcript.OriginShortVideoSiteCaptions,
		transcript.ProfessionalSite: transcript.OriginProfessionalCaptions,
		transcript.PhotoSite:        "",
		transcript.MicroblogSite:    "",
		transcript.Upload:           "",
	} {
		origin, ok := d.Origin(platform)
		assert.Equal(t, want, origin)
		assert.Equal(t, want != "", ok)
	}
}
