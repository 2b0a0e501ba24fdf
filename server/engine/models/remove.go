package models

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Remove removes all files of a model or an engine: complete, damaged and partial
// files, of this version of the table and of others. A program that is running keeps
// running.
//
// Errors: [ErrUnknown] for a name that the table does not have, [ErrNotInstalled] if nothing is
// there, [ErrBusy].
func (f *Folder) Remove(ctx context.Context, name string) error {
	e, err := f.entry(name)
	if err != nil {
		return err
	}
	if _, err := os.Stat(f.dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: nothing of %s is in %s", ErrNotInstalled, name, f.dir)
	}
	lock, err := f.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock(lock)
	there, err := f.remains(e)
	if err != nil {
		return err
	}
	if len(there) == 0 {
		return fmt.Errorf("%w: nothing of %s is in %s", ErrNotInstalled, name, f.dir)
	}
	for _, path := range there {
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("models: %w", err)
		}
	}
	return syncFolder(f.dir)
}

// remains returns all files and folders of an entry's name.
func (f *Folder) remains(e Entry) (all []string, err error) {
	found, err := os.ReadDir(f.dir)
	if err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	for _, there := range found {
		ofVersion, _ := filepath.Match(e.Name+"-????????????????", there.Name()) // only a bad pattern is an error
		if ofVersion || there.Name() == filepath.Base(f.partial(e)) || there.Name() == filepath.Base(f.tag(e)) {
			all = append(all, filepath.Join(f.dir, there.Name()))
		}
	}
	return all, nil
}
