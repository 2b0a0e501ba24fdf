package ytdlp_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// hostileInfo is what a page may make the program say: one format that may be
// fetched, after those that may not.
const hostileInfo = `{"id": "x", "title": "x", "extractor": "generic", "extractor_key": "Generic", "format_id": "good",
	"webpage_url": "http://127.0.0.1:22/", "original_url": "http://127.0.0.1:22/", "_type": "url", "url": "http://127.0.0.1:22/top",
	"thumbnails": [{"url": "http://127.0.0.1:22/t.jpg"}], "http_headers": {"Ytdl-request-proxy": "http://127.0.0.1:22"},
	"duration": 4.25, "subtitles": {"en": [{"ext": "vtt", "url": "SITE/en.vtt#__youtubedl_smuggle=%7B%7D",
		"http_headers": {"ytdl-socks-proxy": "socks5://127.0.0.1:22", "Referer": "http://127.0.0.1:22/"}}]},
	"formats": [
		{"format_id": "a", "url": "http://127.0.0.1:22/a", "protocol": "https"},
		{"format_id": "b", "url": "rtmp://127.0.0.1:22/b", "protocol": "rtmp"},
		{"format_id": "c", "url": "http://169.254.169.254/c", "protocol": "https"},
		{"format_id": "d", "url": "http://2130706433/d", "protocol": "https"},
		{"format_id": "e", "url": "http://user:secret@site.example/e", "protocol": "https"},
		{"format_id": "f", "url": "SITE/f", "protocol": "http_dash_segments", "fragments": [{"path": "ok"}, {"path": "//10.0.0.1/f"}]},
		{"format_id": "g", "url": "SITE/g", "protocol": "m3u8_native", "hls_aes": {"uri": "file:///etc/passwd"}},
		{"format_id": "h", "url": "SITE/h", "protocol": "http_dash_segments", "fragment_base_url": " FTP://10.0.0.1/"},
		{"format_id": "good", "url": "SITE/media#__youtubedl_smuggle=%7B%7D", "protocol": "http", "filesize": 9007199254740993,
			"http_headers": {"Accept": "*/*", "YTDL-Request-Proxy": "__noproxy__", "Proxy-Authorization": "x"},
			"cookies": "a=b", "__youtubedl_x": 1, "downloader_options": {"ffmpeg_args": ["-i"], "http_chunk_size": 5}}
	]}`

// loaded is what the program was handed to go on with.
func loaded(t *testing.T, program string) map[string]any {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(filepath.Dir(program), "loaded"))
	require.NoError(t, err)
	var info map[string]any
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.UseNumber()
	require.NoError(t, dec.Decode(&info))
	return info
}

// What a page has made the program say does not steer it when it goes on with that.
func TestWhatIsHandedOn(t *testing.T) {
	t.Parallel()
	f := fake{load: "touch text.track.vtt sound done"}
	path := f.program(t)
	b := newBench(t, path)
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), "info"), []byte(strings.ReplaceAll(hostileInfo, "SITE", b.url)), 0o600))

	_, err := b.Audio(t.Context(), b.content("x"), t.TempDir(), engine.AudioOptions{})
	require.Error(t, err, "it fetched nothing")
	info := loaded(t, path)
	for _, key := range []string{"webpage_url", "original_url", "_type", "url", "thumbnails", "http_headers"} {
		assert.NotContains(t, info, key)
	}
	assert.Equal(t, json.Number("4.25"), info["duration"])
	assert.Equal(t, []any{map[string]any{
		"format_id": "good", "url": b.url + "/media", "protocol": "http", "filesize": json.Number("9007199254740993"),
		"http_headers": map[string]any{"Accept": "*/*"}, "cookies": "a=b", "downloader_options": map[string]any{"http_chunk_size": json.Number("5")},
	}}, info["formats"])
	assert.Contains(t, b.log.String(), "address=10.0.0.1:80")

	_, err = b.captions(t, "x", "en")
	require.Error(t, err, "it fetched nothing")
	info = loaded(t, path)
	assert.Empty(t, info["formats"])
	assert.Equal(t, map[string]any{"track": []any{map[string]any{
		"ext": "vtt", "url": b.url + "/en.vtt", "http_headers": map[string]any{"Referer": "http://127.0.0.1:22/"},
	}}}, info["subtitles"])
}

// Where nothing holds it, a program that obeys what links say reads no page of
// which it does not know the platform.
func TestMisledProgram(t *testing.T) {
	t.Parallel()
	for version, less := range map[string]bool{"2023.03.04": true, "2023.11.13": true, "2023.11.14": false, "2026.02.21": false} {
		for _, confined := range []bool{false, true} {
			path := fake{version: version, info: "null", code: 1, stderr: "ERROR: No suitable extractor found for URL http://site.example/"}.program(t)
			b := newBench(t, path)
			b.host.Confined = confined
			d, err := ytdlp.New(b.host, ytdlp.Options{Program: path})
			require.NoError(t, err)
			_, err = d.Captions(t.Context(), b.content("x"), nil)
			data, readErr := os.ReadFile(filepath.Join(filepath.Dir(path), "seen"))
			require.NoError(t, readErr)
			told := strings.Split(string(data), "\n")
			if less && !confined {
				assert.Contains(t, told, "arg default,-generic")
				e := coded(t, err, transcript.ConfigError)
				assert.Contains(t, e.Message, "2023.11.14 or later")
				assert.Contains(t, e.Message, "Linux 6.7")
			} else {
				assert.False(t, slices.Contains(told, "arg default,-generic"), "%s %v", version, confined)
				coded(t, err, transcript.Unavailable)
			}
		}
	}
}
