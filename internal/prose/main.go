// Command prose measures how plain the project's sentences are: in the comments of its Go files, in
// their messages, in Markdown and in the website's texts. The command fails if too many sentences
// break a rule. With paths of folders or files, the command prints each sentence there that breaks
// a rule, and does not fail.
//
//	go run ./internal/prose
//	go run ./internal/prose client docs/guides/jobs.md
package main

import (
	"fmt"
	"io"
	"os"
	"path"
	"strings"
)

func main() {
	sentences, err := Tree(os.DirFS("."))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	paths := os.Args[1:]
	if len(paths) > 0 {
		sentences = within(sentences, paths)
		list(os.Stdout, sentences)
	}
	missed := table(os.Stdout, sentences)
	if missed && len(paths) == 0 {
		fmt.Fprintln(os.Stderr, "Too many sentences break a rule. For these sentences: go run ./internal/prose FOLDER")
		os.Exit(1)
	}
}

// within returns the sentences of the files and folders in paths. If a folder's path
// ends in a slash, within leaves out the subfolders.
func within(sentences []Sentence, paths []string) []Sentence {
	var chosen []Sentence
	for _, sentence := range sentences {
		for _, wanted := range paths {
			if holds(strings.TrimPrefix(wanted, "./"), sentence.Path) {
				chosen = append(chosen, sentence)
				break
			}
		}
	}
	return chosen
}

func holds(wanted, file string) bool {
	if folder, alone := strings.CutSuffix(wanted, "/"); alone {
		return path.Dir(file) == path.Clean(folder)
	}
	wanted = path.Clean(wanted)
	return wanted == "." || file == wanted || strings.HasPrefix(file, wanted+"/")
}

func list(out io.Writer, sentences []Sentence) {
	for _, hit := range Hits(sentences) {
		fmt.Fprintf(out, "%s:%d: %s: %s\n", hit.Path, hit.Line, hit.Rule.Name, hit.Text)
	}
}

// table prints the figures of each kind of text, and reports whether a figure misses its goal.
func table(out io.Writer, sentences []Sentence) (missed bool) {
	for _, source := range Sources {
		for _, figure := range Figures(sentences, source) {
			if figure.Sentences == 0 {
				continue
			}
			mark := ""
			if figure.Missed() {
				missed, mark = true, "  too many"
			}
			fmt.Fprintf(out, "%-9s %-14s %5.1f of 1,000 (%d of %d), at most %g%s\n",
				source, figure.Rule.Name, figure.PerThousand(), figure.Hits, figure.Sentences, figure.Rule.Goal, mark)
		}
	}
	return missed
}
