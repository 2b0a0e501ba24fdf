package whisper

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/whispermodel"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const cliName = "whisper-cli"

// CLIOptions say what a [CLI] runs.
type CLIOptions struct {
	// Program is a name to look up or an absolute path; empty means "whisper-cli".
	Program string
	// Model is the path of a ggml model file. It is needed.
	Model string
	// ModelSHA256 is the hash of the model file in lower case hex, where whoever put it
	// there has checked it; empty where it is not known. It is told with each text and
	// not checked: that would take seconds at each start.
	ModelSHA256 string
	// Threads is how many threads a call computes with; 0 means the program's own
	// choice: as many as there are processors, at most four. It says how many calls
	// run at once, too: as many as have processors for their threads, at least one.
	Threads int
}

// CLI implements [engine.Recognizer] and [engine.Checker] with the program
// whisper-cli. Safe for concurrent use: each call runs a program of its own, which
// takes as much memory as the model. Calls beyond those that run at once wait here.
type CLI struct {
	host    engine.Host
	program string
	path    string // of the model, absolute
	model   model
	sha256  string // of the model, in hex; empty where it is not known
	threads int
	turns   chan struct{} // holds a token for each program that runs
	forgets atomic.Bool   // the program is too old to carry a prompt on
}

var (
	_ engine.Recognizer = (*CLI)(nil)
	_ engine.Checker    = (*CLI)(nil)
)

// NewCLI returns a recognizer that runs its program on host, of which it makes no
// use yet: Programs must be set for all else that it does. It reads the head of the
// model file, and returns a CONFIG_ERROR when that is no model. Whether the program
// is there shows in [CLI.Check].
func NewCLI(host engine.Host, o CLIOptions) (*CLI, error) {
	if o.Threads < 0 {
		return nil, fmt.Errorf("whisper: %d threads", o.Threads)
	}
	if o.Model == "" {
		return nil, errors.New("whisper: no model is named")
	}
	path, err := filepath.Abs(o.Model)
	if err != nil {
		return nil, fmt.Errorf("whisper: model: %w", err)
	}
	m, err := readModel(path)
	if err != nil {
		return nil, err
	}
	return &CLI{
		host: host, program: cmp.Or(o.Program, cliName), path: path, model: m,
		sha256: o.ModelSHA256, threads: o.Threads, turns: make(chan struct{}, parallelRuns(o.Threads)),
	}, nil
}

// parallelRuns is how many programs with so many threads have a processor for each.
func parallelRuns(threads int) int {
	processors := runtime.GOMAXPROCS(0)
	return max(1, processors/cmp.Or(threads, min(processors, 4)))
}

// Info describes the recognizer: a model that knows English only is asked for
// English and detects nothing, any other one knows all languages of whisper.
func (c *CLI) Info() engine.RecognizerInfo {
	return engine.RecognizerInfo{
		Name:        cliName,
		Model:       c.model.name,
		ModelSHA256: c.sha256,
		Quality:     c.model.quality(),
		Languages:   c.model.languages(),
		Detects:     !c.model.english,
		Chunk:       5 * time.Minute, // it loads the model for each
		Window:      window,
		Prompts:     true,
	}
}

// Check looks for the program and reads the head of the model file. The error
// is a CONFIG_ERROR that says what is missing and how to get it.
func (c *CLI) Check(context.Context) error {
	if _, err := c.host.Programs.Look(c.program); err != nil {
		return c.notInstalled(err)
	}
	_, err := readModel(c.path)
	return err
}

// Recognize runs the program on the audio. Its segments are whisper's, cut to the
// audio, with words where the program tells their times; one without length lasts
// until the next, or joins it. Progress comes once for each half minute of audio. A
// prompt guides each half minute, or where the program is older than version 1.8.1
// the first. Whoever may see the processes of the machine sees it while the program runs.
//
// Errors: NOT_IMPLEMENTED for a language that the model does not know,
// CONFIG_ERROR for a missing program or model or a program that is too old,
// INTERNAL for a recording that cannot be read and for a program that fails; or
// the context's.
func (c *CLI) Recognize(ctx context.Context, audio engine.Audio, opts engine.RecognizeOptions) (engine.Recognition, error) {
	code, err := c.languageArgument(opts.Language)
	if err != nil {
		return engine.Recognition{}, err
	}
	length, err := measure(audio)
	if err != nil {
		return engine.Recognition{}, err
	}
	if ctx.Err() != nil {
		return engine.Recognition{}, context.Cause(ctx)
	}
	heard := engine.Recognition{Language: opts.Language}
	if length >= shortest {
		if heard, err = c.run(ctx, audio.Path, code, length, opts); err != nil {
			return engine.Recognition{}, err
		}
	}
	finished(opts, length)
	return heard, nil
}

// languageArgument is the program's --language for a language tag.
func (c *CLI) languageArgument(tag string) (string, error) {
	code, known := whispermodel.Code(tag)
	switch {
	case tag == "" && c.model.english:
		return "en", nil
	case tag == "":
		return "auto", nil
	case !known, c.model.english && code != "en":
		return "", unknownLanguage(cliName, tag)
	}
	return code, nil
}

func measure(audio engine.Audio) (time.Duration, error) {
	rec, err := speech.Open(audio.Path)
	if err != nil {
		return 0, unreadable(err)
	}
	defer func() { _ = rec.Close() }() // it was only read
	return rec.Duration(), nil
}

// output is the name of the program's output, without its extension.
const output = "heard"

// run runs the program when it has a turn, twice if it turns out to be old.
func (c *CLI) run(ctx context.Context, path, code string, length time.Duration, opts engine.RecognizeOptions) (engine.Recognition, error) {
	select {
	case c.turns <- struct{}{}:
	case <-ctx.Done():
		return engine.Recognition{}, context.Cause(ctx)
	}
	defer func() { <-c.turns }()
	path, err := filepath.Abs(path)
	if err != nil {
		return engine.Recognition{}, unreadable(err)
	}
	heard, err := c.hear(ctx, path, code, length, opts)
	if errors.Is(err, errForgets) {
		c.forgets.Store(true)
		heard, err = c.hear(ctx, path, code, length, opts)
	}
	return heard, err
}

// hear runs the program in a directory of its own and reads what it wrote there.
func (c *CLI) hear(ctx context.Context, path, code string, length time.Duration, opts engine.RecognizeOptions) (engine.Recognition, error) {
	dir, err := os.MkdirTemp(c.host.Dir, "whisper-")
	if err != nil {
		return engine.Recognition{}, failed(err)
	}
	// What cannot be removed lies in the host's directory for scratch files.
	defer func() { _ = os.RemoveAll(dir) }()

	reads := []string{c.path, path}
	if libraries := c.libraryFolder(); libraries != "" {
		reads = append(reads, libraries)
	}
	log := &monitor{length: length, progress: opts.Progress}
	exit, err := c.host.Programs.Run(ctx, engine.Command{
		Program: c.program,
		Args:    c.args(path, code, opts.Prompt),
		Dir:     dir,
		Reads:   reads,
		Writes:  graphics(),
		Stdout:  io.Discard, // the text once more
		Stderr:  log,
		Limits:  c.limits(length),
	})
	if err != nil {
		return engine.Recognition{}, c.runError(ctx, err)
	}
	result, err := readOutput(filepath.Join(dir, output+".json"))
	if err != nil {
		return engine.Recognition{}, c.exitError(exit, log, opts.Language, err)
	}
	heard := result.recognition(opts.Language, length)
	heard.Prompted = opts.Prompt != ""
	return heard, nil
}

func (c *CLI) args(path, code, prompt string) []string {
	args := []string{
		"-m", c.path, "-f", path, "-l", code,
		"-ojf", "-of", output, // JSON with tokens, for the times of words
		"-pp", "-np", // nothing but errors and progress
		"-mc", contextFor(prompt),
	}
	if prompt != "" {
		args = append(args, "--prompt", spoken(prompt))
	}
	if prompt != "" && !c.forgets.Load() {
		args = append(args, carryPrompt)
	}
	if c.threads > 0 {
		args = append(args, "-t", strconv.Itoa(c.threads))
	}
	return args
}

// limits of a run. whisper.cpp holds the model once or twice and needs less than
// 2 GiB beside it: it may have twice that. Its processor time ends with its time.
func (c *CLI) limits(length time.Duration) engine.Limits {
	wall := patience(length)
	return engine.Limits{
		Wall:     wall,
		CPU:      wall * time.Duration(runtime.NumCPU()+1),
		Memory:   2*c.model.size + 4<<30,
		FileSize: maxOutput,
	}
}

// graphics are the device files of graphics processors.
func graphics() (all []string) {
	for _, pattern := range []string{"/dev/dri", "/dev/nvidia*", "/dev/kfd"} {
		found, _ := filepath.Glob(pattern) // the only error is a bad pattern
		all = append(all, found...)
	}
	return all
}

func (c *CLI) notInstalled(err error) error {
	return transcript.Errorf(transcript.ConfigError, "%s is not installed: build it from whisper.cpp, or name its path.", cliName).
		With("engine", cliName).Because(err)
}

func (c *CLI) runError(ctx context.Context, err error) error {
	var missing *exec.Error
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &missing):
		return c.notInstalled(err)
	}
	return failed(err)
}

// failed is a run that may go better another time.
func failed(err error) error {
	return transcript.Errorf(transcript.Internal, "Speech recognition failed.").
		With("engine", cliName).Because(fmt.Errorf("whisper: %w", err))
}
