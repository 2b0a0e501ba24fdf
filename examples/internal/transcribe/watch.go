package transcribe

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/internal/progress"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// pace is how a folder is watched. The program looks at the folder again and again, because
// systems report no changes in folders of other machines.
type pace struct {
	every  time.Duration // between two looks
	steady time.Duration // how long a file must stay as it is before the program takes it for whole
	again  time.Duration // before a recording is tried again; the pause doubles each time
}

// usualPace is the pace that --help promises.
func usualPace() pace {
	return pace{every: 2 * time.Second, steady: 10 * time.Second, again: 10 * time.Second}
}

const longestPause = 10 * time.Minute // before a recording is tried again

// mediaNames are the extensions of recordings, for --watch without --name.
var mediaNames = strings.Fields("3gp aac aif aiff amr ape avi caf flac flv m4a m4b m4v mka mkv mov mp2 mp3 mp4 mpeg mpg mts oga ogg ogv opus ra spx ts wav weba webm wma wmv")

// isMedia reports whether a file has the name of a recording.
func isMedia(path string) bool { return slices.Contains(mediaNames, extensionOf(path)) }

func extensionOf(path string) string {
	return strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
}

// checkWatch refuses options that --watch does not take.
func (cmd *command) checkWatch() error {
	for _, pattern := range cmd.Name {
		if _, err := filepath.Match(pattern, ""); err != nil {
			return fmt.Errorf("--name %s: %w", pattern, err)
		}
	}
	switch {
	case cmd.Watch == "" && len(cmd.Name) > 0:
		return errors.New("--name: is for --watch")
	case cmd.Watch == "":
		return nil
	case len(cmd.Sources)+len(cmd.From)+len(cmd.Job)+len(cmd.Playlist)+len(cmd.Channel) > 0:
		return errors.New("--watch: takes the recordings of the folder alone: name links and other files in a call without --watch")
	case cmd.Output != "":
		return errors.New("--output: --watch writes each text next to its recording")
	case cmd.batched():
		return fmt.Errorf("%s: the text of a recording can be txt, srt, vtt, json, md, docx or html", cmd.formatOption)
	}
	if st, err := os.Stat(cmd.Watch); err != nil {
		return fmt.Errorf("--watch: %w", err)
	} else if !st.IsDir() {
		return fmt.Errorf("--watch: %s is no folder: a single recording is an argument, as in \"transcribe %s\"", cmd.Watch, cmd.Watch)
	}
	return nil
}

// watcher transcribes the recordings in a folder until it is interrupted.
type watcher struct {
	*work
	ledger  *ledger
	waiting map[string]*waiting // by the name of the recording
	ended   chan attempt
	running int
	told    map[string]bool // what was said about recordings that are left alone
	failed  int             // recordings without a text
}

// waiting is a recording that has no text yet.
type waiting struct {
	file   mediaFile
	since  time.Time // when the file became as it is
	runs   bool      // its text is being made
	pause  time.Duration
	paused time.Time // not tried again before
}

// attempt is the end of an attempt to transcribe a recording.
type attempt struct {
	name string
	err  error // nil: there is nothing more to do
}

// watchFolder transcribes what is in the folder and what comes, until ctx ends or the service
// refuses the account.
func (w *work) watchFolder(ctx context.Context) error {
	l, unlock, err := openLedger(w.Watch)
	if err != nil {
		return fmt.Errorf("--watch %s: %w", w.Watch, err)
	}
	defer unlock()
	what := "recordings"
	if len(w.Name) > 0 {
		what = strings.Join(w.Name, ", ")
	}
	w.display.Say(fmt.Sprintf("Watching %s for %s, every %s. A text goes next to its recording, with the name .%s.", w.Watch, what, w.pace.every, w.Format))
	watching := &watcher{work: w, ledger: l, waiting: map[string]*waiting{}, ended: make(chan attempt, uploadsAtOnce), told: map[string]bool{}}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	err = watching.run(ctx)
	end(err)
	for ; watching.running > 0; watching.running-- {
		if a := <-watching.ended; a.err == nil {
			delete(watching.waiting, a.name)
		}
	}
	return watching.ending(err)
}

func (w *watcher) run(ctx context.Context) error {
	clock := time.NewTicker(w.pace.every)
	defer clock.Stop()
	for {
		if err := w.look(ctx); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case a := <-w.ended:
			if err := w.settle(a); err != nil {
				return err
			}
		case <-clock.C:
		}
	}
}

// ending says how the watching ended. An interruption is its usual end.
func (w *watcher) ending(err error) error {
	under := 0
	for _, r := range w.waiting {
		if r.runs {
			under++
		}
	}
	if under > 0 {
		w.display.Say(fmt.Sprintf("Recordings under way: %d. The same command goes on with them.", under))
	}
	if err == nil && w.failed > 0 {
		return fmt.Errorf("--watch %s: %d of the recordings have no text, as said above", w.Watch, w.failed)
	}
	return err
}

// look begins to transcribe the recordings that are whole.
func (w *watcher) look(ctx context.Context) error {
	names, err := os.ReadDir(w.Watch)
	if err != nil {
		w.once(fmt.Sprintf("The folder cannot be read, which is tried again every %s: %v", w.pace.every, err))
		return nil
	}
	for _, entry := range names {
		name := entry.Name()
		if !w.matches(name) {
			continue
		}
		file, err := lookAt(filepath.Join(w.Watch, name))
		if err != nil || file.size < 0 || !w.isDue(name, file) || w.running == uploadsAtOnce { // a file may have gone meanwhile
			continue
		}
		e, err := w.begin(name, file)
		if err != nil {
			return fmt.Errorf("--watch %s: %w", w.Watch, err)
		}
		w.waiting[name].runs = true
		w.running++
		go func() { w.ended <- attempt{name, w.transcribe(ctx, file, e)} }()
	}
	return nil
}

// matches reports whether a file of this name is a recording.
func (w *watcher) matches(name string) bool {
	switch {
	case strings.HasPrefix(name, "."), slices.Contains(formats, extensionOf(name)):
		return false
	case len(w.Name) == 0:
		return isMedia(name)
	}
	return slices.ContainsFunc(w.Name, func(pattern string) bool {
		matches, err := filepath.Match(pattern, name)
		return err == nil && matches
	})
}

// isDue reports whether a recording is whole, has no text, and is not being transcribed.
func (w *watcher) isDue(name string, file mediaFile) bool {
	r := w.waiting[name]
	if r != nil && r.runs {
		return false
	}
	todo, begun := w.isTodo(name, file)
	if !todo {
		delete(w.waiting, name)
		return false
	}
	now := time.Now()
	switch {
	case r == nil:
		w.waiting[name] = &waiting{file: file, since: now}
		return begun
	case r.file != file:
		*r = waiting{file: file, since: now}
		return false
	}
	return file.size > 0 && now.Sub(r.since) >= w.pace.steady && !now.Before(r.paused) && (begun || !heldOpen(file.path))
}

// isTodo reports whether a recording still needs a text, and whether a job for it has begun. A
// text that somebody else has written is never replaced.
func (w *watcher) isTodo(name string, file mediaFile) (todo, begun bool) {
	textFile := w.textOf(name)
	st, err := os.Stat(filepath.Join(w.Watch, textFile))
	written := err == nil
	e, known := w.ledger.of(textFile)
	switch {
	case known && e.Recording != name:
		if _, err := os.Stat(filepath.Join(w.Watch, e.Recording)); err == nil {
			w.once(fmt.Sprintf("%s is left alone: %s is for the text of %s. Rename one of them.", name, textFile, e.Recording))
			return false, false
		}
		return !written, false
	case known && e.about(file) && e.Failed != "":
		w.once(w.failedBefore(name, e))
		return false, false
	case known && e.about(file):
		return !e.Done, e.Job != ""
	case known && written && (e.Written == nil || !st.ModTime().Equal(*e.Written)):
		w.once(fmt.Sprintf("%s has changed, but %s is not as it was written. Remove the text, and it is made again.", name, textFile))
		return false, false
	}
	return known || !written, false
}

// failedBefore says that a recording has failed in an earlier run.
func (w *watcher) failedBefore(name string, e entry) string {
	return fmt.Sprintf("%s is left alone, because it has failed: %s. After \"touch %s\" it is tried again.", name, e.Failed, filepath.Join(w.Watch, name))
}

func (w *watcher) textOf(name string) string { return textName(name) + "." + w.Format }

// once says something about a recording that is left alone, unless it was said before.
func (w *watcher) once(text string) {
	if !w.told[text] {
		w.told[text] = true
		w.display.Say(text)
	}
}

// settle decides what follows an attempt. An error ends the watching.
func (w *watcher) settle(a attempt) error {
	w.running--
	r := w.waiting[a.name]
	r.runs = false
	var still *writtenError
	var lasting *lastingError
	var unsaved *ledgerError
	switch {
	case a.err == nil:
		delete(w.waiting, a.name)
	case errors.As(a.err, &still):
		w.once(a.name + " is still written to: it waits.")
		delete(w.waiting, a.name)
	case errors.As(a.err, &lasting):
		w.failed++
		w.complain(fmt.Errorf("%s: %w", a.name, lasting))
		e, _ := w.ledger.of(w.textOf(a.name))
		e.Failed = progress.OneLine(lasting.Error())
		w.told[w.failedBefore(a.name, e)] = true
		return w.ledger.put(w.textOf(a.name), e)
	case errors.Is(a.err, transcript.Unauthorized), forbidden(a.err), errors.As(a.err, &unsaved):
		return fmt.Errorf("--watch %s: %s: %w", w.Watch, a.name, a.err)
	default:
		before := r.pause
		r.pause = min(max(2*before, w.pace.again), longestPause)
		r.paused = time.Now().Add(r.pause)
		if r.pause != before {
			w.display.Say(fmt.Sprintf("%s: %v; trying again in %s", a.name, a.err, r.pause))
		}
	}
	return nil
}

// lastingError is a failure that another attempt would repeat.
type lastingError struct{ error }

func (e *lastingError) Unwrap() error { return e.error }

// lasting returns err as a lastingError if the service has judged the recording itself.
func lasting(err error) error {
	var failed *client.JobError
	var refused *client.Error
	switch {
	case errors.As(err, &failed):
		return &lastingError{err}
	case errors.As(err, &refused) && slices.Contains([]int{400, 413, 415, 422}, refused.Response.StatusCode):
		return &lastingError{err}
	}
	return err
}
