package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/server/engine/models"
)

// offerFlags decide whether a command offers a better recognizer if there is only
// PocketSphinx.
type offerFlags struct {
	Yes    bool `verb:"" xor:"offer" help:"If only PocketSphinx is here to recognize a recording, download a better recognizer without asking."`
	NoPull bool `name:"no-pull" xor:"offer" help:"Do not offer a better recognizer, and download none."`
}

// improve offers the recommended model if the chosen recognizer is PocketSphinx, or none, and if
// --asr does not say so. It returns the recognizer to use: the new one, or the chosen one.
func (f offerFlags) improve(ctx context.Context, w io.Writer, chosen service.Choice) (service.Choice, error) {
	weak := chosen.ASR.Name == service.ASRPocketsphinx || chosen.ASR.Name == service.ASRNone
	if f.NoPull || chosen.ByFlag() || !weak {
		return chosen, nil
	}
	folder, err := modelsFlag{chosen.ModelsFlag}.folder()
	if err != nil {
		return chosen, err
	}
	pulled, err := offer{folder: folder, name: service.Recommended(), keyboard: os.Stdin, screen: w, yes: f.Yes}.make(ctx)
	if err != nil || !pulled {
		return chosen, err
	}
	flags := chosen.RecognizerFlags
	flags.ASR = service.ASR{}
	return flags.Choose(ctx)
}

// offer is a question on a terminal: whether to download a model.
type offer struct {
	folder   *models.Folder
	name     string // of the model
	keyboard *os.File
	screen   io.Writer
	yes      bool // without the question
}

// make asks, unless the user has already said no or there is no terminal, and downloads
// the model. pulled is false if there is no new model. A failed download is reported, and
// is not an error: the work continues without the model.
func (o offer) make(ctx context.Context) (pulled bool, err error) {
	if !o.yes && (!o.hasTerminal() || o.declined()) {
		return false, nil
	}
	plan, err := o.folder.Plan(ctx, o.name, models.Sources{})
	switch {
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	case err != nil && o.yes:
		o.tellFailure(err)
		return false, nil
	case err != nil: // there is nothing to offer: no disk space, or no engine for this system
		return false, nil //nolint:nilerr // as above
	case len(plan.Downloads) == 0: // the model exists, and another message says why it is not used
		return false, nil
	}
	if !o.yes {
		if agreed, err := o.ask(ctx, plan); err != nil || !agreed {
			return false, err
		}
	}
	if err := fetch(ctx, o.screen, o.folder, plan); ctx.Err() != nil {
		return false, context.Cause(ctx)
	} else if err != nil {
		o.tellFailure(withCure(err))
		return false, nil
	}
	fmt.Fprintf(o.screen, "%s is installed in %s.\n", o.name, o.folder.Dir())
	return true, nil
}

// hasTerminal reports whether a person can read the question and answer it.
func (o offer) hasTerminal() bool {
	screen, ok := o.screen.(*os.File)
	return ok && term.IsTerminal(int(screen.Fd())) && term.IsTerminal(int(o.keyboard.Fd()))
}

// ask shows the question and waits for the answer. A no is remembered. The end of the input is a
// no for this time.
func (o offer) ask(ctx context.Context, plan models.Plan) (agreed bool, err error) {
	fmt.Fprint(o.screen, o.question(plan))
	answered := make(chan string, 1)
	go func() { // ends with the process, because a context cannot interrupt a read from a terminal
		line, err := bufio.NewReader(o.keyboard).ReadString('\n')
		if err != nil {
			line = "not now"
		}
		answered <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(o.screen)
		return false, context.Cause(ctx)
	case answer := <-answered:
		switch answer {
		case "", "y", "yes":
			return true, nil
		case "not now":
			fmt.Fprintln(o.screen)
			return false, nil
		}
		o.decline()
		return false, nil
	}
}

// question describes the offer: how good the model is, how large it is, and how long the
// download takes.
func (o offer) question(plan models.Plan) string {
	var b strings.Builder
	b.WriteString("Only PocketSphinx can recognize speech here. It knows only English, and gets about 37 of 100 words of clear real speech wrong.\n")
	model := plan.Downloads[len(plan.Downloads)-1].Entry
	fmt.Fprintf(&b, "The model %s is better (%s; languages: %s).", model.Name, model.Note, model.Languages)
	if model.WordErrors > 0 {
		fmt.Fprintf(&b, " By published figures, it gets about %.0f of 100 words of read English wrong.", 100*model.WordErrors)
	}
	var files []string
	for _, d := range plan.Downloads {
		files = append(files, d.Name+" ("+d.Terms()+")")
	}
	fmt.Fprintf(&b, "\nThe download has %s: about %s at 10 Mbit/s, %s at 50 Mbit/s. It brings %s into %s.\n",
		megabytes(plan.Left), lasts(plan.Left, 10), lasts(plan.Left, 50), strings.Join(files, " and "), o.folder.Dir())
	b.WriteString("Download it now? [Y/n] ")
	return b.String()
}

// lasts returns how long a download takes over a line with the given number of megabits a
// second.
func lasts(bytes, megabits int64) string {
	seconds := bytes * 8 / (megabits * 1_000_000)
	if seconds < 100 {
		return fmt.Sprintf("%d s", seconds/10*10+10)
	}
	return fmt.Sprintf("%d min", (seconds+59)/60)
}

func (o offer) tellFailure(err error) {
	fmt.Fprintf(o.screen, "There is no better recognizer: %s. The work goes on without it. `transcriptd models pull %s` tries again.\n", oneLine(err), o.name)
}

// note is the file that remembers a no.
func (o offer) note() string { return filepath.Join(o.folder.Dir(), ".declined") }

func (o offer) declined() bool {
	_, err := os.Stat(o.note())
	return err == nil
}

// decline remembers a no.
func (o offer) decline() {
	err := errors.Join(os.MkdirAll(o.folder.Dir(), 0o755), os.WriteFile(o.note(), nil, 0o600))
	if err != nil {
		fmt.Fprintf(o.screen, "The answer cannot be remembered: %s. --no-pull skips the question.\n", oneLine(err))
		return
	}
	fmt.Fprintf(o.screen, "The question does not come again. `transcriptd models pull %s` gets the model at any time.\n", o.name)
}
