package ytdlp_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// described is a video that has captions and can be played.
const described = `{"id": "aaaaaaaaaaa", "extractor": "youtube", "fulltitle": "A", "channel": "C", "duration": 60.5, "format_id": "1", "formats": [{}], ` +
	`"subtitles": {"en": [{"url": "http://x/", "ext": "vtt"}], "de-forced": [{"url": "http://x/f", "ext": "vtt"}]}}`

// shown is one that the site shows and does not let play.
const shown = `{"id": "bbbbbbbbbbb", "extractor": "youtube", "fulltitle": "B", "channel": "C", "formats": []}`

// Of several videos in one run, each has what the program says before its own line.
func TestVideosApart(t *testing.T) {
	t.Parallel()
	const blocked, removed, private = "Sign in to confirm you’re not a bot", "Video unavailable. This video has been removed by the uploader", "Private video. Sign in if you've been granted access"
	for _, tt := range []struct {
		name  string
		lines []string
		code  transcript.Code // "" for none
		ids   string
		text  []transcript.TrackStatus
	}{
		{"both", []string{described, strings.ReplaceAll(described, "aaaaaaaaaaa", "bbbbbbbbbbb")}, "", "aaaaaaaaaaa bbbbbbbbbbb", []transcript.TrackStatus{"ok", "ok"}},
		{"the first removed", []string{"ERROR: [youtube] aaaaaaaaaaa: " + removed, "null", strings.ReplaceAll(described, "aaaaaaaaaaa", "bbbbbbbbbbb")}, "", "bbbbbbbbbbb", []transcript.TrackStatus{"ok"}},
		{"the second removed", []string{described, "ERROR: [youtube] bbbbbbbbbbb: " + removed, "null"}, "", "aaaaaaaaaaa", []transcript.TrackStatus{"ok"}},
		{"removed and described", []string{described, "WARNING: [youtube] " + removed, shown}, "", "aaaaaaaaaaa", []transcript.TrackStatus{"ok"}},
		{"removed, and one yet to come", []string{"ERROR: [youtube] aaaaaaaaaaa: " + removed, "null", "WARNING: [youtube] Premieres in 42 minutes", shown}, "", "bbbbbbbbbbb", []transcript.TrackStatus{"failed"}},
		{"private", []string{described, "WARNING: [youtube] " + private, shown}, "", "aaaaaaaaaaa", []transcript.TrackStatus{"ok"}},
		{"both removed", []string{"ERROR: " + removed, "null", "ERROR: " + private, "null"}, "", "", nil},
		{"blocked after the first", []string{described, "ERROR: [youtube] bbbbbbbbbbb: " + blocked, "null"}, transcript.IPBlocked, "", nil},
		{"blocked and described", []string{described, "WARNING: [youtube] " + blocked, shown}, transcript.IPBlocked, "", nil},
		{"blocked before the second", []string{"ERROR: HTTP Error 429: Too Many Requests", "null", described}, transcript.IPBlocked, "", nil},
		{"an age wall, described", []string{described, "WARNING: [youtube] Sign in to confirm your age", shown}, "", "aaaaaaaaaaa bbbbbbbbbbb", []transcript.TrackStatus{"ok", "failed"}},
		{"an age wall", []string{described, "ERROR: Sign in to confirm your age", "null"}, transcript.LoginRequired, "", nil},
		{"not in this region, described", []string{described, "WARNING: The uploader has not made this video available in your country", shown}, "", "aaaaaaaaaaa bbbbbbbbbbb", []transcript.TrackStatus{"ok", "failed"}},
		{"not in this region", []string{described, "ERROR: The uploader has not made this video available in your country", "null"}, "", "aaaaaaaaaaa", []transcript.TrackStatus{"ok"}},
		{"yet to come", []string{described, "WARNING: [youtube] Premieres in 42 minutes", shown}, "", "aaaaaaaaaaa bbbbbbbbbbb", []transcript.TrackStatus{"ok", "failed"}},
		{"a missing runtime", []string{described, "WARNING: [youtube] No supported JavaScript runtime could be found", shown}, "", "aaaaaaaaaaa bbbbbbbbbbb", []transcript.TrackStatus{"ok", "failed"}},
		{"captions that are withheld", []string{described, "WARNING: bbbbbbbbbbb: Some client subtitles require a PO Token which was not provided", strings.Replace(shown, `"formats": []`, `"format_id": "1", "formats": [{}]`, 1)},
			"", "aaaaaaaaaaa bbbbbbbbbbb", []transcript.TrackStatus{"ok", "failed"}},
		{"no captions", []string{described, strings.Replace(shown, `"formats": []`, `"format_id": "1", "formats": [{}]`, 1)}, "", "aaaaaaaaaaa bbbbbbbbbbb", []transcript.TrackStatus{"ok", "empty"}},
		{"forced captions only", []string{described, `{"id": "bbbbbbbbbbb", "format_id": "1", "formats": [{}], "subtitles": {"de-forced": [{"url": "http://x/f", "ext": "vtt"}]}}`},
			"", "aaaaaaaaaaa bbbbbbbbbbb", []transcript.TrackStatus{"ok", "ok"}},
		{"nothing found", []string{described, "ERROR: No video could be found in this page", "null"}, transcript.UpstreamFailed, "", nil},
		{"nothing known", []string{described, "ERROR: KeyError('x')", "null"}, transcript.UpstreamFailed, "", nil},
		{"nothing said", []string{described, "null"}, transcript.UpstreamFailed, "", nil},
		{"one only", []string{described}, transcript.UpstreamFailed, "", nil},
		{"no disk", []string{described, "ERROR: unable to write data: [Errno 28] No space left on device", "null"}, transcript.Internal, "", nil},
		{"more than asked for", []string{described, shown, shown}, transcript.UpstreamFailed, "", nil},
		{"another", []string{described, described}, transcript.UpstreamFailed, "", nil},
		{"a list", []string{described, `{"_type": "playlist", "playlist_count": 9, "id": "c", "entries": [{"id": "y"}]}`}, transcript.UpstreamFailed, "", nil},
		{"odd types", []string{described, `{"id": "bbbbbbbbbbb", "fulltitle": ["x"], "channel": 7, "duration": -1, "view_count": -5, "like_count": 1e999, "tags": {"a": 1}, "thumbnails": "x", "description": 7, ` +
			`"timestamp": "x", "media_type": [], "channel_id": "UC--exec", "thumbnail": "file:///etc/passwd", "live_status": {}, "format_id": "1", "formats": [7]}`}, "", "aaaaaaaaaaa bbbbbbbbbbb", []transcript.TrackStatus{"ok", "empty"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := fake{lines: tt.lines, pages: true}.start(t)
			found, err := b.Videos(t.Context(), []engine.Content{b.content("aaaaaaaaaaa"), b.content("bbbbbbbbbbb")})
			if tt.code != "" {
				coded(t, err, tt.code)
				assert.Empty(t, found)
				return
			}
			require.NoError(t, err)
			var ids []string
			var text []transcript.TrackStatus
			for _, v := range found {
				ids, text = append(ids, v.VideoID), append(text, v.TrackMetadataStatus)
				if v.TrackMetadataStatus == transcript.TracksFailed {
					assert.Nil(t, v.CaptionAvailable)
				}
				if v.VideoID == "aaaaaaaaaaa" {
					assert.Equal(t, []string{"en"}, v.Languages, "what is forced is no language that can be had")
					assert.Equal(t, 61, *v.DurationSec, "rounded half up")
					assert.Equal(t, transcript.MetadataComplete, v.MetadataStatus)
				}
			}
			assert.Equal(t, tt.ids, strings.Join(ids, " "))
			assert.Equal(t, tt.text, text)
			if tt.name == "forced captions only" {
				assert.Nil(t, found[1].CaptionAvailable, "they are never the transcript")
			}
			if tt.name == "odd types" {
				assert.Equal(t, video.Summary{VideoID: "bbbbbbbbbbb", CaptionAvailable: new(false)}, found[1].Summary)
				assert.Nil(t, found[1].LikeCount)
				assert.Nil(t, found[1].Tags)
			}
		})
	}
}

// The program is ended at the first video that could not be read: the site is not asked
// for the others.
func TestVideosStopWhenBlocked(t *testing.T) {
	t.Parallel()
	b := fake{lines: []string{"ERROR: HTTP Error 429: Too Many Requests", "null"}, hangs: true}.start(t)
	_, err := b.Videos(t.Context(), []engine.Content{b.content("aaaaaaaaaaa"), b.content("bbbbbbbbbbb")})
	assert.Positive(t, coded(t, err, transcript.IPBlocked).RetryAfter)
	assert.Contains(t, b.log.String(), "HTTP Error 429", "what the program complains of is in the log")
}

// What never ends is cut off.
func TestVideosWithoutEnd(t *testing.T) {
	t.Parallel()
	b := fake{info: strings.Repeat(" ", 17_000_000)}.start(t)
	_, err := b.Videos(t.Context(), []engine.Content{b.content("aaaaaaaaaaa")})
	coded(t, err, transcript.UpstreamFailed)
	found, err := b.Videos(t.Context(), nil)
	require.NoError(t, err)
	assert.Empty(t, found)
	_, err = b.Videos(t.Context(), []engine.Content{{URL: "ytsearch:x"}})
	coded(t, err, transcript.Unavailable)
}
