package whisper

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/whispermodel"
)

const cliName = "whisper-cli"

// CLIOptions configure a [CLI] or a [Parakeet].
type CLIOptions struct {
	// Program is a name to look up or an absolute path; empty means "whisper-cli" for a [CLI]
	// and "parakeet-cli" for a [Parakeet].
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
	program *program
	forgets atomic.Bool // the program is too old to carry a prompt through the audio
}

var (
	_ engine.Recognizer = (*CLI)(nil)
	_ engine.Checker    = (*CLI)(nil)
)

// NewCLI returns a recognizer that runs its program on host. NewCLI itself does not use
// host; the methods need host.Programs. NewCLI reads the header of the model file, and
// returns a CONFIG_ERROR if the file is not a model of Whisper. [CLI.Check] checks
// whether the program is installed.
func NewCLI(host engine.Host, o CLIOptions) (*CLI, error) {
	p, err := newProgram(host, cliName, o, readModel)
	if err != nil {
		return nil, err
	}
	return &CLI{program: p}, nil
}

// Info describes the recognizer. A model for English supports only English and does not detect
// the language; every other model supports all languages of Whisper.
func (c *CLI) Info() engine.RecognizerInfo {
	return engine.RecognizerInfo{
		Name:        cliName,
		Model:       c.program.model.name,
		ModelSHA256: c.program.sha256,
		Quality:     c.program.model.quality(),
		Languages:   c.program.model.languages(),
		Detects:     !c.program.model.english,
		Chunk:       5 * time.Minute, // the program loads the model for each chunk
		Window:      window,
		Prompts:     true,
	}
}

// Check looks for the program and reads the header of the model file. The error is a
// CONFIG_ERROR that names what is missing and how to get it.
func (c *CLI) Check(context.Context) error {
	if err := c.program.check(); err != nil {
		return err
	}
	_, err := readModel(c.program.model.path)
	return err
}

// Recognize runs the program on the audio. Its segments are those of the program, cut
// to the audio, with words if the program returns their times. A segment without length
// is extended to the next segment, or joined to it. Progress is called once for each
// half minute of audio. A prompt influences each half minute; before program version
// 1.8.1, only the first. While the program runs, every user who may list the processes
// of the machine can read the prompt.
//
// Errors: A language that the model does not know is NOT_IMPLEMENTED. A missing program or
// model, and a program that is too old, are CONFIG_ERROR. A recording that cannot be read, and
// a failing program, are INTERNAL. Otherwise the error is the context's.
func (c *CLI) Recognize(ctx context.Context, audio engine.Audio, opts engine.RecognizeOptions) (engine.Recognition, error) {
	code, err := c.languageArgument(opts.Language)
	if err != nil {
		return engine.Recognition{}, err
	}
	rec, err := measure(audio)
	if err != nil {
		return engine.Recognition{}, err
	}
	if ctx.Err() != nil {
		return engine.Recognition{}, context.Cause(ctx)
	}
	heard := engine.Recognition{Language: opts.Language}
	if rec.length >= shortest {
		if heard, err = c.run(ctx, rec, code, opts); err != nil {
			return engine.Recognition{}, err
		}
	}
	finished(opts, rec.length)
	return heard, nil
}

// languageArgument returns the program's --language for a language tag.
func (c *CLI) languageArgument(tag string) (string, error) {
	code, known := whispermodel.Code(tag)
	english := c.program.model.english
	switch {
	case tag == "" && english:
		return "en", nil
	case tag == "":
		return "auto", nil
	case !known, english && code != "en":
		return "", unknownLanguage(cliName, tag)
	}
	return code, nil
}

// output is the name of the program's output file, without its extension.
const output = "heard"

// run waits for its turn and runs the program, twice if the program turns out to be old.
func (c *CLI) run(ctx context.Context, rec recording, code string, opts engine.RecognizeOptions) (engine.Recognition, error) {
	return c.program.inTurn(ctx, func(dir string) (engine.Recognition, error) {
		heard, err := c.hear(ctx, dir, rec, code, opts)
		if errors.Is(err, errForgets) {
			c.forgets.Store(true)
			heard, err = c.hear(ctx, dir, rec, code, opts)
		}
		return heard, err
	})
}

// hear runs the program in dir and reads the output there.
func (c *CLI) hear(ctx context.Context, dir string, rec recording, code string, opts engine.RecognizeOptions) (engine.Recognition, error) {
	log := newMonitor(rec.length, opts.Progress)
	exit, err := c.program.run(ctx, dir, rec, c.args(rec.path, code, opts.Prompt), log)
	if err != nil {
		return engine.Recognition{}, err
	}
	result, err := readOutput(filepath.Join(dir, output+".json"))
	if err != nil {
		return engine.Recognition{}, c.exitError(exit, log, opts.Language, err)
	}
	heard := result.recognition(opts.Language, rec.length)
	heard.Prompted = opts.Prompt != ""
	return heard, nil
}

func (c *CLI) args(path, code, prompt string) []string {
	args := []string{
		"-m", c.program.model.path, "-f", path, "-l", code,
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
	return args
}

// exitError returns the reason why there is no output.
func (c *CLI) exitError(exit engine.Exit, log *monitor, asked string, err error) error {
	log.end() // the last line may have no end
	switch {
	case exit.Code == 3:
		return noModel(cliName, c.program.model.path, errors.New(log.String()))
	case log.mention("unknown language"):
		return unknownLanguage(cliName, asked).Because(errors.New(log.String()))
	case log.mention("unknown argument: " + carryPrompt):
		return errForgets
	}
	return c.program.exitError(exit, log.complaints, err)
}
