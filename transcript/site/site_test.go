package site_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// What the ids of each platform become.
var canonical = map[transcript.Platform]string{
	transcript.VideoSite:        "https://www.youtube.com/watch?v=%s",
	transcript.ShortVideoSite:   "https://www.tiktok.com/@_/video/%s",
	transcript.PhotoSite:        "https://www.instagram.com/p/%s/",
	transcript.ProfessionalSite: "https://www.linkedin.com/feed/update/urn:li:activity:%s",
	transcript.MicroblogSite:    "https://twitter.com/i/status/%s",
}

// links are links that name a content.
var links = []struct {
	platform transcript.Platform
	id       string
	links    []string
}{
	{transcript.VideoSite, "dQw4w9WgXcQ", []string{
		"dQw4w9WgXcQ",
		"https://www.youtube.com/watch?v=dQw4w9WgXcQ",
		"http://www.youtube.com/watch?v=dQw4w9WgXcQ",
		"https://youtube.com/watch?v=dQw4w9WgXcQ",
		"https://m.youtube.com/watch?v=dQw4w9WgXcQ",
		"https://music.youtube.com/watch?v=dQw4w9WgXcQ&list=RDAMVMdQw4w9WgXcQ",
		"https://gaming.youtube.com/watch?v=dQw4w9WgXcQ",
		"https://www.youtubekids.com/watch?v=dQw4w9WgXcQ",
		"https://www.youtube.com/watch?v=dQw4w9WgXcQ&list=PL1234567890&index=3",
		"https://www.youtube.com/watch?list=PL1234567890&index=3&v=dQw4w9WgXcQ",
		"https://www.youtube.com/watch?feature=shared&v=dQw4w9WgXcQ",
		"https://www.youtube.com/watch?app=desktop&v=dQw4w9WgXcQ&t=1m30s",
		"https://www.youtube.com/watch?v=dQw4w9WgXcQ&utm_source=a&utm_medium=b&fbclid=IwAR0",
		"https://www.youtube.com/watch?v=dQw4w9WgXcQ#t=42",
		"https://www.youtube.com/watch?v=dQw4w9WgXcQ&",
		"https://www.youtube.com/watch?&&v=dQw4w9WgXcQ",
		"https://www.youtube.com/watch/?v=dQw4w9WgXcQ",
		"https://www.youtube.com//watch?v=dQw4w9WgXcQ",
		"https://www.youtube.com/watch?v=dQw4w9WgXcQ&v=aaaaaaaaaaa", // the first
		"https://www.youtube.com/watch?v=%64Qw4w9WgXcQ",
		"https://www.youtube.com/watch?%76=dQw4w9WgXcQ",
		"https://www.youtube.com/%77atch?v=dQw4w9WgXcQ",
		"https://www.youtube.com/watch?q=%zz&v=dQw4w9WgXcQ",
		"https://www.youtube.com/watch?q=日本語&v=dQw4w9WgXcQ",
		"https://www.youtube.com/watch/dQw4w9WgXcQ",
		"https://www.youtube.com/watch_popup?v=dQw4w9WgXcQ",
		"https://www.youtube.com/shorts/dQw4w9WgXcQ",
		"https://www.youtube.com/shorts/dQw4w9WgXcQ/",
		"https://youtube.com/shorts/dQw4w9WgXcQ?si=AbCdEfGh&feature=share",
		"https://m.youtube.com/shorts/dQw4w9WgXcQ",
		"https://www.youtube.com/live/dQw4w9WgXcQ?si=AbC",
		"https://www.youtube.com/embed/dQw4w9WgXcQ?start=10&autoplay=1",
		"https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ",
		"https://youtube-nocookie.com/embed/dQw4w9WgXcQ?rel=0",
		"https://www.youtube.com/v/dQw4w9WgXcQ",
		"https://www.youtube.com/vi/dQw4w9WgXcQ",
		"https://www.youtube.com/e/dQw4w9WgXcQ",
		"https://youtu.be/dQw4w9WgXcQ",
		"https://www.youtu.be/dQw4w9WgXcQ",
		"https://youtu.be/dQw4w9WgXcQ?t=42",
		"https://youtu.be/dQw4w9WgXcQ?si=AbCdEfGhIjKlMnOp&t=42",
		"https://youtu.be/dQw4w9WgXcQ/",
		"https://youtu.be//dQw4w9WgXcQ",
		"https://youtu.be/watch?v=dQw4w9WgXcQ",
		"youtube.com/watch?v=dQw4w9WgXcQ",
		"www.youtube.com/watch?v=dQw4w9WgXcQ",
		"//www.youtube.com/watch?v=dQw4w9WgXcQ",
		"youtu.be/dQw4w9WgXcQ",
		"youtube.com/watch?v=dQw4w9WgXcQ&u=http://example.com/",
		"HTTPS://WWW.YouTube.COM/watch?v=dQw4w9WgXcQ",
		"https://www.youtube.com./watch?v=dQw4w9WgXcQ",
		"https://www.youtube.com:443/watch?v=dQw4w9WgXcQ",
		"http://www.youtube.com:80/watch?v=dQw4w9WgXcQ",
		"http://www.youtube.com:/watch?v=dQw4w9WgXcQ",
		"https://www.youtube.com:0443/watch?v=dQw4w9WgXcQ",
		"https://ｙｏｕｔｕｂｅ.com/watch?v=dQw4w9WgXcQ",
		"https://www。youtube。com/watch?v=dQw4w9WgXcQ",
		"https://ＹＯＵＴＵ.ＢＥ/dQw4w9WgXcQ",
	}},
	{transcript.VideoSite, "--exec-path", []string{ // an id, though it does not look like one
		"--exec-path", "https://youtu.be/--exec-path", "https://www.youtube.com/watch?v=--exec-path",
	}},
	{transcript.VideoSite, "_-aB3dE5-_0", []string{"_-aB3dE5-_0", "https://youtu.be/_-aB3dE5-_0"}},
	{transcript.ShortVideoSite, "6748451240264420610", []string{
		"https://www.tiktok.com/@leenabhushan/video/6748451240264420610",
		"https://tiktok.com/@leenabhushan/video/6748451240264420610",
		"http://m.tiktok.com/@leenabhushan/video/6748451240264420610",
		"https://www.tiktok.com/@leenabhushan/video/6748451240264420610?is_from_webapp=1&sender_device=pc",
		"https://www.tiktok.com/@barudakhb_/video/6748451240264420610/",
		"https://www.tiktok.com/@user.name-1/video/6748451240264420610?lang=en#comments",
		"https://www.tiktok.com/@_/video/6748451240264420610",
		"https://www.tiktok.com/@/video/6748451240264420610",
		"https://www.tiktok.com/%40leenabhushan/video/6748451240264420610",
		"https://www.tiktok.com/@имя/video/6748451240264420610",
		"https://www.tiktok.com/video/6748451240264420610",
		"https://www.tiktok.com/embed/6748451240264420610",
		"https://www.tiktok.com/embed/v2/6748451240264420610?lang=en-US",
		"https://www.tiktok.com/player/v1/6748451240264420610",
		"https://m.tiktok.com/v/6748451240264420610.html?u_code=1",
		"www.tiktok.com/@leenabhushan/video/6748451240264420610",
		"TikTok.com/@leenabhushan/video/6748451240264420610",
	}},
	{transcript.PhotoSite, "CWqAgUZgCku", []string{
		"https://www.instagram.com/p/CWqAgUZgCku/",
		"https://instagram.com/p/CWqAgUZgCku",
		"https://m.instagram.com/p/CWqAgUZgCku",
		"https://instagr.am/p/CWqAgUZgCku",
		"https://www.instagram.com/p/CWqAgUZgCku/?utm_source=ig_web_copy_link&igsh=MzRl",
		"https://www.instagram.com/p/CWqAgUZgCku/?img_index=2#abc",
		"https://www.instagram.com/reel/CWqAgUZgCku/",
		"https://www.instagram.com/reels/CWqAgUZgCku/",
		"https://www.instagram.com/tv/CWqAgUZgCku/",
		"https://www.instagram.com/marvelskies.fc/reel/CWqAgUZgCku/",
		"https://www.instagram.com/marvelskies.fc/p/CWqAgUZgCku/",
		"https://www.instagram.com/marvelskies.fc/reels/CWqAgUZgCku",
		"https://www.instagram.com/marvelskies.fc/tv/CWqAgUZgCku",
		"http://instagram.com/p/CWqAgUZgCku/embed/",
		"https://www.instagram.com/reel/CWqAgUZgCku/embed/captioned/?cr=1",
		"instagram.com/reel/CWqAgUZgCku",
	}},
	{transcript.PhotoSite, "-Cmh1cukG2", []string{"https://instagram.com/p/-Cmh1cukG2/"}},
	{transcript.ProfessionalSite, "7151241570371948544", []string{
		"https://www.linkedin.com/feed/update/urn:li:activity:7151241570371948544/",
		"https://www.linkedin.com/feed/update/urn:li:activity:7151241570371948544?utm_source=share&utm_medium=member_desktop",
		"https://www.linkedin.com/feed/update/urn%3Ali%3Aactivity%3A7151241570371948544",
		"https://www.linkedin.com/feed/update/activity:7151241570371948544",
		"https://www.linkedin.com/embed/feed/update/urn:li:activity:7151241570371948544",
		"https://linkedin.com/feed/update/urn:li:activity:7151241570371948544",
		"https://m.linkedin.com/feed/update/urn:li:activity:7151241570371948544",
		"https://www.linkedin.com/posts/the-mathworks_2_what-is-mathworks-cloud-center-activity-7151241570371948544-4Gu7",
		"https://www.linkedin.com/posts/the-mathworks_2_what-is-mathworks-cloud-center-activity-7151241570371948544-4Gu7/?utm_source=share&rcm=A",
		"https://www.linkedin.com/posts/someone_an-activity-of-note-activity-7151241570371948544--a_B",
		"https://www.linkedin.com/posts/someone_activity-7151241570371948540-activity-7151241570371948544-4Gu7",
		"https://www.linkedin.com/posts/j%C3%B6rg_gr%C3%BC%C3%9Fe-activity-7151241570371948544-4Gu7",
		"https://www.linkedin.com/posts/jörg_grüße-activity-7151241570371948544-4Gu7",
		"https://www.linkedin.com/posts/👩\u200d💻-می\u200cخواهم-activity-7151241570371948544-4Gu7",
		"https://www.linkedin.com/posts/someone-activity-7151241570371948544",
		"https://www.linkedin.com/posts/activity-7151241570371948544-4Gu7",
		"linkedin.com/posts/activity-7151241570371948544",
	}},
	{transcript.MicroblogSite, "643211948184596480", []string{
		"https://x.com/freethenipple/status/643211948184596480",
		"https://www.x.com/freethenipple/status/643211948184596480",
		"https://mobile.x.com/freethenipple/status/643211948184596480",
		"https://twitter.com/freethenipple/status/643211948184596480",
		"https://www.twitter.com/freethenipple/status/643211948184596480",
		"https://mobile.twitter.com/freethenipple/status/643211948184596480",
		"http://m.twitter.com/freethenipple/status/643211948184596480",
		"https://x.com/freethenipple/status/643211948184596480?s=20&t=AbC",
		"https://x.com/freethenipple/status/643211948184596480/video/1",
		"https://x.com/freethenipple/status/643211948184596480/photo/1",
		"https://x.com/freethenipple/status/643211948184596480/analytics",
		"https://twitter.com/i/status/643211948184596480",
		"https://x.com/i/web/status/643211948184596480",
		"https://twitter.com/i/web/status/643211948184596480",
		"https://twitter.com/i/videos/tweet/643211948184596480",
		"https://twitter.com/statuses/643211948184596480",
		"https://twitter.com/freethenipple/statuses/643211948184596480",
		"x.com/freethenipple/status/643211948184596480",
		"X.COM/freethenipple/status/643211948184596480#m",
	}},
	{transcript.MicroblogSite, "20", []string{"https://x.com/jack/status/20"}},
}

func TestDetect(t *testing.T) {
	t.Parallel()
	rows := 0
	for _, content := range links {
		for _, link := range content.links {
			rows++
			match, err := site.Default().Detect(link)
			assert.NoError(t, err, link)
			want := site.Match{Platform: content.platform, ExternalID: content.id, URL: fmt.Sprintf(canonical[content.platform], content.id)}
			assert.Equal(t, want, match, link)
		}
	}
	assert.Greater(t, rows, 120)
}

func TestDetectShortLink(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		link     string
		platform transcript.Platform
		url      string
	}{
		{"https://vm.tiktok.com/ZTR45GpSF/", transcript.ShortVideoSite, "https://vm.tiktok.com/ZTR45GpSF/"},
		{"https://vt.tiktok.com/ZSe4FqkKd", transcript.ShortVideoSite, "https://vt.tiktok.com/ZSe4FqkKd"},
		{"http://vt.tiktok.com/ZSe4FqkKd?k=1#x", transcript.ShortVideoSite, "http://vt.tiktok.com/ZSe4FqkKd?k=1"},
		{"vt.tiktok.com/ZSe4FqkKd", transcript.ShortVideoSite, "https://vt.tiktok.com/ZSe4FqkKd"},
		{"https://www.tiktok.com/t/ZTRC5xgJp", transcript.ShortVideoSite, "https://www.tiktok.com/t/ZTRC5xgJp"},
		{"tiktok.com/t/ZTRC5xgJp/", transcript.ShortVideoSite, "https://tiktok.com/t/ZTRC5xgJp/"},
		{"https://www.instagram.com/share/BADxyz123", transcript.PhotoSite, "https://www.instagram.com/share/BADxyz123"},
		{"https://www.instagram.com/share/reel/BADxyz123/", transcript.PhotoSite, "https://www.instagram.com/share/reel/BADxyz123/"},
		{"https://lnkd.in/gAbCdEf", transcript.ProfessionalSite, "https://lnkd.in/gAbCdEf"},
		{"https://lnkd.in/p/gAbCdEf", transcript.ProfessionalSite, "https://lnkd.in/p/gAbCdEf"},
		{"https://t.co/AbCdEf1234", transcript.MicroblogSite, "https://t.co/AbCdEf1234"},
		{"HTTPS://T.CO:443/AbCdEf1234", transcript.MicroblogSite, "https://t.co/AbCdEf1234"},
		{"https://t.co/ä?q=ö", transcript.MicroblogSite, "https://t.co/%C3%A4?q=%C3%B6"},
	} {
		match, err := site.Default().Detect(test.link)
		require.NoError(t, err, test.link)
		assert.Equal(t, site.Match{Platform: test.platform, URL: test.url, Short: true}, match, test.link)
	}
}

func TestDetectRefuses(t *testing.T) {
	t.Parallel()
	for code, texts := range map[transcript.Code][]string{
		// Links of the platforms that name no content, and what is no link.
		transcript.InvalidVideo: {
			"https://www.youtube.com", "https://www.youtube.com/", "https://www.youtube.com/watch", "https://www.youtube.com/watch?v=",
			"https://www.youtube.com/watch?list=PL1234567890", "https://www.youtube.com/playlist?list=PL1234567890",
			"https://www.youtube.com/@somebody", "https://www.youtube.com/channel/UCuAXFkgsw1L7xaCfnd5JJOw", "https://www.youtube.com/c/name",
			"https://www.youtube.com/watch?v=dQw4w9WgXc", "https://www.youtube.com/watch?v=dQw4w9WgXcQQ", "https://www.youtube.com/watch?v=dQw4w9WgX.Q",
			"https://www.youtube.com/watch?v=..", "https://www.youtube.com/watch?V=dQw4w9WgXcQ", "https://www.youtube.com/WATCH?v=dQw4w9WgXcQ",
			"https://www.youtube.com/watch?v=aaa&v=dQw4w9WgXcQ", "https://www.youtube.com/watch?v=%zz&v=dQw4w9WgXcQ",
			"https://www.youtube.com/dQw4w9WgXcQ", "https://www.youtube.com/shorts/dQw4w9WgXcQ/more", "https://www.youtube.com/shorts/../watch?v=dQw4w9WgXcQ",
			"https://www.youtube.com/%2e%2e/watch?v=dQw4w9WgXcQ", "https://www.youtube.com/%zz?v=dQw4w9WgXcQ", "https://www.youtube.com/shorts%2FdQw4w9WgXcQ",
			"https://www.youtube.com/embed/videoseries?list=PL1234567890", "https://www.youtube.com/embed/live_stream?channel=UC",
			"https://youtu.be/", "https://youtu.be/../etc", "https://youtu.be/dQw4w9WgXcQ%00", "https://www.youtube.com/watch#v=dQw4w9WgXcQ",
			"https://www.tiktok.com/@leenabhushan", "https://www.tiktok.com/@a/video/", "https://www.tiktok.com/@a/video/abc", "https://www.tiktok.com/music/x-123456",
			"https://vm.tiktok.com/", "https://vm.tiktok.com", "https://vm.tiktok.com/../a", "https://www.tiktok.com/t/", "https://vm.tiktok.com?x=1",
			"https://www.instagram.com/somebody/", "https://www.instagram.com/explore/tags/lolcats", "https://www.instagram.com/stories/a/12345678901", "https://www.instagram.com/reels/audio/12345678901",
			"https://www.instagram.com/p/a.b.c.d.e.f/", "https://www.linkedin.com/in/somebody", "https://www.linkedin.com/company/x", "https://www.linkedin.com/feed/update/urn:li:activity:12",
			"https://www.linkedin.com/posts/-activity-", "https://www.linkedin.com/posts/no-number-at-all", "https://www.linkedin.com/learning/course/video",
			"https://x.com/somebody", "https://x.com/home", "https://x.com/a/status/", "https://x.com/a/status/1a", "https://x.com/a/status/123456789012345678901", "https://t.co/",
			"", "-U", "--exec", "--exec=id", "two words", "hello", "dQw4w9WgXc", "dQw4w9WgXcQ1", "dQw4w9WgXc\u0451", "ytsearch:foo", "ytsearch5:cats", "file:///etc/passwd",
			"data:text/html,hi", "javascript:alert(1)", "mailto:a@youtube.com", "ftp://youtube.com/watch?v=dQw4w9WgXcQ", "rtmp://youtube.com/x",
			"https:youtube.com/watch?v=dQw4w9WgXcQ", "https:/youtube.com/watch?v=dQw4w9WgXcQ", "https://", "https:///watch?v=dQw4w9WgXcQ", "http://:80/", "://youtube.com/watch?v=dQw4w9WgXcQ",
			"https://user@www.youtube.com/watch?v=dQw4w9WgXcQ", "https://user:word@www.youtube.com/watch?v=dQw4w9WgXcQ", "https://www.youtube.com@evil.example/watch?v=dQw4w9WgXcQ",
			"https://evil.example\\@www.youtube.com/watch?v=dQw4w9WgXcQ", "https://www.youtube.com\\watch?v=dQw4w9WgXcQ", "https://www.youtube.com/watch?q=é\\&v=dQw4w9WgXcQ",
			" https://youtu.be/dQw4w9WgXcQ", "https://youtu.be/dQw4w9WgXcQ ", "https://youtu.be/dQw4w9WgXcQ\n", "https://youtu.be/\tdQw4w9WgXcQ", "https://youtu.be/dQw4w9WgXcQ\x00", "https://youtu.be/dQw4w9WgXcQ\x7f",
			"https://youtu.be/dQw4w9WgXcQ?q=\u00a0", "https://youtu.be/dQw4w9WgXcQ?q=\u200b", "https://youtu.be/dQw4w9WgXcQ?q=\u202e", "https://youtu.be/dQw4w9WgXcQ?q=\xff",
			"https://www..youtube.com/watch?v=dQw4w9WgXcQ", "https://.youtube.com/watch?v=dQw4w9WgXcQ", "https://www.youtube.com../watch?v=dQw4w9WgXcQ", "https://you%74ube.com/watch?v=dQw4w9WgXcQ",
			"https://youtube.com:port/watch?v=dQw4w9WgXcQ", "https://youtube.com:0/watch?v=dQw4w9WgXcQ", "https://youtube.com:65536/watch?v=dQw4w9WgXcQ", "https://youtube.com:-1/", "https://xn--a.com/watch?v=dQw4w9WgXcQ",
			"https://[::1/watch", "https://[]/watch", "https://[youtube.com]/watch?v=dQw4w9WgXcQ", "https://" + strings.Repeat("a.", 130) + "com/",
			"example.com/watch?v=dQw4w9WgXcQ", "127.0.0.1", "localhost:8080/x", "/watch?v=dQw4w9WgXcQ", "?v=dQw4w9WgXcQ", "https://youtube.com／watch?v=dQw4w9WgXcQ",
		},
		// Links of somebody else.
		transcript.UnsupportedPlatform: {
			"https://example.com/watch?v=dQw4w9WgXcQ", "http://vimeo.com/76979871", "https://youtube.com.evil.example/watch?v=dQw4w9WgXcQ", "https://evilyoutube.com/watch?v=dQw4w9WgXcQ",
			"https://evil.youtube.com/watch?v=dQw4w9WgXcQ", "https://youtube.co/watch?v=dQw4w9WgXcQ", "https://yоutube.com/watch?v=dQw4w9WgXcQ", "https://xn--yutube-wqf.com/watch?v=dQw4w9WgXcQ",
			"https://www.youtube.com:8080/watch?v=dQw4w9WgXcQ", "http://127.0.0.1/watch?v=dQw4w9WgXcQ", "http://2130706433/", "http://[::1]/watch?v=dQw4w9WgXcQ", "http://[::1]:8080/",
			"http://localhost/watch?v=dQw4w9WgXcQ", "https://bücher.example/", "https://example.com?https://youtu.be/dQw4w9WgXcQ", "https://example.com#https://youtu.be/dQw4w9WgXcQ",
		},
	} {
		for _, text := range texts {
			match, err := site.Default().Detect(text)
			assert.ErrorIs(t, err, code, "%q: %v", text, match)
			assert.Equal(t, site.Match{Platform: match.Platform}, match, text)
			var refusal *transcript.Error
			require.ErrorAs(t, err, &refusal)
			if code == transcript.UnsupportedPlatform {
				assert.NotEmpty(t, refusal.Details["host"], text)
			} else {
				assert.Nil(t, refusal.Details, text)
			}
		}
	}
}

// A link that names no content still tells whose it is.
func TestDetectNamesThePlatform(t *testing.T) {
	t.Parallel()
	for link, platform := range map[string]transcript.Platform{
		"https://www.youtube.com/@somebody":     transcript.VideoSite,
		"https://vm.tiktok.com/":                transcript.ShortVideoSite,
		"x.com/somebody":                        transcript.MicroblogSite,
		"https://example.com/dQw4w9WgXcQ":       "",
		"https://a@www.youtube.com/dQw4w9WgXcQ": "",
		"hello":                                 "",
	} {
		match, err := site.Default().Detect(link)
		assert.Error(t, err, link)
		assert.Equal(t, site.Match{Platform: platform}, match, link)
	}
}

func TestDetectNamesTheHost(t *testing.T) {
	t.Parallel()
	for link, host := range map[string]string{
		"https://Example.com/x":           "example.com",
		"https://example.com.:443/x":      "example.com",
		"https://example.com:8443/x":      "example.com:8443",
		"https://bücher.example/":         "xn--bcher-kva.example",
		"https://yоutube.com/dQw4w9WgXcQ": "xn--yutube-wqf.com", // a Cyrillic letter
		"http://[::1]:99/":                "[::1]:99",
	} {
		_, err := site.Default().Detect(link)
		var refusal *transcript.Error
		require.ErrorAs(t, err, &refusal, link)
		assert.Equal(t, map[string]any{"host": host}, refusal.Details)
		assert.Contains(t, refusal.Message, host)
	}
}

// The platform is known even if the link names no content.
func TestDetectFindsThePlatformOfAHost(t *testing.T) {
	t.Parallel()
	for link, want := range map[string]transcript.Platform{
		"https://www.youtube.com/feed/subscriptions": transcript.VideoSite,
		"m.tiktok.com":   transcript.ShortVideoSite,
		"https://t.co/x": transcript.MicroblogSite,
		"https://example.com/watch?v=dQw4w9WgXcQ": "",
		"": "",
	} {
		match, _ := site.Default().Detect(link) // most of these links name no content
		assert.Equal(t, want, match.Platform, link)
	}
}

func TestContent(t *testing.T) {
	t.Parallel()
	for _, content := range links {
		match, err := site.Default().Content(content.platform, content.id)
		require.NoError(t, err, content.id)
		assert.Equal(t, site.Match{Platform: content.platform, ExternalID: content.id, URL: fmt.Sprintf(canonical[content.platform], content.id)}, match)
	}
	for platform := range canonical {
		for _, id := range []string{"", ".", "..", "a/b", "a b", "dQw4w9WgXc\n", "dQw4w9WgXcQ\n", "https://youtu.be/dQw4w9WgXcQ", "%2e%2e", "dQw4w9WgXc\u00e9", "\xff", strings.Repeat("1", 513)} {
			_, err := site.Default().Content(platform, id)
			assert.ErrorIs(t, err, transcript.InvalidVideo, "%s %q", platform, id)
		}
	}
	for _, platform := range []transcript.Platform{transcript.Upload, "", "batch"} {
		_, err := site.Default().Content(platform, "dQw4w9WgXcQ")
		assert.ErrorIs(t, err, transcript.UnsupportedPlatform, platform)
	}
}

func TestAt(t *testing.T) {
	t.Parallel()
	table := site.Default()
	at, err := table.At(transcript.VideoSite, "dQw4w9WgXcQ", 42)
	require.NoError(t, err)
	assert.Equal(t, "https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=42s", at)
	at, err = table.At(transcript.VideoSite, "dQw4w9WgXcQ", -1)
	require.NoError(t, err)
	assert.Equal(t, "https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=0s", at)
	at, err = table.At(transcript.MicroblogSite, "20", 42) // has no such links
	require.NoError(t, err)
	assert.Equal(t, "https://twitter.com/i/status/20", at)
	_, err = table.At(transcript.VideoSite, "..", 1)
	assert.ErrorIs(t, err, transcript.InvalidVideo)
	_, err = table.At(transcript.Upload, "x", 1)
	assert.ErrorIs(t, err, transcript.UnsupportedPlatform)
}

func TestTheTableIsNotTheCallers(t *testing.T) {
	t.Parallel()
	s, ok := site.Default().Site(transcript.VideoSite)
	require.True(t, ok)
	assert.Equal(t, "https://www.youtube.com", s.Base)
	s.Hosts[0], s.Links[2] = "evil.example", "/{id}"
	match, err := site.Default().Detect("https://www.youtube.com/watch?v=dQw4w9WgXcQ")
	require.NoError(t, err)
	assert.Equal(t, "dQw4w9WgXcQ", match.ExternalID)
	again, _ := site.Default().Site(transcript.VideoSite)
	assert.Equal(t, "www.youtube.com", again.Hosts[0])
	_, ok = site.Default().Site(transcript.Upload)
	assert.False(t, ok)
	hosts := site.Default().Hosts()
	for _, host := range []string{"youtu.be", "t.co", "vm.tiktok.com", "www.tiktok.com", "x.com"} {
		assert.Contains(t, hosts, host)
	}
	assert.IsNonDecreasing(t, hosts)
}

func TestZeroTable(t *testing.T) {
	t.Parallel()
	var none site.Table
	_, err := none.Detect("https://youtu.be/dQw4w9WgXcQ")
	assert.ErrorIs(t, err, transcript.UnsupportedPlatform)
	_, err = none.Detect("dQw4w9WgXcQ")
	assert.ErrorIs(t, err, transcript.InvalidVideo)
}

// FuzzDetect holds what is detected to be what the table says of itself.
func FuzzDetect(f *testing.F) {
	for _, content := range links {
		for _, link := range content.links {
			f.Add(link)
		}
	}
	for _, seed := range []string{"https://vm.tiktok.com/a?b=c#d", "http://t.co//x/%2F?ü", "https://[::1]:443/", "ftp://x", "https://xn--a/", "//t.co/%"} {
		f.Add(seed)
	}
	table := site.Default()
	hosts := table.Hosts()
	f.Fuzz(func(t *testing.T, link string) {
		match, err := table.Detect(link)
		if err != nil {
			require.Zero(t, match)
			return
		}
		again, err := table.Detect(match.URL)
		require.NoError(t, err, "%q of %q", match.URL, link)
		require.Equal(t, match, again, "from %q", link)
		scheme, rest, _ := strings.Cut(match.URL, "://")
		require.Contains(t, []string{"http", "https"}, scheme)
		host, _, _ := strings.Cut(rest, "/")
		host, _, _ = strings.Cut(host, "?")
		require.Contains(t, hosts, host)
		require.Equal(t, match.Short, match.ExternalID == "")
		if !match.Short {
			byID, err := table.Content(match.Platform, match.ExternalID)
			require.NoError(t, err)
			require.Equal(t, match, byID)
		}
	})
}

func BenchmarkDetect(b *testing.B) {
	table := site.Default()
	for _, bench := range []struct{ name, link string }{
		{"id", "dQw4w9WgXcQ"},
		{"watch", "https://www.youtube.com/watch?list=PL1234567890&index=3&v=dQw4w9WgXcQ&utm_source=x"},
		{"path", "https://youtu.be/dQw4w9WgXcQ?si=AbCdEf"},
		{"status", "https://x.com/somebody/status/643211948184596480?s=20"},
		{"post", "https://www.linkedin.com/posts/the-mathworks_2_what-is-mathworks-cloud-center-activity-7151241570371948544-4Gu7"},
		{"short", "https://vm.tiktok.com/ZTR45GpSF/"},
		{"unicode", "https://ｙｏｕｔｕｂｅ.com/watch?v=dQw4w9WgXcQ"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := table.Detect(bench.link); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
