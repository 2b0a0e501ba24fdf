package caption_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/unicode"

	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// readSRT reads file whole, in halves of every kind when it is short, and byte by
// byte, which is the same.
func readSRT(t *testing.T, file string) string {
	t.Helper()
	segments, err := segmentsOf(caption.ReadSRT(strings.NewReader(file)))
	require.NoError(t, err)
	slowly, err := segmentsOf(caption.ReadSRT(iotest.OneByteReader(strings.NewReader(file))))
	require.NoError(t, err)
	require.Equal(t, segments, slowly, "byte by byte")
	for n := 1; n < len(file) && n < 300; n++ {
		halves, err := segmentsOf(caption.ReadSRT(io.MultiReader(strings.NewReader(file[:n]), iotest.DataErrReader(strings.NewReader(file[n:])))))
		require.NoError(t, err)
		require.Equal(t, segments, halves, "cut at %d", n)
	}
	return shown(segments)
}

func TestSRT(t *testing.T) {
	t.Parallel()
	const time1, time2, time3 = "00:00:01,000 --> 00:00:02,000\n", "00:00:03,000 --> 00:00:04,000\n", "00:00:05,000 --> 00:00:06,000\n"
	const one, two = "1+1 \"one\"", "\n3+1 \"two\""
	for _, test := range []struct{ name, file, want string }{
		{"clean", "1\n" + time1 + "one\n\n2\n" + time2 + "two\n\n", one + two},
		{"no line end at the end", "1\n" + time1 + "one\n\n2\n" + time2 + "two", one + two},
		{"lines", "1\n" + time1 + "one\nmore\n\n", `1+1 "one\nmore"`},
		{"empty lines before", "\n\n\n1\n" + time1 + "one\n", one},
		{"words before", "Subtitles by nobody\n\n1\n" + time1 + "one\n", one},
		{"byte order mark", "\uFEFF1\n" + time1 + "one\n", one},
		{"byte order mark within", "1\n" + time1 + "one\n\n\uFEFF2\n" + time2 + "two\n", one + two},
		{"CRLF", strings.ReplaceAll("1\n"+time1+"one\nmore\n\n2\n"+time2+"two\n\n", "\n", "\r\n"), "1+1 \"one\\nmore\"" + two},
		{"CR", strings.ReplaceAll("1\n"+time1+"one\nmore\n\n2\n"+time2+"two\n\n", "\n", "\r"), "1+1 \"one\\nmore\"" + two},
		{"CR CR LF", strings.ReplaceAll("1\n"+time1+"one\nmore\n\n2\n"+time2+"two\n\n", "\n", "\r\r\n"), "1+1 \"one\\nmore\"" + two},
		{"spaces on every line", strings.ReplaceAll("1\n"+time1+"one\nmore\n\n2\n"+time2+"two\n\n", "\n", " \t\n"), "1+1 \"one\\nmore\"" + two},

		{"no index", time1 + "one\n\n" + time2 + "two\n", one + two},
		{"some without an index", "1\n" + time1 + "one\n\n" + time2 + "two\n\n3\n" + time3 + "three", one + two + "\n5+1 \"three\""},
		{"wrong index", "7\n" + time1 + "one\n\n3\n" + time2 + "two\n", one + two},
		{"one index for all", "1\n" + time1 + "one\n\n1\n" + time2 + "two\n", one + two},
		{"index with zeros", "0001\n" + time1 + "one\n\n0002\n" + time2 + "two\n", one + two},
		{"index with spaces", " 1 \n" + time1 + "one\n\n\t2\t\n" + time2 + "two\n", one + two},
		{"index of many digits", strings.Repeat("9", 50) + "\n" + time1 + "one\n", one},
		{"empty line after the index", "1\n\n" + time1 + "one\n\n2\n\n" + time2 + "two\n", one + two},
		{"empty line after every line", "1\n\n" + time1 + "\none\n\nmore\n\n2\n\n" + time2 + "\ntwo\n\n", "1+1 \"one\\nmore\"" + two},

		{"empty line in the text", "1\n" + time1 + "one\n\nmore\n\n\n\nand more\n\n2\n" + time2 + "two\n", "1+1 \"one\\nmore\\nand more\"" + two},
		{"empty line before the text", "1\n" + time1 + "\none\n\n2\n" + time2 + "two\n", one + two},
		{"no empty line", "1\n" + time1 + "one\n2\n" + time2 + "two\n", one + two},
		{"no empty line, nor index", time1 + "one\n" + time2 + "two\n", one + two},
		{"no empty line, one index for all", "0\n" + time1 + "one\n0\n" + time2 + "two\n", one + two},
		{"no empty line, and a gap in the numbers", "1\n" + time1 + "one\n5\n" + time2 + "two\n6\n" + time3 + "three", "1+1 \"one\\n5\"" + two + "\n5+1 \"three\""},

		{"a number for text", "1\n" + time1 + "1984\n\n2\n" + time2 + "two\n", "1+1 \"1984\"" + two},
		{"a number for the last line", "1\n" + time1 + "one\n1984\n\n2\n" + time2 + "two\n", "1+1 \"one\\n1984\"" + two},
		{"the next number for the last line", "1\n" + time1 + "one\n2\n\n2\n" + time2 + "two\n", "1+1 \"one\\n2\"" + two},
		{"a number for the last line, no index", time1 + "one\n1984\n\n" + time2 + "two\n", "1+1 \"one\\n1984\"" + two},
		{"a number for the last line, nor empty line", time1 + "one\n1984\n" + time2 + "two\n", "1+1 \"one\\n1984\"" + two},
		{"a number for text, nor empty line", "1\n" + time1 + "1984\n" + time2 + "two\n", "1+1 \"1984\"" + two},
		{"a number and empty lines around", "1\n" + time1 + "one\n\n1984\n\n" + time2 + "two\n", "1+1 \"one\\n1984\"" + two},
		{"a number at the end", "1\n" + time1 + "one\n\n1984\n", `1+1 "one\n1984"`},
		{"the next number for all of the last text", "1\n" + time1 + "2\n", `1+1 "2"`},
		{"a number at the end, of a list", "1\n" + time1 + "one\n2\n3\n", `1+1 "one\n2\n3"`},
		{"cut off after an index", "1\n" + time1 + "one\n\n2\n", one},
		{"cut off after the times", "1\n" + time1 + "one\n\n2\n" + time2, one},
		{"cut off in the times", "1\n" + time1 + "one\n\n2\n00:00:03,000 --> 00:00", one},
		{"cut off in the text", "1\n" + time1 + "one\n\n2\n" + time2 + "two", one + two},
		{"no number", "1\n" + time1 + "1.\n\n2\n" + time2 + "two\n", "1+1 \"1.\"" + two},

		{"no text", "1\n" + time1 + "\n2\n" + time2 + "two\n", strings.TrimPrefix(two, "\n")},
		{"nothing to show", "1\n" + time1 + "<i></i>\n{\\an8} &nbsp;\u00A0\n\u200B\n\n2\n" + time2 + "two\n", strings.TrimPrefix(two, "\n")},
		{"no text at all", "1\n" + time1, ""},
		{"an arrow in the text", "1\n" + time1 + "this --> that\n5 --> 6\n-->\n", `1+1 "this --> that\n5 --> 6\n-->"`},
		{"out of order", "1\n" + time2 + "two\n\n2\n" + time1 + "one\n\n3\n" + time1 + "again", one + "\n1+1 \"again\"" + two},
		{"NUL", "1\n" + time1 + "o\x00ne\n\x00\n2\n" + time2 + "two\x00\x00\n\x00\x00\x00", one + two},
		{"scripts", "1\n" + time1 + "שלום, 世界 🌍\n", `1+1 "שלום, 世界 🌍"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, readSRT(t, test.file))
		})
	}
}

func TestSRTTimes(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"00:00:01,000 --> 00:00:02,500":                            "1+1.5",
		"00:00:01.000 --> 00:00:02.500":                            "1+1.5",
		"00:00:01:000 --> 00:00:02:500":                            "1+1.5",
		"00:00:01,000-->00:00:02,500":                              "1+1.5",
		" \t00:00:01,000 \t -->\t 00:00:02,500 \t":                 "1+1.5",
		"00:00:01,000 ---> 00:00:02,500":                           "1+1.5",
		"00:00:01,000 -> 00:00:02,500":                             "1+1.5",
		"00:00:01,000 -- > 00:00:02,500":                           "1+1.5",
		"00:00:01,000 - --> 00:00:02,500":                          "1+1.5",
		"00:00:01,000 --> 00:00:02,500 X1:100 X2:200 Y1:10 Y2:20":  "1+1.5",
		"00:00:01,000 --> 00:00:02,500 align:start":                "1+1.5",
		"00:00:01,000 --> 00:00:02,500X":                           "lost",
		"00:00:01 --> 00:00:02":                                    "1+1",
		"00:00:01, --> 00:00:02.":                                  "1+1",
		"0:0:1,0 --> 0:0:2,5":                                      "1+1.5",
		"0:0:1,25 --> 0:0:2,05":                                    "1.25+0.8",
		"00:00:01,0009 --> 00:00:02,500123456789":                  "1+1.5",
		"00:00:1,000 --> 00:0:02,500":                              "1+1.5",
		"00: 00: 01, 000 --> 00 : 00 : 02 , 500":                   "1+1.5",
		"00:01,000 --> 00:02,500":                                  "1+1.5",
		"0:01 --> 0:02.5":                                          "1+1.5",
		"100:00:00,000 --> 100:00:01,000":                          "360000+1",
		"1234567:00:00,000 --> 1234567:00:00,001":                  "4.4444412e+09+0.001",
		"00:00:75,000 --> 00:90:00,000":                            "75+5325",
		"00:00:02,000 --> 00:00:01,000":                            "2+0",
		"-00:00:02,000 --> 00:00:01,000":                           "0+1",
		"-00:00:02,000 --> -00:00:01,000":                          "0+0",
		"00:00:02,000 -->":                                         "lost",
		"00:00:02,000 --> 00:":                                     "lost",
		"00:00:02,000 --> x0:00:05,000":                            "lost",
		"00:0O:02,000 --> 00:00:05,000":                            "lost",
		"999999999999999999999:00:00,000 --> 00:00:00,000":         "9.999999972e+11+0",
		"00:999999999999999999999:9999999999999 --> 00:00:00,000":  "1.6944444397e+10+0",
		"999999999:999999999:999999999,9 --> 1999999999:00:00,000": "9.999999972e+11+0",
		"00:00:01,x00 --> 00:00:02,500":                            "lost",
		"00:00:01,000,000 --> 00:00:02,500":                        "lost",

		"then 00:00:01,000 --> 00:00:02,500":  "lost",
		"00.00.01.000 --> 00;00;02,500":       "1+1.5",
		"00:00:01,000 --> 00:00:02,500 words": "1+1.5",
		"5 --> 6":                             "",
		"12:30 --> 5 trains":                  "",
		"00 --> 00:00:02,500":                 "lost",
		"--> 00:00:02,500":                    "lost",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			file := "278000000:00:00,000 --> 278000000:00:00,000\n\n1\n" + line + "\ntext\n"
			got := readSRT(t, file)
			if f, err := caption.ReadSRT(strings.NewReader(file)); want == "lost" {
				assert.Empty(t, got)
				var lost *caption.LostError
				require.ErrorAs(t, err, &lost)
				assert.Contains(t, lost.First, "in line 4: ")
				return
			} else if strings.HasSuffix(line, "words") {
				assert.Equal(t, `in line 4: text follows the times: "words"`, f.Lost.First)
			} else {
				assert.Nil(t, f.Lost)
			}
			if want == "" {
				assert.Contains(t, got, strings.Join(strings.Fields(line), " ")+`\ntext"`)
				return
			}
			assert.Equal(t, want+` "text"`, got)
		})
	}
}

func TestSRTText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"<i>one</i>":                       "one",
		"<I>one</I> <B>two</B>":            "one two",
		"<i>one</i><b>two</b>":             "onetwo",
		"<i>one\n<b>two</b></i>":           "one\ntwo",
		"<u>one</u><s>two</s >":            "onetwo",
		"<i >one</ i>":                     "one</ i>",
		"one<br>two<br/>three<BR />four":   "one\ntwo\nthree\nfour",
		`<font color="#ff0000">red</font>`: "red",
		`<FONT FACE='a' size=3>red</FONT>`: "red",
		"hi <font color=red>x</font>":      "hi x",
		"<font\ncolor=red>x":               "<font\ncolor=red>x",
		"<i one":                           "<i one",
		"<i <b>one":                        "<i one",
		"a < b > c":                        "a < b > c",
		"I <3 you":                         "I <3 you",
		"<laughs> <v Ann>no</v>":           "<laughs> no",
		"<fonts>x</fontx> <ii>":            "<fonts>x</fontx> <ii>",
		"<<i>>":                            "<>",
		"<>":                               "<>",
		"<":                                "<",
		`{\an8}one`:                        "one",
		`{\an8\pos(1,2)}one{\i1}two{\i0}`:  "onetwo",
		`{\an8}{\i1} one`:                  "one",
		`{\an8 one`:                        `{\an8 one`,
		"{\\an8\none}":                     "{\\an8\none}",
		"{laughs}":                         "{laughs}",
		"{}":                               "{}",
		`{\}x`:                             "x",
		"{":                                "{",
		`one\Ntwo\hthree`:                  "one\ntwo three",
		`one\ntwo \`:                       `one\ntwo \`,
		"R&amp;B &lt;i&gt; &quot;&apos;&#39;&lrm;&rlm;": "R&B <i> \"''\u200E\u200F",
		"&amp;lt; &amp;amp;":                            "&lt; &amp;",
		"one&nbsp;&nbsp;two":                            "one two",
		"AT&T & Co. &copy; &#65; &amp":                  "AT&T & Co. &copy; &#65; &amp",
		" one \t two  ":                                 "one two",
		"one \n two":                                    "one\ntwo",
		"one\u00A0 \u00A0two\u00A0":                     "one two",
		"\u200Bone\u200B two":                           "one two",
		"- one\n- two":                                  "- one\n- two",
		"a\x01b":                                        "a\uFFFDb",
		`what may \happen`:                              `what may \happen`,
		`one\N\happen`:                                  "one\n\\happen",
		`\happen`:                                       `\happen`,
		"one\n\\happen":                                 "one\n\\happen",
		`in C:\home`:                                    `in C:\home`,
		`10\hkm`:                                        "10 km",
		`\hMONEY`:                                       "MONEY",
		`\h\h \h\hmoney`:                                "money",
		`{\an7}\hmoney`:                                 "money",
		`Oui\h?\h»`:                                     "Oui ? »",
		`one\Ntwo\nthree`:                               "one\ntwo\\nthree",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			got := readSRT(t, "1\n00:00:01,000 --> 00:00:02,000\n"+text+"\n\n2\n00:00:03,000 --> 00:00:04,000\nend\n")
			assert.Equal(t, fmt.Sprintf("1+1 %q\n3+1 \"end\"", want), got)
		})
	}
}

func TestSRTEncodings(t *testing.T) {
	t.Parallel()
	const file = "1\r\n00:00:01,000 --> 00:00:02,000\r\nÇa – 世界 🌍\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\nfin\r\n"
	const want = "1+1 \"Ça – 世界 🌍\"\n3+1 \"fin\""
	for name, encoding := range map[string]struct {
		order unicode.Endianness
		mark  unicode.BOMPolicy
	}{
		"UTF-16, little end first":             {unicode.LittleEndian, unicode.UseBOM},
		"UTF-16, big end first":                {unicode.BigEndian, unicode.UseBOM},
		"UTF-16, little end first, not marked": {unicode.LittleEndian, unicode.IgnoreBOM},
		"UTF-16, big end first, not marked":    {unicode.BigEndian, unicode.IgnoreBOM},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, err := unicode.UTF16(encoding.order, encoding.mark).NewEncoder().String(file)
			require.NoError(t, err)
			assert.Equal(t, want, readSRT(t, b))
			cut, err := segmentsOf(caption.ReadSRT(strings.NewReader(b[:len(b)-11]))) // within a character
			require.NoError(t, err)
			assert.Equal(t, strings.TrimSuffix(want, "fin\"")+"�\"", shown(cut))
		})
	}
	const head = "1\n00:00:01,000 --> 00:00:02,000\n"
	for _, test := range []struct{ name, text, want string }{
		{"Windows-1252", "\x93d\xE9j\xE0 vu\x94 \x96 \x80 5", "“déjà vu” – € 5"},
		{"Windows-1252, a letter", "na\xEFve", "naïve"},
		{"Windows-1252 with a pair that could be UTF-8", "LIBERT\xC9\x85 \xE9t\xE9", "LIBERTÉ… été"},
		{"Windows-1252 with the codes that it has not", "a\x81b", "a�b"},
		{"UTF-8, then Windows-1252", "déjà\nd\xE9j\xE0", "déjà\ndéjà"},
		{"Windows-1252, then UTF-8", "d\xE9j\xE0\ndéjà", "déjà\ndéjà"},
		{"Windows-1252 with tags", "<i>caf\xE9</i>", "café"},
		{"UTF-8 with damage", "où ça déjà \xE2\x82", "où ça déjà �"},
		{"UTF-8 with damage within", "дом\xD0 и мир", "дом� и мир"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, fmt.Sprintf("1+1 %q", test.want), readSRT(t, head+test.text))
		})
	}
	t.Run("UTF-8 that is marked", func(t *testing.T) {
		t.Parallel()
		assert.Equal(t, `1+1 "caf� 5"`, readSRT(t, "\uFEFF"+head+"caf\xE9 5"))
	})
}

func TestSRTErrors(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ file, head, message string }{
		"nothing":         {"", "", "caption: not srt: the input is empty"},
		"mark only":       {"\uFEFF", "\uFEFF", ""},
		"page":            {"<!DOCTYPE html><html><!-- 1 -->\n<body>Are you a robot?", "<!DOCTYPE html><html><!-- 1 -->\n", `caption: not srt: the input begins with "<!DOCTYPE html><html><!-- 1 -->\n"`},
		"words":           {"one\n\ntwo\n", "one\n\ntwo\n", ""},
		"WebVTT":          {"WEBVTT\n\n00:01.000 --> 00:02.000\nhello", "WEBVTT\n\n00:01.000 --> 00:02.000\n"[:32], ""},
		"index only":      {"1\n", "1\n", ""},
		"a line for ever": {strings.Repeat("{", 3<<20), strings.Repeat("{", 32), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			segments, err := segmentsOf(caption.ReadSRT(iotest.OneByteReader(strings.NewReader(test.file))))
			assert.Nil(t, segments)
			var format *caption.FormatError
			require.ErrorAs(t, err, &format)
			assert.Equal(t, caption.FormatError{Format: caption.FormatSRT, Head: test.head}, *format)
			if test.message != "" {
				assert.EqualError(t, err, test.message)
			}
		})
	}
}

// A cue comes when the next has begun; what the failure may have cut does not.
func TestSRTReadErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection lost")
	const file = "1\n00:00:01,000 --> 00:00:02,000\nwhole\n\n2\n00:00:03,000 --> 00:00:04,000\ncut of"
	for n, want := range map[int]string{0: "", 1: "", 20: "", 39: "", 72: `1+1 "whole"`, len(file): `1+1 "whole"`} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			failing := func() io.Reader { return io.MultiReader(strings.NewReader(file[:n]), iotest.ErrReader(broken)) }
			segments, err := walked(caption.SRT(failing()))
			require.ErrorIs(t, err, broken)
			require.ErrorContains(t, err, "caption: srt after line ")
			assert.Equal(t, want, shown(segments))

			segments, err = segmentsOf(caption.ReadSRT(iotest.DataErrReader(failing())))
			require.ErrorIs(t, err, broken)
			assert.Nil(t, segments)
		})
	}
	_, err := caption.ReadSRT(idle{})
	assert.ErrorIs(t, err, io.ErrNoProgress)
	_, err = caption.ReadSRT(io.MultiReader(strings.NewReader("\xFF\xFE1\x00"), &idleAfter{}))
	assert.ErrorIs(t, err, io.ErrNoProgress, "UTF-16")
}

// idleAfter is idle, for [io.MultiReader] to end with.
type idleAfter struct{ idle }

func TestSRTLimits(t *testing.T) {
	t.Parallel()
	const limit = 1 << 20
	const times = "1\n00:00:01,000 --> 00:00:02,000\n"
	long := strings.Repeat("long ", limit/5)
	for name, test := range map[string]struct {
		file string
		fits bool
	}{
		"a long line":         {times + long[:limit-5] + "\n\n", true},
		"a longer one":        {times + long + "long\n\n", false},
		"10 MB":               {times + strings.Repeat(long, 10), false},
		"a long cue":          {times + strings.Repeat(long[:499]+"\n", limit/500), true},
		"a longer cue":        {times + strings.Repeat(long[:499]+"\n", limit/500+1), false},
		"too many characters": {times + strings.Repeat(strings.Repeat("caf\xE9", 125)[:499]+"\n", limit/501), false},
		"empty lines":         {times + "long" + strings.Repeat("\n", 3*limit), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			segments, err := walked(caption.SRT(strings.NewReader("1\n00:00:00,000 --> 00:00:01,000\nfirst\n\n" + test.file)))
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

func TestSRTSequenceKeepsNothing(t *testing.T) { //nolint:paralleltest // it measures the heap
	const cues = 100_000 // a byte that is kept of each is seen
	one := strings.Repeat("1\n00:00:01,000 --> 00:00:02,000\nover <i>and over</i> again\n\n", 100)
	file := &pieces{all: slices.Repeat([]string{one}, cues/100)}
	n, early := 0, uint64(0)
	for _, err := range caption.SRT(file) {
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

func TestReadingSRTAllocatesOnceForACue(t *testing.T) { //nolint:paralleltest // AllocsPerRun refuses to count beside other tests
	const cues = 2_000
	for _, text := range []string{"and so it was", "<i>styled</i> R&amp;B", "дом и мир"} {
		var file []byte
		for i := range cues { // the same cue would come once
			file = fmt.Appendf(file, "1\n00:%02d:%02d,000 --> 01:00:00,000\n%s\n\n", i/60, i%60, text)
		}
		allocs := testing.AllocsPerRun(3, func() {
			segments, err := segmentsOf(caption.ReadSRT(bytes.NewReader(file)))
			require.NoError(t, err)
			require.Len(t, segments, cues)
		})
		assert.LessOrEqual(t, allocs, cues/10.0, "one for each 4 KiB of text, and the buffers: %s", text)
	}
}

func TestGoldenSRT(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.srt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(file)
			require.NoError(t, err)
			got := readSRT(t, string(b)) + "\n"
			if *update {
				require.NoError(t, os.WriteFile(file+".golden", []byte(got), 0o644))
			}
			want, err := os.ReadFile(file + ".golden")
			require.NoError(t, err)
			assert.Equal(t, string(want), got)
		})
	}
}

func BenchmarkReadSRT(b *testing.B) {
	lines := []string{
		"and so it was that we came to the river",
		"- Was it deep?\n- Deeper than anyone had said.",
		"<i>a voice from the other side</i>",
		"Marks & Sons had a boat",
		"there is no boat tonight",
	}
	for _, n := range []int{2_000, 100_000} {
		var file []byte
		for i := range n {
			file = fmt.Appendf(file, "%d\n%s --> %s\n%s\n\n", i+1,
				strings.Replace(clock(i*3000+120), ".", ",", 1), strings.Replace(clock(i*3000+2900), ".", ",", 1), lines[i%len(lines)])
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(len(file)))
			b.ReportAllocs()
			for b.Loop() {
				segments, err := segmentsOf(caption.ReadSRT(bytes.NewReader(file)))
				if err != nil || len(segments) != n {
					b.Fatal(len(segments), err)
				}
			}
		})
	}
}
