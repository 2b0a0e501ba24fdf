package server

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/internal/scratch"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/disks"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// Examine checks whether a server with the configuration c and a store with the options
// o could run here: the programs of the engine and their confinement, the database and
// its clock, the blobs, and the free space on disks. Examine makes neither a server nor
// a store, and ignores c.Store. It creates no database, changes no table and opens no
// link, but it calls recognizers and object stores on the network.
//
// When ctx ends, Examine soon returns with its findings so far. The error is a
// [*ConfigError] about Egress or Engine.
func Examine(ctx context.Context, c Config, o store.Options) ([]engine.Finding, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	minFree := c.Limits.MinFreeDisk
	if minFree == 0 {
		minFree = defaultMinFreeDisk
	}
	scratches := db.Folder{Use: "scratch files", Path: c.Dir}
	if c.Dir == "" {
		scratches.Path = os.TempDir()
	}
	var stored []engine.Finding
	var asking sync.WaitGroup
	asking.Go(func() {
		stored = append(db.Examine(ctx, db.Options(o)), disks.Examine(append(db.Options(o).Folders(), scratches), minFree))
	})
	worked, err := examineWork(ctx, c)
	asking.Wait()
	return append(worked, stored...), err
}

// examineWork makes the engine for an examination, and closes the engine afterwards.
func examineWork(ctx context.Context, c Config) (all []engine.Finding, err error) {
	guard, err := newGuard(c)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, guard.Close()) }()
	if c.Role == RoleAPI || c.Engine == nil {
		return nil, nil
	}
	dir, err := scratch.New(c.Dir)
	if err != nil {
		return []engine.Finding{{
			Name: "scratch files", Status: engine.Broken, Found: err.Error(), Fails: "everything",
			Cure: "let the user of the service write to the folder, or set TMPDIR to another",
		}}, nil
	}
	defer func() { err = errors.Join(err, dir.Remove()) }()
	programs, err := run.New(run.Config{Dir: dir.Path(), Path: c.Path, Guard: guard})
	if err != nil {
		return nil, err
	}
	eng, err := newEngine(c, programs, guard, dir.Path())
	if err != nil {
		return nil, err
	}
	return slices.Concat(examineEngine(ctx, eng), examinePrograms(programs), examineExits(guard.Exits())), nil
}

// examinePrograms checks how the kernel confines programs.
func examinePrograms(programs *run.Runner) []engine.Finding {
	landlock := engine.Finding{Name: "Landlock", Status: engine.OK, Found: "holds programs to the egress guard and to their own files"}
	if programs.Landlock() != nil {
		landlock.Status, landlock.Found = engine.Missing, "does not hold programs to the egress guard"
		landlock.Fails = "the protection of this machine's network and files from programs that a page or a recording leads astray"
		landlock.Cure = engine.CureUnconfined
	}
	seccomp := engine.Finding{Name: "seccomp", Status: engine.OK, Found: "refuses programs the system calls that they do not need"}
	if programs.Seccomp() != nil {
		seccomp.Status, seccomp.Found = engine.Missing, "does not refuse programs any system call"
		seccomp.Fails = "the protection of this machine from programs that listen on the network or change the modes of files"
		seccomp.Cure = engine.CureUnfiltered
	}
	found := []engine.Finding{landlock, seccomp}
	if !programs.EndsAll() {
		found = append(found, engine.Finding{
			Name: "PID namespaces", Status: engine.Missing, Found: "not granted",
			Fails: "the end of what a program has started and left behind, when the service is killed",
			Cure:  "permit user namespaces to the service (sysctl kernel.unprivileged_userns_clone=1 on Debian)",
		})
	}
	if programs.AsRoot() {
		user := engine.Finding{Name: "user", Status: engine.OK, Found: "root, and so are the programs", Cure: engine.CureRoot}
		if landlock.Status != engine.OK {
			user.Status = engine.Missing
			user.Fails = "the protection of the whole machine: without Landlock a program of root writes any file, those of /proc/sys too"
		}
		found = append(found, user)
	}
	return found
}

// part is a capability of an engine.
type part struct {
	name string
	does any
}

// examineEngine asks all parts of an engine at once.
func examineEngine(ctx context.Context, e engine.Engine) []engine.Finding {
	var parts []part
	for _, source := range e.Captions {
		parts = append(parts, part{"captions", source})
	}
	parts = append(parts, part{"lists", e.Lists}, part{"links to media files", e.Direct}, part{"discovery", e.Discovery}, part{"audio", e.Audio}, part{"media", e.Media}, part{"recognizer", e.Recognizer}, part{"voices", e.Voices}, part{"diarizer", e.Diarizer})
	parts = slices.DeleteFunc(parts, func(p part) bool { return p.does == nil })
	found := make([][]engine.Finding, len(parts))
	var asking sync.WaitGroup
	for i, p := range parts {
		if slices.ContainsFunc(parts[:i], func(before part) bool { return same(before.does, p.does) }) {
			continue // a value that is several parts is asked once
		}
		asking.Go(func() { found[i] = p.examine(ctx) })
	}
	asking.Wait()
	return slices.Concat(found...)
}

// same reports whether two parts are the same value.
func same(a, b any) bool {
	return a != nil && b != nil && reflect.TypeOf(a).Comparable() && reflect.TypeOf(b).Comparable() && a == b
}

func (p part) examine(ctx context.Context) []engine.Finding {
	var found []engine.Finding
	switch does := p.does.(type) {
	case engine.Examiner:
		return does.Examine(ctx)
	case engine.Checker:
		found = append(found, engine.FindingOf(p.name, does.Check(ctx)))
	default:
		found = append(found, engine.Finding{Name: p.name, Status: engine.OK})
	}
	r, ok := p.does.(engine.Recognizer)
	if !ok {
		if found[0].Status == engine.OK {
			return nil // there is nothing more to report
		}
		return found
	}
	info := r.Info()
	words := strings.TrimSpace(info.Name + " " + info.Model)
	if info.Quality != "" {
		words += "; " + info.Quality
	}
	if found[0].Status == engine.OK {
		found[0].Found = words
	} else {
		found[0].Fails = "recordings, and links without captions"
	}
	return found
}
