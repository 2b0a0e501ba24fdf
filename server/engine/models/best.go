package models

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Pair is a program and a model that work together.
type Pair struct {
	// Program is the absolute path of a program that runs on this machine.
	Program string
	// Pulled reports that the program was pulled and does not belong to the system.
	Pulled bool
	// Model is an installed model, and Path its file.
	Model Item
}

// Best returns the most accurate installed model of a program, [WhisperCLI] or [ParakeetCLI], and
// the program: that of [Options.Program], otherwise the pulled program, otherwise the system's.
// Best hashes the model and runs the program to check both, which takes seconds for a large model.
// It skips damaged files.
//
// If there is no such pair, the error is [ErrNotInstalled] with the reason and the cure.
func (f *Folder) Best(ctx context.Context, program string) (Pair, error) {
	models, err := f.candidates(ctx, program)
	if err != nil {
		return Pair{}, err
	}
	reason := error(nil)
	for _, m := range models {
		if err := f.verifyFile(ctx, m.Entry, nil); ctx.Err() != nil {
			return Pair{}, context.Cause(ctx)
		} else if err != nil {
			reason = cmp.Or(reason, err)
			continue
		}
		path, pulled, err := f.usableProgram(ctx, program)
		if err != nil {
			return Pair{}, fmt.Errorf("%w: %s has no program that runs it: %w", ErrNotInstalled, m.Name, err)
		}
		return Pair{Program: path, Pulled: pulled, Model: m}, nil
	}
	return Pair{}, fmt.Errorf("%w: %w", ErrNotInstalled, cmp.Or(reason, errors.New("no model was pulled")))
}

// candidates returns the installed models of a program, the most accurate one first.
func (f *Folder) candidates(ctx context.Context, program string) ([]Item, error) {
	all, err := f.List(ctx)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(i Item) bool { return i.Kind != KindModel || i.State != StateInstalled || i.program() != program })
	slices.Reverse(all)
	return all, nil
}

// usableProgram returns the program of a name that runs. Otherwise the error says why there is
// none, and what to do.
func (f *Folder) usableProgram(ctx context.Context, name string) (path string, pulled bool, err error) {
	if f.program != "" {
		path, err = f.try(ctx, beside(f.program, name))
		return path, false, err
	}
	e, known := f.engine()
	if known {
		item, err := f.look(e)
		if err != nil {
			return "", false, err
		}
		if item.State == StateInstalled {
			path, err = f.try(ctx, beside(item.Path, name))
			return path, true, err
		}
	}
	path, err = f.try(ctx, name)
	return path, false, err
}

// beside returns the program of a name in the folder of whisper-cli. The file of whisper-cli may
// have any name.
func beside(whisperCLI, name string) string {
	switch {
	case name == WhisperCLI:
		return whisperCLI
	case !strings.ContainsRune(whisperCLI, filepath.Separator):
		return name // the system finds both
	}
	return filepath.Join(filepath.Dir(whisperCLI), name)
}

// engine returns the table's engine for this machine.
func (f *Folder) engine() (Entry, bool) {
	at := slices.IndexFunc(f.table, func(e Entry) bool { return e.Kind == KindEngine && e.fits() })
	if at < 0 {
		return Entry{}, false
	}
	return f.table[at], true
}
