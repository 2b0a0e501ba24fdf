package models

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// State is the state of an entry on the disk.
type State string

// The values of State.
const (
	StateAbsent    State = "absent"
	StatePartial   State = "partial"   // a pull was interrupted; the next pull continues
	StateInstalled State = "installed" // complete, with a correct hash when it was pulled
	StateDamaged   State = "damaged"   // changed since it was pulled; it is not used
)

// Item is an entry of the table and its state on the disk.
type Item struct {
	Entry
	State State
	// Have is how many bytes of the file are on the disk.
	Have int64
	// Path is the file to use if it is installed: the model file, or the program.
	Path string
}

// List returns the state of each entry for this machine, in the table's order. It does
// not check hashes; [Folder.Verify] does.
func (f *Folder) List(ctx context.Context) ([]Item, error) {
	var all []Item
	for _, e := range f.table {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if !e.fits() {
			continue
		}
		item, err := f.look(e)
		if err != nil {
			return nil, err
		}
		all = append(all, item)
	}
	return all, nil
}

// damaged is the suffix of files that were put aside.
const damaged = ".damaged"

// The paths of an entry.
func (f *Folder) place(e Entry) string   { return filepath.Join(f.dir, e.folder()) }
func (f *Folder) file(e Entry) string    { return filepath.Join(f.place(e), e.File()) }
func (f *Folder) partial(e Entry) string { return filepath.Join(f.dir, e.SHA256+".part") }

// unpacked is the folder of an unpacked engine that has run once.
func (f *Folder) unpacked(e Entry) string { return filepath.Join(f.place(e), "unpacked") }

// look returns the state of an entry.
func (f *Folder) look(e Entry) (Item, error) {
	item := Item{Entry: e, State: StateAbsent}
	have, err := size(f.file(e))
	switch {
	case err == nil && have == e.Bytes:
		item.State, item.Have, item.Path = StateInstalled, have, f.file(e)
		if e.Kind == KindEngine {
			return f.lookForProgram(item)
		}
		return item, nil
	case err == nil:
		item.State, item.Have = StateDamaged, have
		return item, nil
	case errors.Is(err, errNoFile): // the other entries can still be used
		item.State = StateDamaged
		return item, nil
	case !errors.Is(err, fs.ErrNotExist):
		return Item{}, fmt.Errorf("models: %w", err)
	}
	if have, err = size(f.partial(e)); err == nil && have > 0 { // an empty file has received nothing yet
		item.State, item.Have = StatePartial, have
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errNoFile) {
		return Item{}, fmt.Errorf("models: %w", err)
	} else if have, err = size(f.file(e) + damaged); err == nil {
		item.State, item.Have = StateDamaged, have
	}
	return item, nil
}

// lookForProgram completes the state of an engine whose archive is there.
func (f *Folder) lookForProgram(item Item) (Item, error) {
	var err error
	item.Path, err = findProgram(f.unpacked(item.Entry))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		item.State = StatePartial // downloaded, but it has not run yet
		if _, err := os.Stat(f.unpacked(item.Entry) + damaged); err == nil {
			item.State = StateDamaged
		}
	case err != nil:
		item.State = StateDamaged
	}
	return item, nil
}

// errNoFile means that a path is a folder, a link or anything else that is not a regular
// file. Links are not followed, because they may lead to any file.
var errNoFile = errors.New("it is no file")

// size returns the size of a regular file.
func size(path string) (int64, error) {
	st, err := os.Lstat(path)
	switch {
	case err != nil:
		return 0, err
	case !st.Mode().IsRegular():
		return 0, fmt.Errorf("%s: %w", path, errNoFile)
	}
	return st.Size(), nil
}

// tag is the path at which the ETag of a partial file is kept.
func (f *Folder) tag(e Entry) string { return filepath.Join(f.dir, e.SHA256+".etag") }
