package ytdlp

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
)

// runsPlayers is the first version that runs players with a JavaScript runtime, and knows
// --js-runtimes.
const runsPlayers version = "2025.11.12"

// runtimeFiles maps the runtimes that the program knows to the names of their files.
var runtimeFiles = map[string]string{"deno": "deno", "node": "node", "quickjs": "qjs", "bun": "bun"}

// unnamed are the runtimes to offer if the operator names none. The program takes the first one
// whose version it supports.
var unnamed = []string{"deno", "node", "quickjs"}

// jsRuntime is a JavaScript runtime on this machine.
type jsRuntime struct{ name, path string }

// namedRuntime finds the runtime that the operator has named, or nil if none was named.
func namedRuntime(host engine.Host, named string) (*jsRuntime, error) {
	if named == "" {
		return nil, nil //nolint:nilnil // no runtime was named
	}
	name, path, hasPath := strings.Cut(named, ":")
	file, known := runtimeFiles[name]
	switch {
	case !known:
		return nil, fmt.Errorf("ytdlp: JSRuntime: %q is none that yt-dlp knows: deno, node, quickjs or bun", name)
	case hasPath && !filepath.IsAbs(path):
		return nil, fmt.Errorf("ytdlp: JSRuntime: %q is not an absolute path", path)
	case hasPath:
		file = path
	}
	path, err := host.Programs.Look(file)
	if err != nil {
		return nil, fmt.Errorf("ytdlp: JSRuntime: %s is not there: install it, or name its path: %w", name, err)
	}
	return &jsRuntime{name, path}, nil
}

// runtimes returns the runtimes that a run may use: the named one, otherwise all that are
// installed.
func (p *program) runtimes() (all []jsRuntime) {
	if p.runtime != nil {
		return []jsRuntime{*p.runtime}
	}
	for _, name := range unnamed {
		if path, err := p.lookRuntime(runtimeFiles[name]); err == nil {
			all = append(all, jsRuntime{name, path})
		}
	}
	return all
}

// lookRuntime finds a runtime: first in the program's own folder, because a virtual
// environment has both, and otherwise where the runner finds programs.
func (p *program) lookRuntime(file string) (path string, err error) {
	if program, err := p.host.Programs.Look(p.file); err == nil {
		if program, err = filepath.EvalSymlinks(program); err == nil {
			if path, err = p.host.Programs.Look(filepath.Join(filepath.Dir(program), file)); err == nil {
				return path, nil
			}
		}
	}
	return p.host.Programs.Look(file)
}

// slowest is the processor time of an old QuickJS for one player.
const slowest = 3 * time.Minute

// withoutRuntimes returns the options that keep the program from starting a runtime.
func withoutRuntimes(v version) []string {
	if v < runsPlayers {
		return nil
	}
	return []string{"--no-js-runtimes"}
}

// addRuntimes adds the runtimes to a run, if the version knows them.
func (p *program) addRuntimes(c *engine.Command, v version) {
	if v < runsPlayers {
		return
	}
	found := p.runtimes()
	if len(found) == 0 {
		return // the program complains if it needs a runtime
	}
	c.Args, c.Reads = append(c.Args, withoutRuntimes(v)...), slices.Clone(c.Reads)
	for _, r := range found {
		if r.name == "quickjs" {
			c.Limits.Wall, c.Limits.CPU = max(c.Limits.Wall, 2*slowest), max(c.Limits.CPU, slowest)
		}
		c.Args = append(c.Args, "--js-runtimes", r.name+":"+r.path)
		c.Reads = append(c.Reads, r.path)
		if file, err := filepath.EvalSymlinks(r.path); err == nil { // otherwise the program finds that the runtime does not run
			c.Reads = append(c.Reads, file)
		}
	}
}
