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

// CLIOptions configure a [CLI].
type CLIOptions struct {
	// Program is a name to look up or an absolute path; empty means "whisper-cli".
	Program string
	// Model is the path of a ggml model file. It is required.
	Model string
	// ModelSHA256 is the hash of the model file in lower-case hex, if the installer has checked
	// it; empty if not known. It is reported with each transcript. It is not checked here,
	// because that would take seconds at each start.
	ModelSHA256 string
	// Threads is the number of threads of one call; 0 means the program's own choice: one for
	// each processor, at most four. It also determines how many calls run at once: as many as
	// have a processor for each thread, at least one.
	Threads int
}

// CLI implements [engine.Recognizer] and [engine.Checker] with the program whisper-cli. It is
// safe for concurrent use: each call runs a program of its own, which takes as much memory as
// the model. Further calls wait until one of the running calls has ended.
type CLI struct {
	host    engine.Host
	program string
	path    string // of the model, absolute
	model   model
	sha256  string // of the model, in hex; empty if not known
	threads int
	turns   chan struct{} // holds a token for each running program
	forgets atomic.Bool   // the program is too old to carry a prompt through the audio
}

var (
	_ engine.Recognizer = (*CLI)(nil)
	_ engine.Checker    = (*CLI)(nil)
)

// NewCLI returns a recognizer that runs its program on host. NewCLI itself does not use host;
// the methods need host.Programs. It reads the head of the model file, and returns a
// CONFIG_ERROR if the file is no model. [CLI.Check] tells whether the program is there.
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

// parallelRuns returns how many programs with that many threads have a processor for each
// thread.
func parallelRuns(threads int) int {
	processors := runtime.GOMAXPROCS(0)
	return max(1, processors/cmp.Or(threads, min(processors, 4)))
}

// Info describes the recognizer. A model for English only offers English and does not detect
// languages; every other model offers all languages of whisper.
func (c *CLI) Info() engine.RecognizerInfo {
	return engine.RecognizerInfo{
		Name:        cliName,
		Model:       c.model.name,
		ModelSHA256: c.sha256,
		Quality:     c.model.quality(),
		Languages:   c.model.languages(),
		Detects:     !c.model.english,
		Chunk:       5 * time.Minute, // the program loads the model for each chunk
		Window:      window,
		Prompts:     true,
	}
}

// Check looks for the program and reads the head of the model file. The error is a CONFIG_ERROR
// that names the missing part and how to get it.
func (c *CLI) Check(context.Context) error {
	if _, err := c.host.Programs.Look(c.program); err != nil {
		return c.notInstalled(err)
	}
	_, err := readModel(c.path)
	return err
}

// Recognize runs the program on the audio. Its segments are whisper's, cut to the audio, with
// words if the program tells their times. A segment without length lasts until the next
// segment, or joins it. Progress is called once for each half minute of audio. A prompt guides
// each half minute; before program version 1.8.1 it guides only the first. While the program
// runs, every user who may list the processes of the machine can read the prompt.
//
// Errors: A language that the model does not know is NOT_IMPLEMENTED. A missing program or
// model, and a program that is too old, are CONFIG_ERROR. A recording that cannot be read, and
// a failing program, are INTERNAL. Otherwise the error is the context's.
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

// languageArgument returns the program's --language for a language tag.
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

// output is the name of the program's output file, without its extension.
const output = "heard"

// run waits for its turn and runs the program, twice if the program turns out to be old.
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

// hear runs the program in a directory of its own and reads the output there.
func (c *CLI) hear(ctx context.Context, path, code string, length time.Duration, opts engine.RecognizeOptions) (engine.Recognition, error) {
	dir, err := os.MkdirTemp(c.host.Dir, "whisper-")
	if err != nil {
		return engine.Recognition{}, failed(err)
	}
	// A remainder lies in the host's scratch directory, which the server empties.
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
		Stdout:  io.Discard, // it repeats the text
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
		"-pp", "-np", // errors and progress only
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

// limits returns the limits of a run. whisper.cpp holds the model once or twice and needs less
// than 2 GiB of other memory; the limit is twice that. The processor time is bounded through
// the wall time.
func (c *CLI) limits(length time.Duration) engine.Limits {
	wall := patience(length)
	return engine.Limits{
		Wall:     wall,
		CPU:      wall * time.Duration(runtime.NumCPU()+1),
		Memory:   2*c.model.size + 4<<30,
		FileSize: maxOutput,
	}
}

// graphics returns the device files of graphics processors.
func graphics() (all []string) {
	for _, pattern := range []string{"/dev/dri", "/dev/nvidia*", "/dev/kfd"} {
		found, _ := filepath.Glob(pattern) // only a bad pattern is an error
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

// failed is the error of a run that may succeed another time.
func failed(err error) error {
	return transcript.Errorf(transcript.Internal, "Speech recognition failed.").
		With("engine", cliName).Because(fmt.Errorf("whisper: %w", err))
}
