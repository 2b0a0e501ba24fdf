package transcribe

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/transcriptkit/transcriptkit/examples/internal/progress"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// searchWord begins a search as the first argument. A recording of this name is ./search.
const searchWord = "search"

// textsFound bounds how many texts a search shows without --max-items.
const textsFound = 20

// searches reports whether the arguments are a search.
func (cmd *command) searches() bool { return len(cmd.Sources) > 0 && cmd.Sources[0] == searchWord }

// checkSearch refuses options that a search does not take.
func (cmd *command) checkSearch() error {
	switch {
	case strings.TrimSpace(strings.Join(cmd.Sources[1:], "")) == "":
		return errors.New("search: name the words, as in \"transcribe search moon landing\"; a recording of this name is ./search")
	case cmd.Format != "txt" && cmd.Format != "json":
		return fmt.Errorf("%s: a search gives txt or json", cmd.formatOption)
	case len(cmd.Language) > 1:
		return errors.New("--language: a search takes one language")
	case len(cmd.Job)+len(cmd.From)+len(cmd.Playlist)+len(cmd.Channel)+len(cmd.Watch)+len(cmd.Name) > 0:
		return errors.New("search: --job, --from, --playlist, --channel, --watch and --name are not for a search")
	}
	return nil
}

// search writes the places in the account's saved texts where words are said.
func (w *work) search(ctx context.Context, words string) error {
	asked := library.Search{Q: words, Lang: strings.Join(w.Language, "")}
	most := w.MaxItems
	if most == 0 {
		most = textsFound
	}
	line := w.display.Line("")
	defer line.Done()
	line.State("searching")
	found, more := []library.Match{}, false
	for match, err := range w.client.Library.AllSearch(ctx, asked, tryingAgain(line)) {
		switch {
		case err != nil && ctx.Err() != nil:
			return ending(ctx)
		case err != nil:
			return err
		case len(found) == most:
			more = true
		default:
			found = append(found, match)
			continue
		}
		break
	}
	line.Done()
	if len(found) == 0 {
		return fmt.Errorf("no saved text says %s", words)
	}
	if err := w.put("search."+w.Format, func(to io.Writer) error { return w.renderFound(to, found) }); err != nil {
		return err
	}
	if more {
		w.tell("", fmt.Sprintf("More than %d texts say this: --max-items shows up to %d.", most, mostItems))
	}
	return nil
}

func (w *work) renderFound(to io.Writer, found []library.Match) error {
	if w.Format == "json" {
		return writeJSON(to, found)
	}
	mark := [2]string{}
	if f, is := to.(*os.File); is && w.colors && term.IsTerminal(int(f.Fd())) {
		mark = [2]string{"\x1b[1m", "\x1b[0m"}
	}
	for i, match := range found {
		if i > 0 {
			fmt.Fprintln(to)
		}
		if err := writeMatch(to, match, mark); err != nil {
			return err
		}
	}
	return nil
}

// writeMatch writes the title of a text, and a line for each place.
func writeMatch(to io.Writer, match library.Match, mark [2]string) error {
	title := match.ExternalID
	if match.Title != nil {
		title = *match.Title
	}
	if match.Channel != nil {
		title += " · " + *match.Channel
	}
	_, err := fmt.Fprintf(to, "%s · %s · %s %s\n", progress.OneLine(title), match.Lang, match.Platform, match.ExternalID)
	for _, hit := range match.Hits {
		line := fmt.Sprintf("%9s  %s", transcript.LengthText(int(hit.Start)), plainSnippet(hit.Snippet, mark))
		if hit.URL != nil {
			line += "  " + progress.OneLine(*hit.URL)
		}
		if _, err := fmt.Fprintln(to, line); err != nil {
			return err
		}
	}
	if rest := match.HitCount - len(match.Hits); rest > 0 {
		_, err = fmt.Fprintf(to, "%9s  and %d more\n", "", rest)
	}
	return err
}

// plainSnippet returns a snippet of HTML as text, with marks around the found words.
func plainSnippet(snippet string, mark [2]string) string {
	const begins, ends = "\uE000", "\uE001" // survive OneLine; for private use, so that no text has them
	snippet = strings.NewReplacer("<mark>", begins, "</mark>", ends).Replace(snippet)
	snippet = progress.OneLine(html.UnescapeString(snippet))
	return strings.NewReplacer(begins, mark[0], ends, mark[1]).Replace(snippet)
}
