package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// Progress is told how many bytes of a file are done; total is its size.
type Progress func(e Entry, done, total int64)

// Verify hashes all that is installed, and compares each engine with its archive.
// What is not as it was published is put aside, so that nothing uses it, and is
// [StateDamaged] in the answer: all items that are installed or damaged. progress may
// be nil.
func (f *Folder) Verify(ctx context.Context, progress Progress) ([]Item, error) {
	all, err := f.List(ctx)
	if err != nil {
		return nil, err
	}
	var there []Item
	for _, item := range all {
		if item.State == StateInstalled {
			switch err := f.verify(ctx, item.Entry, progress); {
			case errors.Is(err, ErrHash):
				item.State, item.Path = StateDamaged, ""
			case err != nil:
				return nil, err
			}
		}
		if item.State == StateInstalled || item.State == StateDamaged {
			there = append(there, item)
		}
	}
	return there, nil
}

func (f *Folder) verify(ctx context.Context, e Entry, progress Progress) error {
	if err := f.verifyFile(ctx, e, progress); err != nil || e.Kind != KindEngine {
		return err
	}
	there, err := os.Stat(f.unpacked(e))
	if err != nil {
		return fmt.Errorf("models: %w", err)
	}
	err = f.verifyUnpacked(ctx, e)
	if errors.Is(err, ErrHash) {
		err = errors.Join(err, f.putAside(ctx, f.unpacked(e), there))
	}
	return err
}

// verifyFile hashes an installed file. One whose hash is wrong is put aside; the
// error is ErrHash then.
func (f *Folder) verifyFile(ctx context.Context, e Entry, progress Progress) error {
	file, err := os.Open(f.file(e))
	if err != nil {
		return fmt.Errorf("models: %w", err)
	}
	defer func() { _ = file.Close() }() // it is only read
	there, err := file.Stat()
	if err != nil {
		return fmt.Errorf("models: %w", err)
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, f.reader(ctx, file, e, 0, progress)); err != nil {
		return fmt.Errorf("models: %s: %w", e.Name, err)
	}
	if hex.EncodeToString(hash.Sum(nil)) == e.SHA256 {
		return nil
	}
	return errors.Join(fmt.Errorf("%w: %s is damaged, and has to be pulled again", ErrHash, e.Name), f.putAside(ctx, f.file(e), there))
}

// putAside takes its name from what is damaged, if it still is what was seen: another
// process may have pulled it again meanwhile, or be about to. Who may not change the
// folder leaves it, and does not use it.
func (f *Folder) putAside(ctx context.Context, path string, seen os.FileInfo) error {
	lock, err := f.lock(ctx)
	if errors.Is(err, ErrBusy) || errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return nil
	}
	if err != nil {
		return err
	}
	defer unlock(lock)
	if there, err := os.Lstat(path); err != nil || !os.SameFile(seen, there) {
		return nil //nolint:nilerr // it has gone already
	}
	if err := os.RemoveAll(path + damaged); err != nil {
		return fmt.Errorf("models: %w", err)
	}
	if err := os.Rename(path, path+damaged); err != nil {
		return fmt.Errorf("models: %w", err)
	}
	return nil
}

// reader reads a file of an entry, tells progress from a number of bytes on, and ends with ctx.
func (f *Folder) reader(ctx context.Context, r io.Reader, e Entry, from int64, progress Progress) io.Reader {
	return readerFunc(func(b []byte) (int, error) {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		n, err := r.Read(b)
		from += int64(n)
		if progress != nil && n > 0 {
			progress(e, from, e.Bytes)
		}
		return n, err
	})
}

type readerFunc func([]byte) (int, error)

func (r readerFunc) Read(b []byte) (int, error) { return r(b) }
