package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/transcriptkit/transcriptkit/examples/internal/progress"
	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/server/engine/models"
)

type modelsCommand struct {
	List   modelsList   `cmd:"" help:"List the models, which of them are here, and which serve would choose."`
	Pull   modelsPull   `cmd:"" help:"Download a model, and the programs of whisper.cpp too if the model has none that works. Shows the files, their sources and licenses, and asks first."`
	Rm     modelsRm     `cmd:"" help:"Remove a model, or the engine, including the remains of an interrupted pull."`
	Verify modelsVerify `cmd:"" help:"Hash everything that was pulled again, and put damaged files aside."`
}

// modelsFlag is the flag of all models commands.
type modelsFlag struct{ service.ModelsFlag }

// folder returns the folder of models.
func (f modelsFlag) folder() (*models.Folder, error) {
	return models.Open(models.Options{
		Dir:   f.Models,
		HTTP:  &http.Client{Transport: withProxies()},
		Path:  service.SearchPath(),
		Table: f.Table,
	})
}

// withProxies returns a transport that uses the proxies of the environment.
func withProxies() http.RoundTripper {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = http.ProxyFromEnvironment
	return transport
}

// untold returns the recognizer that is chosen if only these flags are given.
func untold(ctx context.Context, folder service.ModelsFlag, set service.RecognizersFlag) (service.Choice, error) {
	return service.RecognizerFlags{ModelsFlag: folder, RecognizersFlag: set}.Choose(ctx)
}

type modelsList struct {
	modelsFlag
	service.RecognizersFlag
}

// Run prints a table, and the recognizer that serve chooses without flags.
func (c *modelsList) Run(ctx context.Context, out output) error {
	folder, err := c.folder()
	if err != nil {
		return err
	}
	chosen, err := untold(ctx, c.ModelsFlag, c.RecognizersFlag)
	if err != nil {
		return err
	}
	described, err := chosen.Describe()
	if err != nil {
		return err
	}
	all, err := folder.List(ctx) // after Choose has put damaged files aside
	if err != nil {
		return err
	}
	table := newTable(out, "NAME\tKIND\tSIZE\tLANGUAGES\tLICENSE\tSTATE\tNOTE")
	for _, item := range all {
		state := string(item.State)
		if item.State == models.StateInstalled && uses(chosen.ASR, item) {
			state += ", serve's choice"
		}
		note := cmp.Or(item.Note, "the programs that recognize, version "+item.Version)
		if item.Recommended {
			note = "recommended: " + note
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n",
			item.Name, item.Kind, megabytes(item.Bytes), cmp.Or(item.Languages, "-"), item.Terms(), state, note)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if chosen.Unused != nil {
		fmt.Fprintf(out.Stderr, "The pulled model is not used: %s.\n", oneLine(chosen.Unused))
	}
	fmt.Fprintf(out.Stderr, "Without --asr, serve uses this recognizer: %s.\n", described)
	return nil
}

// uses reports whether a recognizer, or the recognizer that is used before it, uses an
// item. The programs of an engine lie in one folder.
func uses(asr service.ASR, item models.Item) bool {
	used := item.Path == asr.Model || item.Kind == models.KindEngine && filepath.Dir(item.Path) == filepath.Dir(asr.Program)
	return used || asr.Before != nil && uses(*asr.Before, item)
}

// megabytes formats a number of bytes for people, in GB from 1 GB on.
func megabytes(n int64) string {
	if n >= 1e9 {
		return fmt.Sprintf("%.1f GB", float64(n)/1e9)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

type modelsPull struct {
	modelsFlag
	Name   string        `arg:"" help:"A name from models list, such as small."`
	Yes    bool          `verb:"" short:"y" help:"Do not ask."`
	First  time.Duration `verb:"" placeholder:"DURATION" help:"Pull the model only if it is the first one. Fail if an address does not answer within this time."`
	Mirror mirror        `placeholder:"URL" help:"The URL of a folder that has the files under their own names. It may be http, because the hashes protect the files. Default: the published addresses."`
	File   []string      `verb:"" placeholder:"PATH" help:"A local file, on a machine without internet. It must have the same hash. May be repeated: for the engine and for the model."`
}

// mirror is the URL of a mirror.
type mirror string

// UnmarshalText is called by the parser.
func (m *mirror) UnmarshalText(text []byte) error {
	*m = mirror(text)
	_, err := models.ParseMirror(string(text))
	return err
}

// Run downloads missing files.
func (c *modelsPull) Run(ctx context.Context, out output) error {
	folder, err := c.folder()
	if err != nil {
		return err
	}
	if chosen, err := untold(ctx, c.ModelsFlag, service.RecognizersFlag{}); c.First > 0 && (err != nil || chosen.ASR.Model != "") {
		return err // a model is there
	}
	plan, err := folder.Plan(ctx, c.Name, models.Sources{Mirror: string(c.Mirror), Files: c.File})
	if err != nil {
		return withNames(err)
	}
	if len(plan.Downloads) == 0 {
		fmt.Fprintf(out.Stderr, "%s is there already, in %s.\n", c.Name, folder.Dir())
		return nil
	}
	if c.First > 0 {
		if err := answerWithin(ctx, c.First, plan.Downloads); err != nil {
			return err
		}
	}
	c.tell(out.Stderr, folder, plan)
	if err := askToGoOn(ctx, out.Stderr, c.Yes); err != nil {
		return err
	}
	if err := fetch(ctx, out.Stderr, folder, plan); err != nil {
		return withCure(err)
	}
	fmt.Fprintf(out.Stderr, "%s is installed in %s. Serve uses it from its next start.\n", c.Name, folder.Dir())
	return nil
}

// answerWithin asks the address of each download for its head. Any answer is enough,
// because the pull judges it.
func answerWithin(ctx context.Context, patience time.Duration, all []models.Download) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for _, d := range all {
		if at, err := url.Parse(d.From); err != nil || at.Host == "" {
			continue // the source is a local file
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodHead, d.From, nil)
		if err != nil {
			return err
		}
		answer, err := (&http.Client{Transport: withProxies()}).Do(request)
		if err != nil {
			return fmt.Errorf("%s has not answered within %s: %w", request.URL.Host, patience, err)
		}
		_ = answer.Body.Close() // it has none
	}
	return nil
}

// tell prints the plan of a pull.
func (c *modelsPull) tell(w io.Writer, folder *models.Folder, plan models.Plan) {
	for _, d := range plan.Downloads {
		fmt.Fprintf(w, "%s %s: %d bytes (%s to come), license %s, from %s\n", d.Kind, d.Name, d.Bytes, megabytes(d.Left), d.Terms(), d.From)
	}
	if plan.Reason != "" {
		fmt.Fprintf(w, "The engine is included, because no other engine works here: %s.\n", oneLine(errors.New(plan.Reason)))
	}
	fmt.Fprintf(w, "Altogether %s into %s, which has %s free.\n", megabytes(plan.Left), folder.Dir(), megabytes(plan.Free))
}

// errNotAsked reports that there is no terminal to ask.
var errNotAsked = errors.New("there is no terminal to ask on: --yes continues without asking")

// askToGoOn asks whether to continue, unless yes is set.
func askToGoOn(ctx context.Context, w io.Writer, yes bool) error {
	if yes {
		return nil
	}
	if !term.IsTerminal(int(os.Stdin.Fd())) {
		return errNotAsked
	}
	fmt.Fprint(w, "Go on? [y/N] ")
	answered := make(chan string, 1)
	go func() { // ends with the process, because a context cannot interrupt a read from a terminal
		line, _ := bufio.NewReader(os.Stdin).ReadString('\n') // the end of the input counts as no
		answered <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(w)
		return context.Cause(ctx)
	case answer := <-answered:
		if answer == "y" || answer == "yes" {
			return nil
		}
		return errors.New("nothing was downloaded")
	}
}

// fetch downloads with a progress line for each file.
func fetch(ctx context.Context, w io.Writer, folder *models.Folder, plan models.Plan) error {
	display := progress.New(w)
	defer display.Done()
	lines := map[string]*progress.Line{}
	for _, d := range plan.Downloads {
		lines[d.Name] = display.Line(d.Name)
	}
	return folder.Pull(ctx, plan, func(e models.Entry, done, total int64) {
		lines[e.Name].Bytes("fetching", done, total)
	})
}

// withCure adds the flags that can help against an error.
func withCure(err error) error {
	switch {
	case errors.Is(err, models.ErrUnreachable):
		return fmt.Errorf("%w: set HTTPS_PROXY to a proxy, --mirror to another server, or --file to a local file", err)
	case errors.Is(err, models.ErrBusy):
		return fmt.Errorf("%w: let it end, or stop it", err)
	}
	return err
}

// withNames adds the command that lists the names, or the installed items.
func withNames(err error) error {
	switch {
	case errors.Is(err, models.ErrUnknown):
		return fmt.Errorf("%w: \"transcriptd models list\" tells more about them", err)
	case errors.Is(err, models.ErrNotInstalled):
		return fmt.Errorf("%w: \"transcriptd models list\" shows what is there", err)
	}
	return withCure(err)
}

type modelsRm struct {
	modelsFlag
	Name string `arg:"" help:"A name from models list, such as small."`
}

// Run removes a model. A running server needs the model again for its next recording.
func (c *modelsRm) Run(ctx context.Context, out output) error {
	folder, err := c.folder()
	if err != nil {
		return err
	}
	if err := folder.Remove(ctx, c.Name); err != nil {
		return withNames(err)
	}
	fmt.Fprintf(out.Stderr, "%s is removed.\n", c.Name)
	return nil
}

type modelsVerify struct{ modelsFlag }

// Run prints a line for each installed item.
func (c *modelsVerify) Run(ctx context.Context, out output) error {
	folder, err := c.folder()
	if err != nil {
		return err
	}
	display := progress.New(out.Stderr)
	defer display.Done()
	line := display.Line("")
	all, err := folder.Verify(ctx, func(e models.Entry, done, total int64) { line.Bytes("hashing "+e.Name, done, total) })
	if err != nil {
		return err
	}
	display.Done()
	var damaged []string
	for _, item := range all {
		what := "good"
		if item.State == models.StateDamaged {
			what, damaged = "damaged", append(damaged, item.Name)
		}
		fmt.Fprintf(out.Stdout, "%s: %s\n", item.Name, what)
	}
	if damaged != nil {
		return fmt.Errorf("damaged and not used: %s: \"transcriptd models pull %s\" gets it again", strings.Join(damaged, ", "), damaged[0])
	}
	if len(all) == 0 {
		fmt.Fprintln(out.Stderr, "Nothing was pulled.")
	}
	return nil
}
