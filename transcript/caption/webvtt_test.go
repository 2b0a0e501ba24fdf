package caption_test

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// shown is a short form of segments: start+duration, speaker, quoted text and
// words (with their confidence, if any), a line for each segment.
func shown(segments []transcript.Segment) string {
	var lines []string
	for _, s := range segments {
		line := fmt.Sprintf("%g+%g ", s.Start, s.Duration)
		if s.Speaker != "" {
			line += s.Speaker + " "
		}
		line += fmt.Sprintf("%q", s.Text)
		for _, w := range s.Words {
			line += fmt.Sprintf(" %s@%g-%g", w.Text, w.Start, w.End)
			if w.Confidence != 0 {
				line += fmt.Sprintf("/%.3g", w.Confidence)
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// read reads file whole and byte by byte, and as a sequence, which is the same.
func read(t *testing.T, file string) string {
	t.Helper()
	segments, err := segmentsOf(caption.ReadWebVTT(strings.NewReader(file)))
	require.NoError(t, err)
	slowly, err := segmentsOf(caption.ReadWebVTT(iotest.OneByteReader(strings.NewReader(file))))
	require.NoError(t, err)
	require.Equal(t, segments, slowly, "byte by byte")
	return shown(segments)
}

func TestBlocks(t *testing.T) {
	t.Parallel()
	const cue, want = "00:01.000 --> 00:02.000\nhello\n\n", `1+1 "hello"`
	for _, test := range []struct{ name, file, want string }{
		{"signature", "WEBVTT\n\n" + cue, want},
		{"byte order mark", "\uFEFFWEBVTT\n\n" + cue, want},
		{"text after a space", "WEBVTT a title --> or so\n\n" + cue, want},
		{"text after a tab", "WEBVTT\ttitle\n\n" + cue, want},
		{"no empty line after the signature", "WEBVTT\n" + cue, want},
		{"many empty lines", "WEBVTT\n\n\n\n\n" + cue, want},
		{"header lines", "WEBVTT\nKind: captions\nLanguage: en\n\n" + cue, want},
		{"header ends at a timing line", "WEBVTT\nKind: captions\n" + cue, want},
		{"header ends at an arrow", "WEBVTT\n-->\n" + cue, want},
		{"time map of a live stream", "WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:900000\n\n" + cue, want},
		{"signature only", "WEBVTT", ""},
		{"signature and line end", "WEBVTT\n", ""},
		{"signature, byte order mark, carriage return", "\uFEFFWEBVTT\r", ""},
		{"header only", "WEBVTT\nKind: captions", ""},

		{"carriage returns", "WEBVTT\r\r00:01.000 --> 00:02.000\rhello\rthere\r\r00:03.000 --> 00:04.000\rbye\r",
			"1+1 \"hello\\nthere\"\n3+1 \"bye\""},
		{"both line ends", "WEBVTT\r\n\r\n00:01.000 --> 00:02.000\r\nhello\r\nthere\r\n\r\n00:03.000 --> 00:04.000\r\nbye\r\n",
			"1+1 \"hello\\nthere\"\n3+1 \"bye\""},
		{"mixed line ends", "WEBVTT\n\r\n00:01.000 --> 00:02.000\rhello\r\nthere\n\r00:03.000 --> 00:04.000\nbye",
			"1+1 \"hello\\nthere\"\n3+1 \"bye\""},

		{"identifier", "WEBVTT\n\n1\n" + cue, want},
		{"identifier of two lines is no identifier", "WEBVTT\n\n1\n2\n" + cue, want},
		{"identifier NOTE", "WEBVTT\n\nNOTE\n" + cue, want},
		{"identifier STYLE", "WEBVTT\n\nSTYLE\n" + cue, want},
		{"note", "WEBVTT\n\nNOTE one line\n\n" + cue, want},
		{"note of lines", "WEBVTT\n\nNOTE\none\ntwo\nthree\n\n" + cue, want},
		{"note at the end", "WEBVTT\n\n" + cue + "NOTE\nthe end", want},
		{"style", "WEBVTT\n\nSTYLE\n::cue { color: red }\n::cue(b) { }\n\n" + cue, want},
		{"style after a cue", "WEBVTT\n\n" + cue + "STYLE\n::cue { color: red }\n\n", want},
		{"style ends at an arrow", "WEBVTT\n\nSTYLE\n::cue { }\n" + cue, want},
		{"region", "WEBVTT\n\nREGION\nid:fred\nwidth:40%\nlines:3\nscroll:up\n\n00:01.000 --> 00:02.000 region:fred\nhello", want},
		{"region unknown", "WEBVTT\n\n00:01.000 --> 00:02.000 region:nobody\nhello", want},
		{"region of old", "WEBVTT\nRegion: id=fred width=40%\n\n" + cue, want},
		{"words without times", "WEBVTT\n\nsome words\nsome more\n\n" + cue, want},
		{"second header", "WEBVTT\n\n" + cue + "WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:1\n\n00:03.000 --> 00:04.000\nbye",
			want + "\n3+1 \"bye\""},
		{"second header with a byte order mark", "WEBVTT\n\n" + cue + "\uFEFFWEBVTT\n\n00:03.000 --> 00:04.000\nbye",
			want + "\n3+1 \"bye\""},

		{"no empty line between cues", "WEBVTT\n\n00:01.000 --> 00:02.000\nhello\n00:03.000 --> 00:04.000\nbye",
			want + "\n3+1 \"bye\""},
		{"an identifier without an empty line is text", "WEBVTT\n\n00:01.000 --> 00:02.000\nhello\n2\n00:03.000 --> 00:04.000\nbye",
			"1+1 \"hello\\n2\"\n3+1 \"bye\""},
		{"no text between timing lines", "WEBVTT\n\n00:01.000 --> 00:02.000\n00:03.000 --> 00:04.000\nbye", `3+1 "bye"`},
		{"bad timing line, then a good one", "WEBVTT\n\n-->\n" + cue, want},
		{"good timing line, then a bad one", "WEBVTT\n\n00:01.000 --> 00:02.000\nhello\n-->\nlost\n\n", want},
		{"text goes to no other cue", "WEBVTT\n\n-->\nlost\n\n" + cue, want},
		{"an arrow in the text ends the cue", "WEBVTT\n\n00:01.000 --> 00:02.000\nhello\nthis --> that\nlost", want},
		{"a long arrow", "WEBVTT\n\n00:01.000 --> 00:02.000\nhello\n--->\nlost", want},
		{"no arrow", "WEBVTT\n\n00:01.000 --> 00:02.000\nhello\n-- >\n- ->", "1+1 \"hello\\n-- >\\n- ->\""},
		{"identifier and bad timing line", "WEBVTT\n\nid\n00:01 --> 00:02\nlost\n\n" + cue, want},
		{"a third line with an arrow begins a block", "WEBVTT\n\nid\nid\n" + cue, want},

		{"cut off after the times", "WEBVTT\n\n" + cue + "00:03.000 --> 00:04.000", want},
		{"cut off in the times", "WEBVTT\n\n" + cue + "00:03.000 --> 00:0", want},
		{"cut off in the text", "WEBVTT\n\n" + cue + "00:03.000 --> 00:04.000\nby", want + "\n3+1 \"by\""},
		{"no text", "WEBVTT\n\n00:01.000 --> 00:02.000\n\nlost\n\n" + cue, want},
		{"white space for text", "WEBVTT\n\n00:01.000 --> 00:02.000\n \n\t&nbsp;\n\n" + cue, want},
		{"markup for text", "WEBVTT\n\n00:01.000 --> 00:02.000\n<b></b><v Fred></v>\n\n" + cue, want},
		{"out of order", "WEBVTT\n\n00:03.000 --> 00:04.000\nthird\n\n00:02.000 --> 00:02.500\nsecond\n\n00:03.000 --> 00:03.500\nfourth\n\n" + cue,
			"1+1 \"hello\"\n2+0.5 \"second\"\n3+1 \"third\"\n3+0.5 \"fourth\""},
		{"overlap", "WEBVTT\n\n00:01.000 --> 00:09.000\nlong\n\n00:02.000 --> 00:03.000\nshort", "1+8 \"long\"\n2+1 \"short\""},

		{"NUL", "WEBVTT\n\n00:01.000 --> 00:02.000\na\x00b", `1+1 "a�b"`},
		{"NUL is no empty line", "WEBVTT\n\n00:01.000 --> 00:02.000\na\n\x00\nb", `1+1 "a\n�\nb"`},
		{"broken UTF-8", "WEBVTT\n\n00:01.000 --> 00:02.000\na\xE2\x82b\xFFc\xED\xA0\x80d\xF0\x90\x80", `1+1 "a�b�c���d�"`},
		{"UTF-8 that is too long", "WEBVTT\n\n00:01.000 --> 00:02.000\n\xC0\x80a\xE0\x80\x80b\xF0\x80\x80\x80", `1+1 "��a���b����"`},
		{"UTF-8 beyond Unicode", "WEBVTT\n\n00:01.000 --> 00:02.000\n\xF4\x90\x80\x80a\xF5\x80", `1+1 "����a��"`},
		{"UTF-8 cut off", "WEBVTT\n\n00:01.000 --> 00:02.000\n\xE0\xA0a\xF0\x90b\xF4\x8F\x80c\xED\x9F", `1+1 "�a�b�c�"`},
		{"a broken character takes no tag with it", "WEBVTT\n\n00:01.000 --> 00:02.000\na\xE2<b>\x82\xAC</b>", `1+1 "a���"`},
		{"a broken character takes no line end with it", "WEBVTT\n\n00:01.000 --> 00:02.000\na\xF0\x9F\nb", `1+1 "a�\nb"`},
		{"broken UTF-8 in an identifier", "WEBVTT\n\n\xFF\xFE\n" + cue, want},
		{"scripts", "WEBVTT\n\n00:01.000 --> 00:02.000\nשלום, 世界 🌍", `1+1 "שלום, 世界 🌍"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, read(t, test.file))
		})
	}
}

func TestTimingLines(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"00:00:01.000 --> 00:00:02.500":            "1+1.5",
		"00:01.000 --> 00:02.500":                  "1+1.5",
		"00:01.000 --> 00:00:02.500":               "1+1.5",
		"00:01.000-->00:02.500":                    "1+1.5",
		" \t\f00:01.000 \t\f--> \t\f00:02.500 \t":  "1+1.5",
		"00:01.000 --> 00:02.500align:start":       "1+1.5",
		"00:01.000 --> 00:02.500 --> 00:03.000":    "1+1.5",
		"00:01.000 --> 00:02.500 <b>":              "1+1.5",
		"00:01.000 --> 00:02.500 line:-1,end":      "1+1.5",
		"00:01.000 --> 00:02.500 size:x : y: :z %": "1+1.5",
		"00:01.000 --> 00:02.500 align:middle position:101% line:0% vertical:rl vertical:": "1+1.5",
		"59:59.999 --> 60:00.000":                            "lost", // 60 is read as hours
		"59:59.999 --> 1:00:00.000":                          "3599.999+0.001",
		"0:00:01.000 --> 000:00:02.000":                      "1+1",
		"100:00:00.000 --> 1234:00:00.000":                   "360000+4.0824e+06",
		"99999999999999999999:00:00.000 --> 00:01.000":       "9.999999972e+11+0",
		"00:00.000 --> 99999999999999999999999:00:00.000":    "0+9.999999972e+11",
		"00:02.000 --> 00:01.000":                            "2+0",
		"00:02.000 --> 00:02.000":                            "2+0",
		"00:00.001 --> 00:00.004":                            "0.001+0.003",
		"00:00:60.000 --> 00:02:00.000":                      "lost",
		"00:60:00.000 --> 02:00:00.000":                      "lost",
		"00:60.000 --> 02:00.000":                            "lost",
		"00:01.000 --> 00:99.000":                            "lost",
		"00:01.00 --> 00:02.000":                             "lost",
		"00:01.0000 --> 00:02.000":                           "lost",
		"00:01 --> 00:02":                                    "lost",
		"00:01. --> 00:02.":                                  "lost",
		"00:01,000 --> 00:02,000":                            "lost",
		"0:01.000 --> 0:02.000":                              "lost",
		"00:1.000 --> 00:2.000":                              "lost",
		"00:001.000 --> 00:002.000":                          "lost",
		"00:00:1.000 --> 00:00:02.000":                       "lost",
		"00:0:01.000 --> 00:00:02.000":                       "lost",
		"00:00:00:01.000 --> 00:00:02.000":                   "lost",
		"00::01.000 --> 00:02.000":                           "lost",
		":01.000 --> 00:02.000":                              "lost",
		"1.000 --> 2.000":                                    "lost",
		"-00:01.000 --> 00:02.000":                           "lost",
		"+00:01.000 --> 00:02.000":                           "lost",
		"00:01.000 --> -00:02.000":                           "lost",
		"00:01.000 -->":                                      "lost",
		"00:01.000 --> ":                                     "lost",
		"--> 00:02.000":                                      "lost",
		"-->":                                                "lost",
		"00:01.000 - --> 00:02.000":                          "lost",
		"00:01.000 x --> 00:02.000":                          "lost",
		"00:01.000 ---> 00:02.000":                           "lost",
		"00:01.000 -->x 00:02.000":                           "lost",
		"\v00:01.000 --> 00:02.000":                          "lost",
		"\u00a000:01.000 --> 00:02.000":                      "lost",
		"\x0000:01.000 --> 00:02.000":                        "lost",
		"００:01.000 --> 00:02.000":                            "lost", // digits of other scripts
		"00:01.000 --> 00:02.000" + strings.Repeat(" x", 99): "1+1",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			want := want + " \"text\"\n"
			if strings.HasPrefix(want, "lost") {
				want = ""
			}
			got := read(t, "WEBVTT\n\n"+line+"\ntext\n\n00:00:00.000 --> 278000000:00:00.000\nthe rest\n")
			// Sorted, the other cue may come first.
			got = strings.Replace("\n"+got+"\n", "\n0+9.999999972e+11 \"the rest\"\n", "\n", 1)
			assert.Equal(t, want, strings.TrimPrefix(got, "\n"))
		})
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ file, head, message string }{
		"nothing":         {"", "", "caption: not webvtt: the input is empty"},
		"page":            {"<!DOCTYPE html><html><body>Are you a robot?", "<!DOCTYPE html><html><body>Are y", `caption: not webvtt: the input begins with "<!DOCTYPE html><html><body>Are y"`},
		"SubRip":          {"1\n00:00:01,000 --> 00:00:02,000\nhello", "1\n00:00:01,000 --> 00:00:02,000\n", ""},
		"lower case":      {"webvtt\n\n", "webvtt\n\n", ""},
		"cut off":         {"WEBVT", "WEBVT", ""},
		"longer":          {"WEBVTTs\n\n", "WEBVTTs\n\n", ""},
		"form feed":       {"WEBVTT\f\n", "WEBVTT\f\n", ""},
		"NUL":             {"WEBVTT\x00\n", "WEBVTT\x00\n", ""},
		"space before":    {" WEBVTT\n", " WEBVTT\n", ""},
		"line before":     {"\nWEBVTT\n", "\nWEBVTT\n", ""},
		"two marks":       {"\uFEFF\uFEFFWEBVTT\n", "\uFEFF\uFEFFWEBVTT\n", ""},
		"mark only":       {"\uFEFF", "\uFEFF", ""},
		"UTF-16":          {"\xFF\xFEW\x00E\x00B\x00V\x00T\x00T\x00", "\xFF\xFEW\x00E\x00B\x00V\x00T\x00T\x00", ""},
		"a line for ever": {strings.Repeat("{", 3<<20), strings.Repeat("{", 32), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			segments, err := segmentsOf(caption.ReadWebVTT(iotest.OneByteReader(strings.NewReader(test.file))))
			assert.Nil(t, segments)
			var format *caption.FormatError
			require.ErrorAs(t, err, &format)
			assert.Equal(t, caption.FormatError{Format: "webvtt", Head: test.head}, *format)
			if test.message != "" {
				assert.EqualError(t, err, test.message)
			}
		})
	}
}

// What was whole before the input failed is there; what was cut by it is not.
func TestReadErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection lost")
	const file = "WEBVTT\n\n00:01.000 --> 00:02.000\nwhole\n\n00:03.000 --> 00:04.000\ncut of"
	for n, want := range map[int]string{0: "", 5: "", 7: "", 12: "", 37: "", 39: `1+1 "whole"`, len(file): `1+1 "whole"`} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			r := io.MultiReader(strings.NewReader(file[:n]), iotest.ErrReader(broken))
			segments, err := collect(r)
			require.ErrorIs(t, err, broken)
			assert.ErrorContains(t, err, "caption: webvtt after line ")
			assert.Equal(t, want, shown(segments))

			segments, err = segmentsOf(caption.ReadWebVTT(iotest.DataErrReader(io.MultiReader(strings.NewReader(file[:n]), iotest.ErrReader(broken)))))
			require.ErrorIs(t, err, broken)
			assert.Nil(t, segments)
		})
	}
	_, err := caption.ReadWebVTT(idle{})
	assert.ErrorIs(t, err, io.ErrNoProgress)
}

// idle is a reader that never reads.
type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

// collect walks the sequence to its end, and sees that an error is the end.
func collect(r io.Reader) (segments []transcript.Segment, err error) {
	for s, e := range caption.WebVTT(r) {
		if err != nil {
			return nil, errors.New("a pair after the error")
		}
		if err = e; e == nil {
			segments = append(segments, s)
		}
	}
	return segmentsOf(caption.File{Segments: segments}, err)
}

func TestLimits(t *testing.T) {
	t.Parallel()
	const limit = 1 << 20
	long := strings.Repeat("long ", limit/5)
	for name, test := range map[string]struct {
		file string
		fits bool
	}{
		"a long line":                 {"WEBVTT\n\n00:01.000 --> 00:02.000\n" + long[:limit-5] + "\n\n", true},
		"a longer one":                {"WEBVTT\n\n00:01.000 --> 00:02.000\n" + long + "long" + "\n\n", false},
		"10 MB":                       {"WEBVTT\n\n00:01.000 --> 00:02.000\n" + strings.Repeat(long, 10), false},
		"a long cue":                  {"WEBVTT\n\n00:01.000 --> 00:02.000\n" + strings.Repeat(long[:499]+"\n", limit/500), true},
		"a longer cue":                {"WEBVTT\n\n00:01.000 --> 00:02.000\n" + strings.Repeat(long[:499]+"\n", limit/500+1), false},
		"a long note":                 {"WEBVTT\n\nNOTE\n" + strings.Repeat(long[:99]+"\n", limit/10) + "\n00:01.000 --> 00:02.000\nlong", true},
		"a long header":               {"WEBVTT\n" + strings.Repeat("Kind: captions\n", limit/10) + "\n00:01.000 --> 00:02.000\nlong", true},
		"text of a cue without times": {"WEBVTT\n\n-->\n" + strings.Repeat(long[:99]+"\n", limit/10) + "\n00:01.000 --> 00:02.000\nlong", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			segments, err := collect(strings.NewReader("WEBVTT\n\n00:00.000 --> 00:01.000\nfirst\n\n" + test.file))
			if !test.fits {
				require.ErrorIs(t, err, caption.ErrTooLarge)
				assert.Len(t, segments, 1, "what came before")
				return
			}
			require.NoError(t, err)
			require.Len(t, segments, 2)
			assert.Contains(t, segments[1].Text, "long")
		})
	}
}

// A sequence gives each cue as soon as it is whole, also before the LF of a CRLF
// is there, and reads no further than its walker does.
func TestSequenceIsLazy(t *testing.T) {
	t.Parallel()
	file := &pieces{all: []string{
		"WEBVTT\r\n\r\n00:02.000 --> 00:03.000\r\nfirst\r\n\r",
		"\n00:01.000 --> 00:03.000\r\nsecond\r\n\r\n",
		"00:05.000 --> 00:06.000\r\nthird\r\n",
	}}
	sequence := caption.WebVTT(file)
	assert.Zero(t, file.read, "before the walk")
	var got []transcript.Segment
	for s, err := range sequence {
		require.NoError(t, err)
		got = append(got, s)
		assert.Equal(t, len(got), file.read)
		if len(got) == 2 {
			break
		}
	}
	assert.Equal(t, "2+1 \"first\"\n1+2 \"second\"", shown(got), "in the order of the file")
	assert.Equal(t, 2, file.read, "the rest stays unread")
}

// pieces reads one string at a time.
type pieces struct {
	all  []string
	read int // how many were
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.read == len(p.all) {
		return 0, io.EOF
	}
	p.read++
	return copy(b, p.all[p.read-1]), nil
}

func TestSequenceKeepsNothing(t *testing.T) { //nolint:paralleltest // it measures the heap
	const cues = 300_000
	one := strings.Repeat("00:01.000 --> 00:02.000\nover <00:01.500>and <b>over</b>\n\n", 100)
	file := io.MultiReader(strings.NewReader("WEBVTT\n\n"), &pieces{all: slices.Repeat([]string{one}, cues/100)})
	n, early := 0, uint64(0)
	for _, err := range caption.WebVTT(file) {
		require.NoError(t, err)
		if n++; n == 1000 {
			early = heap()
		}
		if n == cues {
			assert.Less(t, heap(), early+64<<10)
		}
	}
	assert.Equal(t, cues, n)
}

// heap is how many bytes are in use after a collection.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
