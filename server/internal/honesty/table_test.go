package honesty_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
)

var (
	allFlag    = flag.Bool("all", false, "ask every reader, also those that make honesty installs, and wait for slow answers")
	updateFlag = flag.Bool("update", false, "with -all: write server/HONESTY.md")
)

const path = "../../HONESTY.md"

// reader is a column of the table.
type reader struct {
	name string
	read func(context.Context, row) answer
}

func (r row) language() string {
	if r.lang == "" {
		return "en"
	}
	return r.lang
}

// name is the condition in the table.
func (r row) name() string {
	if r.lang != "" {
		return r.condition + ", none of them in " + r.lang
	}
	return r.condition
}

// TestTable asks all readers and compares their answers with server/HONESTY.md.
func TestTable(t *testing.T) {
	t.Parallel()
	if !*allFlag {
		t.Skip("asks the readers that make honesty installs")
	}
	var columns []reader
	for _, name := range []string{"distribution", "current"} {
		columns = append(columns, service(t, releases[name]))
	}
	for _, name := range []string{"distribution", "current"} {
		columns = append(columns, alone(t, releases[name]))
	}
	columns = append(columns, rivals(t)...)
	cells := make([][]string, len(rows))
	right := make([]int, len(columns))
	for i := range cells {
		cells[i] = make([]string, len(columns))
	}
	for _, column := range columns { // each of them can read the captions of a video
		words, ok := row{right: theText}.judge(column.read(t.Context(), row{condition: enginetest.CaptionTracks}), false)
		require.True(t, ok, "%s: %s", column.name, words)
	}
	all := answers(t.Context(), columns)
	for c, column := range columns {
		for i, a := range all[c] {
			words, ok := rows[i].judge(a, c < 4)
			cells[i][c] = words
			if ok {
				right[c]++
			}
			t.Logf("%s: %s: %s | %+v", column.name, rows[i].name(), words, a)
		}
		t.Logf("honesty: %s: %d of %d right", column.name, right[c], len(rows))
	}
	for _, c := range []int{0, 1} {
		assert.Equal(t, len(rows), right[c], columns[c].name)
	}
	made := render(t, columns, cells, right)
	if *updateFlag {
		require.NoError(t, os.WriteFile(path, []byte(made), 0o600))
		return
	}
	written, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, withoutDay(string(written)), withoutDay(made), "run make honesty")
}

// answers asks all readers for all rows, a few at a time. Slow answers wait beside the others.
func answers(ctx context.Context, columns []reader) [][]answer {
	all := make([][]answer, len(columns))
	for c := range columns {
		all[c] = make([]answer, len(rows))
	}
	var waiting sync.WaitGroup
	for i, r := range rows {
		if r.slow {
			for c, column := range columns {
				waiting.Go(func() { all[c][i] = column.read(ctx, r) })
			}
		}
	}
	places := make(chan struct{}, atOnce)
	for c, column := range columns {
		for i, r := range rows {
			if r.slow {
				continue
			}
			places <- struct{}{}
			waiting.Go(func() {
				defer func() { <-places }()
				all[c][i] = column.read(ctx, r)
			})
		}
	}
	waiting.Wait()
	return all
}

const before = `# Honesty

The video site has sixty ways to refuse. This table shows how readers of captions answer. Each reader was asked for the English captions of the same video, at the same fake site, on %s. The yt-dlp of Debian 12 is %s, and the current one is %s.

- The right answer is a code of this service ([Link codes](../docs/operate/link-codes.md) explains the codes). "text" is the whole text, "none" means that there are no such captions, and "X or text" means that a reader can avoid the refusal.
- A right answer has no comment. "no reason" is an error without a reason, "wrong reason" an error with a false one, and "a warning" a success that only warns.
- **Bold** answers do harm: the reader says without proof that there are no captions, returns a wrong text, or never ends.
- yt-dlp itself runs as ` + "`yt-dlp --skip-download --write-subs --write-auto-subs --sub-langs en`" + `, and a library by its main function.

` + "`make honesty`" + ` asks all readers again. ` + "`make test-all`" + ` asks this service for every fourth row.

`

// render writes the table.
func render(t *testing.T, columns []reader, cells [][]string, right []int) string {
	var b strings.Builder
	fmt.Fprintf(&b, before, time.Now().UTC().Format(time.DateOnly), releases["distribution"].version(t), releases["current"].version(t))
	head := []string{"the site's answer", "right answer"}
	for _, c := range columns {
		head = append(head, c.name)
	}
	line := func(all ...string) { b.WriteString("| " + strings.Join(all, " | ") + " |\n") }
	line(head...)
	line(slices.Repeat([]string{"---"}, len(head))...)
	for i, r := range rows {
		want := string(r.right.claim)
		if r.orText {
			want += " or text"
		}
		line(append([]string{r.name(), want}, cells[i]...)...)
	}
	sums := []string{"**right**", fmt.Sprint(len(rows))}
	for _, n := range right {
		sums = append(sums, fmt.Sprint(n))
	}
	line(sums...)
	return b.String()
}

// withoutDay removes the day on which the readers were asked.
func withoutDay(s string) string {
	return regexp.MustCompile(`, on \d{4}-\d\d-\d\d\.`).ReplaceAllString(s, "")
}

// table is the table of server/HONESTY.md.
type table struct {
	t    testing.TB
	rows [][]string // the first is the head
}

func readTable(t testing.TB) table {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var all [][]string
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| ---") {
			all = append(all, strings.Split(strings.Trim(line, "| "), " | "))
		}
	}
	require.Len(t, all, len(rows)+2, "run make honesty")
	return table{t, all}
}

// cell returns the answer of a reader in a row.
func (a table) cell(reader string, i int) string {
	c := slices.Index(a.rows[0], reader)
	if c < 0 || a.rows[i+1][0] != rows[i].name() {
		a.t.Errorf("server/HONESTY.md has no %s of %s: run make honesty", rows[i].name(), reader)
		return ""
	}
	return a.rows[i+1][c]
}
