package export_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/batch/export"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

// A spreadsheet executes no cell, and texts that are none are left as they are.
func TestCells(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Hello":                        "Hello",
		"":                             "",
		"=1+1":                         "'=1+1",
		"+49 30":                       "'+49 30",
		"-1":                           "'-1",
		"-":                            "'-",
		"@SUM(A1)":                     "'@SUM(A1)",
		"\tx":                          "'\tx",
		"\rx":                          "'\rx",
		"\nx":                          "'\nx",
		"- Who is there?":              "- Who is there?",
		"- 2+3+cmd|' /C calc'!A0":      "'- 2+3+cmd|' /C calc'!A0", // nobody says so
		"- cmd|' /C calc'!A0":          "'- cmd|' /C calc'!A0",
		"- WEBSERVICE(A1)":             "'- WEBSERVICE(A1)",
		"- 'C:\\[book.xls]Sheet'!A1":   "'- 'C:\\[book.xls]Sheet'!A1",
		`- '\\host\share\book'!name`:   `'- '\\host\share\book'!name`,
		`- 1+'\\host\book'!name`:       `'- 1+'\\host\book'!name`,
		"- A1 'book.xls'!name":         "'- A1 'book.xls'!name",
		"- book.xls!name":              "'- book.xls!name",
		"- file:///book.ods#name":      "'- file:///book.ods#name",
		"- A1\nWEBSERVICE(B1)":         "'- A1\nWEBSERVICE(B1)",
		"- Don't! It's the dogs'.":     "- Don't! It's the dogs'.",
		"- それは何？！":                     "- それは何？！",
		"- Yes.\n- No!":                "- Yes.\n- No!",
		"[a door]\n- Who is there?":    "[a door]\n- Who is there?",
		"- Who?\n- (a door)":           "'- Who?\n'- (a door)",
		"hello;=HYPERLINK(\"x\")":      "hello;'=HYPERLINK(\"x\")",
		"hello; =1":                    "hello;' =1",
		"hello;\"=1\"":                 "hello;'\"=1\"",
		";=1;+1;-1;@x;a":               ";'=1;'+1;'-1;'@x;a",
		"hello\t=1":                    "hello\t'=1",
		"hello|=1":                     "hello|'=1",
		"hello\n=1":                    "hello\n'=1",
		"hello\r\r=1":                  "hello\r\r'=1",
		"hello;- a /":                  "hello;'- a /",
		"a, -5; b - c":                 "a, -5; b - c",
		"\"=1+1\"":                     "'\"=1+1\"",
		"\ufe0f=1+1":                   "'\ufe0f=1+1",
		"\xff=1+1":                     "'\ufffd=1+1",
		" =1+1":                        "' =1+1",
		"\u00a0=1+1":                   "'\u00a0=1+1",
		"\ufeff=1+1":                   "'\ufeff=1+1",
		"\u200b=1+1":                   "'\u200b=1+1",
		"\x00=1+1":                     "'\ufffd=1+1",
		"＝1+1":                         "'＝1+1",
		"＠x":                           "'＠x",
		"1=1":                          "1=1",
		"a,\"b\"\n":                    "a,\"b\"\n",
		" x ":                          " x ",
		"'=1+1":                        "'=1+1",
		"– a dash of another kind":     "– a dash of another kind",
		"bell\a, escape\x1b[2J, \xff":  "bell\ufffd, escape\ufffd[2J, \ufffd",
		"<script>alert(1)</script>":    "<script>alert(1)</script>",
		"- Talk, with a comma, \"so\"": "- Talk, with a comma, \"so\"",
		"  - Talk after a space":       "  - Talk after a space",
	} {
		row := rows(t, []transcript.Segment{{Text: text}})[0]
		assert.Equal(t, want, row[7], "%q", text)
		if strings.Contains(text, "\n- ") {
			continue // the next test's
		}
		assert.Equal(t, want, rowsOf(t, transcript.Transcript{Title: &text, Segments: make([]transcript.Segment, 1)})[0][3], "a title: %q", text)
	}
}

// A program that splits at semicolons takes the end of a title, the cells behind it and
// the beginning of a text for one cell: no part of a title is excused as speech.
func TestCellsThatAreJoined(t *testing.T) {
	t.Parallel()
	row := rowsOf(t, transcript.Transcript{
		Title: ptr("- A talk;- A1-"), Segments: []transcript.Segment{{Text: "&WEBSERVICE(A1);- Yes."}},
	})[0]
	assert.Equal(t, "- A talk;'- A1-", row[3])
	assert.Equal(t, "&WEBSERVICE(A1);- Yes.", row[7])
}

func rows(t testing.TB, segs []transcript.Segment) [][]string {
	return rowsOf(t, transcript.Transcript{Platform: transcript.VideoSite, ExternalID: "x", Lang: "en", Segments: segs})
}

// rowsOf is the export of a transcript as CSV, read back, without the header.
func rowsOf(t testing.TB, text transcript.Transcript) [][]string {
	b := written(t, export.File{Batch: job(), Format: batch.CSV, Texts: 1}, []export.Entry{{Transcript: &text}})
	require.True(t, bytes.HasSuffix(b, []byte("\r\n")))
	r := csv.NewReader(bytes.NewReader(b))
	all, err := r.ReadAll()
	require.NoError(t, err, "%q", b)
	require.Equal(t, []string{"platform", "externalId", "lang", "title", "channel", "start", "duration", "text"}, all[0])
	return all[1:]
}

func FuzzCell(f *testing.F) {
	for _, cell := range []string{
		"", "=1", "- a", "-a", "a\r\nb", "\r", "\"", "\ufeff@", "\xff", "a;=1", "a\t\"=1\"", "- a|b", "- '\\\\host'!x", "a\n- (b)", ";\"\";=",
	} {
		f.Add(cell)
	}
	f.Fuzz(func(t *testing.T, text string) {
		title := transcript.Transcript{Platform: transcript.VideoSite, ExternalID: "x", Lang: "en", Title: &text, Segments: []transcript.Segment{{Text: text}, {Text: "next"}}}
		all := rowsOf(t, title)
		require.Len(t, all, 2)
		assert.Equal(t, bare(stored(text)), bare(all[0][7]))
		file := string(written(t, export.File{Batch: job(), Format: batch.CSV, Texts: 1}, []export.Entry{{Transcript: &title}}))
		for _, separator := range ",;\t|" {
			for _, cell := range cellsOf(file, separator) {
				assert.False(t, executed(cell), "split at %q: %q", separator, cell)
			}
		}
	})
}

// cellsOf are the cells that a spreadsheet makes of a file: one that begins with a quote
// lasts to the next quote that stands alone, and what follows is part of it.
func cellsOf(file string, separator rune) (cells []string) {
	var cell strings.Builder
	quoted, begun := false, false
	all := []rune(file)
	for i := 0; i < len(all); i++ {
		r := all[i]
		switch {
		case quoted && r == '"' && i+1 < len(all) && all[i+1] == '"':
			i++
			cell.WriteRune(r)
		case quoted && r == '"':
			quoted = false
		case !quoted && !begun && r == '"':
			quoted, begun = true, true
		case !quoted && (r == separator || r == '\n' || r == '\r'):
			cells = append(cells, cell.String())
			cell.Reset()
			begun = false
		default:
			begun = true
			cell.WriteRune(r)
		}
	}
	return append(cells, cell.String())
}

// stored is a text after it was written to CSV and read: what is no text is replaced,
// and a reader takes CRLF for a line feed.
func stored(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !strings.ContainsRune("\t\r\n", r) {
			return utf8.RuneError
		}
		return r
	}, text)
	return strings.ReplaceAll(text, "\r\n", "\n")
}

var apostrophe = regexp.MustCompile("(^|[;|\t\r\n])'")

// bare is a cell without the apostrophes that keep it from being a formula.
func bare(cell string) string { return apostrophe.ReplaceAllString(cell, "$1") }

// executed says it once more, in other words: a formula begins with one of these.
func executed(cell string) bool {
	begin := strings.TrimLeft(cell, " \t\r\n\ufeff\u200b\u00a0")
	if begin == "" {
		return false
	}
	if strings.HasPrefix(begin, "- ") {
		return strings.ContainsAny(begin, "(|[\\/#+=")
	}
	return strings.Contains("=+-@＝＋－＠", string([]rune(begin)[0]))
}

// What is read from a file is what went into it.
func TestReadsBackEqual(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all := drawEntries(t)
		texts := 0
		for _, e := range all {
			if e.Transcript != nil {
				texts++
			}
		}
		write := func(f batch.ExportFormat) []byte {
			var b bytes.Buffer
			x := export.File{Batch: job(), Format: f, Texts: texts}
			if err := x.Write(&b, sequence(all)); err != nil {
				t.Fatal(err)
			}
			return b.Bytes()
		}
		readJSON(t, write(batch.JSON), all)
		readCSV(t, write(batch.CSV), all)
		readZip(t, write(batch.ZIP), all)
		readTXT(t, write(batch.TXT), all)
	})
}

func drawEntries(t *rapid.T) []export.Entry {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"=1", "- a", "../..", "con", "日本語", "a\r\nb", "---", "\"", "a --> b", "مرحبا"}))
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) export.Entry {
		e := export.Entry{Item: batch.Item{
			ID: "i", Platform: transcript.VideoSite, ExternalID: text.Draw(t, "id"), Lang: "en",
			Status: rapid.SampledFrom([]batch.ItemStatus{batch.ItemFailed, batch.ItemPending}).Draw(t, "status"),
		}}
		if rapid.Bool().Draw(t, "has a text") {
			e.Item.Status = batch.ItemSuccess
			e.Transcript = &transcript.Transcript{ID: "t", ExternalID: e.Item.ExternalID, Lang: "en", Title: ptr(text.Draw(t, "title")), CreatedAt: moment, UpdatedAt: moment,
				Segments: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) transcript.Segment {
					return transcript.Segment{Text: text.Draw(t, "text"), Start: float64(rapid.IntRange(0, 1e7).Draw(t, "start")) / 1000, Duration: float64(rapid.IntRange(0, 1e4).Draw(t, "duration")) / 1000}
				}), 0, 4).Draw(t, "segments")}
		} else if e.Item.Status == batch.ItemFailed {
			e.Item.Error, e.Item.ErrorMessage = ptr(transcript.Unavailable), text.Draw(t, "message")
		}
		return e
	}), 0, 6).Draw(t, "entries")
}

func readJSON(t *rapid.T, b []byte, all []export.Entry) {
	var got struct{ Items []export.Entry }
	require.NoError(t, json.Unmarshal(b, &got))
	require.Len(t, got.Items, len(all))
	for i, e := range all {
		assert.Equal(t, e.Item, got.Items[i].Item)
		if e.Transcript == nil {
			assert.Nil(t, got.Items[i].Transcript)
			continue
		}
		sameText(t, e.Transcript, got.Items[i].Transcript)
	}
}

func sameText(t *rapid.T, want, got *transcript.Transcript) {
	require.NotNil(t, got)
	assert.Equal(t, *want.Title, *got.Title)
	require.Len(t, got.Segments, len(want.Segments))
	for i := range want.Segments {
		assert.Equal(t, want.Segments[i], got.Segments[i])
	}
}

func readCSV(t *rapid.T, b []byte, all []export.Entry) {
	rows, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
	require.NoError(t, err)
	rows = rows[1:]
	for _, e := range all {
		if e.Transcript == nil {
			continue
		}
		for _, s := range e.Transcript.Segments {
			require.NotEmpty(t, rows)
			for i, want := range map[int]string{1: e.Transcript.ExternalID, 3: *e.Transcript.Title, 7: s.Text} {
				assert.Equal(t, bare(stored(want)), bare(rows[0][i]))
			}
			for i, want := range map[int]float64{5: s.Start, 6: s.Duration} {
				got, err := strconv.ParseFloat(rows[0][i], 64)
				require.NoError(t, err)
				assert.Equal(t, math.Round(want*1000), math.Round(got*1000))
			}
			rows = rows[1:]
		}
	}
	assert.Empty(t, rows)
}

func readTXT(t *rapid.T, b []byte, all []export.Entry) {
	var want []string
	for _, e := range all {
		if e.Transcript != nil {
			want = append(want, string(format.AppendText(nil, e.Transcript.Segments, true)))
		}
	}
	rest := string(b)
	for i, text := range want {
		assert.True(t, strings.HasPrefix(rest, "# "), "%q", rest)
		_, after, found := strings.Cut(rest, "\n\n")
		require.True(t, found)
		require.True(t, strings.HasPrefix(after, text))
		if rest = after[len(text):]; i < len(want)-1 {
			require.True(t, strings.HasPrefix(rest, "\n\n---\n\n"))
			rest = strings.TrimPrefix(rest, "\n\n---\n\n")
		}
	}
	assert.Empty(t, rest)
}

func readZip(t *rapid.T, b []byte, all []export.Entry) {
	_, files := unzip(t, b)
	for i, e := range all {
		if e.Transcript == nil {
			continue
		}
		name := fmt.Sprintf("items/%03d-%s", i+1, format.FileName(e.Transcript))
		var got transcript.Transcript
		require.NoError(t, json.Unmarshal(files[name+".json"], &got))
		sameText(t, e.Transcript, &got)
		assert.Equal(t, format.AppendText(nil, e.Transcript.Segments, true), bytesOf(files, name+".txt"))
		assert.Equal(t, format.AppendSRT(nil, e.Transcript.Segments), bytesOf(files, name+".srt"))
		assert.Equal(t, format.AppendVTT(nil, e.Transcript.Segments), bytesOf(files, name+".vtt"))
		for _, extension := range []string{".json", ".txt", ".srt", ".vtt"} {
			delete(files, name+extension)
		}
	}
	failures, err := csv.NewReader(bytes.NewReader(files["errors.csv"])).ReadAll()
	require.NoError(t, err)
	failures = failures[1:]
	for i, e := range all {
		if e.Item.Status == batch.ItemFailed {
			require.NotEmpty(t, failures)
			assert.Equal(t, strconv.Itoa(i+1), failures[0][0])
			assert.Equal(t, bare(stored(e.Item.ExternalID)), bare(failures[0][2]))
			assert.Equal(t, bare(stored(e.Item.ErrorMessage)), bare(failures[0][5]))
			failures = failures[1:]
		}
	}
	assert.Empty(t, failures)
	assert.Len(t, files, 2, "nothing else is in it")
}

// bytesOf is a file; one without a byte equals the text of nothing.
func bytesOf(files map[string][]byte, name string) []byte {
	if len(files[name]) == 0 {
		return nil
	}
	return files[name]
}
