package caption_test

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// kind is a format that comes without lines, and a small file of it: %s stands
// where a cue from 1 to 2 has its text.
type kind struct {
	name   string
	walk   func(io.Reader) iter.Seq2[transcript.Segment, error]
	read   func(io.Reader) (caption.File, error)
	before string // to the first cue
	cue    string
	after  string
}

func (k kind) file(texts ...string) string {
	var cues []string
	for _, text := range texts {
		cues = append(cues, fmt.Sprintf(k.cue, text))
	}
	sep := ""
	if k.before[0] == '{' {
		sep = ","
	}
	return k.before + strings.Join(cues, sep) + k.after
}

var kinds = []kind{
	{"ttml", caption.TTML, caption.ReadTTML, "<tt><body><div>", `<p begin="1s" end="2s">%s</p>`, "</div></body></tt>"},
	{"srv1", caption.SRV1, caption.ReadSRV1, "<transcript>", `<text start="1" dur="1">%s</text>`, "</transcript>"},
	{"srv3", caption.SRV3, caption.ReadSRV3, `<timedtext format="3"><body>`, `<p t="1000" d="1000">%s</p>`, "</body></timedtext>"},
	{"json3", caption.JSON3, caption.ReadJSON3, `{"wireMagic":"pb3","events":[`,
		`{"tStartMs":1000,"dDurationMs":1000,"segs":[{"utf8":"%s"}]}`, "]}"},
	{"podcast", caption.Podcast, caption.ReadPodcast, `{"version":"1.0.0","segments":[`, `{"startTime":1,"endTime":2,"body":"%s"}`, "]}"},
	{"whisper", caption.Whisper, caption.ReadWhisper, `{"segments":[`, `{"start":1.0,"end":2.0,"text":"%s"}`, "]}"},
}

// forEach runs the test for each of the kinds.
func forEach(t *testing.T, kinds []kind, test func(*testing.T, kind)) {
	t.Helper()
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			test(t, k)
		})
	}
}

// walked walks the sequence to its end, and sees that an error is the end.
func walked(file iter.Seq2[transcript.Segment, error]) (segments []transcript.Segment, err error) {
	for s, e := range file {
		if err != nil {
			return nil, errors.New("a pair after the error")
		}
		if err = e; e == nil {
			segments = append(segments, s)
		}
	}
	return segmentsOf(caption.File{Segments: segments}, err)
}

func TestMarkupIsNotTheFormat(t *testing.T) {
	t.Parallel()
	forEach(t, kinds, func(t *testing.T, k kind) {
		for _, test := range []struct{ file, head string }{
			{"", ""},
			{" \n", " \n"},
			{"\uFEFF", "\uFEFF"},
			{"WEBVTT\n\n00:01.000 --> 00:02.000\nhello", "WEBVTT\n\n00:01.000 --> 00:02.000\n"},
			{"<!DOCTYPE html><html><head><title>Sorry</title></head></html>", "<!DOCTYPE html><html><head><titl"},
			{"<?xml version=\"1.0\"?><rss></rss>", "<?xml version=\"1.0\"?><rss></rss>"[:32]},
			{"<other><tt/><transcript/><timedtext/></other>", "<other><tt/><transcript/><timedt"},
			{"text <tt/>", "text <tt/>"},
			{"<<<", "<<<"},
			{"[1, 2]", "[1, 2]"},
			{`{"error":{"code":404}}`, `{"error":{"code":404}}`},
			{`{"events":{}}`, `{"events":{}}`},
			{`{"events" []}`, `{"events" []}`},
			{`{} {"events":[]}`, `{} {"events":[]}`},
			{"null", "null"},
			{strings.Repeat("x", 100), strings.Repeat("x", 32)},
		} {
			t.Run(test.file[:min(len(test.file), 20)], func(t *testing.T) {
				t.Parallel()
				segments, err := segmentsOf(k.read(strings.NewReader(test.file)))
				assert.Nil(t, segments)
				var format *caption.FormatError
				require.ErrorAs(t, err, &format)
				assert.Equal(t, caption.FormatError{Format: format.Format, Head: test.head}, *format)
				assert.Equal(t, k.name, fmt.Sprint(format.Format))
			})
		}
	})
}

func TestMarkupWithoutCues(t *testing.T) {
	t.Parallel()
	forEach(t, kinds, func(t *testing.T, k kind) {
		files := []string{k.file(), k.file(""), k.file(" \u200B\u00A0"), "\uFEFF \n" + k.file()}
		switch k.name {
		case "json3":
			files = append(files, `{"wireMagic":"pb3"}`, `{"events":null}`, `{"events":[null,5,"x",[],{"segs":5},{"segs":[5]}]}`)
		case "podcast", "whisper":
			files = append(files, `{"transcription":[]}`, `{"a":{"segments":[5]},"segments":[{"body":"","text":" "}],"segments":[7]}`)
		default:
			files = append(files, k.before[:strings.IndexAny(k.before, " >")]+"/>", "<!-- a --><?b?>"+k.file(k.file()))
		}
		for _, file := range files {
			assert.Empty(t, readWith(t, k.read, file), file)
		}
	})
}

// A file that was cut off is an error wherever that was, never a shorter
// transcript; what was whole before is there.
func TestMarkupIsCutOff(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection lost")
	forEach(t, kinds, func(t *testing.T, k kind) {
		file := k.file("first", "second &amp; <b>third</b>")
		first := len(k.before) + len(fmt.Sprintf(k.cue, "first"))
		for n := range len(file) {
			segments, err := walked(k.walk(strings.NewReader(file[:n])))
			if n > 0 { // nothing is another thing: an empty body
				require.ErrorIs(t, err, io.ErrUnexpectedEOF, file[:n])
				require.ErrorContains(t, err, "caption: "+k.name+" after ", file[:n])
			}
			if n < first {
				require.Empty(t, segments, file[:n])
			} else {
				require.True(t, strings.HasPrefix(shown(segments), `1+1 "first"`), file[:n])
			}
			segments, err = segmentsOf(k.read(iotest.DataErrReader(io.MultiReader(strings.NewReader(file[:n]), iotest.ErrReader(broken)))))
			require.ErrorIs(t, err, broken, file[:n])
			require.Nil(t, segments)
		}
		segments, err := walked(k.walk(io.MultiReader(strings.NewReader(file), iotest.ErrReader(broken))))
		require.NoError(t, err, "what follows the end is not read")
		assert.Len(t, segments, 2)

		_, err = k.read(idle{})
		assert.ErrorIs(t, err, io.ErrNoProgress)
	})
}

func TestMarkupErrorsNameThePlace(t *testing.T) {
	t.Parallel()
	_, err := caption.ReadTTML(strings.NewReader("<tt>\n<body>\n<p>&#1;</p>\n<p"))
	assert.EqualError(t, err, "caption: ttml after line 3: unexpected EOF")
	_, err = caption.ReadJSON3(strings.NewReader(`{"events":[{]}`))
	assert.EqualError(t, err, "caption: json3 after byte 11: invalid character ']' looking for beginning of object key string")
}

func TestMarkupLimits(t *testing.T) {
	t.Parallel()
	const limit = 1 << 20
	long := strings.Repeat("long ", limit/5)
	laughs := `<!DOCTYPE x [<!ENTITY a "ha">`
	for c := 'b'; c <= 'z'; c++ {
		laughs += fmt.Sprintf(`<!ENTITY %c "%s">`, c, strings.Repeat(fmt.Sprintf("&%c;", c-1), 10))
	}
	laughs += "]>"
	forEach(t, kinds[:3], func(t *testing.T, k kind) {
		for _, test := range []struct {
			name  string
			file  string
			limit error
		}{
			{"a long text", k.file("first", long[:limit-100]), nil},
			{"a longer text", k.file("first", long+long), caption.ErrTooLarge},
			{"10 MB of text", k.file("first", strings.Repeat(long, 10)), caption.ErrTooLarge},
			{"a text in pieces", k.file("first", strings.Repeat("long<b/>", limit/4)), caption.ErrTooLarge},
			{"a long tag", k.file("first", `long<i a="`+long[:limit-100]+`"/>`), nil},
			{"a longer tag", k.file("first", `<i a="`+long+`"/>`), caption.ErrTooLarge},
			{"a tag of many attributes", k.file("first", `<i `+strings.Repeat(`a="b" `, limit/6)+`/>`), caption.ErrTooLarge},
			{"a long name", k.file("first", "<"+strings.ReplaceAll(long, " ", "g")+"/>"), caption.ErrTooLarge},
			{"a long reference", k.file("first", "&"+strings.ReplaceAll(long, " ", "g")+";"), caption.ErrTooLarge},
			{"a long comment", k.file("first", "long<!--"+long[:limit-100]+"-->"), nil},
			{"a longer comment", k.file("first", "<!--"+long+"-->"), caption.ErrTooLarge},
			{"an instruction", k.file("first", "<?a "+long+"?>"), caption.ErrTooLarge},
			{"text between cues", k.file("first")[:len(k.file("first"))-len(k.after)] + strings.Repeat(long[:1000]+"<b/>", limit/500) + k.file("long")[len(k.before):], nil},
			{"an open element", k.file("first", strings.Repeat("<i>", 200)+"long"), nil},
			{"100,000 open elements", k.file("first", strings.Repeat("<i>", 100_000)), caption.ErrTooDeep},
			{"a billion laughs", laughs + k.file("first", "long &z;"), nil},
		} {
			t.Run(test.name, func(t *testing.T) {
				t.Parallel()
				segments, err := walked(k.walk(strings.NewReader(test.file)))
				if test.limit != nil {
					require.ErrorIs(t, err, test.limit)
					assert.Len(t, segments, 1, "what came before")
					return
				}
				require.NoError(t, err)
				require.Len(t, segments, 2)
				assert.Contains(t, segments[1].Text, "long")
			})
		}
		_, err := k.read(strings.NewReader("<!DOCTYPE " + long + ">" + k.file("a")))
		assert.ErrorIs(t, err, caption.ErrTooLarge)
	})
}

func TestSRV1Limits(t *testing.T) {
	t.Parallel()
	_, err := caption.ReadSRV1(strings.NewReader(kinds[1].file(strings.Repeat("<![CDATA[<i>]]>", 1<<20/2))))
	assert.ErrorIs(t, err, caption.ErrTooLarge, "tags alone")
}

func TestJSON3Limits(t *testing.T) {
	t.Parallel()
	const limit = 1 << 20
	long := strings.Repeat("long ", limit/5)
	k := kinds[3]
	other := func(value string) string {
		file := strings.Trim(k.file("first", "long"), "{}")
		return `{"a":` + value + `,` + file + `,"z":` + value + `}`
	}
	for _, test := range []struct {
		name  string
		file  string
		limit error
	}{
		{"a long event", k.file("first", long[:limit-100]), nil},
		{"a longer event", k.file("first", long), caption.ErrTooLarge},
		{"10 MB of text", k.file("first", strings.Repeat(long, 10)), caption.ErrTooLarge},
		{"an event of many parts", k.file("first", strings.Repeat(`"},{"utf8":"`, limit/8)), caption.ErrTooLarge},
		{"white space", k.file("first") + strings.Repeat(" ", limit), nil},
		{"white space within", strings.Replace(k.file("first", "long"), "]}", strings.Repeat(" ", limit)+"]}", 1), caption.ErrTooLarge},
		{"a list elsewhere", other("[" + strings.Repeat("12345678,", limit/4) + "1e999]"), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			segments, err := walked(caption.JSON3(strings.NewReader(test.file)))
			if test.limit != nil {
				require.ErrorIs(t, err, test.limit)
				return
			}
			require.NoError(t, err)
			assert.NotEmpty(t, segments)
		})
	}
	for _, file := range []string{`{"a":` + strings.Repeat("[", 100_000), strings.TrimSuffix(k.file("first"), "}") + `,"a":` + strings.Repeat(`{"b":`, 100_000)} {
		_, err := walked(caption.JSON3(strings.NewReader(file)))
		assert.ErrorIs(t, err, caption.ErrTooDeep)
	}
}

func TestMarkupSequenceIsLazy(t *testing.T) {
	t.Parallel()
	forEach(t, kinds, func(t *testing.T, k kind) {
		one := fmt.Sprintf(k.cue, strings.Repeat("first ", 500))
		sep := strings.Repeat(",", strings.Count(k.before, "{"))
		file := &pieces{all: []string{k.before + one, sep + one, sep + one, k.after}}
		sequence := k.walk(file)
		assert.Zero(t, file.read, "before the walk")
		n := 0
		for _, err := range sequence {
			require.NoError(t, err)
			if n++; n == 2 {
				break
			}
		}
		assert.Equal(t, 2, file.read, "the rest stays unread")
	})
}

func TestMarkupKeepsNoTimesWithoutText(t *testing.T) { //nolint:paralleltest // it measures the heap
	k := kinds[2]
	file := k.file("first", strings.Repeat(`<s t="5"/>`, 300_000)+"second")
	early := uint64(0)
	for s, err := range k.walk(strings.NewReader(file)) {
		require.NoError(t, err)
		if s.Text == "first" {
			early = heap()
		} else {
			assert.Less(t, heap(), early+64<<10)
		}
	}
}

func TestMarkupSequenceKeepsNothing(t *testing.T) { //nolint:paralleltest // it measures the heap
	const cues = 100_000
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) { //nolint:paralleltest // it measures the heap
			sep := strings.Repeat(",", strings.Count(k.before, "{"))
			one := fmt.Sprintf(k.cue, "over and over") + sep
			file := io.MultiReader(strings.NewReader(k.before), &pieces{all: slices.Repeat([]string{strings.Repeat(one, 50)}, cues/50)},
				strings.NewReader(strings.TrimSuffix(one, sep)+k.after))
			n, early := 0, uint64(0)
			for _, err := range k.walk(file) {
				require.NoError(t, err)
				if n++; n == 1000 {
					early = heap()
				}
				if n == cues {
					assert.Less(t, heap(), early+64<<10)
				}
			}
			assert.Equal(t, cues+1, n)
		})
	}
}

// Text after an empty element is not in it.
func TestMarkupAfterAnEmptyElement(t *testing.T) {
	t.Parallel()
	assert.Equal(t, `1+1 "ab"`, readWith(t, caption.ReadTTML, kinds[0].file(`<i>a</i><span tts:ruby="text"/>b`)))
}
