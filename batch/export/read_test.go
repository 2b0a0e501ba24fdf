package export_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
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
		"- WEBSERVICE(A1)":             "'- WEBSERVICE(A1)",
		"- 'C:\\[book.xls]Sheet'!A1":   "'- 'C:\\[book.xls]Sheet'!A1",
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
		assert.Equal(t, want, rowsOf(t, transcript.Transcript{Title: &text, Segments: make([]transcript.Segment, 1)})[0][3], "a title: %q", text)
	}
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
	for _, cell := range []string{"", "=1", "- a", "-a", "a\r\nb", "\r", "\"", "\ufeff@", "\xff"} {
		f.Add(cell)
	}
	f.Fuzz(func(t *testing.T, text string) {
		all := rows(t, []transcript.Segment{{Text: text}, {Text: "next"}})
		require.Len(t, all, 2)
		cell := all[0][7]
		if stripped, ok := strings.CutPrefix(cell, "'"); ok && stripped == stored(text) {
			cell = stripped
		} else {
			assert.False(t, executed(cell), "%q", cell)
		}
		assert.Equal(t, stored(text), cell)
	})
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

// executed says it once more, in other words: a formula begins with one of these.
func executed(cell string) bool {
	if cell != "" && strings.ContainsRune("\t\r\n", rune(cell[0])) {
		return true
	}
	begin := strings.TrimSpace(cell)
	return begin != "" && strings.Contains("=+@＝＋－＠", string([]rune(begin)[0])) ||
		strings.HasPrefix(begin, "-") && !strings.HasPrefix(begin, "- ")
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
				assert.Contains(t, []string{stored(want), "'" + stored(want)}, rows[0][i])
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
			assert.Contains(t, []string{stored(e.Item.ExternalID), "'" + stored(e.Item.ExternalID)}, failures[0][2])
			assert.Contains(t, []string{stored(e.Item.ErrorMessage), "'" + stored(e.Item.ErrorMessage)}, failures[0][5])
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
