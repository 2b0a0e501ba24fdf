package ffmpeg_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ffmpeg"
)

func TestWhatIsNotMedia(t *testing.T) {
	t.Parallel()
	manyRuns(t)
	picture := image.NewRGBA(image.Rect(0, 0, 64, 64))
	var pngData, jpegData, gifData bytes.Buffer
	require.NoError(t, png.Encode(&pngData, picture))
	require.NoError(t, jpeg.Encode(&jpegData, picture, nil))
	require.NoError(t, gif.Encode(&gifData, picture, nil))
	files := map[string]string{
		"text":      strings.Repeat("The quick brown fox jumps over the lazy dog.\n", 2000),
		"subtitles": "1\n00:00:01,000 --> 00:00:02,000\nHello\n",
		"web page":  "<!doctype html><title>Not found</title>",
		"png":       pngData.String(),
		"jpeg":      jpegData.String(),
		"gif":       gifData.String(),
		"one byte":  "x",
		"zeros":     strings.Repeat("\x00", 1<<20),
		"riff only": "RIFF\x24\x00\x00\x00WAVE",
		"wav trap":  "RIFF\xff\xff\xff\x7fWAVE" + strings.Repeat("junk\x00\x00\x00\x00", 1<<16),
		"mp4 only":  "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom",
	}
	for name, content := range files {
		_, err := normalize(t, write(t, "a.mp4", content), time.Hour)
		require.Error(t, err, name)
		requireInvalid(t, err, "The file")
	}
	_, err := normalize(t, write(t, "a.mp3", ""), time.Hour)
	requireInvalid(t, err, "The file is empty")
	_, err = ffmpeg.New(host(t, "")).Probe(t.Context(), write(t, "a.mp3", ""))
	requireInvalid(t, err, "The file is empty")
}

func TestRandomBytes(t *testing.T) {
	t.Parallel()
	manyRuns(t)
	for seed := range uint64(8) {
		random := rand.New(rand.NewPCG(seed, 0))
		data := make([]byte, 1000+random.IntN(500_000))
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		_, err := normalize(t, write(t, "a.mp4", string(data)), time.Hour)
		require.Error(t, err, "seed %d", seed)
		requireInvalid(t, err, "The file")
	}
}

func TestNoAudioStream(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a.mp4", "a.mkv"} {
		in := record(t, name, "-f lavfi -i testsrc=d=2:s=64x64 -pix_fmt yuv420p -c:v libx264")
		info, err := ffmpeg.New(host(t, "")).Probe(t.Context(), in)
		require.NoError(t, err)
		assert.False(t, info.HasAudio)
		assert.InDelta(t, 2, info.Duration.Seconds(), 0.1)
		_, err = normalize(t, in, time.Hour)
		requireInvalid(t, err, "no audio stream")
	}
}

func TestProbeRepeatsTheFilesClaims(t *testing.T) {
	t.Parallel()
	tool := ffmpeg.New(host(t, ""))
	for name, want := range map[string]struct {
		recipe string
		info   engine.MediaInfo
	}{
		"a.mp3":    {"", engine.MediaInfo{Format: "mp3", Duration: 3 * time.Second, HasAudio: true}},
		"bare.mp3": {"-write_xing 0", engine.MediaInfo{Format: "mp3", Duration: 3 * time.Second, HasAudio: true}}, // its frames are counted
		"a.m4a":    {"", engine.MediaInfo{Format: "mov,mp4,m4a,3gp,3g2,mj2", Duration: 3 * time.Second, HasAudio: true}},
		"a.flac":   {"", engine.MediaInfo{Format: "flac", Duration: 3 * time.Second, HasAudio: true}},
		"a.wav":    {"", engine.MediaInfo{Format: "wav", Duration: 3 * time.Second, HasAudio: true}},
	} {
		info, err := tool.Probe(t.Context(), record(t, name, tone+want.recipe))
		require.NoError(t, err)
		assert.InDelta(t, want.info.Duration.Seconds(), info.Duration.Seconds(), 0.1, name)
		info.Duration = want.info.Duration
		assert.Equal(t, want.info, info, name)
	}
}

func TestCutOff(t *testing.T) {
	t.Parallel()
	manyRuns(t)
	const sound = "-f lavfi -i sine=d=12 "
	const film = "-f lavfi -i testsrc=d=12:s=64x64:r=10 " + sound + "-pix_fmt yuv420p -c:v libx264 -c:a aac "
	for name, recipe := range map[string]string{
		"a.wav":     sound,
		"adpcm.wav": sound + "-c:a adpcm_ms",
		"a.mp3":     sound,
		"a.flac":    sound,
		"end.m4a":   sound, // moov at the end: nothing is left of it
		"front.m4a": sound + "-movflags +faststart",
		"front.mp4": film + "-movflags +faststart",
		"film.mkv":  film,
		"a.mka":     sound + "-c:a libvorbis",
		"a.flv":     sound + "-c:a mp3",
		"a.aiff":    sound,
		"late.mp4":  "-f lavfi -i testsrc=d=12:s=64x64:r=10 -itsoffset 8 -f lavfi -i sine=d=4 -pix_fmt yuv420p -c:v libx264 -c:a aac -movflags +faststart",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := record(t, name, recipe)
			_, err := normalize(t, whole, time.Hour)
			require.NoError(t, err, "whole")
			for _, part := range []float64{0.5, 0.85} {
				_, err = normalize(t, cut(t, whole, part), time.Hour)
				require.Error(t, err, "%v of it", part)
				requireInvalid(t, err, "The file")
			}
			_, err = normalize(t, cut(t, whole, 0.5), 5*time.Second)
			if name != "end.m4a" && name != "late.mp4" {
				require.NoError(t, err, "what was asked for is there")
			}
		})
	}
}

// TestCutUnseen lists the formats that say nothing about their length before the
// end, so that a part of a file is a file.
func TestCutUnseen(t *testing.T) {
	t.Parallel()
	manyRuns(t)
	const sound = "-f lavfi -i sine=d=30 "
	for name, recipe := range map[string]string{
		"a.ogg":    sound + "-c:a libvorbis",
		"a.aac":    sound,
		"bare.mp3": sound + "-write_xing 0",
		"a.ts":     sound + "-c:a mp2",
		"live.mka": sound + "-c:a libvorbis -live 1",
	} {
		got, err := normalize(t, cut(t, record(t, name, recipe), 0.5), time.Hour)
		require.NoError(t, err, name)
		require.InDelta(t, 15, got.Duration.Seconds(), 2.5, name)
	}
}

// TestGluedStreams: where a transport stream jumps in time its last timestamp says
// nothing about its length.
func TestGluedStreams(t *testing.T) {
	t.Parallel()
	const sound = "-f lavfi -i sine=d=10 -c:a mp2 "
	var glued []byte
	for _, recipe := range []string{sound, sound + "-output_ts_offset 3000"} {
		data, err := os.ReadFile(record(t, "a.ts", recipe))
		require.NoError(t, err)
		glued = append(glued, data...)
	}
	got, err := normalize(t, write(t, "glued.ts", string(glued)), time.Hour)
	require.NoError(t, err)
	require.InDelta(t, 20, got.Duration.Seconds(), 0.5)
}

// TestStreamedWAV: a WAV written to a pipe announces the largest size there is,
// or none, and is whole all the same.
func TestStreamedWAV(t *testing.T) {
	t.Parallel()
	whole, err := os.ReadFile(record(t, "a.wav", "-f lavfi -i sine=d=10:r=16000 -bitexact"))
	require.NoError(t, err)
	require.Equal(t, "data", string(whole[36:40]))
	for _, size := range []string{"\xff\xff\xff\xff", "\xff\xff\xff\x7f", "\xdb\xff\xff\x7f", "\x00\x00\x00\x80", "\x00\x00\x00\x00"} {
		in := write(t, "a.wav", string(whole[:40])+size+string(whole[44:]))
		got, err := normalize(t, in, time.Hour)
		require.NoError(t, err, "%x", size)
		require.Equal(t, 10*time.Second, got.Duration, "%x", size)
		info, err := ffmpeg.New(host(t, "")).Probe(t.Context(), in)
		require.NoError(t, err)
		require.LessOrEqual(t, info.Duration, 10*time.Second, "%x", size)
	}
}

// TestPlaylistsInDisguise: files that make ffmpeg open others must make it open
// nothing.
func TestPlaylistsInDisguise(t *testing.T) {
	t.Parallel()
	manyRuns(t)
	var requests atomic.Int64
	web := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	t.Cleanup(web.Close)

	// Another tenant's recording, beside the upload and by its full path.
	dir := t.TempDir()
	secret := recordAt(t, filepath.Join(dir, "secret.mp3"), "-f lavfi -i sine=d=3")
	recordAt(t, filepath.Join(dir, "secret.ts"), "-f lavfi -i sine=d=3 -c:a mp2")

	const head = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:10\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:10.0,\n"
	const tail = "\n#EXT-X-ENDLIST\n"
	const mpd = `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT10S" profiles="urn:mpeg:dash:profile:isoff-on-demand:2011"><Period><AdaptationSet mimeType="audio/mp4"><Representation id="1" bandwidth="64000" codecs="mp4a.40.2"><BaseURL>%s</BaseURL></Representation></AdaptationSet></Period></MPD>`
	lists := map[string]string{
		"hls to the web":            head + web.URL + "/a.ts" + tail,
		"hls to a system file":      head + "file:///etc/passwd" + tail,
		"hls to a recording":        head + "file://" + secret + tail,
		"hls to a recording's path": head + secret + tail,
		"hls to the file beside":    head + "secret.ts" + tail,
		"hls key from the web":      strings.Replace(head, "#EXTINF", "#EXT-X-KEY:METHOD=AES-128,URI=\""+web.URL+"/key\"\n#EXTINF", 1) + "secret.ts" + tail,
		"hls of lists":              "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n" + web.URL + "/list.m3u8\n",
		"hls through concat":        head + "concat:" + web.URL + "/a.ts|file://" + secret + tail,
		"concat to a recording":     "ffconcat version 1.0\nfile '" + secret + "'\n",
		"concat to the file beside": "ffconcat version 1.0\nfile 'secret.mp3'\n",
		"concat to the web":         "ffconcat version 1.0\nfile '" + web.URL + "/a.mp3'\n",
		"dash to the web":           fmt.Sprintf(mpd, web.URL+"/a.mp4"),
		"dash to a recording":       fmt.Sprintf(mpd, "file://"+secret),
		"session description":       "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=audio 5004 RTP/AVP 0\n",
		"web reference":             "[Reference]\r\nRef1=" + web.URL + "/a.asf\r\n",
		"smil":                      `<smil><body><audio src="` + web.URL + `/a.mp3"/></body></smil>`,
	}
	tool := ffmpeg.New(host(t, ""))
	for name, list := range lists {
		in := filepath.Join(dir, "upload.mp4")
		require.NoError(t, os.WriteFile(in, []byte(list), 0o600))
		_, err := tool.Probe(t.Context(), in)
		require.Error(t, err, name)
		requireInvalid(t, err, "not audio or video in a format this service reads")

		in = filepath.Join(dir, "upload.m3u8")
		require.NoError(t, os.WriteFile(in, []byte(list), 0o600))
		_, err = normalize(t, in, time.Hour)
		require.Error(t, err, name)
		requireInvalid(t, err, "not audio or video in a format this service reads")
	}
	require.Zero(t, requests.Load(), "nothing was asked of the web")

	// They are real: without the list of formats this one does read the other's recording.
	require.NoError(t, os.WriteFile(filepath.Join(dir, "upload.mp4"), []byte(lists["hls to a recording"]), 0o600))
	exit, err := host(t, "").Programs.Run(t.Context(), engine.Command{
		Program: "ffmpeg",
		Args: []string{"-nostdin", "-v", "error", "-protocol_whitelist", "file", "-i", filepath.Join(dir, "upload.mp4"),
			"-f", "s16le", "-ar", "16000", "-ac", "1", "pipe:1"},
		Reads: []string{"/"}, // but for Landlock
	})
	require.NoError(t, err)
	require.Greater(t, len(exit.Stdout), 80000)
}

// wavAt is a WAV of so many samples a second.
func wavAt(rate, samples int) string {
	le := binary.LittleEndian
	b := le.AppendUint32([]byte("RIFF"), uint32(36+samples))
	b = le.AppendUint32(append(b, "WAVEfmt "...), 16)
	b = le.AppendUint16(le.AppendUint16(b, 1), 1)
	b = le.AppendUint32(le.AppendUint32(b, uint32(rate)), uint32(rate))
	b = le.AppendUint16(le.AppendUint16(b, 1), 8)
	b = le.AppendUint32(append(b, "data"...), uint32(samples))
	return string(append(b, bytes.Repeat([]byte{128, 160}, samples/2)...))
}

// TestAbsurdRates: 40 kB of one sample a second are eleven hours of sound, and more
// than a gigabyte of it when decoded.
func TestAbsurdRates(t *testing.T) {
	t.Parallel()
	for _, rate := range []int{1, 100, 1999, 768_001, 2_000_000_000} {
		_, err := normalize(t, write(t, "a.wav", wavAt(rate, 40_000)), 12*time.Hour)
		requireInvalid(t, err, "samples a second")
	}
	for _, rate := range []int{2000, 4000, 768_000} {
		_, err := normalize(t, write(t, "a.wav", wavAt(rate, 40_000)), 12*time.Hour)
		require.NoError(t, err)
	}
}
