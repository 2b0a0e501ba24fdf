package format_test

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"io"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

func docx(t require.TestingT, tr *transcript.Transcript, timestamps bool) []byte {
	var file bytes.Buffer
	require.NoError(t, format.WriteDOCX(&file, tr, timestamps))
	return file.Bytes()
}

// partsOf reads a document: each part is XML, and each relation leads to a part.
func partsOf(t require.TestingT, file []byte) map[string][]xml.Token {
	archive, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	parts := map[string][]xml.Token{}
	for _, f := range archive.File {
		r, err := f.Open()
		require.NoError(t, err)
		in := xml.NewDecoder(r)
		for {
			token, err := in.Token()
			if err == io.EOF {
				break
			}
			require.NoError(t, err, f.Name)
			parts[f.Name] = append(parts[f.Name], xml.CopyToken(token))
		}
	}
	for name, part := range parts {
		for _, token := range part {
			begin, is := token.(xml.StartElement)
			if is && begin.Name.Local == "Relationship" && attribute(begin, "TargetMode") == "" {
				require.Contains(t, parts, path.Join(path.Dir(path.Dir(name)), attribute(begin, "Target")))
			}
			if is && begin.Name.Local == "Override" {
				require.Contains(t, parts, strings.TrimPrefix(attribute(begin, "PartName"), "/"))
			}
		}
	}
	return parts
}

func attribute(of xml.StartElement, name string) string {
	for _, a := range of.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// order is the order of the elements within an element, of those that a document has.
var order = map[string]string{
	"pPr": "pStyle keepNext spacing bidi outlineLvl", "rPr": "rStyle b bCs color sz szCs u rtl lang",
	"p": "pPr hyperlink r", "r": "rPr t", "hyperlink": "r", "body": "p sectPr", "sectPr": "pgSz pgMar", "document": "body",
	"styles": "docDefaults style", "docDefaults": "rPrDefault pPrDefault", "rPrDefault": "rPr", "pPrDefault": "pPr", "style": "name basedOn next qFormat pPr rPr",
}

// paragraphsOfDOCX returns the paragraphs. "<" marks one that runs from right to left.
func paragraphsOfDOCX(t require.TestingT, file []byte) (all []string) {
	parts := partsOf(t, file)
	for _, name := range []string{"word/styles.xml", "word/document.xml"} {
		type element struct {
			name string
			last int // in the order
		}
		var open []element
		for _, token := range parts[name] {
			switch token := token.(type) {
			case xml.StartElement:
				if len(open) > 0 {
					in := &open[len(open)-1]
					place := strings.Index(" "+order[in.name]+" ", " "+token.Name.Local+" ")
					require.GreaterOrEqual(t, place, in.last, "%s in %s", token.Name.Local, in.name)
					in.last = place
				}
				open = append(open, element{name: token.Name.Local})
				switch token.Name.Local {
				case "p":
					all = append(all, "")
				case "bidi":
					all[len(all)-1] = "<"
				}
			case xml.EndElement:
				open = open[:len(open)-1]
			case xml.CharData:
				if len(open) > 0 && open[len(open)-1].name == "t" {
					all[len(all)-1] += string(token)
				}
			}
		}
	}
	return all
}

// paragraphsOfPage returns the heading and the paragraphs.
func paragraphsOfPage(t require.TestingT, page []byte) (all []string) {
	root, err := html.Parse(bytes.NewReader(page))
	require.NoError(t, err)
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && (n.Data == "h1" || n.Data == "p") {
			var text strings.Builder
			for inner := range n.Descendants() {
				if inner.Type == html.TextNode {
					text.WriteString(inner.Data)
				}
			}
			all = append(all, text.String())
		}
		require.False(t, n.Type == html.ElementNode && (n.Data == "script" || n.Data == "v" || n.Data == "i"), "%s", page)
	}
	return all
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	link := "https://a.example/watch?v=1&t=2"
	tr := &transcript.Transcript{
		Title: ptr("A <talk> & \"more\"\x00"), SourceURL: &link, CreatorName: ptr("Ada"), Lang: "ar",
		Segments: []transcript.Segment{
			seg(1, 2, " one\n<i>two</i> "), seg(2, 3, "\u2067three\uffff\x1b\xff"), seg(3, 4, " \n"),
			{Text: "four", Speaker: "Ada ", Start: 4, Duration: 1},
			{Text: "«مرحبا» one", Speaker: "Bo & Co", Start: 5, Duration: 1},
			seg(3700, 3701, "1. 日本語"),
		},
	}
	page, file := format.AppendHTML([]byte("<!-- kept -->"), tr, true), docx(t, tr, true)
	require.True(t, bytes.HasPrefix(page, []byte("<!-- kept --><!doctype html>\n<html lang=\"ar\">")))
	want := []string{
		"A <talk> & \"more\"\ufffd", link, "Ada · ar", "[00:00:01] one <i>two</i> \u2067three\ufffd\ufffd\ufffd",
		"[00:00:04] Ada: four", "[00:00:05] Bo & Co: «مرحبا» one", "[01:01:40] 1. 日本語",
	}
	assert.Equal(t, want, paragraphsOfPage(t, page))
	want[5] = "<" + want[5]
	assert.Equal(t, want, paragraphsOfDOCX(t, file))
	assert.Equal(t, "one <i>two</i> \u2067three\ufffd\ufffd\ufffd", paragraphsOfDOCX(t, docx(t, tr, false))[3])
	assert.Equal(t, file, docx(t, tr, true), "the same bytes")

	for url, has := range map[string]bool{link: true, "javascript:alert(1)": false, "https://": false, "https://a.example/%zz": false} {
		file := docx(t, &transcript.Transcript{SourceURL: &url}, true)
		assert.Equal(t, has, len(paragraphsOfDOCX(t, file)) == 3, url)
	}
	assert.Equal(t, []string{"Transcript", ""}, paragraphsOfPage(t, format.AppendHTML(nil, new(transcript.Transcript), true)))
}

// Whatever a text has, both documents say the same, and it is legible.
func TestDocumentsOfAnyText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.SampledFrom(hostile), rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
		title, lang := text.Draw(t, "title"), text.Draw(t, "lang")
		tr := &transcript.Transcript{Title: &title, CreatorName: &lang, Lang: lang}
		for i := range rapid.IntRange(0, 4).Draw(t, "n") {
			tr.Segments = append(tr.Segments, transcript.Segment{Text: text.Draw(t, "text"), Speaker: text.Draw(t, "speaker"), Start: float64(i)})
		}
		page := paragraphsOfPage(t, format.AppendHTML(nil, tr, true))
		file := paragraphsOfDOCX(t, docx(t, tr, true))
		for i := range file {
			file[i] = strings.TrimPrefix(file[i], "<")
			page[i] = strings.TrimPrefix(page[i], "<")
			checkLegible(t, file[i])
		}
		require.Equal(t, file, page)
	})
}

// A long text is written in pieces, and an error of the writer is returned.
func TestDOCXInPieces(t *testing.T) {
	t.Parallel()
	tr := &transcript.Transcript{Segments: make([]transcript.Segment, 5000)}
	for i := range tr.Segments {
		tr.Segments[i] = seg(float64(10*i), float64(10*i+1), strings.Repeat("word ", 20))
	}
	assert.Len(t, paragraphsOfDOCX(t, docx(t, tr, true)), 5002)
	for _, left := range []int{0, 1000, 3000} {
		require.ErrorIs(t, format.WriteDOCX(&broken{left: left}, tr, true), errBroken)
	}
}
