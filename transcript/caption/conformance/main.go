// Command conformance compares this module's readers of captions with those of other
// projects, on the cases of this folder. It writes the result into README.md.
//
//	go run ./transcript/caption/conformance
//
// It installs the other readers in a scratch folder. It needs Python with venv, npm, ffmpeg
// and internet.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

func main() {
	folder := flag.String("folder", "transcript/caption/conformance", "the folder with README.md, the cases and the adapters")
	scratch := flag.String("scratch", "", "a folder for the other readers; by default a temporary one")
	show := flag.String("show", "", "list the cases of one reader that are not right, and leave README.md as it is")
	flag.Parse()
	if err := run(context.Background(), *folder, *scratch, *show); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, folder, scratch, show string) error {
	if scratch == "" {
		temporary, err := os.MkdirTemp("", "conformance")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temporary)
		scratch = temporary
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	if scratch, err = filepath.Abs(scratch); err != nil {
		return err
	}
	all, err := load(filepath.Join(folder, "cases"))
	if err != nil {
		return err
	}
	others, err := install(ctx, filepath.Join(folder, "adapters"), scratch)
	if err != nil {
		return err
	}
	if show != "" {
		others = slices.DeleteFunc(others, func(o other) bool { return o.name != show })
	}
	rows, err := judgeAll(ctx, all, others)
	if err != nil {
		return err
	}
	if show != "" {
		list(os.Stdout, rows, show)
		return nil
	}
	return write(filepath.Join(folder, "README.md"), table(rows))
}

// row is what one reader makes of the cases of one format.
type row struct {
	format, reader string
	cases          []example
	verdicts       []verdict
	answers        []answer
}

// count returns how many cases have the verdict.
func (r *row) count(v verdict) (n int) {
	for _, got := range r.verdicts {
		if got == v {
			n++
		}
	}
	return n
}

const ourName = "transcriptkit"

// judgeAll asks our reader and all others about all cases.
func judgeAll(ctx context.Context, all []example, others []other) (rows []row, err error) {
	for _, format := range formats(all) {
		ours := row{format: format, reader: ourName}
		for _, e := range all {
			if e.format != format {
				continue
			}
			file, err := os.ReadFile(e.path)
			if err != nil {
				return nil, err
			}
			ours.cases = append(ours.cases, e)
			ours.answers = append(ours.answers, ask(caption.ReadAny, bytes.NewReader(file), e.Language))
		}
		rows = append(rows, ours)
		for _, o := range others {
			answers, err := o.answers(ctx, format, ours.cases)
			if err != nil {
				return nil, err
			}
			if answers != nil {
				rows = append(rows, row{format: format, reader: o.name, cases: ours.cases, answers: answers})
			}
		}
	}
	for i := range rows {
		for j := range rows[i].cases {
			rows[i].verdicts = append(rows[i].verdicts, rows[i].cases[j].judge(rows[i].answers[j]))
		}
	}
	return rows, nil
}

// list prints the cases of a reader that are not right.
func list(w io.Writer, rows []row, reader string) {
	for _, r := range rows {
		for i, v := range r.verdicts {
			if r.reader == reader && v != right {
				b, _ := json.Marshal(r.answers[i]) // it came as JSON
				fmt.Fprintf(w, "%s\t%s\t%s\n", r.cases[i].name(), v, b)
			}
		}
	}
}

// String returns the verdict as the head of its column.
func (v verdict) String() string {
	return [...]string{"right", "told", "text changed", "moved silently", "lost silently"}[v]
}

// table returns the rows as a table in Markdown. The best other reader of a format is bold.
func table(rows []row) string {
	best := make(map[string]int)
	for _, r := range rows {
		if r.reader != ourName {
			best[r.format] = max(best[r.format], r.count(right))
		}
	}
	var b strings.Builder
	fmt.Fprintln(&b, "| Format | Reader | Right | Told | Text changed | Moved silently | Lost silently |\n|---|---|--:|--:|--:|--:|--:|")
	for _, r := range rows {
		name := r.reader
		if name != ourName && r.count(right) == best[r.format] {
			name = "**" + name + "**"
		}
		fmt.Fprintf(&b, "| %s | %s | %d of %d (%d %%) |", r.format, name, r.count(right), len(r.cases), 100*r.count(right)/len(r.cases))
		for v := told; v <= lost; v++ {
			fmt.Fprintf(&b, " %d |", r.count(v))
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

// begin and end are the lines around the table in README.md.
const begin, end = "<!-- The command writes this table. -->\n", "<!-- The table ends here. -->\n"

// write puts the table into the document.
func write(path, table string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(b), begin)
	_, after, found := strings.Cut(rest, end)
	if !ok || !found {
		return fmt.Errorf("%s has no place for the table", path)
	}
	return os.WriteFile(path, []byte(before+begin+"\n"+table+"\n"+end+after), 0o644)
}
