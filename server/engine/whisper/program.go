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
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/speech"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// program is a program of whisper.cpp and its model. Each run loads the model and takes as much
// memory as the model. Further runs wait until one of the running runs has ended.
type program struct {
	host    engine.Host
	name    string // "whisper-cli"
	command string // a name to look up, or an absolute path
	model   model
	sha256  string // of the model, in hex; empty if not known
	threads int
	turns   chan struct{} // holds a token for each running program
}

func newProgram(host engine.Host, name string, o CLIOptions, read func(path string) (model, error)) (*program, error) {
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
	m, err := read(path)
	if err != nil {
		return nil, err
	}
	return &program{
		host: host, name: name, command: cmp.Or(o.Program, name), model: m,
		sha256: o.ModelSHA256, threads: o.Threads, turns: make(chan struct{}, parallelRuns(o.Threads)),
	}, nil
}

// parallelRuns returns how many programs with that many threads have a processor for each
// thread.
func parallelRuns(threads int) int {
	processors := runtime.GOMAXPROCS(0)
	return max(1, processors/cmp.Or(threads, min(processors, 4)))
}

// inTurn waits until a program may run, and calls do with an empty directory of its own.
func (p *program) inTurn(ctx context.Context, do func(dir string) (engine.Recognition, error)) (engine.Recognition, error) {
	select {
	case p.turns <- struct{}{}:
	case <-ctx.Done():
		return engine.Recognition{}, context.Cause(ctx)
	}
	defer func() { <-p.turns }()
	dir, err := os.MkdirTemp(p.host.Dir, "whisper-")
	if err != nil {
		return engine.Recognition{}, p.failed(err)
	}
	// A remainder lies in the host's scratch directory, which the server empties.
	defer func() { _ = os.RemoveAll(dir) }()
	return do(dir)
}

// run runs the program in a directory. Its log goes to log.
func (p *program) run(ctx context.Context, dir string, rec recording, args []string, log io.Writer) (engine.Exit, error) {
	reads := []string{p.model.path, rec.path}
	if libraries := p.libraryFolder(); libraries != "" {
		reads = append(reads, libraries)
	}
	if p.threads > 0 {
		args = append(args, "-t", strconv.Itoa(p.threads))
	}
	exit, err := p.host.Programs.Run(ctx, engine.Command{
		Program: p.command,
		Args:    args,
		Dir:     dir,
		Reads:   reads,
		Writes:  graphics(),
		Stdout:  io.Discard, // it repeats the text
		Stderr:  log,
		Limits:  p.limits(rec.length),
	})
	var missing *exec.Error
	switch {
	case err == nil:
		return exit, nil
	case ctx.Err() != nil:
		return exit, context.Cause(ctx)
	case errors.As(err, &missing):
		return exit, p.notInstalled(err)
	}
	return exit, p.failed(err)
}

// limits returns the limits of a run. whisper.cpp holds the model once or twice and needs less
// than 2 GiB of other memory; the limit is twice that. The processor time is bounded through
// the wall time.
func (p *program) limits(length time.Duration) engine.Limits {
	wall := patience(length)
	return engine.Limits{
		Wall:     wall,
		CPU:      wall * time.Duration(runtime.NumCPU()+1),
		Memory:   2*p.model.size + 4<<30,
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

// check looks for the program.
func (p *program) check() error {
	if _, err := p.host.Programs.Look(p.command); err != nil {
		return p.notInstalled(err)
	}
	return nil
}

func (p *program) notInstalled(err error) error {
	return transcript.Errorf(transcript.ConfigError, "%s is not installed: build it from whisper.cpp, or name its path.", p.name).
		With("engine", p.name).Because(err)
}

// failed is the error of a run that may succeed another time.
func (p *program) failed(err error) error {
	return transcript.Errorf(transcript.Internal, "Speech recognition failed.").
		With("engine", p.name).Because(fmt.Errorf("whisper: %w", err))
}

// exitError returns the reason why a run has no output.
func (p *program) exitError(exit engine.Exit, log complaints, err error) error {
	why := fmt.Errorf("it ended with exit code %d: %s: %w", exit.Code, log, err)
	switch {
	case exit.Code < 0:
		return p.failed(fmt.Errorf("it was killed: %s: %w", log, err))
	case log.mention("failed to initialize whisper context", "failed to load Parakeet model"):
		return noModel(p.name, p.model.path, errors.New(log.String()))
	case log.mention("unknown argument"):
		return transcript.Errorf(transcript.ConfigError, "%s is too old: build a newer one from whisper.cpp.", p.name).
			With("engine", p.name).Because(why)
	}
	return p.failed(why)
}

// recording is a recording to recognize.
type recording struct {
	path   string // absolute
	length time.Duration
}

// measure reads the length of a recording from its file.
func measure(audio engine.Audio) (recording, error) {
	path, err := filepath.Abs(audio.Path)
	if err != nil {
		return recording{}, unreadable(err)
	}
	rec, err := speech.Open(path)
	if err != nil {
		return recording{}, unreadable(err)
	}
	defer func() { _ = rec.Close() }() // it was only read
	return recording{path, rec.Duration()}, nil
}
