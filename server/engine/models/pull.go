package models

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Pull carries out a plan of this folder. If it is interrupted, the received bytes stay for the
// next pull. progress may be nil.
//
// Errors: [ErrBusy] while another pull runs, [ErrHash] for files with a wrong hash, an engine
// that does not run here, with its cure, and errors of networks and disks.
func (f *Folder) Pull(ctx context.Context, plan Plan, progress Progress) error {
	lock, err := f.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock(lock)
	for _, d := range plan.Downloads {
		if err := f.pull(ctx, d, progress); err != nil {
			return err
		}
	}
	return syncFolder(f.dir)
}

func (f *Folder) pull(ctx context.Context, d Download, progress Progress) error {
	item, err := f.look(d.Entry)
	if err != nil || item.State == StateInstalled { // the entry was installed after the plan was made
		return err
	}
	if d.Kind != KindEngine || f.verifyFile(ctx, d.Entry, nil) != nil { // the archive may already exist
		if err := f.get(ctx, d, progress); err != nil {
			return err
		}
	}
	if err := os.Remove(f.file(d.Entry) + damaged); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("models: %w", err)
	}
	if d.Kind == KindEngine {
		return f.install(ctx, d.Entry)
	}
	return nil
}

// get brings a file to its final name. If a resumed file has a wrong hash, the old part may be
// damaged: get then fetches the whole file, once.
func (f *Folder) get(ctx context.Context, d Download, progress Progress) error {
	for {
		p, err := f.openPartial(ctx, d.Entry, progress)
		if err != nil {
			return err
		}
		resumed := p.have > 0 && d.url != nil
		if d.url == nil {
			err = f.copyFrom(ctx, d, p, progress)
		} else {
			err = f.download(ctx, d, p, progress)
		}
		if err != nil {
			return errors.Join(fmt.Errorf("models: %s from %s: %w", d.File(), d.From, err), p.close())
		}
		err = p.finish(f.place(d.Entry), f.file(d.Entry))
		if !resumed || !errors.Is(err, ErrHash) {
			return err
		}
	}
}

// copyFrom copies a file of the operator's.
func (f *Folder) copyFrom(ctx context.Context, d Download, p *partial, progress Progress) error {
	file, err := os.Open(d.path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it is only read
	given, err := file.Stat()
	if err != nil {
		return err
	}
	if own, err := p.file.Stat(); err == nil && os.SameFile(given, own) {
		return errors.New("it is the partial file of an interrupted pull, which resumes by itself: name another file")
	}
	if err := p.reset(); err != nil {
		return err
	}
	_, err = io.Copy(p, f.reader(ctx, file, d.Entry, 0, progress))
	return err
}

// unpacking is the prefix of folders whose pull has not finished.
const unpacking = ".unpacking-"

// install unpacks an engine's archive, runs the engine once, and then moves it to its place.
func (f *Folder) install(ctx context.Context, e Entry) (err error) {
	left, _ := fs.Glob(os.DirFS(f.place(e)), unpacking+"*") // only a bad pattern is an error
	for _, dir := range left {
		if err := os.RemoveAll(filepath.Join(f.place(e), dir)); err != nil {
			return fmt.Errorf("models: %w", err)
		}
	}
	dir, err := os.MkdirTemp(f.place(e), unpacking)
	if err != nil {
		return fmt.Errorf("models: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	archive, err := os.Open(f.file(e))
	if err != nil {
		return fmt.Errorf("models: %w", err)
	}
	defer func() { _ = archive.Close() }() // it is only read
	if err := unpack(ctx, archive, mostUnpacked(e), dir); err != nil {
		return err
	}
	program, err := findProgram(dir)
	if err != nil {
		return err
	}
	if _, err := f.try(ctx, program); err != nil {
		return fmt.Errorf("models: the engine was downloaded, and does not run here: %w", err)
	}
	// Other users may run the engine, and no older engine may be left at the target path.
	if err := errors.Join(os.Chmod(dir, 0o755), os.RemoveAll(f.unpacked(e)), os.RemoveAll(f.unpacked(e)+damaged)); err != nil {
		return fmt.Errorf("models: %w", err)
	}
	if err := os.Rename(dir, f.unpacked(e)); err != nil {
		return fmt.Errorf("models: %w", err)
	}
	return syncFolder(f.place(e))
}
