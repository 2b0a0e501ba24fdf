package ytdlp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/clip"
	"github.com/transcriptkit/transcriptkit/server/engine"
)

// equipment is the program's report about itself and about the software that it finds on the
// machine. The program reports it when it runs without a link, and then uses no network.
type equipment struct {
	runtimes  []foundRuntime
	tells     bool     // whether it reports runtimes: releases before 2025.11.12 do not
	libraries []string // with their versions: "curl_cffi-0.13.0"
	handlers  []string // of requests: "urllib", "curl_cffi"
	plugins   string   // folders of plugins; empty means none
}

// foundRuntime is a JavaScript runtime that the program has found.
type foundRuntime struct {
	name, version string
	supported     bool
}

// preferred are the runtimes in the program's order of preference.
var preferred = []string{"deno", "node", "quickjs", "quickjs-ng", "bun"}

// best returns the runtime that the program uses, or nil if it supports none of them.
func (a *equipment) best() *foundRuntime {
	for _, name := range preferred {
		for i, r := range a.runtimes {
			if r.name == name && r.supported {
				return &a.runtimes[i]
			}
		}
	}
	return nil
}

// slow reports a version of QuickJS that takes minutes for a player.
func (r *foundRuntime) slow() bool {
	fast, known := map[string][]int{"quickjs": {2025, 4, 26}, "quickjs-ng": {0, 12, 0}}[r.name]
	return known && older(r.version, fast)
}

// older reports whether the numbers in v, such as "2023-12-9", are lower than those of than.
func older(v string, than []int) bool {
	parts := strings.FieldsFunc(v, func(r rune) bool { return r < '0' || r > '9' })
	for i, want := range than {
		have := 0
		if i < len(parts) {
			have, _ = strconv.Atoi(parts[i]) // only digits; an overflow counts as newer than any version
		}
		if have != want {
			return have < want
		}
	}
	return false
}

// maxTold limits the repeated part of a line, in runes.
const maxTold = 200

// readEquipment reads the program's report.
func readEquipment(stderr []byte) *equipment {
	a := &equipment{}
	for line := range strings.Lines(string(stderr)) {
		name, value, _ := strings.Cut(strings.TrimPrefix(line, "[debug] "), ": ")
		switch value = clip.Line(value, maxTold); name {
		case "Optional libraries":
			a.libraries = items(value)
		case "Request Handlers":
			a.handlers = items(value)
		case "JS runtimes":
			a.tells = true
			for _, item := range items(value) {
				item, unsupported := strings.CutSuffix(item, " (unsupported)")
				if name, version, ok := cutVersion(item); ok {
					a.runtimes = append(a.runtimes, foundRuntime{name, version, !unsupported})
				}
			}
		case "Plugin directories":
			if !strings.HasPrefix(value, "none") {
				a.plugins = value
			}
		}
	}
	return a
}

// cutVersion splits "quickjs-ng-0.12.1" and "quickjs-2025-4-26".
func cutVersion(item string) (name, version string, ok bool) {
	i := strings.IndexFunc(item, func(r rune) bool { return '0' <= r && r <= '9' })
	if i < 2 {
		name, found := strings.CutSuffix(item, "-unknown")
		return name, "of unknown version", found
	}
	return item[:i-1], item[i:], true
}

// items splits the items of a line; "none (disabled)" has none.
func items(value string) []string {
	if value == "" || strings.HasPrefix(value, "none") {
		return nil
	}
	return strings.Split(value, ", ")
}

// equipment asks the program once. It asks again after the program's file or the runtimes have
// changed.
func (p *program) equipment(ctx context.Context, v version) (*equipment, error) {
	c := engine.Command{
		Args:   []string{"-v", "--ignore-config", "--no-update"},
		Limits: engine.Limits{Wall: time.Minute, CPU: 30 * time.Second, Memory: maxMemory},
	}
	if v >= withoutPlugins {
		c.Args = append(c.Args, "--no-plugin-dirs")
	}
	p.addRuntimes(&c, v)
	files, err := p.files(c.Reads)
	if err != nil {
		return nil, err
	}
	return p.told.get(ctx, files, func(ctx context.Context) (*equipment, error) {
		exit, err := p.start(ctx, c)
		if err != nil {
			return nil, err
		}
		if !strings.Contains(string(exit.Stderr), "[debug] ") {
			return nil, p.unfit("does not answer like yt-dlp").
				Because(fmt.Errorf("ytdlp: exit code %d: %s", exit.Code, lastComplaint(exit.Stderr)))
		}
		return readEquipment(exit.Stderr), nil
	})
}

// files returns the files on which an answer of the program depends: its own file and others.
func (p *program) files(others []string) (all []os.FileInfo, err error) {
	path, err := p.host.Programs.Look(p.file)
	if err != nil {
		return nil, p.unfit("is missing").Because(err)
	}
	for _, path := range append([]string{path}, others...) {
		file, err := os.Stat(path)
		if errors.Is(err, os.ErrNotExist) && len(all) > 0 {
			continue // the runtime was just removed
		}
		if err != nil {
			return nil, p.unfit("is missing").Because(err)
		}
		all = append(all, file)
	}
	return all, nil
}
