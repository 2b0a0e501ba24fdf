package transcribe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/internal/progress"
	"github.com/transcriptkit/transcriptkit/library/follow"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// followWord as the first argument lets the service follow channels, playlists and feeds. A
// recording of this name is ./follow.
const followWord = "follow"

// followVerb does something with what is follows. Each argument is an id, or the name of a file.
type followVerb struct {
	name, takes string // takes is the name of its arguments; empty: it has none
	do          func(w *work, ctx context.Context, argument string) error
}

// followVerbs are the words that may follow the first argument instead of links.
var followVerbs = []followVerb{
	{"list", "", func(w *work, ctx context.Context, _ string) error { return w.listFollows(ctx) }},
	{"history", "ID", (*work).followHistory},
	{"pause", "ID", func(w *work, ctx context.Context, id string) error {
		f, err := w.client.Follows.Pause(ctx, id)
		return w.tellFollow("Paused", f, err)
	}},
	{"resume", "ID", func(w *work, ctx context.Context, id string) error {
		f, err := w.client.Follows.Resume(ctx, id)
		return w.tellFollow("Goes on", f, err)
	}},
	{"remove", "ID", func(w *work, ctx context.Context, id string) error {
		err := w.client.Follows.Delete(ctx, id)
		if err == nil {
			w.display.Say("Removed " + id + ". Its texts stay.")
		}
		return err
	}},
	{"import", "FILE", (*work).importFollows},
}

// mostFirst is how many of the items that are there already a follow takes.
const mostFirst = 50

// followsSomething reports whether the arguments are about follows.
func (cmd *command) followsSomething() bool {
	return len(cmd.Sources) > 0 && cmd.Sources[0] == followWord
}

// followCall returns the verb of a call about follows, and its arguments. Without a verb the
// arguments are links.
func (cmd *command) followCall() (followVerb, []string) {
	for _, v := range followVerbs {
		if len(cmd.Sources) > 1 && cmd.Sources[1] == v.name {
			return v, cmd.Sources[2:]
		}
	}
	return followVerb{"", "LINK", (*work).followLink}, cmd.Sources[1:]
}

// checkFollow refuses options and arguments that a call about follows does not take.
func (cmd *command) checkFollow() error {
	verb, args := cmd.followCall()
	called := strings.TrimSpace("transcribe follow " + verb.name)
	switch {
	case verb.takes == "" && len(args) > 0:
		return fmt.Errorf("follow: \"%s\" takes no argument, and there is %s", called, args[0])
	case verb.takes != "" && (len(args) == 0 || slices.Contains(args, "")):
		return fmt.Errorf("follow: name what, as in \"%s %s\"; \"transcribe follow list\" shows what is followed, and a recording of this name is ./follow", called, verb.takes)
	case len(cmd.Job)+len(cmd.From)+len(cmd.Playlist)+len(cmd.Channel)+len(cmd.Watch)+len(cmd.Name)+len(cmd.Output) > 0:
		return errors.New("follow: --job, --from, --playlist, --channel, --watch, --name and --output are not for follows")
	case cmd.MaxItems > mostFirst:
		return fmt.Errorf("--max-items: a follow takes at most %d of the items that are there already", mostFirst)
	case cmd.Format != "txt" && cmd.Format != "json":
		return fmt.Errorf("%s: the lists of follows are txt or json", cmd.formatOption)
	}
	return nil
}

// follow carries out a call about follows, and returns an error for each argument that failed.
func (w *work) follow(ctx context.Context) (failed []error) {
	verb, args := w.followCall()
	if verb.takes == "" {
		args = []string{""}
	}
	for _, arg := range args {
		err := verb.do(w, ctx, arg)
		if err != nil && ctx.Err() != nil {
			err = ending(ctx)
		}
		if err != nil && len(args) > 1 {
			err = fmt.Errorf("%s: %w", arg, err)
		}
		if err != nil {
			failed = append(failed, err)
		}
	}
	return failed
}

func (w *work) followOptions() client.FollowOptions {
	return client.FollowOptions{Language: w.Language, MaxItems: w.MaxItems}
}

// followLink follows a channel, a playlist or a feed.
func (w *work) followLink(ctx context.Context, link string) error {
	f, made, err := w.client.Follows.Create(ctx, client.FollowParams{Feed: link, FollowOptions: w.followOptions()})
	if !made {
		return w.tellFollow("Already follows", f, err)
	}
	return w.tellFollow("Follows", f, err)
}

// importFollows follows all addresses of a file: OPML, or a CSV of subscriptions.
func (w *work) importFollows(ctx context.Context, name string) error {
	list, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	format := client.SubscriptionsCSV
	if bytes.HasPrefix(bytes.TrimSpace(bytes.TrimPrefix(list, []byte("\ufeff"))), []byte("<")) {
		format = client.OPML
	}
	rows, err := w.client.Follows.CreateAll(ctx, bytes.NewReader(list), format, w.followOptions())
	if err != nil {
		return err
	}
	made, before, refused := 0, 0, 0
	for _, row := range rows {
		switch {
		case row.Error != nil:
			refused++
			w.complain(fmt.Errorf("row %d, %s: %s", row.Row, row.URL, row.ErrorMessage)) //nolint:err113 // for people
		case row.Created:
			made++
		default:
			before++
		}
	}
	w.display.Say(fmt.Sprintf("Follows %d more, and %d as before.", made, before))
	if refused > 0 {
		return fmt.Errorf("%d of %d rows cannot be followed", refused, len(rows))
	}
	return nil
}

// tellFollow writes what has become of a follow.
func (w *work) tellFollow(what string, f *follow.Follow, err error) error {
	if err == nil {
		w.display.Say(fmt.Sprintf("%s: %s, ID %s", what, followName(f), f.ID))
	}
	return err
}

// listFollows writes all follows of the account.
func (w *work) listFollows(ctx context.Context) error {
	all := []follow.Follow{}
	for f, err := range w.client.Follows.All(ctx, client.PageParams{}) {
		if err != nil {
			return err
		}
		all = append(all, f)
	}
	return w.put("follows."+w.Format, func(to io.Writer) error {
		if w.Format == "json" {
			return writeJSON(to, all)
		}
		table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "ID\tSTATUS\tLAST NEW\tWHAT")
		for i := range all {
			f, lastNew := &all[i], "-"
			if f.LastNewAt != nil {
				lastNew = f.LastNewAt.UTC().Format(time.DateOnly)
			}
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", f.ID, f.Status, lastNew, followName(f))
			if f.LastError != nil {
				fmt.Fprintf(table, "\t\t\t%s\n", progress.OneLine(whyFailing(f.LastError)))
			}
		}
		return table.Flush()
	})
}

// followHistory writes what became of the items of a follow, the newest first.
func (w *work) followHistory(ctx context.Context, id string) error {
	all := []follow.Item{}
	for item, err := range w.client.Follows.AllItems(ctx, id) {
		if err != nil {
			return err
		}
		all = append(all, item)
	}
	return w.put("history."+w.Format, func(to io.Writer) error {
		if w.Format == "json" {
			return writeJSON(to, all)
		}
		table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "FOUND\tSTATUS\tITEM\tLINK")
		for i := range all {
			item := &all[i]
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", item.FoundAt.UTC().Format(time.DateTime), item.Status, textOf(item.Title), textOf(item.URL))
			if item.Reason != nil {
				fmt.Fprintf(table, "\t\t%s\t\n", textOf(item.Reason))
			}
		}
		return table.Flush()
	})
}

// whyFailing says why a follow is not looked at, and what to do about it.
func whyFailing(e *transcript.LastError) string {
	if e.Cure == nil {
		return e.Message
	}
	return e.Message + " " + *e.Cure
}

// followName is the title of a follow, or its address while the title is not known.
func followName(f *follow.Follow) string {
	if f.Title != nil && *f.Title != "" {
		return progress.OneLine(*f.Title) + " (" + progress.OneLine(f.URL) + ")"
	}
	return progress.OneLine(f.URL)
}

// textOf is a text on one line; "-" if there is none.
func textOf(s *string) string {
	if s == nil || *s == "" {
		return "-"
	}
	return progress.OneLine(*s)
}
