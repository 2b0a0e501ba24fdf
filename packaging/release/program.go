package main

import (
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// programs are the folders of the main packages under examples, which are also the names of the
// programs.
var programs = []string{"transcriptd", "transcribe", "website"}

// program is a program that was built.
type program struct {
	name string // without the extension of the system
	data []byte
	info *buildinfo.BuildInfo // what "go version -m" shows
}

// host is the target whose programs can run on this machine.
var host = target{runtime.GOOS, runtime.GOARCH}

// build builds all programs for a target. It builds the programs of this machine only the first time.
func (c *checkout) build(ctx context.Context, t target) (_ []program, err error) {
	if t != host {
		return c.compile(ctx, t)
	}
	if c.own == nil {
		c.own, err = c.compile(ctx, t)
	}
	return c.own, err
}

// compile builds all programs for a target, in a temporary folder.
func (c *checkout) compile(ctx context.Context, t target) ([]program, error) {
	dir, err := os.MkdirTemp("", "release-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // it does no harm if the temporary folder stays
	args := []string{"build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-o", dir + string(filepath.Separator)}
	for _, name := range programs {
		args = append(args, "./examples/"+name)
	}
	if _, err := output(ctx, c.dir, t.environment(), "go", args...); err != nil {
		return nil, fmt.Errorf("%s: %w", t, err)
	}
	var built []program
	for _, name := range programs {
		p, err := readProgram(name, filepath.Join(dir, t.program(name)))
		if err == nil && p.setting("vcs.revision") != c.commit {
			err = fmt.Errorf("the Go command has not written the commit %s into %s: is git installed?", c.commit, name)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t, err)
		}
		built = append(built, p)
	}
	return built, nil
}

func readProgram(name, path string) (program, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return program{}, err
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return program{}, err
	}
	return program{name, data, info}, nil
}

// setting returns a setting of the build, or empty if it is not recorded.
func (p program) setting(key string) string {
	for _, s := range p.info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}
