package caption_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

func TestDetect(t *testing.T) {
	t.Parallel()
	const times = "00:00:01,000 --> 00:00:02,000\n"
	const declared = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
	for head, want := range map[string]caption.Format{
		"WEBVTT":             caption.FormatWebVTT,
		"WEBVTT\n\n" + times: caption.FormatWebVTT,
		"WEBVTT - title\r\n": caption.FormatWebVTT,
		"WEBVTTs\n":          "",
		" WEBVTT\n":          "",
		"webvtt\n":           "",

		"1\n" + times:                   caption.FormatSRT,
		times:                           caption.FormatSRT,
		"\n\n \n1\r" + times:            caption.FormatSRT,
		"1\r\n0:0:1.5-->0:0:2":          caption.FormatSRT,
		"a title\n\n1\n" + times:        caption.FormatSRT,
		"<i>a title</i>\n\n1\n" + times: caption.FormatSRT,
		"{a title}\n\n1\n" + times:      caption.FormatSRT,
		"WEBVTTs\n\n" + times:           caption.FormatSRT,
		"1\n":                           "",
		"1\nthis --> that":              "",
		"00:00:01,000":                  "",
		"<!DOCTYPE html><html><!-- 00:01 --><tt></tt>":      "",
		"<html xmlns='http://www.w3.org/1999/xhtml'><body>": "",

		"0:00:01.000,0:00:02.000\n":        caption.FormatSBV,
		"a title\n0:00:01.000,0:00:02.000": caption.FormatSBV,
		"0:00:01.000,\n":                   "",
		"1,2\n":                            "",
		"[Script Info]\r\n":                caption.FormatASS,
		"; a remark\n[V4+ Styles]\n":       caption.FormatASS,
		"[Events]\n":                       caption.FormatASS,
		"Dialogue: 0,0:00:01.00,":          caption.FormatASS,
		"[Intro]\n":                        "",

		"<tt>":                            caption.FormatTTML,
		"<tt/>":                           caption.FormatTTML,
		"<tt:tt xmlns:tt='x'>":            caption.FormatTTML,
		declared + "<tt xml:lang=\"en\">": caption.FormatTTML,
		declared + "<!-- a <transcript> -->\n<!DOCTYPE tt>\n<tt\n\txmlns=\"x\">": caption.FormatTTML,
		"<!DOCTYPE tt [ <!ENTITY a \"b\"> ]>\n<tt>":                              caption.FormatTTML,
		"<ttx>": "",

		"<transcript>": caption.FormatSRV1,
		declared + "<transcript><text start=\"1\">":                      caption.FormatSRV1,
		"<timedtext format=\"3\">":                                       caption.FormatSRV3,
		"<timedtext lang='en' format = '3'>":                             caption.FormatSRV3,
		declared + "<timedtext format=\"3\"><body>":                      caption.FormatSRV3,
		declared + "<timedtext><window t=\"0\" id=\"1\"/><text t=\"1\">": caption.FormatSRV3,
		"<timedtext><text t=\"1\" d=\"2\">":                              caption.FormatSRV3,
		"<timedtext lang='en'>":                                          caption.FormatSRV3,
		"<timedtext format=\"1\">":                                       "",
		"<timedtext format=\"33\">":                                      "",
		"<timedtexts>":                                                   "",

		`{"wireMagic": "pb3"`:       caption.FormatJSON3,
		" \r\n{\n \"events\" : [ {": caption.FormatJSON3,
		`{"error": {"code": 404}}`:  "",
		`["events"]`:                "",
		`{"version":"1.0.0","segments":[{"speaker":"A","startTime":1`: caption.FormatPodcast,
		`{"text": " It was`:                    caption.FormatWhisper,
		`{"segments":[{"start":0.0,"end":1.5`:  caption.FormatWhisper,
		`{"systeminfo":"AVX = 1","model":{`:    caption.FormatWhisper,
		`{"transcription":[{"timestamps":{`:    caption.FormatWhisper,
		`{"task":"transcribe","language":"en"`: caption.FormatWhisper,
		"":                                     "",
		" \n":                                  "",
		"<":                                    "",
		"<!--":                                 "",
		"<!-- <tt> ":                           "",
		"<?xml version=\"1.0\"":                "",
		"{":                                    "",
		"\x00\x00\x00\x00\x00\x00\x00\x00":     "",
	} {
		t.Run(head, func(t *testing.T) {
			t.Parallel()
			for encoding, head := range map[string][]byte{
				"as it is":                               []byte(head),
				"marked":                                 []byte("\uFEFF" + head),
				"UTF-16, little end first":               inUTF16("\uFEFF"+head, false),
				"UTF-16, big end first":                  inUTF16("\uFEFF"+head, true),
				"UTF-16, little end first and no mark":   inUTF16(head, false),
				"UTF-16, big end first, cut off, marked": append(inUTF16("\uFEFF"+head, true), 0xD8),
			} {
				got, ok := caption.Detect(head)
				assert.Equal(t, want, got, encoding)
				assert.Equal(t, want != "", ok, encoding)
			}
		})
	}
}

func inUTF16(s string, bigEnd bool) (b []byte) {
	for _, u := range utf16.Encode([]rune(s)) {
		if bigEnd {
			b = append(b, byte(u>>8), byte(u))
		} else {
			b = append(b, byte(u), byte(u>>8))
		}
	}
	return b
}

// Any file is read as the reader of its format reads it, in UTF-16 too.
func TestAny(t *testing.T) {
	t.Parallel()
	readers := map[string]func(io.Reader) string{}
	for _, ext := range []string{"vtt", "srt", "sbv", "ass", "ssa", "ttml", "srv1", "srv2", "srv3", "json3", "podcast", "whisper"} {
		readers["."+ext] = func(r io.Reader) string {
			read := caption.ReadWebVTT
			switch ext {
			case "srt":
				read = readSubRip
			case "sbv":
				read = readPlain(caption.ReadSBV)
			case "ass", "ssa":
				read = readPlain(caption.ReadASS)
			case "ttml":
				read = caption.ReadTTML
			case "srv1":
				read = caption.ReadSRV1
			case "srv2", "srv3":
				read = caption.ReadSRV3
			case "json3":
				read = caption.ReadJSON3
			case "podcast":
				read = caption.ReadPodcast
			case "whisper":
				read = caption.ReadWhisper
			}
			f, err := read(r)
			require.NoError(t, err)
			if ext == "vtt" && f.Lost != nil {
				return "" // of these more is read
			}
			require.NotEmpty(t, f.Segments)
			return shown(f.Segments)
		}
	}
	files, err := filepath.Glob("testdata/*.*")
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, file := range files {
		ext := filepath.Ext(file)
		if readers[ext] == nil {
			continue
		}
		seen[ext] = true
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		want := readers[ext](bytes.NewReader(b))
		if want == "" {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			got, err := segmentsOf(caption.ReadAny(iotest.OneByteReader(bytes.NewReader(b))))
			require.NoError(t, err)
			assert.Equal(t, want, shown(got))

			if !utf8.Valid(b) || bytes.HasPrefix(b, []byte("\uFEFF")) {
				return // it is not what it says in UTF-16
			}
			for _, text := range []string{string(b), "\uFEFF" + string(b)} {
				got, err = segmentsOf(caption.ReadAny(bytes.NewReader(inUTF16(text, true))))
				require.NoError(t, err)
				assert.Equal(t, want, shown(got), "UTF-16")
			}
		})
	}
	assert.Len(t, seen, len(readers))
}

func TestAnyErrors(t *testing.T) {
	t.Parallel()
	for file, message := range map[string]string{
		"":                          "caption: not any of webvtt, srt, sbv, ass, ttml, srv1, srv3, json3, podcast, whisper: the input is empty",
		"<!DOCTYPE html><html>":     `caption: not any of webvtt, srt, sbv, ass, ttml, srv1, srv3, json3, podcast, whisper: the input begins with "<!DOCTYPE html><html>"`,
		strings.Repeat("{", 10_000): `caption: not any of webvtt, srt, sbv, ass, ttml, srv1, srv3, json3, podcast, whisper: the input begins with "{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{"`,
	} {
		segments, err := segmentsOf(caption.ReadAny(strings.NewReader(file)))
		assert.Nil(t, segments)
		var format *caption.FormatError
		require.ErrorAs(t, err, &format)
		assert.Empty(t, format.Format)
		require.EqualError(t, err, message)
	}
	broken := errors.New("connection lost")
	for _, head := range []string{"", "<", "WEBVTT\n\n", "1\n00:00:01,000 --> 00:00:02,000\n"} {
		segments, err := segmentsOf(caption.ReadAny(io.MultiReader(strings.NewReader(head), iotest.ErrReader(broken))))
		assert.Nil(t, segments)
		require.ErrorIs(t, err, broken)
		require.ErrorContains(t, err, "caption: ")
	}
	_, err := caption.ReadAny(idle{})
	require.ErrorIs(t, err, io.ErrNoProgress)
	_, err = caption.ReadAny(strings.NewReader("1\n00:00:01,000 --> 00:00:02,000\n" + strings.Repeat("x", 2<<20)))
	assert.ErrorIs(t, err, caption.ErrTooLarge)
}

// Nothing that the reader of the format would not read is read.
func TestAnyIsLazy(t *testing.T) {
	t.Parallel()
	cue := "1\n00:00:01,000 --> 00:00:02,000\n" + strings.Repeat("x", 1000) + "\n\n"
	file := &pieces{all: []string{cue, cue, cue, cue}}
	sequence := caption.Any(file)
	assert.Zero(t, file.read, "before the walk")
	for _, err := range sequence {
		require.NoError(t, err)
		break
	}
	assert.Equal(t, 2, file.read)
}
