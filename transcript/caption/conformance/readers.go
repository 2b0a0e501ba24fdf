package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// other is a reader of another project, as a program that speaks the protocol.
type other struct {
	name    string
	command []string
}

// cannotRead is the exit status of a program that does not read a format.
const cannotRead = 3

// patience bounds the time for one file.
const patience = 30 * time.Second

// install installs the readers in a scratch folder, at the versions that the folder of the
// adapters pins. A folder in which all of them are installed stays as it is.
func install(ctx context.Context, adapters, scratch string) ([]other, error) {
	python, node, astisub := filepath.Join(scratch, "python"), filepath.Join(scratch, "node"), filepath.Join(scratch, "astisub")
	done := filepath.Join(scratch, "installed")
	steps := []struct {
		folder  string
		command []string
	}{
		{adapters, []string{"python3", "-m", "venv", python}},
		{adapters, []string{python + "/bin/pip", "install", "--quiet", "--requirement", "python/requirements.txt"}},
		{adapters, []string{"cp", "-r", "node", node}},
		{node, []string{"npm", "install", "--silent", "--no-audit", "--no-fund"}},
		{filepath.Join(adapters, "astisub"), []string{"go", "build", "-o", astisub, "."}},
		{adapters, []string{"touch", done}},
	}
	if _, err := os.Stat(done); err == nil {
		steps = nil
	}
	for _, step := range steps {
		c := exec.CommandContext(ctx, step.command[0], step.command[1:]...)
		c.Dir, c.Stdout, c.Stderr = step.folder, os.Stderr, os.Stderr
		if err := c.Run(); err != nil {
			return nil, fmt.Errorf("%s: %w", strings.Join(step.command, " "), err)
		}
	}
	inPython := func(file string) []string {
		return []string{python + "/bin/python", "-B", filepath.Join(adapters, "python", file)}
	}
	inNode := func(file string) []string {
		return []string{"env", "NODE_PATH=" + filepath.Join(node, "node_modules"), "node", filepath.Join(adapters, "node", file)}
	}
	return []other{
		{"go-astisub", []string{astisub}},
		{"pysubs2", inPython("read_pysubs2.py")},
		{"pycaption", inPython("read_pycaption.py")},
		{"webvtt-py", inPython("read_webvtt.py")},
		{"webvtt.js", inNode("read_webvtt.js")},
		{"srt", inPython("read_srt.py")},
		{"subtitle", inNode("read_subtitle.js")},
		{"ffmpeg", inPython("read_ffmpeg.py")},
	}, nil
}

// answers asks the reader about the files of one format. It returns nil if the reader does
// not read the format. A program that ends early has the error for the file that it was
// asked about, and starts again for the next file.
func (o *other) answers(ctx context.Context, format string, files []example) (all []answer, err error) {
	var p *program
	for i := range files {
		if p == nil {
			if p, err = o.start(ctx, format); err != nil {
				return nil, err
			}
		}
		a, ended := p.ask(files[i].path)
		if ended != nil {
			var exit *exec.ExitError
			if err := p.stop(); errors.As(err, &exit) && exit.ExitCode() == cannotRead {
				return nil, nil
			}
			p, a = nil, answer{Error: problem("the program failed: " + ended.Error())}
		}
		all = append(all, a)
	}
	if p != nil {
		_ = p.stop() // all answers are there
	}
	return all, nil
}

// program is a running reader.
type program struct {
	command *exec.Cmd
	paths   io.WriteCloser
	lines   *bufio.Reader
	cancel  context.CancelFunc
}

func (o *other) start(ctx context.Context, format string) (*program, error) {
	ctx, cancel := context.WithCancel(ctx)
	c := exec.CommandContext(ctx, o.command[0], slices.Concat(o.command[1:], []string{format})...)
	paths, err := c.StdinPipe()
	if err != nil {
		cancel()
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		cancel()
		return nil, err
	}
	if err := c.Start(); err != nil {
		cancel()
		return nil, fmt.Errorf("%s: %w", o.name, err)
	}
	return &program{c, paths, bufio.NewReader(out), cancel}, nil
}

// ask sends one path and reads the answer. The error says why there is none.
func (p *program) ask(path string) (a answer, err error) {
	late := time.AfterFunc(patience, p.cancel)
	defer late.Stop()
	if _, err := fmt.Fprintln(p.paths, path); err != nil {
		return a, err
	}
	line, err := p.lines.ReadBytes('\n')
	if err != nil {
		return a, err
	}
	return a, json.Unmarshal(line, &a)
}

// stop ends the program and returns its exit status as an error.
func (p *program) stop() error {
	_ = p.paths.Close() // the program may have closed it already
	late := time.AfterFunc(patience, p.cancel)
	defer late.Stop()
	err := p.command.Wait()
	p.cancel()
	return err
}
