package captionbench_test

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/asticode/go-astisub"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// cue is what both sides must find.
type cue struct {
	start, end time.Duration
	text       string
}

func ours(segments []transcript.Segment) []cue {
	var cues []cue
	for _, s := range segments {
		cues = append(cues, cue{duration(s.Start), duration(s.End()), s.Text})
	}
	return cues
}

// theirs leaves out what we leave out: white space that is not shown, and lines
// and cues of nothing else.
func theirs(subtitles *astisub.Subtitles) []cue {
	var cues []cue
	for _, item := range subtitles.Items {
		var lines []string
		for _, l := range item.Lines {
			var b strings.Builder
			for _, piece := range l.Items {
				b.WriteString(piece.Text)
			}
			if words := strings.Fields(b.String()); len(words) > 0 {
				lines = append(lines, strings.Join(words, " "))
			}
		}
		if len(lines) > 0 {
			cues = append(cues, cue{item.StartAt, item.EndAt, strings.Join(lines, "\n")})
		}
	}
	return cues
}

// anyCues draws cues that follow one another. What is left out is what go-astisub
// does not read as the formats say: ends before starts, lines over 64 KiB, lines of
// white space above the text, and texts that look like a number or a timing line.
func anyCues(t *rapid.T) []cue {
	n := rapid.IntRange(1, 8).Draw(t, "cues")
	cues := make([]cue, n)
	at := time.Duration(0)
	for i := range cues {
		c := &cues[i]
		c.start = at + time.Duration(rapid.IntRange(0, 4_000_000).Draw(t, "gap"))*time.Millisecond
		c.end = c.start + time.Duration(rapid.IntRange(1, 90_000).Draw(t, "length"))*time.Millisecond
		at = c.end
		lines := rapid.SliceOfN(rapid.StringMatching(`[a-zé東🎵.,!?]{1,9}( [a-zA-Zé東&>;']{1,9}){0,6}`), 1, 3).Draw(t, "lines")
		c.text = strings.Join(lines, "\n")
	}
	return cues
}

// ends makes other line ends of "\n".
func ends(t *rapid.T, file string) []byte {
	end := rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "line end")
	return []byte(strings.ReplaceAll(file, "\n", end))
}

// escaped writes references, but no more than go-astisub decodes: "&gt;" it leaves.
func escaped(text string) string { return strings.ReplaceAll(text, "&", "&amp;") }

// styled puts one word of a line in a tag: with two, go-astisub loses the space
// between them in SRT.
func styled(t *rapid.T, text string, tags ...string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if tag := rapid.SampledFrom(append(tags, "")).Draw(t, "tag"); tag != "" {
			word, rest, _ := strings.Cut(l, " ")
			name, _, _ := strings.Cut(strings.ReplaceAll(tag, ".", " "), " ")
			lines[i] = strings.TrimSuffix("<"+tag+">"+word+"</"+name+"> "+rest, " ")
		}
	}
	return strings.Join(lines, "\n")
}

var formats = map[string]struct {
	write func(*rapid.T, []cue) []byte
	read  func(io.Reader) (caption.File, error)
	peer  func(io.Reader) (*astisub.Subtitles, error)
}{
	// Settings are known ones with a value, and there are no regions: others make
	// go-astisub refuse the file. There are no timestamps in the text and no ruby.
	"webvtt": {func(t *rapid.T, cues []cue) []byte {
		b := rapid.SampledFrom([]string{"WEBVTT\n\n", "\uFEFFWEBVTT\n\n", "WEBVTT - title\n\nNOTE a note\nof two lines\n\n"}).Draw(t, "head")
		for _, c := range cues {
			b += rapid.SampledFrom([]string{"", "7\n", "name\n"}).Draw(t, "id")
			settings := rapid.SampledFrom([]string{"", " align:start", " line:90% position:10%", "\tsize:50%"}).Draw(t, "settings")
			b += clock(c.start.Seconds(), '.') + " --> " + clock(c.end.Seconds(), '.') + settings + "\n"
			b += styled(t, escaped(c.text), "i", "b", "u", "c.yellow", "lang en") + "\n\n"
		}
		return ends(t, b)
	}, caption.ReadWebVTT, astisub.ReadFromWebVTT},

	// Each cue has its number: without, go-astisub takes the line above for one.
	"srt": {func(t *rapid.T, cues []cue) []byte {
		b := rapid.SampledFrom([]string{"", "\uFEFF"}).Draw(t, "mark")
		mark := byte(rapid.SampledFrom([]rune{',', '.'}).Draw(t, "decimal mark"))
		for i, c := range cues {
			b += fmt.Sprintf("%d\n%s --> %s\n", i+1, clock(c.start.Seconds(), mark), clock(c.end.Seconds(), mark))
			b += styled(t, c.text, "i", "b", "u", `font color="#ff0000"`) + "\n\n"
		}
		return ends(t, b)
	}, func(r io.Reader) (caption.File, error) { return caption.ReadSRT(r) }, astisub.ReadFromSRT},

	// Each cue has an end: go-astisub panics without.
	"ttml": {func(t *rapid.T, cues []cue) []byte {
		b := `<tt xmlns="http://www.w3.org/ns/ttml" xml:lang="en"><body><div>` + "\n"
		for _, c := range cues {
			text := strings.ReplaceAll(html.EscapeString(c.text), "\n", "<br/>")
			if rapid.Bool().Draw(t, "span") {
				text = "<span>" + text + "</span>"
			}
			b += fmt.Sprintf("<p begin=%q end=%q>%s</p>\n", clock(c.start.Seconds(), '.'), clock(c.end.Seconds(), '.'), text)
		}
		return []byte(b + "</div></body></tt>\n")
	}, caption.ReadTTML, astisub.ReadFromTTML},
}

// Both sides find the cues that were written, and so the same.
func TestPeerFindsTheSame(t *testing.T) {
	t.Parallel()
	for name, f := range formats {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				cues := anyCues(t)
				if name == "srt" { // which has no references, but go-astisub decodes them
					for i := range cues {
						cues[i].text = strings.ReplaceAll(cues[i].text, "&", "and")
					}
				}
				file := f.write(t, cues)
				read, err := f.read(bytes.NewReader(file))
				require.NoError(t, err)
				require.Nil(t, read.Lost)
				assert.Equal(t, cues, ours(read.Segments), "ours of %q", file)
				subtitles, err := f.peer(bytes.NewReader(file))
				require.NoError(t, err)
				assert.Equal(t, cues, theirs(subtitles), "theirs of %q", file)
			})
		})
	}
}

// The files of the caption package are read alike, but for these.
func TestPeerReadsTheFilesAlike(t *testing.T) {
	t.Parallel()
	differs := map[string]string{ // what go-astisub does
		"broadcast.ttml": "knows no references of HTML",
		"frames.ttml":    "knows no encoding but UTF-8",
		"rolling.vtt":    "loses the text below a line of white space",
		"ruby.vtt":       "reads annotations as text",
		"segmented.vtt":  "takes no second timestamp map",
		"speakers.vtt":   "decodes three references, and sorts nothing",
		"south.srt":      "knows no encoding but UTF-8",
		"styled.vtt":     "knows no regions of several lines",
		"unseen.ttml":    "shows what is of other namespaces, regions and times",
		"utf16.srt":      "knows no encoding but UTF-8",
		"western.srt":    "knows no encoding but UTF-8",
		"wild.srt":       "takes a colon before milliseconds for an error",
		"words.ttml":     "takes a number of seconds without its unit for an error",
	}
	files, err := filepath.Glob("../../../transcript/caption/testdata/*")
	require.NoError(t, err)
	both := 0
	for _, file := range files {
		f, known := formats[strings.Replace(strings.TrimPrefix(filepath.Ext(file), "."), "vtt", "webvtt", 1)]
		if !known {
			continue
		}
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		read, err := f.read(bytes.NewReader(b))
		require.NoError(t, err, file)
		subtitles, err := f.peer(bytes.NewReader(b))
		alike := err == nil && assert.ObjectsAreEqual(ours(read.Segments), theirs(subtitles))
		why := differs[filepath.Base(file)]
		assert.Equal(t, why == "", alike, "%s: %s (%v)", file, why, err)
		if alike {
			both++
		}
	}
	assert.NotZero(t, both)
}
