package caption_test

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// piece is a line of a file. Damage to its first part, which has the times, must not go
// unseen. Pieces without times and text may be dropped.
type piece struct {
	times, text, end string
	cue              int // from 0; -1: none
}

func (p piece) String() string { return p.times + p.text + p.end }

// damageable are the formats whose files are damaged: what the lines of a cue are, and
// those before all cues.
var damageable = map[string]struct {
	read func(io.Reader, ...caption.Option) (caption.File, error)
	head []string
	cue  func(n, start, end int, lines []string) []piece
}{
	"srt": {caption.ReadSRT, nil, func(n, start, end int, lines []string) []piece {
		return inLines(fmt.Sprint(n+1), strings.ReplaceAll(clock(start)+" --> "+clock(end), ".", ","), lines, n)
	}},
	"vtt": {caption.ReadAny, []string{"WEBVTT", "", "NOTE made by hand", "in two lines", ""}, func(n, start, end int, lines []string) []piece {
		return inLines(fmt.Sprint(n+1), clock(start)+" --> "+clock(end)+" align:start", lines, n)
	}},
	"vtt, without names and hours": {caption.ReadAny, []string{"WEBVTT", ""}, func(n, start, end int, lines []string) []piece {
		return inLines("", clock(start)[3:]+" --> "+clock(end)[3:], lines, n)
	}},
	"sbv": {caption.ReadSBV, nil, func(n, start, end int, lines []string) []piece {
		return inLines("", clock(start)[1:]+","+clock(end)[1:], lines, n)
	}},
	"ass": {caption.ReadASS, []string{"[Script Info]", "ScriptType: v4.00+", "", "[Events]", "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text"},
		func(n, start, end int, lines []string) []piece {
			short := func(ms int) string { return clock(ms)[1 : len("00:00:00.000")-1] }
			return []piece{{fmt.Sprintf("Dialogue: 0,%s,%s,", short(start), short(end)), "Default,,0,0,0,," + strings.Join(lines, `\N`), "\n", n}}
		}},
}

// inLines are the lines of a cue: its name, unless that is empty, its times, its text, and
// an empty line.
func inLines(name, times string, lines []string, n int) (all []piece) {
	if name != "" {
		all = append(all, piece{text: name, end: "\n", cue: -1})
	}
	all = append(all, piece{times: times, end: "\n", cue: n})
	for _, line := range lines {
		all = append(all, piece{text: line, end: "\n", cue: n})
	}
	return append(all, piece{end: "\n", cue: -1})
}

// spokenLines are the texts of the cues. They have what looks like syntax.
var spokenLines = [][]string{
	{"It was late, and dark."}, {"- Who is there?", "- It is me, Ben."}, {"1984"}, {"The train of 12:30", "is late."}, {"No."}, {"No."},
	{"2, 3, and 4"}, {"We went --> there."}, {"where it rained,", "and rained"}, {"東京です"}, {"the end", "of it"}, {"Bye."},
}

// A file that is damaged anywhere but in its texts comes back whole, or the reader counts
// what is lost.
func TestDamageIsNotSilent(t *testing.T) {
	t.Parallel()
	for format, f := range damageable {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			var whole []piece
			var cues []transcript.Segment
			for _, line := range f.head {
				whole = append(whole, piece{text: line, end: "\n", cue: -1})
			}
			for n, lines := range spokenLines {
				start := 51_120 + n*13_480 // some seconds and minutes of two digits, some of one
				whole = append(whole, f.cue(n, start, start+2500+n*10, lines)...)
				cues = append(cues, transcript.Segment{Text: strings.Join(lines, "\n"), Start: float64(start) / 1000, Duration: float64(2500+n*10) / 1000})
			}
			silent := 0
			for seed := range uint64(1000) {
				r := rand.New(rand.NewPCG(seed, 1))
				how, file, any, cut := damage(r, slices.Clone(whole))
				read, err := f.read(strings.NewReader(file), caption.NoGuess())
				if err != nil || read.Lost != nil {
					continue
				}
				if wrong := differsBut(any, cues, read.Segments, cut); wrong != "" {
					t.Errorf("seed %d, %s: %s\n%s", seed, how, wrong, file)
					if silent++; silent == 3 {
						break
					}
				}
			}
			intact, err := f.read(strings.NewReader(join(whole)), caption.NoGuess())
			assert.NoError(t, err)
			assert.Nil(t, intact.Lost)
			assert.Empty(t, differs(cues, intact.Segments, -1))
		})
	}
}

// differsBut compares the cues of a file with those that were read, but for a cue with
// times that are free.
func differsBut(free int, want, got []transcript.Segment, cut int) (wrong string) {
	if free < 0 {
		return differs(want, got, cut)
	}
	others := slices.Delete(slices.Clone(want), free, free+1)
	for n, g := range got {
		if wrong = "a cue is missing"; g.Text == want[free].Text {
			if wrong = differs(others, slices.Delete(slices.Clone(got), n, n+1), cut); wrong == "" {
				return ""
			}
		}
	}
	return wrong
}

// differs compares the cues of a file with those that were read. The cue number cut, if
// it is not -1, is the last one, and may be a part.
func differs(want, got []transcript.Segment, cut int) string {
	if cut >= 0 {
		want = want[:cut+1]
		if len(got) == cut {
			want = want[:cut]
		}
	}
	if len(got) != len(want) {
		return fmt.Sprintf("%d cues, not %d", len(got), len(want))
	}
	for n, w := range want {
		g := got[n]
		if same := g.Text == w.Text || n == cut && strings.HasPrefix(w.Text, strings.TrimRight(g.Text, `\`)); !same {
			return fmt.Sprintf("%q instead of %q", g.Text, w.Text)
		}
		if math.Abs(g.Start-w.Start)+math.Abs(g.Duration-w.Duration) > 0.0015 {
			return fmt.Sprintf("%q from %v to %v, not from %v to %v", w.Text, g.Start, g.End(), w.Start, w.End())
		}
	}
	return ""
}

// damage damages a file. If a digit became another one, the times of cue any cannot be
// known. A file that was cut ends in cue number cut.
func damage(r *rand.Rand, all []piece) (how, file string, any, cut int) {
	var timed, bare []int
	for i, p := range all {
		if p.times != "" {
			timed = append(timed, i)
		} else if p.cue < 0 {
			bare = append(bare, i)
		}
	}
	at := timed[r.IntN(len(timed))]
	p := &all[at]
	const bytes = "0123456789:;,.->x \t|/é–\n"
	any, cut = -1, -1
	i, c := r.IntN(len(p.times)), []rune(bytes)[r.IntN(len([]rune(bytes)))]
	switch r.IntN(8) {
	case 0:
		how = fmt.Sprintf("%q without byte %d", p.times, i)
		p.times = p.times[:i] + p.times[i+1:]
	case 1:
		how = fmt.Sprintf("%q with %q before byte %d", p.times, c, i)
		p.times = p.times[:i] + string(c) + p.times[i:]
	case 2, 3:
		how = fmt.Sprintf("%q with %q for byte %d", p.times, c, i)
		if isDigit(p.times[i]) && '0' <= c && c <= '9' {
			any = p.cue
		}
		p.times = p.times[:i] + string(c) + p.times[i+1:]
	case 4:
		at = bare[r.IntN(len(bare))]
		if r.IntN(3) == 0 && all[timed[0]].text == "" {
			at = timed[r.IntN(len(timed))]
		}
		how = fmt.Sprintf("without line %d, %q", at+1, all[at].String())
		all = slices.Delete(all, at, at+1)
	case 5:
		from, to := string(":.,"[r.IntN(3)]), string(":.,;-"[r.IntN(5)])
		how = fmt.Sprintf("%q with %q for %q", p.times, to, from)
		p.times = strings.ReplaceAll(p.times, from, to)
	case 6:
		n := r.IntN(len(join(all)))
		for !utf8.RuneStart(join(all)[n]) {
			n--
		}
		how = fmt.Sprintf("cut after byte %d", n)
		return how, join(all)[:n], -1, cueAt(all, n)
	case 7:
		how = "mixed line ends"
		for i := range all {
			all[i].end = []string{"\n", "\r\n", "\r"}[r.IntN(3)]
		}
	}
	return how, join(all), any, cut
}

// cueAt is the cue in which byte n of a file is.
func cueAt(all []piece, n int) (cue int) {
	for _, p := range all {
		if n -= len(p.String()); p.cue >= 0 {
			cue = p.cue
		}
		if n < 0 {
			break
		}
	}
	return cue
}

func join(all []piece) string {
	var b strings.Builder
	for _, p := range all {
		b.WriteString(p.String())
	}
	return b.String()
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
